//! Which contexts share a code table.

/// Merges histograms until at most `n_tables` are left, each time the two whose
/// merging costs least. Returns the table of every context, and the merged
/// histograms.
pub(super) fn merge_contexts(
    histograms: &[[u32; 256]],
    n_tables: usize,
) -> (Vec<u8>, Vec<[u32; 256]>) {
    let mut groups: Vec<([u32; 256], f64, Vec<usize>)> = Vec::new();
    let mut empty = Vec::new();
    for (context, histogram) in histograms.iter().enumerate() {
        if histogram.iter().all(|&n| n == 0) {
            empty.push(context);
        } else {
            groups.push((*histogram, bits(histogram), vec![context]));
        }
    }
    if groups.is_empty() {
        return (vec![0; histograms.len()], vec![[0; 256]]);
    }
    let cost = |a: &([u32; 256], f64, Vec<usize>), b: &([u32; 256], f64, Vec<usize>)| {
        bits(&sum(&a.0, &b.0)) - a.1 - b.1
    };
    // The cost of merging each pair of groups, the second the later one.
    let mut costs: Vec<Vec<f64>> = (0..groups.len())
        .map(|a| (0..a).map(|b| cost(&groups[a], &groups[b])).collect())
        .collect();
    while groups.len() > n_tables {
        let mut best = (f64::INFINITY, 1, 0);
        for (a, costs) in costs.iter().enumerate() {
            for (b, &cost) in costs.iter().enumerate() {
                if cost < best.0 {
                    best = (cost, a, b);
                }
            }
        }
        let (_, a, b) = best;
        let (histogram, _, contexts) = groups.remove(a);
        costs.remove(a);
        for costs in &mut costs[a..] {
            costs.remove(a);
        }
        let group = &mut groups[b];
        group.0 = sum(&group.0, &histogram);
        group.1 = bits(&group.0);
        group.2.extend(contexts);
        for other in 0..groups.len() {
            if other != b {
                costs[other.max(b)][other.min(b)] = cost(&groups[other], &groups[b]);
            }
        }
    }
    let mut table_of = vec![0; histograms.len()];
    for (table, (_, _, contexts)) in groups.iter().enumerate() {
        for &context in contexts {
            table_of[context] = table as u8;
        }
    }
    (table_of, groups.into_iter().map(|group| group.0).collect())
}

fn sum(a: &[u32; 256], b: &[u32; 256]) -> [u32; 256] {
    let mut sum = *a;
    for (sum, b) in sum.iter_mut().zip(b) {
        *sum += b;
    }
    sum
}

/// Bits of the symbols of a histogram, coded by their frequencies, and of the
/// code lengths.
fn bits(histogram: &[u32; 256]) -> f64 {
    /// About what a code length takes in the model.
    const LENGTH_BITS: f64 = 3.0;
    let total: u64 = histogram.iter().map(|&n| u64::from(n)).sum();
    let total = total as f64;
    histogram
        .iter()
        .filter(|&&n| n > 0)
        .map(|&n| f64::from(n) * (total / f64::from(n)).log2() + LENGTH_BITS)
        .sum()
}
