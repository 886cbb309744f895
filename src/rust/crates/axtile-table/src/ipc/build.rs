//! Writing FlatBuffers, front to back: a table is written with empty
//! references, which are filled in when what they refer to is written. The
//! layout is described in `flat`.

/// A reference that has not been filled in yet.
#[derive(Debug)]
#[must_use]
pub(super) struct Reference(usize);

/// A field of a table.
#[derive(Clone, Copy, Debug)]
pub(super) enum Slot {
    /// The default: nothing is stored.
    Default,
    U8(u8),
    I16(i16),
    I32(i32),
    I64(i64),
    Reference,
}

impl Slot {
    fn size(self) -> usize {
        match self {
            Slot::Default => 0,
            Slot::U8(_) => 1,
            Slot::I16(_) => 2,
            Slot::I32(_) | Slot::Reference => 4,
            Slot::I64(_) => 8,
        }
    }
}

/// A buffer under construction.
#[derive(Debug, Default)]
pub(super) struct Builder {
    bytes: Vec<u8>,
}

impl Builder {
    /// An empty buffer and the reference to its root.
    pub(super) fn new() -> (Builder, Reference) {
        let builder = Builder { bytes: vec![0; 4] };
        (builder, Reference(0))
    }

    /// The buffer, filled up to whole 8 bytes.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.align(8, 0);
        self.bytes
    }

    /// Fills up so that what follows `ahead` bytes from here is aligned.
    fn align(&mut self, to: usize, ahead: usize) {
        let len = (self.bytes.len() + ahead).next_multiple_of(to) - ahead;
        self.bytes.resize(len, 0);
    }

    fn fill_in(&mut self, reference: Reference) {
        let distance = (self.bytes.len() - reference.0) as u32;
        if let Some(slot) = self.bytes.get_mut(reference.0..reference.0 + 4) {
            slot.copy_from_slice(&distance.to_le_bytes());
        }
    }

    /// Writes a table and returns its references in the order of the slots.
    pub(super) fn table<const N: usize>(
        &mut self,
        to: Reference,
        slots: &[Slot],
    ) -> [Reference; N] {
        let vtable_len = 4 + 2 * slots.len();
        self.align(8, vtable_len);
        let mut offsets = Vec::with_capacity(slots.len());
        let mut len = 4usize;
        for slot in slots {
            if slot.size() == 0 {
                offsets.push(0);
                continue;
            }
            len = len.next_multiple_of(slot.size());
            offsets.push(len);
            len += slot.size();
        }
        for value in [vtable_len, len].iter().chain(&offsets) {
            self.bytes.extend_from_slice(&(*value as u16).to_le_bytes());
        }
        let start = self.bytes.len();
        self.fill_in(to);
        self.bytes
            .extend_from_slice(&(vtable_len as i32).to_le_bytes());
        let mut references = Vec::new();
        for (slot, offset) in slots.iter().zip(offsets) {
            if offset > 0 {
                self.bytes.resize(start + offset, 0);
            }
            match slot {
                Slot::Default => {}
                Slot::U8(value) => self.bytes.push(*value),
                Slot::I16(value) => self.bytes.extend_from_slice(&value.to_le_bytes()),
                Slot::I32(value) => self.bytes.extend_from_slice(&value.to_le_bytes()),
                Slot::I64(value) => self.bytes.extend_from_slice(&value.to_le_bytes()),
                Slot::Reference => {
                    references.push(self.bytes.len());
                    self.bytes.extend_from_slice(&[0; 4]);
                }
            }
        }
        let mut references = references.into_iter();
        std::array::from_fn(|_| Reference(references.next().unwrap_or(0)))
    }

    /// Writes a text.
    pub(super) fn text(&mut self, to: Reference, text: &str) {
        self.align(4, 0);
        self.fill_in(to);
        self.bytes
            .extend_from_slice(&(text.len() as u32).to_le_bytes());
        self.bytes.extend_from_slice(text.as_bytes());
        self.bytes.push(0);
    }

    /// Writes a vector of structs of 64-bit words.
    pub(super) fn structs<const N: usize>(&mut self, to: Reference, structs: &[[i64; N]]) {
        self.align(8, 4);
        self.fill_in(to);
        self.bytes
            .extend_from_slice(&(structs.len() as u32).to_le_bytes());
        for word in structs.iter().flatten() {
            self.bytes.extend_from_slice(&word.to_le_bytes());
        }
    }

    /// Writes a vector of `n` references.
    pub(super) fn references(&mut self, to: Reference, n: usize) -> Vec<Reference> {
        self.align(4, 0);
        self.fill_in(to);
        self.bytes.extend_from_slice(&(n as u32).to_le_bytes());
        let start = self.bytes.len();
        self.bytes.resize(start + 4 * n, 0);
        (0..n).map(|i| Reference(start + 4 * i)).collect()
    }
}
