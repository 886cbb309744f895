//! Thrift's compact protocol, in which parquet writes its footer and page
//! headers (thrift/doc/specs/thrift-compact-protocol.md of Apache Thrift).
//!
//! A struct is a row of fields and a zero byte. A field starts with a byte
//! `delta << 4 | type`; with delta 0 the field number follows as a zigzag
//! varint. Integers are zigzag varints, texts a varint length and bytes, lists
//! a byte `n << 4 | type` (n = 15: a varint follows) and the elements.

mod read;
mod write;

pub(super) use read::{Reader, Wire, varint};
pub(super) use write::{Writer, push_varint};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::damage::Damage;

    #[test]
    fn what_is_written_is_read_and_no_prefix_is() {
        let mut writer = Writer::new();
        writer.i32(1, -5);
        writer.i64(3, i64::MIN);
        writer.flag(40, true);
        writer.text(41, "aü");
        writer.structures(42, [1i16, 2].into_iter(), |writer, value| {
            writer.i16(2, value);
            writer.byte(3, -1);
        });
        writer.texts(43, &["x"; 20]);
        writer.i32s(44, &[7, 8]);
        let bytes = writer.finish();

        let read = |bytes: &[u8]| {
            let mut reader = Reader::new(bytes);
            let mut seen = Vec::new();
            reader.fields(|reader, id, wire| {
                seen.push(match id {
                    1 | 3 => format!("{}", reader.integer(wire)?),
                    40 => format!("{}", reader.flag(wire)?),
                    41 => reader.text(wire)?.to_owned(),
                    42 => {
                        let list = reader.list(wire, |reader, wire| {
                            let mut value = 0;
                            reader.structure(wire, |reader, id, wire| {
                                if id == 2 {
                                    value = reader.integer(wire)?;
                                    Ok(())
                                } else {
                                    reader.skip(wire)
                                }
                            })?;
                            Ok(value)
                        })?;
                        format!("{list:?}")
                    }
                    _ => {
                        reader.skip(wire)?;
                        "skipped".to_owned()
                    }
                });
                Ok(())
            })?;
            Ok::<_, Damage>(seen)
        };
        let min = i64::MIN.to_string();
        let expected = ["-5", &min, "true", "aü", "[1, 2]", "skipped", "skipped"];
        assert_eq!(read(&bytes).unwrap(), expected);
        for len in 0..bytes.len() {
            assert!(read(&bytes[..len]).is_err(), "{len}");
        }
    }

    #[test]
    fn deep_nesting_ends() {
        let bytes = vec![0x1c; 100_000];
        assert!(Reader::new(&bytes).skip(Wire::Struct).is_err());
    }
}
