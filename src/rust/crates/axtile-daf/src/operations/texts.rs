//! The most frequent text.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

/// The position of the most frequent of `texts`, and of the first of them
/// among equals. None if there are none.
pub fn mode_of_texts<'a>(texts: impl IntoIterator<Item = &'a [u8]>) -> Option<usize> {
    struct Seen<'a> {
        text: &'a [u8],
        first: usize,
        n: usize,
    }
    let hasher = DefaultHashBuilder::default();
    let mut seen: HashTable<Seen<'a>> = HashTable::new();
    for (at, text) in texts.into_iter().enumerate() {
        let hash = hasher.hash_one(text);
        seen.entry(
            hash,
            |one| one.text == text,
            |one| hasher.hash_one(one.text),
        )
        .and_modify(|one| one.n += 1)
        .or_insert(Seen {
            text,
            first: at,
            n: 1,
        });
    }
    seen.iter()
        .max_by(|a, b| a.n.cmp(&b.n).then(b.first.cmp(&a.first)))
        .map(|one| one.first)
}

#[cfg(test)]
mod tests {
    use super::mode_of_texts;

    fn of(texts: &[&str]) -> Option<usize> {
        mode_of_texts(texts.iter().map(|text| text.as_bytes()))
    }

    #[test]
    fn ties_go_to_the_first() {
        assert_eq!(of(&["b", "a", "a", "b"]), Some(0));
        assert_eq!(of(&["b", "a", "a", ""]), Some(1));
        assert_eq!(of(&[]), None);
    }
}
