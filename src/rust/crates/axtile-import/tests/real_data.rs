//! Published count matrices, against numbers worked out with scipy and h5py.
//! They are not part of the repository: the tests look for them in the folder
//! `$AXTILE_SHARED/data`, or in `shared/data` beside the repository, and
//! pass over what is absent.

mod common;

use axtile_import::open;
use axtile_table::Column;
use common::*;

/// File, layer, cells, genes, counts above 0, their sum, and the sum of
/// count x ((31 cell + 17 gene) mod 1009).
const FILES: [(&str, &str, u64, usize, i64, i64, u64); 10] = [
    ("pbmc3k.h5ad", "", 2700, 32738, 2286884, 6390631, 3221908231),
    (
        "her2st_10k.h5ad",
        "",
        10000,
        18758,
        20994559,
        46285445,
        23323474403,
    ),
    (
        "atac_hemato_csc.h5ad",
        "",
        14125,
        10000,
        2321215,
        4222244,
        2126554341,
    ),
    (
        "smartseq_large_counts.h5ad",
        "",
        300,
        2026,
        532890,
        734950306,
        366566294940,
    ),
    ("adt_dense.h5ad", "", 8005, 87, 567931, 4766968, 2407611998),
    (
        "pancreas_layers.h5ad",
        "",
        3696,
        2000,
        2464314,
        8578934,
        4318941962,
    ),
    (
        "pancreas_layers.h5ad",
        "spliced",
        3696,
        2000,
        2464314,
        8578934,
        4318941962,
    ),
    (
        "pancreas_layers.h5ad",
        "unspliced",
        3696,
        2000,
        685379,
        1770009,
        893424694,
    ),
    ("xenium_10x.h5", "", 84518, 541, 695302, 862575, 435024537),
    (
        "mtx_unfiltered",
        "",
        83683,
        36601,
        670199,
        1453269,
        730447954,
    ),
];

fn check(file: &str) {
    let Some(folder) = data_folder() else {
        eprintln!("skipped: the folder of published matrices is absent");
        return;
    };
    for (_, layer, n_cells, n_genes, n_values, sum, weighted) in
        FILES.iter().filter(|row| row.0 == file)
    {
        let context = format!("{file} {layer}");
        let path = folder.join(file);
        let mut source = open(&path, &options("", layer)).unwrap();
        assert_eq!(source.n_cells(), *n_cells, "{context}");
        assert_eq!(source.genes().len(), *n_genes, "{context}");
        let names = source.cell_names(0..*n_cells).unwrap().unwrap();
        assert_eq!(names.len() as u64, *n_cells, "{context}");
        let mut sums = vec![0; *n_cells as usize];
        let mut nonzeros = sums.clone();
        let mut all_weighted = 0;
        for_each(source.as_mut(), 1024, |cell, gene, count| {
            sums[cell as usize] += count as i64;
            nonzeros[cell as usize] += 1;
            all_weighted += count * ((31 * cell + 17 * u64::from(gene)) % 1009);
        })
        .unwrap();
        assert_eq!(nonzeros.iter().sum::<i64>(), *n_values, "{context}");
        assert_eq!(sums.iter().sum::<i64>(), *sum, "{context}");
        assert_eq!(all_weighted, *weighted, "{context}");

        // obs follows from the counts of X
        if !layer.is_empty() || !file.ends_with("h5ad") {
            continue;
        }
        let obs = source.obs(0..*n_cells).unwrap();
        let column = |name: &str| match obs.fields.iter().position(|field| field.name == name) {
            Some(at) => match &obs.columns[at] {
                Column::Integer {
                    values,
                    missing: None,
                } => values.clone(),
                other => panic!("{context}: {name} is {other:?}"),
            },
            None => panic!("{context}: no {name}"),
        };
        assert_eq!(column("n_counts"), sums, "{context}");
        assert_eq!(column("n_genes"), nonzeros, "{context}");
    }
}

#[test]
fn csr() {
    check("pbmc3k.h5ad");
    check("smartseq_large_counts.h5ad");
    check("pancreas_layers.h5ad");
}

#[test]
fn csc() {
    check("atac_hemato_csc.h5ad");
}

#[test]
fn dense() {
    check("adt_dense.h5ad");
}

#[test]
fn tenx() {
    check("xenium_10x.h5");
}

#[test]
fn matrix_market() {
    check("mtx_unfiltered");
}

#[test]
fn tile_of_the_benchmarks() {
    check("her2st_10k.h5ad");
}
