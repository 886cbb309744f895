//! Damaged files: whatever the bytes, an error or data, no panic, and memory in
//! proportion to the file.

mod common;

use std::path::{Path, PathBuf};

use axtile_core::{Error, ErrorKind, Result};
use axtile_import::{ImportOptions, open};
use common::*;

/// xorshift64, for the same flips each time.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

fn read(path: &Path, options: &ImportOptions) -> Result<()> {
    let mut source = open(path, options)?;
    // A flipped size can ask for more cells than a test should walk.
    if source.n_cells() > 1 << 20 {
        return Ok(());
    }
    read_all(source.as_mut())
}

fn damaged(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

/// The size of this process and the most it ever had, in bytes.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM"))
        .unwrap_or("");
    let kilobytes = line
        .split_ascii_whitespace()
        .nth(1)
        .and_then(|n| n.parse::<u64>().ok());
    kilobytes.unwrap_or(0) << 10
}

#[test]
fn every_truncation_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for file in ["tiny.h5ad", "tenx_v3_latest.h5"] {
        let whole = std::fs::read(fixture(file)).unwrap();
        let options = ImportOptions::default();
        for n in 0..whole.len() {
            let path = damaged(folder.path(), "cut.h5ad", &whole[..n]);
            let result = read(&path, &options);
            assert!(result.is_err(), "{file} cut to {n} bytes was read");
        }
    }
}

#[test]
fn truncated_text_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["matrix.mtx.gz", "barcodes.tsv.gz", "features.tsv.gz"];
    let whole: Vec<Vec<u8>> = names
        .iter()
        .map(|name| std::fs::read(fixture("mtx_v3").join(name)).unwrap())
        .collect();
    for cut in 0..names.len() {
        for n in 0..whole[cut].len() {
            for (at, name) in names.iter().enumerate() {
                let end = if at == cut { n } else { whole[at].len() };
                damaged(folder.path(), name, &whole[at][..end]);
            }
            let error = read(folder.path(), &ImportOptions::default()).unwrap_err();
            let kind = error.kind();
            assert_eq!(
                kind,
                ErrorKind::Corrupt,
                "{} cut to {n} bytes: {error}",
                names[cut]
            );
        }
    }
}

#[test]
fn flipped_bytes_never_panic() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let cases = [
        ("tiny.h5ad", ""),
        ("columns.h5ad", ""),
        ("csc.h5ad", ""),
        ("anndata06.h5ad", ""),
        ("anndata07.h5ad", ""),
        ("tenx_v2.h5", ""),
        ("tenx_v3.h5", ""),
        ("chunks_earliest.h5ad", "csr_several"),
        ("chunks_v110.h5ad", "csr_unlimited"),
        ("chunks_v110.h5ad", "dense_unlimited"),
        ("chunks_latest.h5ad", "dense_holes"),
        ("filters_v110.h5ad", "dense_lzf_shuffle"),
        ("filters_v110.h5ad", "dense_zstd"),
        ("filters_v110.h5ad", "dense_szip"),
        ("filters_v110.h5ad", "dense_scaleoffset"),
    ];
    let rounds: usize = match std::env::var("AXTILE_ALL_TESTS") {
        Ok(_) => 20_000,
        Err(_) => 400,
    };
    let mut kinds = std::collections::BTreeMap::<&str, usize>::new();
    for (file, variant) in cases {
        let whole = std::fs::read(fixture(file)).unwrap();
        let options = options(file, variant);
        for _ in 0..rounds {
            let mut bytes = whole.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(bytes.len());
                // small changes hurt more than large ones: sizes stay plausible
                bytes[at] = match random.below(3) {
                    0 => bytes[at] ^ 1 << random.below(8),
                    1 => bytes[at].wrapping_add(1),
                    _ => random.below(256) as u8,
                };
            }
            let path = damaged(folder.path(), "flipped.h5ad", &bytes);
            match read(&path, &options) {
                Ok(()) => *kinds.entry("read").or_default() += 1,
                Err(error) => *kinds.entry(error.kind().name()).or_default() += 1,
            }
        }
    }
    eprintln!("{kinds:?}, at most {} MB", peak_memory() >> 20);
    assert!(kinds.len() >= 3, "{kinds:?}");
    assert!(peak_memory() < 2 << 30);
}

#[test]
fn odd_matrix_market_lines_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let head = "%%MatrixMarket matrix coordinate integer general\n3 2 2\n";
    for (body, problem) in [
        ("1 1 1\n", "after 1 of 2"),
        ("1 1 1\n2 2 2\n3 1 1\n", "line 5"),
        ("1 1 1\n4 1 1\n", "line 4"),
        ("1 1 1\n0 1 1\n", "line 4"),
        ("1 1 1\n1 3 1\n", "line 4"),
        ("1 1\n1 2 1\n", "line 3"),
        ("1 1 1 1\n1 2 1\n", "line 3"),
        ("x 1 1\n1 2 1\n", "line 3"),
        ("-1 1 1\n1 2 1\n", "line 3"),
        ("99999999999999999999 1 1\n1 2 1\n", "line 3"),
    ] {
        let path = damaged(folder.path(), "odd.mtx", format!("{head}{body}").as_bytes());
        let error = read(&path, &ImportOptions::default()).unwrap_err();
        assert!(matches!(error, Error::Corrupt { .. }), "{body}: {error}");
        assert!(error.to_string().contains(problem), "{body}: {error}");
    }
    for (body, value) in [
        ("1 1 -1\n2 2 1\n", "-1"),
        ("1 1 0.5\n2 2 1\n", "0.5"),
        ("1 1 x\n2 2 1\n", "x"),
    ] {
        let path = damaged(folder.path(), "odd.mtx", format!("{head}{body}").as_bytes());
        let error = read(&path, &ImportOptions::default()).unwrap_err();
        assert!(matches!(error, Error::Value { .. }), "{body}: {error}");
        assert!(
            error
                .to_string()
                .contains(&format!("value {value} (line 3)")),
            "{error}"
        );
    }
    for head in [
        "%%MatrixMarket matrix array real general\n",
        "%%MatrixMarket matrix coordinate real symmetric\n",
        "%%MatrixMarket matrix coordinate complex general\n",
    ] {
        let path = damaged(
            folder.path(),
            "odd.mtx",
            format!("{head}1 1 0\n").as_bytes(),
        );
        let error = read(&path, &ImportOptions::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    }
}

#[test]
fn sizes_out_of_proportion_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for size in [
        "99999999999 2",
        "2 99999999999",
        "18446744073709551615 18446744073709551615",
    ] {
        let text = format!("%%MatrixMarket matrix coordinate integer general\n{size} 0\n");
        let path = damaged(folder.path(), "large.mtx", text.as_bytes());
        let error = open(&path, &ImportOptions::default()).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
    }
}

#[test]
fn claims_out_of_proportion_are_refused() {
    for (file, layer, kind) in [
        ("hostile.h5ad", "csr_long", ErrorKind::Corrupt),
        ("hostile.h5ad", "dense_chunk", ErrorKind::Corrupt),
        ("hostile.h5ad", "dense_chunk_over", ErrorKind::Unsupported),
        ("hostile_obs.h5ad", "", ErrorKind::Corrupt),
    ] {
        let error = open(&fixture(file), &options(file, layer)).err().unwrap();
        assert_eq!(error.kind(), kind, "{file} {layer}: {error}");
    }
}

#[test]
fn other_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in [
        ("empty", &b""[..]),
        ("table.csv", b"a,b\n1,2\n"),
        ("archive.gz", b"\x1f\x8b\x08"),
    ] {
        let path = damaged(folder.path(), name, bytes);
        let error = read(&path, &ImportOptions::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{name}: {error}");
    }
    let error = read(&folder.path().join("none"), &ImportOptions::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    let error = read(folder.path(), &ImportOptions::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
}
