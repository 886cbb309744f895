//! Which files are meant, and in which order.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use axtile_core::{Error, Result};
use glob::MatchOptions;

/// `*` leaves out hidden files, and does not cross folders; `**` does.
const GLOB: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: true,
};

/// The files that `patterns` stand for, each once: in natural order if `sort`,
/// else in the order of the patterns. `*`, `?`, `[...]` and `**` are special,
/// but a pattern that is the name of a file stands for that file.
///
/// # Errors
/// `Error::Argument` if a pattern is malformed or nothing matches it, `Error::Io`
/// if a folder cannot be read.
pub fn expand_paths(patterns: &[String], sort: bool) -> Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    let mut seen = HashSet::new();
    for pattern in patterns {
        let mut found = Vec::new();
        if Path::new(pattern).exists() {
            found.push(PathBuf::from(pattern));
        } else {
            let matches = glob::glob_with(pattern, GLOB)
                .map_err(|error| Error::argument(format!("'{pattern}' is no pattern: {error}")))?;
            for path in matches {
                found.push(path.map_err(|error| {
                    let path = error.path().to_owned();
                    Error::io("read", &path)(error.into())
                })?);
            }
        }
        if found.is_empty() {
            return Err(Error::argument(format!("no file matches '{pattern}'")));
        }
        paths.extend(found.into_iter().filter(|path| seen.insert(path.clone())));
    }
    if sort {
        paths.sort_by(|a, b| natural_order(&a.to_string_lossy(), &b.to_string_lossy()));
    }
    Ok(paths)
}

/// Compares texts with runs of digits as the numbers they are, and what is
/// between them by code points. Texts that differ in leading zeros alone are
/// equal.
pub fn natural_order(a: &str, b: &str) -> Ordering {
    // Text and number take turns, the first text may be empty; so numbers only
    // meet numbers.
    let (mut a, mut b) = (a, b);
    loop {
        let (text_a, rest_a) = split(a, |byte| !byte.is_ascii_digit());
        let (text_b, rest_b) = split(b, |byte| !byte.is_ascii_digit());
        let (number_a, next_a) = split(rest_a, |byte| byte.is_ascii_digit());
        let (number_b, next_b) = split(rest_b, |byte| byte.is_ascii_digit());
        let order = text_a
            .cmp(text_b)
            .then_with(|| compare_numbers(number_a, number_b));
        if order.is_ne() || (next_a.is_empty() && next_b.is_empty()) {
            return order;
        }
        (a, b) = (next_a, next_b);
    }
}

fn split(text: &str, within: impl Fn(u8) -> bool) -> (&str, &str) {
    let end = text
        .bytes()
        .position(|byte| !within(byte))
        .unwrap_or(text.len());
    // Digits are ASCII, so a split beside one is between characters.
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// No number comes before all numbers.
fn compare_numbers(a: &str, b: &str) -> Ordering {
    let key = |digits: &str| {
        let significant = digits.trim_start_matches('0').to_owned();
        (!digits.is_empty(), significant.len(), significant)
    };
    key(a).cmp(&key(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cases of the reference converter's sorting: names joined by `|`, and as
    /// they come out.
    const CASES: &str = include_str!("../tests/fixtures/natural_sort.csv");

    #[test]
    fn sorts_as_the_reference_does() {
        for line in CASES.lines().skip(1) {
            let (names, sorted) = line.split_once(',').unwrap();
            let mut names: Vec<&str> = names.split('|').collect();
            names.sort_by(|a, b| natural_order(a, b));
            assert_eq!(names.join("|"), sorted);
        }
    }

    #[test]
    fn zeros_and_long_numbers() {
        assert_eq!(natural_order("x01", "x1"), Ordering::Equal);
        assert_eq!(natural_order("x", "x1"), Ordering::Less);
        assert_eq!(natural_order("x0", "x"), Ordering::Greater);
        assert_eq!(
            natural_order("99999999999999999999998", "99999999999999999999999"),
            Ordering::Less
        );
        assert_eq!(natural_order("9a", "10"), Ordering::Less);
        assert_eq!(natural_order("", ""), Ordering::Equal);
        assert_eq!(natural_order("1a", "1"), Ordering::Greater);
    }

    #[test]
    fn patterns_and_plain_names() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
        std::fs::create_dir(at("deep")).unwrap();
        for name in [
            "s_10.h5ad",
            "s_9.h5ad",
            ".s_1.h5ad",
            "a[1].h5ad",
            "deep/s_1.h5ad",
        ] {
            std::fs::write(at(name), "").unwrap();
        }
        let names = |patterns: &[String], sort| -> Vec<String> {
            let paths = expand_paths(patterns, sort).unwrap();
            let names = paths.iter().map(|path| path.to_string_lossy().into_owned());
            names.collect()
        };
        assert_eq!(
            names(&[at("s_*.h5ad")], true),
            [at("s_9.h5ad"), at("s_10.h5ad")]
        );
        assert_eq!(names(&[at("a[1].h5ad")], true), [at("a[1].h5ad")]);
        assert_eq!(names(&[at("**/s_1.h5ad")], true), [at("deep/s_1.h5ad")]);
        assert_eq!(
            names(&[at("s_10.h5ad"), at("s_?.h5ad"), at("s_10.h5ad")], false),
            [at("s_10.h5ad"), at("s_9.h5ad")]
        );
        for bad in [at("none*"), at("a[")] {
            assert!(matches!(
                expand_paths(&[bad], true),
                Err(Error::Argument { .. })
            ));
        }
    }
}
