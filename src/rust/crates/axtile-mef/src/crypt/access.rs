//! What a password opens. Level 1 opens recording metadata; level 2 also the
//! subject and the records, and yields the level 1 key.

use std::path::Path;

use axtile_core::{Error, Result};

use crate::crypt::key::Key;
use crate::header::UniversalHeader;

/// The keys of an open session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    level_1: Option<Key>,
    level_2: Option<Key>,
    fields: ([u8; 16], [u8; 16]),
}

impl Access {
    /// Keys for writing; both passwords or none.
    ///
    /// # Errors
    /// `Error::Argument` for one password alone, equal ones, or ones that not
    /// every reader takes.
    pub fn for_writing(passwords: Option<(&str, &str)>) -> Result<Access> {
        let Some((first, second)) = passwords else {
            return Ok(Access::default());
        };
        let (first, second) = (Key::for_writing(first)?, Key::for_writing(second)?);
        if first == second {
            return Err(Error::argument(
                "the passwords of level 1 and 2 are the same",
            ));
        }
        let mut field = second.digest();
        for (byte, key) in field.iter_mut().zip(first.0) {
            *byte ^= key;
        }
        Ok(Access {
            level_1: Some(first),
            level_2: Some(second),
            fields: (first.digest(), field),
        })
    }

    /// Tries a password on a file at `path`. Without one, or where the file has
    /// none, nothing is opened.
    ///
    /// # Errors
    /// `Error::Argument` for a wrong password.
    pub fn unlock(header: &UniversalHeader, password: Option<&str>, path: &Path) -> Result<Access> {
        let fields = (header.level_1_field, header.level_2_field);
        let closed = Access {
            level_1: None,
            level_2: None,
            fields,
        };
        let Some(password) = password.filter(|password| !password.is_empty()) else {
            return Ok(closed);
        };
        if fields == ([0; 16], [0; 16]) {
            return Ok(closed);
        }
        let key = Key::of(password);
        if password.chars().count() <= key.0.len() {
            if key.digest() == fields.0 {
                return Ok(Access {
                    level_1: Some(key),
                    ..closed
                });
            }
            let mut first = Key(key.digest());
            for (byte, field) in first.0.iter_mut().zip(fields.1) {
                *byte ^= field;
            }
            if first.digest() == fields.0 {
                return Ok(Access {
                    level_1: Some(first),
                    level_2: Some(key),
                    ..closed
                });
            }
        }
        Err(Error::argument(format!(
            "the password does not open '{}'",
            path.display()
        )))
    }

    /// The highest level that is open: 0, 1 or 2.
    pub fn level(&self) -> u8 {
        match (&self.level_1, &self.level_2) {
            (_, Some(_)) => 2,
            (Some(_), None) => 1,
            (None, None) => 0,
        }
    }

    /// Whether files carry password fields.
    pub fn has_passwords(&self) -> bool {
        self.fields != ([0; 16], [0; 16])
    }

    pub(crate) fn is_encrypting(&self) -> bool {
        self.level_1.is_some()
    }

    pub(crate) fn fields(&self) -> ([u8; 16], [u8; 16]) {
        self.fields
    }

    pub(crate) fn key(&self, level: u8) -> Option<Key> {
        match level {
            1 => self.level_1,
            2 => self.level_2,
            _ => None,
        }
    }
}
