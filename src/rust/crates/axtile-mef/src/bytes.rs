//! Little-endian fields of byte images whose length was checked before.
//!
//! A field outside the image reads as zero and is not written: no input can
//! make these functions panic. Callers take images of fixed size, so this
//! happens to no field of the format.

/// `N` bytes at `at`.
pub(crate) fn array<const N: usize>(image: &[u8], at: usize) -> [u8; N] {
    image
        .get(at..)
        .and_then(|rest| rest.first_chunk::<N>())
        .copied()
        .unwrap_or([0; N])
}

/// Writes `value` at `at`.
pub(crate) fn put(image: &mut [u8], at: usize, value: &[u8]) {
    if let Some(field) = image.get_mut(at..at.saturating_add(value.len())) {
        field.copy_from_slice(value);
    }
}

pub(crate) fn u32_at(image: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(array(image, at))
}

pub(crate) fn i32_at(image: &[u8], at: usize) -> i32 {
    i32::from_le_bytes(array(image, at))
}

pub(crate) fn i64_at(image: &[u8], at: usize) -> i64 {
    i64::from_le_bytes(array(image, at))
}

pub(crate) fn f32_at(image: &[u8], at: usize) -> f32 {
    f32::from_le_bytes(array(image, at))
}

pub(crate) fn f64_at(image: &[u8], at: usize) -> f64 {
    f64::from_le_bytes(array(image, at))
}

/// NUL-terminated text in a field of `len` bytes. What is no UTF-8 becomes
/// replacement characters: some writers cut text inside a character.
pub(crate) fn text_at(image: &[u8], at: usize, len: usize) -> String {
    let field = image.get(at..at.saturating_add(len)).unwrap_or_default();
    text(field)
}

/// The text of `field` up to its first NUL.
pub(crate) fn text(field: &[u8]) -> String {
    let end = field
        .iter()
        .position(|&byte| byte == 0)
        .unwrap_or(field.len());
    String::from_utf8_lossy(field.get(..end).unwrap_or_default()).into_owned()
}

/// Writes text and fills the field with zeros. At least one NUL stays: longer
/// text is to be refused before.
pub(crate) fn put_text(image: &mut [u8], at: usize, len: usize, value: &str) {
    let Some(field) = image.get_mut(at..at.saturating_add(len)) else {
        return;
    };
    field.fill(0);
    for (to, &from) in field
        .iter_mut()
        .zip(value.as_bytes())
        .take(len.saturating_sub(1))
    {
        *to = from;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_outside_are_zero_and_text_ends_at_its_nul() {
        let mut image = [0xFF_u8; 8];
        assert_eq!(i64_at(&image, 1), 0);
        put(&mut image, 6, &[1, 2, 3]);
        assert_eq!(image, [0xFF; 8]);
        put_text(&mut image, 0, 4, "abcdef");
        assert_eq!(&image[..5], b"abc\0\xFF");
        assert_eq!(text_at(&image, 0, 8), "abc");
        assert_eq!(text(b"ab\xC5"), "ab\u{FFFD}");
    }
}
