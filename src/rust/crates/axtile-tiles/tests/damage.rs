//! Every changed byte of every file of an axtile dataset is found by opening or
//! verifying it, and never a panic.

mod common;

use std::sync::Arc;

use axtile_core::Unwatched;
use axtile_tiles::{
    AppendOptions, Dataset, DecodedCache, GeneOrder, append_dataset, write_dataset,
};
use common::memory::*;

#[test]
fn every_changed_byte_of_every_file_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.tiles");
    let mut source = Source::new(40, plain_cells(9));
    source.layers.push(("unspliced".into(), plain_cells(9)));
    write_dataset(&path, &mut source, &options(5, 1), &Unwatched).unwrap();
    let options = AppendOptions {
        obs_tiles_per_file: 1,
        n_threads: 1,
    };
    append_dataset(&path, &mut source, &options, &Unwatched).unwrap();
    assert_eq!(problems(&open(&path, GeneOrder::Source, 0)), [""; 0]);

    let is_found = |file: &str| {
        let cache = Arc::new(DecodedCache::new(0));
        let Ok(dataset) = Dataset::open(&path, GeneOrder::Source, cache) else {
            return file == "manifest.json";
        };
        let problems = problems(&dataset);
        // Every problem names its file, or what the file is part of.
        !problems.is_empty() && problems.iter().any(|problem| problem.contains(file))
    };
    let all = files(&path);
    assert_eq!(all.len(), 1 + 3 + 8 + 2 + 3);
    for (name, bytes) in &all {
        let file = path.join(name);
        let step = if bytes.len() > 1000 { 37 } else { 1 };
        for at in (0..bytes.len()).step_by(step) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (at % 8);
            std::fs::write(&file, &damaged).unwrap();
            assert!(is_found(name), "{name}, byte {at}");
        }
        for len in (0..bytes.len()).step_by(7 * step) {
            std::fs::write(&file, &bytes[..len]).unwrap();
            assert!(is_found(name), "{name}, {len} bytes");
        }
        std::fs::remove_file(&file).unwrap();
        assert!(is_found(name), "{name} is missing");
        std::fs::write(&file, bytes).unwrap();
    }
    assert_eq!(problems(&open(&path, GeneOrder::Source, 0)), [""; 0]);
}
