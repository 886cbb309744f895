//! Small sound tiles of every kind, the same in every run.

use axtile_codec::floats::{Options, Plan, Width};
use axtile_codec::integers::{self, Coder};
use axtile_codec::{CellRows, FloatRows};

use crate::random::Random;
use crate::rows::{made_up, rows_of};

fn encode(rows: &FloatRows, n_genes: u32, width: Width, coder: Coder) -> Vec<u8> {
    let options = Options {
        ranks: integers::Options {
            chunk_nonzeros: 300,
            coder: Some(coder),
            ..integers::Options::default()
        },
    };
    let plan = Plan::new(rows, n_genes, width, &options).unwrap();
    let chunks = (0..plan.n_chunks())
        .map(|chunk| plan.encode_chunk(rows, chunk).unwrap())
        .collect();
    plan.assemble(chunks)
}

/// What counts of a cell become: functions of the count, the cell's total and a
/// number that is random.
fn of_counts(rows: &CellRows, width: Width, value: fn(f64, f64, u64) -> f64) -> FloatRows {
    let mut random = Random::new(8);
    let mut values = Vec::with_capacity(rows.nnz());
    for bounds in rows.starts.windows(2) {
        let counts = &rows.counts[bounds[0]..bounds[1]];
        let total: f64 = counts.iter().map(|&count| f64::from(count)).sum();
        values.extend(counts.iter().map(|&count| {
            let value = value(count.into(), total, random.bits());
            match width {
                Width::F32 => f64::from(value as f32),
                Width::F64 => value,
            }
        }));
    }
    FloatRows {
        starts: rows.starts.clone(),
        genes: rows.genes.clone(),
        values,
    }
}

/// Every tile with its name.
pub fn bases() -> Vec<(&'static str, Vec<u8>)> {
    type Value = fn(f64, f64, u64) -> f64;
    let values: [(&'static str, Value); 6] = [
        ("log", |count, total, _| (count / total * 1e4).ln_1p()),
        ("log2", |count, total, _| (count / total * 1e4 + 1.0).log2()),
        ("scaled", |count, total, _| count / total * 1e6),
        ("different", |count, _, random| count - random as f64 / 3e19),
        ("few", |count, _, _| count.sqrt()),
        ("mixed", |count, total, random| match total as u64 % 3 {
            0 => count * total.sin() + random as f64,
            1 => (count / total * 1e4).ln_1p(),
            _ => f64::NAN,
        }),
    ];
    let counts = made_up(20, 150, 25.0, 6);
    let mut bases = Vec::new();
    for (name, value) in values {
        for width in [Width::F32, Width::F64] {
            let rows = of_counts(&counts, width, value);
            bases.push((name, encode(&rows, 150, width, Coder::Packed)));
        }
        let rows = of_counts(&counts, Width::F64, value);
        bases.push((name, encode(&rows, 150, Width::F64, Coder::Grid)));
    }
    let none = of_counts(&rows_of(vec![vec![]; 9]), Width::F32, |_, _, _| 0.0);
    bases.push(("empty cells", encode(&none, 7, Width::F32, Coder::Packed)));
    let none = of_counts(&rows_of([]), Width::F64, |_, _, _| 0.0);
    bases.push(("no cells", encode(&none, 5, Width::F64, Coder::Grid)));
    bases
}
