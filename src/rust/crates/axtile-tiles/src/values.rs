//! Values of nonzeros in the type that suits their layer.

use std::ops::Range;

use axtile_codec::kernels::Count;

/// Counts, or floating-point values of either width.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Values {
    Counts(Vec<i32>),
    Floats(Vec<f64>),
}

impl Values {
    /// How much memory they take.
    pub(crate) fn n_bytes(&self) -> usize {
        match self {
            Values::Counts(values) => size_of_val(values.as_slice()),
            Values::Floats(values) => size_of_val(values.as_slice()),
        }
    }

    /// None yet, of the same type.
    pub(crate) fn empty_like(&self) -> Values {
        match self {
            Values::Counts(_) => Values::Counts(Vec::new()),
            Values::Floats(_) => Values::Floats(Vec::new()),
        }
    }

    /// Adds some of `other`, which are of the same type.
    pub(crate) fn extend(&mut self, other: &Values, range: Range<usize>) {
        match (self, other) {
            (Values::Counts(values), Values::Counts(other)) => {
                values.extend_from_slice(&other[range]);
            }
            (Values::Floats(values), Values::Floats(other)) => {
                values.extend_from_slice(&other[range]);
            }
            _ => unreachable!("the values of a layer are of one type"),
        }
    }

    /// Writes some of them in the type that the caller wants, which holds them.
    pub(crate) fn copy_to<C: Count>(&self, range: Range<usize>, places: &mut [C]) {
        match self {
            Values::Counts(values) => {
                for (place, &count) in places.iter_mut().zip(&values[range]) {
                    *place = C::from_u32(count as u32);
                }
            }
            Values::Floats(values) => match C::as_floats(places) {
                Some(places) => places.copy_from_slice(&values[range]),
                None => unreachable!("the type was checked"),
            },
        }
    }
}
