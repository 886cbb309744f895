//! Hashes as text.

use sha2::{Digest, Sha256};

/// Digits of an obs fingerprint: the first ones of a SHA-256.
pub(crate) const FINGERPRINT_LEN: usize = 24;

/// Digits of a SHA-256.
pub(crate) const SHA256_LEN: usize = 64;

/// The digest of `hash` in lower-case hex digits.
pub(crate) fn hex(hash: Sha256) -> String {
    hash.finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Whether `text` is so many lower-case hex digits.
pub(crate) fn is_hex(text: &str, len: usize) -> bool {
    text.len() == len
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lower_case_digits_of_the_right_number_are_hex() {
        for text in [
            "../../../evil",
            "",
            "6DD5083358D79930EB2B9DF6",
            &"0".repeat(25),
        ] {
            assert!(!is_hex(text, FINGERPRINT_LEN));
        }
        assert!(is_hex("6dd5083358d79930eb2b9df6", FINGERPRINT_LEN));
        assert!(is_hex(&hex(Sha256::new()), SHA256_LEN));
    }
}
