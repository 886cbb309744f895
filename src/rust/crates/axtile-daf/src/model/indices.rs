//! The positions of sparse data, kept as they are stored.

use super::{Buffer, ElementType, Plain, Values};

/// A width of stored positions.
pub trait Index: Plain + Ord {
    /// The position counted from 0 of one that is stored, counted from 1. A
    /// stored 0, which valid data has not, is a position beyond any array.
    fn position(self) -> usize;
}

macro_rules! index {
    ($($index:ty),*) => {$(
        impl Index for $index {
            #[inline(always)]
            fn position(self) -> usize {
                (self as usize).wrapping_sub(1)
            }
        }
    )*};
}

index!(u8, u16, u32, u64);

/// Positions counted from 1, as they are stored. Signed types are seen as
/// unsigned ones of their size, which makes a negative position one beyond
/// any array; `stored_type` remembers what they were.
#[derive(Clone, Debug, PartialEq)]
pub struct Indices {
    stored: ElementType,
    width: Width,
}

/// Positions counted from 1, by the size of their type.
#[derive(Clone, Debug, PartialEq)]
pub enum Width {
    /// One byte each.
    U8(Buffer<u8>),
    /// Two bytes each.
    U16(Buffer<u16>),
    /// Four bytes each.
    U32(Buffer<u32>),
    /// Eight bytes each.
    U64(Buffer<u64>),
}

/// Runs `$body` with `$buffer` bound to the buffer of unsigned positions in
/// `$indices`, each counted from 1; see [`Index`].
#[macro_export]
macro_rules! match_indices {
    ($indices:expr, $buffer:ident => $body:expr) => {
        match $indices.width() {
            $crate::model::Width::U8($buffer) => $body,
            $crate::model::Width::U16($buffer) => $body,
            $crate::model::Width::U32($buffer) => $body,
            $crate::model::Width::U64($buffer) => $body,
        }
    };
}

impl Indices {
    /// Stored positions as indices. None if they are no whole numbers.
    pub fn new(values: &Values) -> Option<Indices> {
        let width = match values {
            Values::UInt8(buffer) => Width::U8(buffer.clone()),
            Values::UInt16(buffer) => Width::U16(buffer.clone()),
            Values::UInt32(buffer) => Width::U32(buffer.clone()),
            Values::UInt64(buffer) => Width::U64(buffer.clone()),
            Values::Int8(buffer) => Width::U8(buffer.reinterpreted()?),
            Values::Int16(buffer) => Width::U16(buffer.reinterpreted()?),
            Values::Int32(buffer) => Width::U32(buffer.reinterpreted()?),
            Values::Int64(buffer) => Width::U64(buffer.reinterpreted()?),
            _ => return None,
        };
        Some(Indices {
            stored: values.element_type(),
            width,
        })
    }

    /// Positions counted from 0 as indices of the smallest type for positions
    /// up to `size`. The positions must be below `size`.
    pub fn from_positions(positions: impl IntoIterator<Item = usize>, size: usize) -> Indices {
        let stored = Indices::type_for(size);
        let positions = positions.into_iter();
        let width = match stored {
            ElementType::UInt16 => Width::U16(positions.map(|at| (at + 1) as u16).collect()),
            ElementType::UInt32 => Width::U32(positions.map(|at| (at + 1) as u32).collect()),
            _ => Width::U64(positions.map(|at| (at + 1) as u64).collect()),
        };
        Indices { stored, width }
    }

    /// These positions, counted from 0, in a type chosen before; None if one
    /// of them does not fit into it.
    pub fn with_type(
        positions: impl IntoIterator<Item = usize>,
        stored: ElementType,
    ) -> Option<Indices> {
        fn fitted<T: Plain + TryFrom<usize>>(
            positions: impl IntoIterator<Item = usize>,
        ) -> Option<Vec<T>> {
            positions
                .into_iter()
                .map(|at| T::try_from(at + 1).ok())
                .collect()
        }
        let values: Values = match stored {
            ElementType::UInt8 => fitted::<u8>(positions)?.into(),
            ElementType::UInt16 => fitted::<u16>(positions)?.into(),
            ElementType::UInt32 => fitted::<u32>(positions)?.into(),
            ElementType::UInt64 => fitted::<u64>(positions)?.into(),
            ElementType::Int8 => fitted::<i8>(positions)?.into(),
            ElementType::Int16 => fitted::<i16>(positions)?.into(),
            ElementType::Int32 => fitted::<i32>(positions)?.into(),
            ElementType::Int64 => fitted::<i64>(positions)?.into(),
            _ => return None,
        };
        Indices::new(&values)
    }

    /// The type that writers use for positions up to `size`.
    pub fn type_for(size: usize) -> ElementType {
        if u16::try_from(size).is_ok() {
            ElementType::UInt16
        } else if u32::try_from(size).is_ok() {
            ElementType::UInt32
        } else {
            ElementType::UInt64
        }
    }

    /// The type that the positions were stored in.
    pub fn stored_type(&self) -> ElementType {
        self.stored
    }

    /// How many positions there are.
    pub fn len(&self) -> usize {
        match_indices!(self, buffer => buffer.len())
    }

    /// Whether there is no position.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of memory, or of mapped file, that the positions take.
    pub fn n_bytes(&self) -> usize {
        match_indices!(self, buffer => size_of_val(&**buffer))
    }

    /// Whether the positions are seen in place in a mapped file.
    pub fn is_mapped(&self) -> bool {
        match_indices!(self, buffer => buffer.is_mapped())
    }

    /// Position `k`, counted from 0; a position beyond any array if there is
    /// none. Loops are faster through `match_indices!`.
    pub fn at(&self, k: usize) -> usize {
        match_indices!(self, buffer => buffer.get(k).map_or(usize::MAX, |&at| at.position()))
    }

    /// All positions, counted from 0.
    pub fn to_positions(&self) -> Vec<usize> {
        match_indices!(self, buffer => buffer.iter().map(|&at| at.position()).collect())
    }

    /// The bytes as files hold them.
    pub fn to_le_bytes(&self) -> std::borrow::Cow<'_, [u8]> {
        match_indices!(self, buffer => buffer.to_le_bytes())
    }

    /// The stored positions, to loop over; see `match_indices!`.
    pub fn width(&self) -> &Width {
        &self.width
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_the_smallest_that_hold_the_size() {
        assert_eq!(Indices::type_for(0), ElementType::UInt16);
        assert_eq!(Indices::type_for(65_535), ElementType::UInt16);
        assert_eq!(Indices::type_for(65_536), ElementType::UInt32);
        assert_eq!(Indices::type_for(4_294_967_295), ElementType::UInt32);
        assert_eq!(Indices::type_for(4_294_967_296), ElementType::UInt64);
    }

    #[test]
    fn any_whole_type_holds_positions_and_negative_ones_are_nowhere() {
        for kind in ElementType::ALL {
            let made = Indices::with_type([0, 4], kind);
            assert_eq!(made.is_some(), kind.is_integer());
            if let Some(indices) = made {
                assert_eq!(indices.to_positions(), [0, 4]);
                assert_eq!(indices.stored_type(), kind);
            }
        }
        let negative = Indices::new(&vec![-1_i32, 0].into()).unwrap();
        assert!(negative.at(0) >= u32::MAX as usize - 1);
        assert_eq!(negative.at(1), usize::MAX);
        assert!(Indices::with_type([255], ElementType::UInt8).is_none());
    }
}
