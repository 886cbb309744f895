//! A password as a key.

use std::fmt;

use aes::Aes128;
use aes::cipher::{Block, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use axtile_core::{Error, Result};
use sha2::{Digest, Sha256};

/// Bytes of a key, and of a cipher block.
const KEY_BYTES: usize = 16;
/// Most bytes of a password: one of the field's stays zero.
const MAX_PASSWORD_BYTES: usize = 15;

/// The bytes of a password, which are the key itself.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key(pub(crate) [u8; KEY_BYTES]);

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}

impl Key {
    /// The key of a password: the low byte of each character, as all writers
    /// take it. More characters than a key has bytes never match.
    pub(crate) fn of(password: &str) -> Key {
        let mut bytes = [0; KEY_BYTES];
        for (byte, character) in bytes.iter_mut().zip(password.chars()) {
            *byte = u32::from(character) as u8;
        }
        Key(bytes)
    }

    /// The key of a new password.
    ///
    /// # Errors
    /// `Error::Argument` for passwords that not every reader takes.
    pub(crate) fn for_writing(password: &str) -> Result<Key> {
        if password.is_empty() || password.len() > MAX_PASSWORD_BYTES {
            return Err(Error::argument(format!(
                "a password has 1 to {MAX_PASSWORD_BYTES} bytes in UTF-8, this one {}",
                password.len()
            )));
        }
        if password.chars().any(|c| u32::from(c) > 0xFF || c == '\0') {
            return Err(Error::argument(
                "a password has characters from U+0001 to U+00FF only: \
                 others count like one of these",
            ));
        }
        Ok(Key::of(password))
    }

    /// By which the key is known.
    pub(crate) fn digest(&self) -> [u8; KEY_BYTES] {
        let mut digest = [0; KEY_BYTES];
        for (to, from) in digest.iter_mut().zip(Sha256::digest(self.0)) {
            *to = from;
        }
        digest
    }

    /// Decrypts whole cipher blocks in place; a rest stays.
    pub(crate) fn decrypt(&self, bytes: &mut [u8]) {
        let cipher = Aes128::new(&self.0.into());
        let (blocks, _) = Block::<Aes128>::slice_as_chunks_mut(bytes);
        cipher.decrypt_blocks(blocks);
    }

    /// Encrypts whole cipher blocks in place; a rest stays.
    pub(crate) fn encrypt(&self, bytes: &mut [u8]) {
        let cipher = Aes128::new(&self.0.into());
        let (blocks, _) = Block::<Aes128>::slice_as_chunks_mut(bytes);
        cipher.encrypt_blocks(blocks);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_low_bytes_and_refuses_what_collides() {
        assert_eq!(Key::of("é").0[..2], [0xE9, 0]);
        assert!(Key::for_writing("").is_err());
        assert!(Key::for_writing("0123456789abcdef").is_err());
        assert!(Key::for_writing("żaba").is_err());
        let key = Key::for_writing("level one").unwrap();
        let mut bytes = *b"sixteen bytes...and a rest";
        key.encrypt(&mut bytes);
        assert_eq!(&bytes[16..], b"and a rest");
        key.decrypt(&mut bytes);
        assert_eq!(&bytes, b"sixteen bytes...and a rest");
        assert_eq!(format!("{key:?}"), "Key(..)");
    }

    #[test]
    fn is_aes_128() {
        let key = Key([
            0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf,
            0x4f, 0x3c,
        ]);
        let mut block = [
            0x6b, 0xc1, 0xbe, 0xe2, 0x2e, 0x40, 0x9f, 0x96, 0xe9, 0x3d, 0x7e, 0x11, 0x73, 0x93,
            0x17, 0x2a,
        ];
        key.encrypt(&mut block);
        assert_eq!(block[..4], [0x3a, 0xd7, 0x7b, 0xb4]);
    }
}
