//! Text from datasets: of fixed width, or by reference into the file's global
//! heap.

use axtile_core::Result;

use super::{Element, Group};

/// Texts come to no more bytes than this beyond the file's size: several
/// elements may refer to one text, but writers do not share them.
const HEAP_SLACK: u64 = 1 << 20;

/// Reads texts element by element, within bounds.
pub(crate) struct TextReader<'a> {
    root: &'a Group,
    place: &'a str,
    left: u64,
}

impl<'a> TextReader<'a> {
    /// A reader for the dataset `place`; `root` is any group of its file.
    pub(crate) fn new(root: &'a Group, place: &'a str) -> TextReader<'a> {
        TextReader {
            root,
            place,
            left: root.file().n_bytes() + HEAP_SLACK,
        }
    }

    /// The text in `bytes`, one element.
    pub(crate) fn read(&mut self, element: &Element, bytes: &[u8]) -> Result<String> {
        let file = self.root.file();
        let text = match element {
            Element::FixedText { spaces, .. } => {
                let text = until_nul(bytes);
                let n = match spaces {
                    true => text
                        .iter()
                        .rposition(|&byte| byte != b' ')
                        .map_or(0, |last| last + 1),
                    false => text.len(),
                };
                text.get(..n).unwrap_or_default().to_vec()
            }
            Element::HeapText { .. } => {
                let text = self
                    .root
                    .resolve(bytes)
                    .map_err(|error| file.damaged(self.place, error))?;
                self.left = self
                    .left
                    .checked_sub(text.len() as u64)
                    .ok_or_else(|| file.corrupt(self.place, "more text than the file can hold"))?;
                until_nul(&text).to_vec()
            }
            other => {
                return Err(file.corrupt(
                    self.place,
                    format!("{} where text was expected", other.describe()),
                ));
            }
        };
        String::from_utf8(text).map_err(|error| {
            file.corrupt(
                self.place,
                format!(
                    "text that is not UTF-8: {:?}",
                    String::from_utf8_lossy(error.as_bytes())
                ),
            )
        })
    }
}

/// HDF5's texts end at the first NUL, which pads them too.
fn until_nul(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(|&byte| byte == 0);
    bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default()
}
