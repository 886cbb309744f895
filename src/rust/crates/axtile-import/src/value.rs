//! The types that the values of a matrix are read as.

use axtile_tiles::{CellBlock, FloatBlock};

use crate::h5::{Element, Odd, counts_into, floats_into};

/// A count (`u32`), or a floating-point value of either width (`f64`).
pub(crate) trait Value: Copy + Default + Send {
    /// What a value has to be, for messages.
    const EXPECTED: &'static str;
    /// Bytes of one in a scratch file.
    const LEN: usize;

    /// Appends the values in `bytes`.
    ///
    /// # Errors
    /// The first value that the type does not hold.
    fn append(element: &Element, bytes: &[u8], out: &mut Vec<Self>) -> Result<(), Odd>;

    /// Whether it is what all places have that nothing is stored for.
    fn is_nothing(self) -> bool;

    /// Appends the bytes for a scratch file.
    fn write(self, out: &mut Vec<u8>);

    /// From the bytes in a scratch file; 0 if there are too few.
    fn read(bytes: &[u8]) -> Self;
}

impl Value for u32 {
    const EXPECTED: &'static str = "a whole number from 0 to 4294967295";
    const LEN: usize = 4;

    fn append(element: &Element, bytes: &[u8], out: &mut Vec<u32>) -> Result<(), Odd> {
        counts_into(element, bytes, out)
    }

    fn is_nothing(self) -> bool {
        self == 0
    }

    fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }

    fn read(bytes: &[u8]) -> u32 {
        bytes.first_chunk().copied().map_or(0, u32::from_le_bytes)
    }
}

impl Value for f64 {
    const EXPECTED: &'static str = "a number that a 64-bit float holds exactly";
    const LEN: usize = 8;

    fn append(element: &Element, bytes: &[u8], out: &mut Vec<f64>) -> Result<(), Odd> {
        floats_into(element, bytes, out)
    }

    fn is_nothing(self) -> bool {
        // -0 is something else.
        self.to_bits() == 0
    }

    fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }

    fn read(bytes: &[u8]) -> f64 {
        bytes.first_chunk().copied().map_or(0.0, f64::from_le_bytes)
    }
}

/// Values of consecutive cells, as in [`CellBlock`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells<V> {
    pub(crate) starts: Vec<usize>,
    pub(crate) genes: Vec<u32>,
    pub(crate) values: Vec<V>,
}

impl<V> Cells<V> {
    /// No cell yet.
    pub(crate) fn none() -> Cells<V> {
        Cells {
            starts: vec![0],
            genes: Vec::new(),
            values: Vec::new(),
        }
    }
}

impl From<Cells<u32>> for CellBlock {
    fn from(cells: Cells<u32>) -> CellBlock {
        CellBlock {
            starts: cells.starts,
            genes: cells.genes,
            counts: cells.values,
        }
    }
}

impl From<CellBlock> for Cells<u32> {
    fn from(block: CellBlock) -> Cells<u32> {
        Cells {
            starts: block.starts,
            genes: block.genes,
            values: block.counts,
        }
    }
}

impl From<Cells<f64>> for FloatBlock {
    fn from(cells: Cells<f64>) -> FloatBlock {
        FloatBlock {
            starts: cells.starts,
            genes: cells.genes,
            values: cells.values,
        }
    }
}

impl From<FloatBlock> for Cells<f64> {
    fn from(block: FloatBlock) -> Cells<f64> {
        Cells {
            starts: block.starts,
            genes: block.genes,
            values: block.values,
        }
    }
}
