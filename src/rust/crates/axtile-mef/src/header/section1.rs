//! Section 1: how the other sections are encrypted.

/// A section's encryption byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Encryption(pub(crate) i8);

impl Encryption {
    /// What a section of level 1 has that is not encrypted.
    pub(crate) const PLAIN_LEVEL_1: Encryption = Encryption(-1);
    /// What a section of level 2 has that is not encrypted.
    pub(crate) const PLAIN_LEVEL_2: Encryption = Encryption(-2);

    /// The level whose key the section is encrypted with; 0 for none.
    pub(crate) fn level(self) -> u8 {
        self.0.max(0) as u8
    }
}
