//! A file of records: headers of 24 bytes, each followed by its body, padded to
//! 16 bytes.

use crate::bytes::{i64_at, put, put_text, text_at, u32_at};
use crate::checksum::checksum;
use crate::crypt::Key;
use crate::damage::Damage;
use crate::header::UNIVERSAL_BYTES;

/// Bytes of a record's header.
pub(crate) const RECORD_HEADER_BYTES: usize = 24;
/// Bytes of an entry of the records' index.
pub(crate) const RECORD_INDEX_BYTES: usize = 24;
const PADDING: u8 = 0x7E;

/// A record as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RawRecord<'a> {
    /// Byte of the file.
    pub(crate) offset: usize,
    pub(crate) kind: String,
    pub(crate) version: (u8, u8),
    pub(crate) encryption: i8,
    /// As stored.
    pub(crate) time: i64,
    /// Encrypted as `encryption` says.
    pub(crate) body: &'a [u8],
}

/// The records of a whole file, of which the header declares `n_entries`; each
/// that is damaged with its byte. A damaged length ends the list.
pub(crate) fn parse_records(
    file: &[u8],
    n_entries: i64,
) -> Vec<Result<RawRecord<'_>, (usize, Damage)>> {
    let mut records = Vec::new();
    let mut at = UNIVERSAL_BYTES;
    let mut n_left = u64::try_from(n_entries).unwrap_or(u64::MAX);
    while n_left > 0 {
        let rest = file.get(at..).unwrap_or_default();
        if rest.is_empty() && n_entries < 0 {
            break;
        }
        let Some((header, after)) = rest.split_at_checked(RECORD_HEADER_BYTES) else {
            let problem = format!("the file ends where {n_left} more records are declared");
            records.push(Err((at, Damage::new(problem))));
            break;
        };
        let n_bytes = u32_at(header, 12) as usize;
        let Some(body) = after.get(..n_bytes) else {
            let problem = format!(
                "a record's body has {n_bytes} bytes, the file {} more",
                after.len()
            );
            records.push(Err((at, Damage::new(problem))));
            break;
        };
        let end = RECORD_HEADER_BYTES + n_bytes;
        let stored = u32_at(header, 0);
        let computed = checksum(rest.get(4..end).unwrap_or_default());
        records.push(if stored != 0 && stored != computed {
            Err((
                at,
                Damage::new(format!(
                    "the record's checksum is {computed:08x}, expected {stored:08x}"
                )),
            ))
        } else {
            Ok(RawRecord {
                offset: at,
                kind: text_at(header, 4, 5),
                version: (
                    header.get(9).copied().unwrap_or(0),
                    header.get(10).copied().unwrap_or(0),
                ),
                encryption: header.get(11).copied().unwrap_or(0).cast_signed(),
                time: i64_at(header, 16),
                body,
            })
        });
        at += end;
        n_left -= 1;
    }
    records
}

/// A record as it is stored, encrypted at level 2 if there is a key.
pub(crate) fn encode_record(
    kind: &str,
    version: (u8, u8),
    time: i64,
    body: &[u8],
    key: Option<Key>,
) -> Vec<u8> {
    let n_bytes = body.len().next_multiple_of(16);
    let mut record = vec![0; RECORD_HEADER_BYTES];
    record.extend_from_slice(body);
    record.resize(RECORD_HEADER_BYTES + n_bytes, PADDING);
    if let (Some(key), Some(body)) = (key, record.get_mut(RECORD_HEADER_BYTES..)) {
        key.encrypt(body);
    }
    put_text(&mut record, 4, 5, kind);
    put(&mut record, 9, &[version.0, version.1]);
    put(&mut record, 11, &[if key.is_some() { 2 } else { 0 }]);
    put(&mut record, 12, &(n_bytes as u32).to_le_bytes());
    put(&mut record, 16, &time.to_le_bytes());
    let sum = checksum(record.get(4..).unwrap_or_default());
    put(&mut record, 0, &sum.to_le_bytes());
    record
}
