//! The counts that are coded.

use axtile_codec::{CellRows, GeneMap};

/// Cells as they are stored, and another order of the genes.
pub struct Matrix {
    pub name: String,
    pub n_genes: u32,
    pub rows: CellRows,
    pub order: GeneMap,
}

/// Genes by a falling weight, counts mostly 1.
pub fn made_up(n_cells: usize, n_genes: u32, detected: usize) -> Matrix {
    let mut seed = 1u64;
    let mut random = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) as f64 / (1u64 << 31) as f64
    };
    let mut rows = CellRows {
        starts: vec![0],
        ..CellRows::default()
    };
    for _ in 0..n_cells {
        for gene in 0..n_genes {
            let expected = detected as f64 / (f64::from(gene) + 300.0) / 4.3;
            if random() < 1.0 - (-expected).exp() {
                rows.genes.push(gene);
                rows.counts.push(1 + (-random().ln() * expected) as u32);
            }
        }
        rows.starts.push(rows.genes.len());
    }
    let mut order: Vec<u32> = (0..n_genes).collect();
    for last in (1..order.len()).rev() {
        order.swap(last, (random() * (last + 1) as f64) as usize);
    }
    Matrix {
        name: "made up".into(),
        n_genes,
        rows,
        order: GeneMap::new(order.into_iter()),
    }
}

/// Counts from a file; see `main.rs`.
pub fn read(file: &str) -> Matrix {
    let bytes = std::fs::read(file).expect("counts");
    let mut numbers = bytes
        .as_chunks()
        .0
        .iter()
        .map(|&bytes| u32::from_le_bytes(bytes));
    let mut take = |n: usize| numbers.by_ref().take(n).collect::<Vec<u32>>();
    let sizes = take(3);
    let starts = take(sizes[0] as usize + 1);
    let [genes, counts] = [(); 2].map(|()| take(sizes[2] as usize));
    Matrix {
        name: file.into(),
        n_genes: sizes[1],
        rows: CellRows {
            starts: starts.into_iter().map(|start| start as usize).collect(),
            genes,
            counts,
        },
        order: GeneMap::new(take(sizes[1] as usize).into_iter()),
    }
}
