//! Values as they stand in the text of a query.

/// Whether a character stands for itself in a value.
pub fn is_bare(character: char) -> bool {
    character.is_ascii_alphanumeric()
        || matches!(character, '_' | '.' | '+' | '-')
        || (!character.is_ascii() && !is_blank(character) && !character.is_control())
}

/// Whether a character separates tokens. Blanks beyond Latin-1 are letters of
/// values.
pub fn is_blank(character: char) -> bool {
    character <= '\u{ff}' && character.is_whitespace()
}

/// `value` so that a query reads it as one value: characters with a meaning
/// are preceded by a backslash, and the empty text is `''`.
pub fn escape_value(value: &str) -> String {
    if value.is_empty() {
        return "''".into();
    }
    let mut escaped = String::with_capacity(value.len());
    for (at, character) in value.char_indices() {
        // A lone dot or a dash before a slash would be read as an operator.
        let alone = at == 0 && character == '.' && value.len() == 1;
        if alone || !is_bare(character) {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

/// The value that a query reads from `escaped`; inverts [`escape_value`].
pub fn unescape_value(escaped: &str) -> String {
    if escaped == "''" {
        return String::new();
    }
    let mut value = String::with_capacity(escaped.len());
    let mut characters = escaped.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => value.extend(characters.next()),
            _ => value.push(character),
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_escaped_and_read_back() {
        assert_eq!(escape_value(""), "''");
        assert_eq!(escape_value("a b/c"), "a\\ b\\/c");
        assert_eq!(escape_value("é.1-2"), "é.1-2");
        assert_eq!(escape_value("."), "\\.");
        assert_eq!(escape_value("''"), "\\'\\'");
        for value in ["", "a\\b", ".", "-/", "x\u{a0}y", "''", "[\n]"] {
            assert_eq!(unescape_value(&escape_value(value)), value);
        }
    }
}
