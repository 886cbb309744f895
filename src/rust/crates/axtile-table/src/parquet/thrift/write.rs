//! Writing.

/// Writes structs. Fields must come in increasing order of their numbers.
#[derive(Debug, Default)]
pub(in crate::parquet) struct Writer {
    bytes: Vec<u8>,
    last: Vec<i16>,
}

impl Writer {
    /// A writer inside its first struct.
    pub(in crate::parquet) fn new() -> Writer {
        Writer {
            bytes: Vec::new(),
            last: vec![0],
        }
    }

    /// Ends the first struct.
    pub(in crate::parquet) fn finish(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }

    fn head(&mut self, id: i16, nibble: u8) {
        let last = self.last.last_mut();
        let delta = last.map_or(0, |last| id - std::mem::replace(last, id));
        if (1..16).contains(&delta) {
            self.bytes.push((delta as u8) << 4 | nibble);
        } else {
            self.bytes.push(nibble);
            self.zigzag(i64::from(id));
        }
    }

    fn zigzag(&mut self, value: i64) {
        push_varint(&mut self.bytes, ((value << 1) ^ (value >> 63)) as u64);
    }

    pub(in crate::parquet) fn byte(&mut self, id: i16, value: i8) {
        self.head(id, 3);
        self.bytes.push(value as u8);
    }

    pub(in crate::parquet) fn i16(&mut self, id: i16, value: i16) {
        self.head(id, 4);
        self.zigzag(i64::from(value));
    }

    pub(in crate::parquet) fn i32(&mut self, id: i16, value: i32) {
        self.head(id, 5);
        self.zigzag(i64::from(value));
    }

    pub(in crate::parquet) fn i64(&mut self, id: i16, value: i64) {
        self.head(id, 6);
        self.zigzag(value);
    }

    pub(in crate::parquet) fn flag(&mut self, id: i16, value: bool) {
        self.head(id, if value { 1 } else { 2 });
    }

    pub(in crate::parquet) fn text(&mut self, id: i16, value: &str) {
        self.head(id, 8);
        self.push_text(value);
    }

    fn push_text(&mut self, value: &str) {
        push_varint(&mut self.bytes, value.len() as u64);
        self.bytes.extend_from_slice(value.as_bytes());
    }

    pub(in crate::parquet) fn structure(&mut self, id: i16, content: impl FnOnce(&mut Writer)) {
        self.head(id, 12);
        self.element(content);
    }

    fn element(&mut self, content: impl FnOnce(&mut Writer)) {
        self.last.push(0);
        content(self);
        self.last.pop();
        self.bytes.push(0);
    }

    fn list_head(&mut self, id: i16, n: usize, nibble: u8) {
        self.head(id, 9);
        if n < 15 {
            self.bytes.push((n as u8) << 4 | nibble);
        } else {
            self.bytes.push(0xf0 | nibble);
            push_varint(&mut self.bytes, n as u64);
        }
    }

    pub(in crate::parquet) fn structures<T>(
        &mut self,
        id: i16,
        items: impl ExactSizeIterator<Item = T>,
        mut content: impl FnMut(&mut Writer, T),
    ) {
        self.list_head(id, items.len(), 12);
        for item in items {
            self.element(|writer| content(writer, item));
        }
    }

    pub(in crate::parquet) fn i32s(&mut self, id: i16, values: &[i32]) {
        self.list_head(id, values.len(), 5);
        for value in values {
            self.zigzag(i64::from(*value));
        }
    }

    pub(in crate::parquet) fn texts(&mut self, id: i16, values: &[&str]) {
        self.list_head(id, values.len(), 8);
        for value in values {
            self.push_text(value);
        }
    }
}

/// Appends an unsigned LEB128 number.
pub(in crate::parquet) fn push_varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}
