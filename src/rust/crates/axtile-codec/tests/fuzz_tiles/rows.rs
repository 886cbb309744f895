//! Counts to encode.

use axtile_codec::CellRows;

use crate::random::Random;

pub fn rows_of(cells: impl IntoIterator<Item = Vec<(u32, u32)>>) -> CellRows {
    let mut rows = CellRows {
        starts: vec![0],
        ..CellRows::default()
    };
    for cell in cells {
        rows.genes.extend(cell.iter().map(|nonzero| nonzero.0));
        rows.counts.extend(cell.iter().map(|nonzero| nonzero.1));
        rows.starts.push(rows.genes.len());
    }
    rows
}

/// Cells whose genes thin out; counts mostly small.
pub fn made_up(n_cells: usize, n_genes: u32, detected: f64, seed: u64) -> CellRows {
    let mut random = Random::new(seed);
    // From 0 to below 1.
    let mut fraction = || (random.bits() >> 11) as f64 / (1u64 << 53) as f64;
    rows_of((0..n_cells).map(|_| {
        let depth = detected * (0.2 + 1.6 * fraction());
        (0..n_genes)
            .filter_map(|gene| {
                let expected = depth / (f64::from(gene) + 20.0);
                let is_there = fraction() < 1.0 - (-expected).exp();
                let count = 1 + (-(1.0 - fraction()).ln() * expected) as u32;
                is_there.then_some((gene, count))
            })
            .collect()
    }))
}
