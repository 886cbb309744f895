//! Packed arrays that other programs wrote, in all compressions.

use axtile_daf::model::{Reader, Values};

use crate::support::{all, open, shared};

#[test]
fn packed_arrays_are_the_flat_ones() {
    let Some(shared) = shared() else { return };
    let mut labels: Option<Values> = None;
    for compression in ["bl", "bz", "gz", "zs"] {
        let path = shared.join(format!("packed_files/{compression}.files"));
        let store = open(&path);
        assert_eq!(store.name(), "files-packed!");
        for name in ["dense", "sparse"] {
            let packed = store.find_matrix("cell", "gene", name).unwrap().unwrap();
            let flat = store.find_matrix("gene", "cell", name).unwrap().unwrap();
            assert_eq!((packed.n_rows(), packed.n_columns()), (1200, 8));
            assert_eq!(
                all(&packed.transposed()),
                all(&flat),
                "{compression} {name}"
            );
        }
        let score = store.vector("cell", "score").unwrap().to_dense();
        let Values::Float64(score) = &score else {
            panic!("not Float64");
        };
        assert!(score.windows(2).any(|pair| pair[0] != pair[1]));
        let label = store.vector("cell", "label").unwrap().to_dense();
        assert_eq!(label.len(), 1200);
        match &labels {
            Some(labels) => assert_eq!(labels, &label),
            None => labels = Some(label),
        }
    }
}
