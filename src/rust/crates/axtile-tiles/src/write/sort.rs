//! The order in which genes are stored: by decreasing totals, which makes gaps
//! small and alike.

use std::path::Path;

use axtile_core::{Error, Result};

/// Adds values of genes to the totals of the genes.
///
/// # Errors
/// `Error::Corrupt` for a gene beyond the totals.
pub(crate) fn add_totals(
    totals: &mut [f64],
    values: impl Iterator<Item = (u32, f64)>,
    source: &Path,
) -> Result<()> {
    let n_genes = totals.len();
    for (gene, value) in values {
        let total = totals.get_mut(gene as usize).ok_or_else(|| {
            Error::corrupt(source, "its values", format!("gene {gene} of {n_genes}"))
        })?;
        *total += value;
    }
    Ok(())
}

/// Stored gene j is source gene `order[j]`: decreasing totals, ties in source
/// order.
pub(crate) fn order_by_totals(totals: &[f64]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..totals.len() as u32).collect();
    order.sort_by(|&a, &b| totals[b as usize].total_cmp(&totals[a as usize]));
    order
}

/// At most `max` of `n` files, evenly spread, as `round(linspace(0, n - 1, max))`
/// with halves rounded to even.
pub(crate) fn evenly_spaced(n: usize, max: Option<usize>) -> Vec<usize> {
    let max = max.unwrap_or(n).min(n);
    if max <= 1 {
        return (0..max.min(n)).collect();
    }
    let step = (n - 1) as f64 / (max - 1) as f64;
    let mut chosen: Vec<usize> = (0..max)
        .map(|i| {
            let at = if i == max - 1 {
                (n - 1) as f64
            } else {
                i as f64 * step
            };
            at.round_ties_even() as usize
        })
        .collect();
    chosen.dedup();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    // The tables are from the format's own package (rules of its converter).
    #[test]
    fn files_are_spread_as_in_the_table() {
        for row in include_str!("../../tests/fixtures/evenly_spaced_files.csv")
            .lines()
            .skip(1)
        {
            let fields: Vec<&str> = row.split(',').collect();
            let chosen = evenly_spaced(fields[0].parse().unwrap(), fields[1].parse().ok());
            let text: Vec<String> = chosen.iter().map(usize::to_string).collect();
            assert_eq!(text.join(" "), fields[2], "{row}");
        }
    }

    #[test]
    fn genes_are_ordered_as_in_the_table() {
        for row in include_str!("../../tests/fixtures/gene_order.csv")
            .lines()
            .skip(1)
        {
            let (totals, expected) = row.split_once(',').unwrap();
            let totals: Vec<f64> = totals
                .split(' ')
                .map(|word| word.parse().unwrap())
                .collect();
            let text: Vec<String> = order_by_totals(&totals)
                .iter()
                .map(u32::to_string)
                .collect();
            assert_eq!(text.join(" "), expected, "{row}");
        }
    }
}
