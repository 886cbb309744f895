//! Arrays of texts: one run of UTF-8 bytes and where each text ends in it.

use std::fmt;
use std::sync::{Arc, OnceLock};

use axtile_store::Map;

use super::Buffer;

/// An array of texts that costs nothing to clone. Where each line of a file
/// ends is only looked for once a text is asked for.
#[derive(Clone)]
pub struct Texts {
    bytes: Buffer<u8>,
    len: usize,
    separated: bool,
    ends: Arc<OnceLock<Vec<u64>>>,
}

impl Texts {
    /// The lines of `bytes`, each of which must end with a newline. The error
    /// says what was wrong, and at which byte.
    pub fn from_lines(bytes: Buffer<u8>) -> Result<Texts, (usize, String)> {
        if let Err(error) = std::str::from_utf8(&bytes) {
            return Err((error.valid_up_to(), "no valid UTF-8".into()));
        }
        if bytes.last().is_some_and(|&last| last != b'\n') {
            return Err((bytes.len(), "the last line has no end".into()));
        }
        Ok(Texts {
            len: memchr::memchr_iter(b'\n', &bytes).count(),
            bytes,
            separated: true,
            ends: Arc::default(),
        })
    }

    /// The lines of a mapped file; see [`Texts::from_lines`].
    pub fn from_mapped_lines(map: &Arc<Map>) -> Result<Texts, (usize, String)> {
        Texts::from_lines(Buffer::mapped(map, 0, map.len()).unwrap_or_else(|| Vec::new().into()))
    }

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bytes of text `idx`, without its end. Faster than `get`; no bytes
    /// if there is no such text.
    pub fn bytes(&self, idx: usize) -> &[u8] {
        let ends = self.ends();
        let Some(&end) = ends.get(idx) else {
            return &[];
        };
        let start = match idx {
            0 => 0,
            _ => ends
                .get(idx - 1)
                .map_or(0, |&end| end as usize + usize::from(self.separated)),
        };
        self.bytes.get(start..end as usize).unwrap_or_default()
    }

    /// Text `idx`; an empty one if there is no such text.
    pub fn get(&self, idx: usize) -> &str {
        std::str::from_utf8(self.bytes(idx)).unwrap_or_default()
    }

    /// All texts in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len).map(|idx| self.get(idx))
    }

    /// The bytes of all texts in order.
    pub fn iter_bytes(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        (0..self.len).map(|idx| self.bytes(idx))
    }

    /// Bytes of all texts together, without their ends.
    pub fn n_bytes(&self) -> usize {
        self.bytes.len() - if self.separated { self.len } else { 0 }
    }

    /// Whether a text holds a zero byte, which not every language has in texts.
    pub fn has_zero_byte(&self) -> bool {
        memchr::memchr(0, &self.bytes).is_some()
    }

    /// Whether the bytes are seen in place in a mapped file.
    pub fn is_mapped(&self) -> bool {
        self.bytes.is_mapped()
    }

    /// The texts at `positions`, in their order; an empty one for a position
    /// that does not exist.
    pub fn take(&self, positions: impl IntoIterator<Item = usize>) -> Texts {
        Texts::of_bytes(positions.into_iter().map(|idx| self.bytes(idx)))
    }

    /// The bytes as text files hold them, a newline after each text. None if
    /// a text itself holds a newline.
    pub fn to_lines(&self) -> Option<std::borrow::Cow<'_, [u8]>> {
        if self.separated {
            return Some((&*self.bytes).into());
        }
        if memchr::memchr(b'\n', &self.bytes).is_some() {
            return None;
        }
        let mut lines = Vec::with_capacity(self.bytes.len() + self.len);
        for text in self.iter_bytes() {
            lines.extend_from_slice(text);
            lines.push(b'\n');
        }
        Some(lines.into())
    }

    fn ends(&self) -> &[u64] {
        self.ends.get_or_init(|| {
            let mut ends = Vec::with_capacity(self.len);
            ends.extend(memchr::memchr_iter(b'\n', &self.bytes).map(|end| end as u64));
            ends
        })
    }

    /// Runs of bytes that came out of other texts.
    pub(crate) fn of_bytes<'a>(texts: impl IntoIterator<Item = &'a [u8]>) -> Texts {
        let texts = texts.into_iter();
        let mut bytes = Vec::new();
        let mut ends = Vec::with_capacity(texts.size_hint().0);
        for text in texts {
            bytes.extend_from_slice(text);
            ends.push(bytes.len() as u64);
        }
        Texts::gathered(bytes, ends)
    }

    fn gathered(bytes: Vec<u8>, ends: Vec<u64>) -> Texts {
        Texts {
            bytes: bytes.into(),
            len: ends.len(),
            separated: false,
            ends: Arc::new(OnceLock::from(ends)),
        }
    }
}

impl Default for Texts {
    fn default() -> Texts {
        Texts::gathered(Vec::new(), Vec::new())
    }
}

impl<'a> FromIterator<&'a str> for Texts {
    fn from_iter<I: IntoIterator<Item = &'a str>>(texts: I) -> Texts {
        Texts::of_bytes(texts.into_iter().map(str::as_bytes))
    }
}

impl FromIterator<String> for Texts {
    fn from_iter<I: IntoIterator<Item = String>>(texts: I) -> Texts {
        let mut gathered = TextsBuilder::default();
        texts.into_iter().for_each(|text| gathered.push(&text));
        gathered.finish()
    }
}

/// Texts that come one after the other.
#[derive(Debug, Default)]
pub(crate) struct TextsBuilder {
    bytes: Vec<u8>,
    ends: Vec<u64>,
}

impl TextsBuilder {
    /// Adds a text.
    pub(crate) fn push(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
        self.ends.push(self.bytes.len() as u64);
    }

    /// All texts that were added.
    pub(crate) fn finish(self) -> Texts {
        Texts::gathered(self.bytes, self.ends)
    }
}

impl PartialEq for Texts {
    fn eq(&self, other: &Texts) -> bool {
        if self.separated && other.separated {
            return self.bytes == other.bytes;
        }
        self.len == other.len && self.iter_bytes().eq(other.iter_bytes())
    }
}

impl Eq for Texts {}

impl fmt::Debug for Texts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Result<Texts, (usize, String)> {
        Texts::from_lines(bytes.to_vec().into())
    }

    #[test]
    fn lines_and_gathered_texts_are_the_same() {
        let read = lines("a\n\nbé\n".as_bytes()).unwrap();
        let made: Texts = ["a", "", "bé"].into_iter().collect();
        assert_eq!(read, made);
        assert_eq!(made, read);
        assert_eq!(read.iter().collect::<Vec<_>>(), ["a", "", "bé"]);
        assert_eq!((read.n_bytes(), made.n_bytes()), (4, 4));
        assert_eq!(read.to_lines(), made.to_lines());
        assert_eq!(read.get(3), "");
        assert_eq!(read.take([2, 0]).iter().collect::<Vec<_>>(), ["bé", "a"]);
    }

    #[test]
    fn no_line_is_no_text_and_an_empty_line_is_one() {
        assert_eq!(lines(b"").unwrap().len(), 0);
        assert_eq!(lines(b"\n").unwrap().len(), 1);
    }

    #[test]
    fn what_is_no_text_is_refused() {
        assert_eq!(lines(b"a\nb").unwrap_err().0, 3);
        assert_eq!(lines(b"a\n\xff\n").unwrap_err().0, 2);
    }

    #[test]
    fn texts_with_newlines_are_no_lines() {
        let texts: Texts = ["a\nb"].into_iter().collect();
        assert_eq!(texts.get(0), "a\nb");
        assert!(texts.to_lines().is_none());
    }
}
