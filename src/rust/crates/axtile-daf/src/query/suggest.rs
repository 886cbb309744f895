//! Near names for a misspelled one.

/// Names longer than this are not compared: the cost is quadratic.
const MAX_LEN: usize = 100;
/// More names than this are not looked through.
const MAX_NAMES: usize = 20_000;

/// "; did you mean 'a' or 'b'?" for the names nearest to `wrong`, or nothing
/// where none is near.
pub fn did_you_mean<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let wanted: Vec<char> = wrong.chars().take(MAX_LEN + 1).collect();
    if wanted.is_empty() || wanted.len() > MAX_LEN {
        return String::new();
    }
    let limit = (wanted.len() / 3).clamp(1, 4);
    let mut near: Vec<(usize, &str)> = names
        .into_iter()
        .take(MAX_NAMES)
        .filter(|name| name.len() <= 4 * MAX_LEN)
        .filter_map(|name| Some((distance(&wanted, name, limit)?, name)))
        .collect();
    near.sort_unstable();
    near.dedup();
    let names: Vec<String> = near
        .iter()
        .take(3)
        .map(|(_, name)| format!("'{name}'"))
        .collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => format!("; did you mean {one}?"),
        [first @ .., last] => format!("; did you mean {} or {last}?", first.join(", ")),
    }
}

/// Edits (insert, delete, replace, swap neighbours; case is free) from one
/// name to the other, if not more than `limit`.
fn distance(wanted: &[char], name: &str, limit: usize) -> Option<usize> {
    let name: Vec<char> = name.chars().collect();
    if wanted.len().abs_diff(name.len()) > limit {
        return None;
    }
    let same = |a: char, b: char| a == b || a.to_lowercase().eq(b.to_lowercase());
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=name.len()).collect();
    for (row, &a) in wanted.iter().enumerate() {
        let mut current = vec![row + 1];
        for (col, &b) in name.iter().enumerate() {
            let mut best = (above[col] + usize::from(!same(a, b)))
                .min(above[col + 1] + 1)
                .min(current[col] + 1);
            if row > 0 && col > 0 && same(a, name[col - 1]) && same(wanted[row - 1], b) {
                best = best.min(before[col - 1] + 1);
            }
            current.push(best);
        }
        before = std::mem::replace(&mut above, current);
    }
    above.last().copied().filter(|&edits| edits <= limit)
}

#[cfg(test)]
mod tests {
    use super::did_you_mean;

    #[test]
    fn near_names_are_suggested_and_far_ones_are_not() {
        let names = ["cell", "gene", "donor", "metacell"];
        assert_eq!(did_you_mean("cel", names), "; did you mean 'cell'?");
        assert_eq!(did_you_mean("CELL", names), "; did you mean 'cell'?");
        assert_eq!(did_you_mean("dnoor", names), "; did you mean 'donor'?");
        assert_eq!(did_you_mean("block", names), "");
        assert_eq!(did_you_mean("", names), "");
        assert_eq!(did_you_mean("b", ["a", "c"]), "; did you mean 'a' or 'c'?");
    }
}
