//! `var_names.txt`: the names of the genes in stored order, UTF-8, one a line,
//! with a newline after the last one too.
//!
//! The reference implementation reads the file with Python's `splitlines()`,
//! which breaks lines at more characters than `\n`. So the writer refuses all
//! of them, while the reader splits at `\n` only.

use std::path::Path;

use axtile_core::{Error, Result};
use axtile_store::write_file;

use crate::obs::files::read_text;

pub(crate) const FILE: &str = "var_names.txt";

/// The characters at which Python's `str.splitlines` breaks a line.
const LINE_BREAKS: [char; 10] = [
    '\n', '\r', '\u{b}', '\u{c}', '\u{1c}', '\u{1d}', '\u{1e}', '\u{85}', '\u{2028}', '\u{2029}',
];

/// Reads the names of a dataset's genes. Names may be repeated.
///
/// # Errors
/// If the file cannot be read, is no UTF-8 or does not hold `n_genes` names.
pub fn read_var_names(dataset_dir: &Path, n_genes: usize) -> Result<Vec<String>> {
    let path = dataset_dir.join(FILE);
    let text = read_text(&path)?;
    let body = text.strip_suffix('\n').unwrap_or(&text);
    let n_names = if text.is_empty() {
        0
    } else {
        body.split('\n').count()
    };
    if n_names != n_genes {
        let problem = format!("it holds {n_names} names, expected one for each of {n_genes} genes");
        return Err(Error::corrupt(&path, format!("line {n_names}"), problem));
    }
    Ok(if n_genes == 0 {
        Vec::new()
    } else {
        body.split('\n').map(str::to_owned).collect()
    })
}

/// Writes the names of a dataset's genes.
///
/// # Errors
/// If a name holds a line break in Python's sense, or writing fails.
pub fn write_var_names(dataset_dir: &Path, names: &[String]) -> Result<()> {
    let path = dataset_dir.join(FILE);
    let mut text = String::with_capacity(names.iter().map(|name| name.len() + 1).sum());
    for (i, name) in names.iter().enumerate() {
        if let Some(c) = name.chars().find(|c| LINE_BREAKS.contains(c)) {
            return Err(Error::argument(format!(
                "the name of gene {} holds the line break U+{:04X}, which {FILE} cannot hold",
                i + 1,
                u32::from(c)
            )));
        }
        text.push_str(name);
        text.push('\n');
    }
    write_file(&path, text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back_and_line_breaks_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let names: Vec<String> = ["a", "", "é 😀", "a", ""].map(String::from).to_vec();
        write_var_names(dir.path(), &names).unwrap();
        assert_eq!(read_var_names(dir.path(), 5).unwrap(), names);
        assert!(read_var_names(dir.path(), 4).is_err());
        for c in LINE_BREAKS {
            let error = write_var_names(dir.path(), &[format!("x{c}y")]).unwrap_err();
            assert!(error.to_string().contains("gene 1"), "{error}");
        }
    }

    #[test]
    fn only_newlines_split_and_the_last_one_may_lack() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE);
        std::fs::write(&path, "a\u{85}b\nc\rd").unwrap();
        let names = read_var_names(dir.path(), 2).unwrap();
        assert_eq!(names, ["a\u{85}b", "c\rd"]);
        std::fs::write(&path, b"a\n\xff\n").unwrap();
        let error = read_var_names(dir.path(), 2).unwrap_err();
        assert_eq!(error.place(), Some("byte 2"));
        std::fs::write(&path, b"").unwrap();
        assert!(read_var_names(dir.path(), 1).is_err());
        assert!(read_var_names(dir.path(), 0).unwrap().is_empty());
    }
}
