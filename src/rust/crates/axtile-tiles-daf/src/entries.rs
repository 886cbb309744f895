//! Names of cells and genes as entries of an axis, which are unique and never
//! empty.

use std::collections::HashSet;

use axtile_daf::model::Texts;

/// The names as entries: one that was there before gets `-1`, `-2`, ... after
/// it, as Python's anndata does; an empty one is its number, counted from 1.
/// Without names, `n` numbers. The flag says whether a name was changed.
pub fn entries(names: Option<Vec<String>>, n: usize) -> (Texts, bool) {
    let Some(names) = names else {
        return ((1..=n).map(|number| number.to_string()).collect(), false);
    };
    let mut taken: HashSet<&str> = HashSet::with_capacity(names.len());
    let mut is_repeated = vec![false; names.len()];
    for (name, is_repeated) in names.iter().zip(&mut is_repeated) {
        *is_repeated = name.is_empty() || !taken.insert(name);
    }
    if !is_repeated.contains(&true) {
        return (names.iter().map(String::as_str).collect(), false);
    }
    let mut given: HashSet<String> = HashSet::new();
    let mut next = std::collections::HashMap::<&str, usize>::new();
    let mut entries = Vec::with_capacity(names.len());
    for (at, (name, &is_repeated)) in names.iter().zip(&is_repeated).enumerate() {
        if !is_repeated {
            entries.push(name.clone());
            continue;
        }
        let number = (at + 1).to_string();
        let (stem, mut entry) = match name.is_empty() {
            true => (number.as_str(), number.clone()),
            false => (name.as_str(), String::new()),
        };
        let n = next.entry(name).or_insert(0);
        while entry.is_empty() || taken.contains(entry.as_str()) || given.contains(&entry) {
            *n += 1;
            entry = format!("{stem}-{n}");
        }
        given.insert(entry.clone());
        entries.push(entry);
    }
    (entries.into_iter().collect(), true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(names: &[&str]) -> (Vec<String>, bool) {
        let names = names.iter().map(|&name| name.to_owned()).collect();
        let (texts, is_changed) = entries(Some(names), 0);
        (texts.iter().map(str::to_owned).collect(), is_changed)
    }

    #[test]
    fn entries_are_unique_and_not_empty() {
        let same = ["b", "a", "a-1"];
        assert_eq!(of(&same), (same.map(str::to_owned).to_vec(), false));
        let (made, is_changed) = of(&["a", "a", "a-1", "", "a", "", "4", "4-1"]);
        assert_eq!(made, ["a", "a-2", "a-1", "4-2", "a-3", "6", "4", "4-1"]);
        assert!(is_changed);
        let (numbers, is_changed) = entries(None, 3);
        assert_eq!(numbers.iter().collect::<Vec<_>>(), ["1", "2", "3"]);
        assert!(!is_changed);
    }
}
