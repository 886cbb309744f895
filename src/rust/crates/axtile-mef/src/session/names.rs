//! Names of channels, sessions and segments.

use axtile_core::{Error, Result};

use crate::limits::MAX_NAME_BYTES;

/// Longest ending that a name gets in file names: "-000000.segd".
const ENDING_BYTES: usize = 12;

/// Refuses a name that is no portable file name or does not fit its field.
pub(crate) fn check_name(what: &str, name: &str) -> Result<()> {
    let problem = if name.is_empty() {
        "is empty".to_owned()
    } else if name.len() > MAX_NAME_BYTES - ENDING_BYTES {
        format!(
            "has {} bytes, at most {} fit",
            name.len(),
            MAX_NAME_BYTES - ENDING_BYTES
        )
    } else if let Some(c) = name
        .chars()
        .find(|c| c.is_control() || "/\\:*?\"<>|".contains(*c))
    {
        format!("has the character {c:?}, which file names do not have everywhere")
    } else if name.starts_with('.') || name.ends_with(['.', ' ']) {
        "starts with a dot, or ends with a dot or a space".to_owned()
    } else {
        return Ok(());
    };
    Err(Error::argument(format!(
        "the {what} name '{name}' {problem}"
    )))
}

/// A segment's number from its folder's name without the ending.
pub(crate) fn parse_segment_name(stem: &str) -> Option<u32> {
    let (_, digits) = stem.rsplit_once('-')?;
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

/// The name of a segment's folder and files without the ending.
pub(crate) fn segment_folder(channel: &str, number: u32) -> String {
    format!("{channel}-{number:06}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portable_names_only() {
        for name in ["LT1", "é 1", "a-b"] {
            check_name("channel", name).unwrap();
        }
        for name in ["", "a/b", "a\\b", "a\0", ".", "..", "a.", "x:y"] {
            assert!(check_name("channel", name).is_err(), "{name:?}");
        }
        assert!(check_name("channel", &"x".repeat(244)).is_err());
        assert_eq!(parse_segment_name("ch-1-000012"), Some(12));
        assert_eq!(parse_segment_name("ch1-5"), Some(5));
        assert_eq!(parse_segment_name("ch1-+5"), None);
        assert_eq!(parse_segment_name("ch1-99999999999"), None);
        assert_eq!(segment_folder("a", 7), "a-000007");
    }
}
