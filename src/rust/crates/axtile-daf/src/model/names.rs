//! What axes, properties and stores may be called.

use axtile_core::{Error, Result};

/// Whether a property of this name can be in a store: the name can be that of
/// a file in a folder of its own.
pub fn is_readable_name(name: &str) -> bool {
    !name.is_empty() && name != "." && name != ".." && !name.contains(['/', '\\', '\0'])
}

/// Refuses names that a new `what` ("axis", "vector", ...) cannot have.
///
/// # Errors
/// `Error::Argument` if the name is empty, begins or ends with a blank, is `.`
/// or `..`, or holds one of `/ \ : ,`, a control character or a newline.
pub fn check_name(what: &str, name: &str) -> Result<()> {
    let problem = if name.is_empty() {
        "is empty"
    } else if name.trim() != name {
        "begins or ends with a blank"
    } else if !is_readable_name(name) || name.contains([':', ',']) {
        "is '.' or '..', or has one of / \\ : , in it"
    } else if name.contains(char::is_control) {
        "has a control character in it"
    } else {
        return Ok(());
    };
    Err(Error::argument(format!(
        "invalid name of {}: {name:?} {problem}",
        with_article(what)
    )))
}

fn with_article(what: &str) -> String {
    let article = if what.starts_with(['a', 'e', 'i', 'o', 'u']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {what}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_leave_their_folder_are_refused() {
        for name in ["", ".", "..", "../a", "a/b", "a\\b", "a\0"] {
            assert!(!is_readable_name(name), "{name:?}");
            assert!(matches!(
                check_name("axis", name),
                Err(Error::Argument { .. })
            ));
        }
        for name in [" a", "a ", "a:b", "a,b", "a\nb", "a\tb", "a\r", "\u{a0}a"] {
            assert!(check_name("vector", name).is_err(), "{name:?}");
        }
        for name in ["a", "type.manual", "a b", "é", "..a", "-"] {
            assert!(check_name("vector", name).is_ok(), "{name:?}");
            assert!(is_readable_name(name));
        }
    }
}
