//! The three types that all numbers are computed in: whole numbers as `i64`,
//! or `u64` if they are `UInt64`; floats as `f64`.

use std::ops::Range;

use crate::model::{ElementType, Plain};

/// A number as kernels see it.
pub trait Lane: Plain + Default + PartialOrd {
    /// The least value, which nothing is below.
    const LEAST: Self;
    /// The largest value, which nothing is above.
    const LARGEST: Self;
    /// What is no number; 0 where everything is one.
    const NAN: Self;
    /// Whether all values are whole.
    const IS_WHOLE: bool;

    /// Whether it is no number.
    fn is_nan(self) -> bool;

    /// The nearest float.
    fn float(self) -> f64;

    /// Equal for equal numbers and for those alone.
    fn key(self) -> u64;

    /// How far it is above `least`, for whole numbers.
    fn above(self, least: Self) -> u64;

    /// The values of `range`, in place where they are kept as this type, or
    /// converted into `scratch`. None outside what there is.
    fn view<'a>(
        numbers: &Numbers<'a>,
        range: Range<usize>,
        scratch: &'a mut Vec<Self>,
    ) -> Option<&'a [Self]>;
}

/// Numbers as they are kept.
#[derive(Clone, Copy, Debug)]
pub enum Numbers<'a> {
    /// Truth: anything but 0 is true.
    Bool(&'a [u8]),
    /// As many truths as that.
    AllTrue(usize),
    /// Signed, 8 bits.
    Int8(&'a [i8]),
    /// Signed, 16 bits.
    Int16(&'a [i16]),
    /// Signed, 32 bits.
    Int32(&'a [i32]),
    /// Signed, 64 bits.
    Int64(&'a [i64]),
    /// Unsigned, 8 bits.
    UInt8(&'a [u8]),
    /// Unsigned, 16 bits.
    UInt16(&'a [u16]),
    /// Unsigned, 32 bits.
    UInt32(&'a [u32]),
    /// Unsigned, 64 bits.
    UInt64(&'a [u64]),
    /// IEEE 754, 32 bits.
    Float32(&'a [f32]),
    /// IEEE 754, 64 bits.
    Float64(&'a [f64]),
}

/// Runs `$body` with `$slice` as the slice of whichever type it is.
macro_rules! with_slice {
    ($numbers:expr, $slice:ident => $body:expr, $n:ident => $all_true:expr, $bools:ident => $bool:expr) => {
        match $numbers {
            Numbers::Bool($bools) => $bool,
            Numbers::AllTrue($n) => $all_true,
            Numbers::Int8($slice) => $body,
            Numbers::Int16($slice) => $body,
            Numbers::Int32($slice) => $body,
            Numbers::Int64($slice) => $body,
            Numbers::UInt8($slice) => $body,
            Numbers::UInt16($slice) => $body,
            Numbers::UInt32($slice) => $body,
            Numbers::UInt64($slice) => $body,
            Numbers::Float32($slice) => $body,
            Numbers::Float64($slice) => $body,
        }
    };
}

impl Numbers<'_> {
    /// How many there are.
    pub fn len(&self) -> usize {
        with_slice!(self, slice => slice.len(), n => *n, bools => bools.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All of them as floats, the nearest ones.
    pub fn floats(&self) -> Option<Vec<f64>> {
        let mut scratch = Vec::new();
        Some(f64::view(self, 0..self.len(), &mut scratch)?.to_vec())
    }

    /// Their type.
    pub fn kind(&self) -> ElementType {
        match self {
            Numbers::Bool(_) | Numbers::AllTrue(_) => ElementType::Bool,
            Numbers::Int8(_) => ElementType::Int8,
            Numbers::Int16(_) => ElementType::Int16,
            Numbers::Int32(_) => ElementType::Int32,
            Numbers::Int64(_) => ElementType::Int64,
            Numbers::UInt8(_) => ElementType::UInt8,
            Numbers::UInt16(_) => ElementType::UInt16,
            Numbers::UInt32(_) => ElementType::UInt32,
            Numbers::UInt64(_) => ElementType::UInt64,
            Numbers::Float32(_) => ElementType::Float32,
            Numbers::Float64(_) => ElementType::Float64,
        }
    }
}

/// Which lane numbers of a type are computed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneKind {
    /// `i64`
    Signed,
    /// `u64`
    Unsigned,
    /// `f64`
    Float,
}

impl LaneKind {
    /// The lane of a type of numbers or of truth.
    pub fn of(kind: ElementType) -> LaneKind {
        match kind {
            ElementType::Float32 | ElementType::Float64 => LaneKind::Float,
            ElementType::UInt64 => LaneKind::Unsigned,
            _ => LaneKind::Signed,
        }
    }
}

fn fill<L, T: Copy>(
    slice: &[T],
    range: Range<usize>,
    scratch: &mut Vec<L>,
    cast: impl Fn(T) -> L,
) -> Option<()> {
    let values = slice.get(range)?;
    scratch.clear();
    scratch.extend(values.iter().map(|&value| cast(value)));
    Some(())
}

fn truths<L: Copy>(n: usize, range: Range<usize>, scratch: &mut Vec<L>, one: L) -> Option<()> {
    if range.start > range.end || range.end > n {
        return None;
    }
    scratch.clear();
    scratch.resize(range.len(), one);
    Some(())
}

impl Lane for f64 {
    const LEAST: f64 = f64::NEG_INFINITY;
    const LARGEST: f64 = f64::INFINITY;
    const NAN: f64 = f64::NAN;
    const IS_WHOLE: bool = false;

    fn is_nan(self) -> bool {
        f64::is_nan(self)
    }

    fn float(self) -> f64 {
        self
    }

    fn key(self) -> u64 {
        // Both zeros are one number.
        (self + 0.0).to_bits()
    }

    fn above(self, _least: f64) -> u64 {
        0
    }

    #[expect(clippy::unnecessary_cast, reason = "one expression for all types")]
    fn view<'a>(
        numbers: &Numbers<'a>,
        range: Range<usize>,
        scratch: &'a mut Vec<f64>,
    ) -> Option<&'a [f64]> {
        if let Numbers::Float64(slice) = numbers {
            return slice.get(range);
        }
        with_slice!(numbers,
            slice => fill(slice, range, scratch, |value| value as f64),
            n => truths(*n, range, scratch, 1.0),
            bools => fill(bools, range, scratch, |value| f64::from(u8::from(value != 0))))?;
        Some(scratch)
    }
}

impl Lane for i64 {
    const LEAST: i64 = i64::MIN;
    const LARGEST: i64 = i64::MAX;
    const NAN: i64 = 0;
    const IS_WHOLE: bool = true;

    fn is_nan(self) -> bool {
        false
    }

    fn float(self) -> f64 {
        self as f64
    }

    fn key(self) -> u64 {
        self as u64
    }

    fn above(self, least: i64) -> u64 {
        self.wrapping_sub(least) as u64
    }

    #[expect(clippy::unnecessary_cast, reason = "one expression for all types")]
    fn view<'a>(
        numbers: &Numbers<'a>,
        range: Range<usize>,
        scratch: &'a mut Vec<i64>,
    ) -> Option<&'a [i64]> {
        if let Numbers::Int64(slice) = numbers {
            return slice.get(range);
        }
        with_slice!(numbers,
            slice => fill(slice, range, scratch, |value| value as i64),
            n => truths(*n, range, scratch, 1),
            bools => fill(bools, range, scratch, |value| i64::from(value != 0)))?;
        Some(scratch)
    }
}

impl Lane for u64 {
    const LEAST: u64 = 0;
    const LARGEST: u64 = u64::MAX;
    const NAN: u64 = 0;
    const IS_WHOLE: bool = true;

    fn is_nan(self) -> bool {
        false
    }

    fn float(self) -> f64 {
        self as f64
    }

    fn key(self) -> u64 {
        self
    }

    fn above(self, least: u64) -> u64 {
        self.wrapping_sub(least)
    }

    #[expect(clippy::unnecessary_cast, reason = "one expression for all types")]
    fn view<'a>(
        numbers: &Numbers<'a>,
        range: Range<usize>,
        scratch: &'a mut Vec<u64>,
    ) -> Option<&'a [u64]> {
        if let Numbers::UInt64(slice) = numbers {
            return slice.get(range);
        }
        with_slice!(numbers,
            slice => fill(slice, range, scratch, |value| value as u64),
            n => truths(*n, range, scratch, 1),
            bools => fill(bools, range, scratch, |value| u64::from(value != 0)))?;
        Some(scratch)
    }
}
