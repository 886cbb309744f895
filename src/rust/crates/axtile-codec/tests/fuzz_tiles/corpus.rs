//! Tiles made by hand, each at one limit of the format, and what reading them
//! must give. They are kept in `tests/corpus`, so that what decoders of all
//! versions make of them is the same.

use std::path::PathBuf;

/// A tile of the corpus.
pub struct Tricky {
    pub name: &'static str,
    /// Whether it is a sound tile.
    pub is_sound: bool,
    /// What it covers.
    pub note: &'static str,
    pub tile: Vec<u8>,
}

/// Where those of a mode are.
pub fn folder(mode: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/corpus")
        .join(mode)
}

/// Writes them, and a list.
pub fn write(mode: &str, corpus: &[Tricky]) {
    let mut list = "# Tiles at the limits of the format\n\n\
        Written by `cargo test --test fuzz_tiles -- --ignored write_corpus`.\n\n\
        | file | read | what it covers |\n|---|---|---|\n"
        .to_owned();
    let folder = folder(mode);
    std::fs::create_dir_all(&folder).unwrap();
    for tricky in corpus {
        let (name, note) = (tricky.name, tricky.note);
        let outcome = if tricky.is_sound { "yes" } else { "no" };
        list += &format!("| {name}.bin | {outcome} | {note} |\n");
        std::fs::write(folder.join(format!("{name}.bin")), &tricky.tile).unwrap();
    }
    std::fs::write(folder.join("README.md"), list).unwrap();
}
