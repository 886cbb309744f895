//! Numbers of a chunk, dealt out to streams by class: a varint of how many
//! streams there are, the first class of each but the first (u8), for each how
//! many numbers and bytes it has (varints), then the streams.

use axtile_core::Result;

use super::N_CLASSES;
use crate::error::TileResult;
use crate::streams::{decode, encode, room};
use crate::wire::{Cursor, put_varint};

/// Classes are joined until they have so many numbers, whichever of these makes
/// the tile smallest: a stream takes some 50 bytes for itself.
const MIN_NUMBERS: [usize; 3] = [usize::MAX, 4_000, 700];
/// Genes before this one are alike.
const FIRST_GENES: u64 = 8;

/// How far the nonzeros of a cell bring classes down.
#[derive(Clone, Copy, Debug)]
pub(super) struct Depth(u32);

impl Depth {
    /// That of a cell of `n` nonzeros, at most 2^31.
    pub(super) fn new(n: usize) -> Depth {
        let n = n as u64;
        Depth(bit_length(n * n))
    }

    /// The class of what comes after gene `gene` (below 2^31) in such a cell: two
    /// for each doubling of the gene's number, and two less for each doubling of
    /// the cell's nonzeros.
    #[inline]
    pub(super) fn class(self, gene: u32) -> u8 {
        let gene = u64::from(gene) + FIRST_GENES;
        (bit_length(gene * gene) + 63 - self.0) as u8
    }
}

#[inline]
fn bit_length(number: u64) -> u32 {
    u64::BITS - number.leading_zeros()
}

/// Codes numbers with their classes.
///
/// # Errors
/// `Error::Limit` if a compressor fails.
pub(super) fn deal(numbers: &[u32], classes: &[u8]) -> Result<Vec<u8>> {
    let mut sizes = [0usize; N_CLASSES];
    for &class in classes {
        sizes[usize::from(class)] += 1;
    }
    let mut best: Option<Vec<u8>> = None;
    let mut tried = 0;
    for min in MIN_NUMBERS {
        let bounds = join(&sizes, min);
        // Each minimum makes more streams than those before it, or as many.
        if bounds.len() + 1 == tried {
            continue;
        }
        tried = bounds.len() + 1;
        let bytes = write(numbers, classes, &bounds)?;
        if best.as_ref().is_none_or(|best| bytes.len() < best.len()) {
            best = Some(bytes);
        }
    }
    Ok(best.unwrap_or_default())
}

/// The first class of each stream but the first, so that each has `min` numbers.
fn join(sizes: &[usize; N_CLASSES], min: usize) -> Vec<u8> {
    let mut bounds = Vec::new();
    let mut rest: usize = sizes.iter().sum();
    let mut n = 0;
    for (class, size) in sizes.iter().enumerate() {
        n += size;
        rest -= size;
        if n >= min && rest >= min {
            bounds.push(class as u8 + 1);
            n = 0;
        }
    }
    bounds
}

fn write(numbers: &[u32], classes: &[u8], bounds: &[u8]) -> Result<Vec<u8>> {
    let stream_of = stream_of(bounds);
    let mut dealt = vec![Vec::new(); bounds.len() + 1];
    for (&number, &class) in numbers.iter().zip(classes) {
        dealt[usize::from(stream_of[usize::from(class)])].push(number);
    }
    let mut bytes = Vec::new();
    put_varint(&mut bytes, dealt.len() as u64);
    bytes.extend_from_slice(bounds);
    let mut streams = Vec::new();
    for numbers in &dealt {
        let stream = encode(numbers)?;
        put_varint(&mut bytes, numbers.len() as u64);
        put_varint(&mut bytes, stream.len() as u64);
        streams.extend(stream);
    }
    bytes.extend(streams);
    Ok(bytes)
}

fn stream_of(bounds: &[u8]) -> [u8; N_CLASSES] {
    let mut stream_of = [0; N_CLASSES];
    for (class, stream) in stream_of.iter_mut().enumerate() {
        *stream = bounds.partition_point(|&bound| usize::from(bound) <= class) as u8;
    }
    stream_of
}

/// Hands out numbers that were dealt out to streams.
#[derive(Debug)]
pub(super) struct Hand {
    numbers: Vec<u32>,
    stream_of: [u8; N_CLASSES],
    /// The next number of each stream, and its end.
    next: [(usize, usize); N_CLASSES],
    planes: Vec<u8>,
}

impl Default for Hand {
    fn default() -> Hand {
        Hand {
            numbers: Vec::new(),
            stream_of: [0; N_CLASSES],
            next: [(0, 0); N_CLASSES],
            planes: Vec::new(),
        }
    }
}

impl Hand {
    /// Decodes the streams of `n` numbers at the front of `cursor`.
    ///
    /// # Errors
    /// `TileError` if they are damaged.
    pub(super) fn read(
        &mut self,
        cursor: &mut Cursor<'_>,
        n: usize,
        place: &str,
    ) -> TileResult<()> {
        let n_streams = cursor.number("streams", 1, N_CLASSES as u64)? as usize;
        let bounds = cursor.bytes(n_streams - 1)?;
        if !bounds.is_sorted_by(|a, b| a < b) {
            return Err(cursor.wrong("classes that do not ascend"));
        }
        self.stream_of = stream_of(bounds);
        self.next = [(0, 0); N_CLASSES];
        let mut lens = [0; N_CLASSES];
        let mut end = 0;
        for (next, len) in self.next.iter_mut().zip(&mut lens).take(n_streams) {
            let count = cursor.number("numbers", 0, (n - end) as u64)? as usize;
            *next = (end, end + count);
            end += count;
            *len = cursor.number("length", 0, u32::MAX.into())? as usize;
        }
        if end != n {
            return Err(cursor.wrong(format!("{end} numbers, expected {n}")));
        }
        let numbers = room(&mut self.numbers, n, place)?;
        for (&(start, end), len) in self.next.iter().zip(lens).take(n_streams) {
            let stream = cursor.bytes(len)?;
            decode(stream, &mut numbers[start..end], &mut self.planes, place)?;
        }
        Ok(())
    }

    /// The next number of a class (below [`N_CLASSES`]), if its stream has one.
    #[inline]
    pub(super) fn take(&mut self, class: u8) -> Option<u32> {
        let stream = self.stream_of[usize::from(class) % N_CLASSES];
        let (next, end) = &mut self.next[usize::from(stream) % N_CLASSES];
        if next == end {
            return None;
        }
        let number = self.numbers[*next];
        *next += 1;
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_all_cells_and_genes() {
        let last = i32::MAX as u32 - 1;
        for n in [1, 2, 3, 100, 1 << 26, 1 << 31] {
            for gene in [0, 1, 7, 8, 500, last] {
                let class = usize::from(Depth::new(n).class(gene));
                assert!(class < N_CLASSES, "{n} nonzeros, gene {gene}: {class}");
            }
        }
        assert_eq!(Depth::new(4).class(100), Depth::new(8).class(208));
        assert_eq!(Depth::new(4).class(24) + 2, Depth::new(4).class(56));
    }

    #[test]
    fn numbers_of_a_stream_are_handed_out_once() {
        let classes: Vec<u8> = (0..10_000u32).map(|i| (i % 7) as u8).collect();
        let numbers: Vec<u32> = (0..10_000u32)
            .map(|i| i.wrapping_mul(2_654_435_761) >> (31 - 3 * (i % 7)))
            .collect();
        let bytes = deal(&numbers, &classes).unwrap();
        assert!(bytes[0] > 1);
        let mut hand = Hand::default();
        let mut cursor = Cursor::new(&bytes, "x");
        hand.read(&mut cursor, numbers.len(), "x").unwrap();
        cursor.finish().unwrap();
        for (&number, &class) in numbers.iter().zip(&classes) {
            assert_eq!(hand.take(class), Some(number));
        }
        assert_eq!(hand.take(3), None);
        assert!(
            hand.read(&mut Cursor::new(&bytes, "x"), 9_999, "x")
                .is_err()
        );
    }
}
