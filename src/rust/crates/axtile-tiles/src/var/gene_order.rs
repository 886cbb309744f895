//! `gene_order.npy`: where each stored gene came from. Stored gene `j` was
//! gene `gene_order[j]` of the source.
//!
//! The file is in NumPy's format 1.0 (numpy.lib.format documents it):
//!
//! | offset | width | content |
//! |---|---|---|
//! | 0 | 6 | `\x93NUMPY` |
//! | 6 | 2 | version: 1, 0 |
//! | 8 | 2 | length of the header text, little-endian |
//! | 10 | | a Python dict: descr `<i4`, fortran_order False, shape (n_genes,) |
//! | 128 | 4 each | the numbers, little-endian int32 |
//!
//! Nothing but that is read: no other type or shape, and no pickled object.

use std::io::Read;
use std::path::Path;

use axtile_core::{Error, Result};
use axtile_store::{open_regular, write_file};

pub(crate) const FILE: &str = "gene_order.npy";
const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";
/// Where NumPy starts the data behind a header this short.
const DATA_OFFSET: usize = 128;

/// Reads the gene order of a dataset: for each stored gene its number in the
/// source, from 0.
///
/// # Errors
/// If the file cannot be read or is no permutation of `0..n_genes` stored as
/// described above.
pub fn read_gene_order(dataset_dir: &Path, n_genes: usize) -> Result<Vec<u32>> {
    let path = dataset_dir.join(FILE);
    let file = open_regular(&path)?;
    // No valid file is longer than the longest header and the numbers.
    let longest = 10 + u64::from(u16::MAX) + 4 * n_genes as u64;
    let mut bytes = Vec::new();
    file.take(longest + 1)
        .read_to_end(&mut bytes)
        .map_err(Error::io("read", &path))?;
    let damaged = |place: &str, problem: String| Error::corrupt(&path, place, problem);

    let Some(rest) = bytes.strip_prefix(MAGIC) else {
        let problem = "expected a NumPy file of format 1.0".to_owned();
        return Err(damaged("byte 0", problem));
    };
    let header = rest
        .split_first_chunk::<2>()
        .and_then(|(len, rest)| rest.split_at_checked(usize::from(u16::from_le_bytes(*len))));
    let Some((header, data)) = header else {
        let problem = "the header is longer than the file".to_owned();
        return Err(damaged("byte 8", problem));
    };
    let found = String::from_utf8_lossy(header);
    let bare: String = found.chars().filter(|c| !c.is_whitespace()).collect();
    // NumPy writes the keys sorted and a comma after the last one.
    let expected = format!("{{'descr':'<i4','fortran_order':False,'shape':({n_genes},)");
    let end = bare.strip_prefix(&expected);
    if !matches!(end, Some(",}" | "}")) {
        let problem = format!(
            "the array is {}, expected one dimension of {n_genes} little-endian int32",
            found.trim()
        );
        return Err(damaged("byte 10", problem));
    }
    if data.len() != 4 * n_genes {
        let problem = format!(
            "{} bytes of numbers, expected {} for {n_genes} genes",
            data.len(),
            4 * n_genes
        );
        return Err(damaged("the numbers", problem));
    }

    let mut seen = vec![false; n_genes];
    let mut order = Vec::with_capacity(n_genes);
    for (i, word) in data.as_chunks::<4>().0.iter().enumerate() {
        let gene = i32::from_le_bytes(*word);
        let slot = usize::try_from(gene).ok().and_then(|g| seen.get_mut(g));
        match slot {
            Some(seen) if !*seen => *seen = true,
            Some(_) => {
                let problem = format!("gene {gene} occurs twice, expected a permutation");
                return Err(damaged(&format!("number {i}"), problem));
            }
            None => {
                let problem = format!("gene {gene} is not in 0..{n_genes}");
                return Err(damaged(&format!("number {i}"), problem));
            }
        }
        order.push(gene.unsigned_abs());
    }
    Ok(order)
}

/// Writes the gene order of a dataset.
///
/// # Errors
/// If `order` is no permutation of `0..order.len()`, or writing fails.
pub fn write_gene_order(dataset_dir: &Path, order: &[u32]) -> Result<()> {
    let path = dataset_dir.join(FILE);
    let mut seen = vec![false; order.len()];
    let mut bytes = Vec::with_capacity(DATA_OFFSET + 4 * order.len());
    bytes.extend_from_slice(MAGIC);
    let text_len = DATA_OFFSET - MAGIC.len() - 2;
    bytes.extend_from_slice(&(text_len as u16).to_le_bytes());
    let dict = format!(
        "{{'descr': '<i4', 'fortran_order': False, 'shape': ({},), }}",
        order.len()
    );
    bytes.extend_from_slice(dict.as_bytes());
    bytes.resize(DATA_OFFSET - 1, b' ');
    bytes.push(b'\n');
    for (i, &gene) in order.iter().enumerate() {
        match (seen.get_mut(gene as usize), i32::try_from(gene)) {
            (Some(seen), Ok(gene)) if !*seen => {
                *seen = true;
                bytes.extend_from_slice(&gene.to_le_bytes());
            }
            _ => {
                return Err(Error::argument(format!(
                    "the gene order is no permutation: {gene} at position {}",
                    i + 1
                )));
            }
        }
    }
    write_file(&path, &bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_comes_back() {
        let dir = tempfile::tempdir().unwrap();
        let order: Vec<u32> = (0..300).map(|i| (i * 7) % 300).collect();
        write_gene_order(dir.path(), &order).unwrap();
        assert_eq!(read_gene_order(dir.path(), 300).unwrap(), order);
        assert!(read_gene_order(dir.path(), 299).is_err());
        assert!(write_gene_order(dir.path(), &[0, 0]).is_err());
        assert!(write_gene_order(dir.path(), &[0, 2]).is_err());
    }

    #[test]
    fn every_truncation_and_other_headers_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE);
        write_gene_order(dir.path(), &[1, 0, 2]).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        for len in 0..bytes.len() {
            std::fs::write(&path, &bytes[..len]).unwrap();
            assert!(read_gene_order(dir.path(), 3).is_err(), "{len} bytes");
        }
        for (from, to) in [
            ("'<i4'", "'>i4'"),
            ("'<i4'", "'|O4'"),
            ("False", "True "),
            ("(3,)", "(4,)"),
            ("(3,)", "(3 )"),
            ("descr", "decsr"),
        ] {
            let text: Vec<u8> = bytes.clone();
            let at = text.windows(from.len()).position(|w| w == from.as_bytes());
            let mut text = text;
            text.splice(at.unwrap()..at.unwrap() + from.len(), to.bytes());
            std::fs::write(&path, &text).unwrap();
            assert!(read_gene_order(dir.path(), 3).is_err(), "{to}");
        }
        let mut long = bytes;
        long.extend_from_slice(&[0; 4]);
        std::fs::write(&path, &long).unwrap();
        assert!(read_gene_order(dir.path(), 3).is_err());
    }
}
