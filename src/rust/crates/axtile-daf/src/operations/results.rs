//! Results of kernels, and how they become values of a type: exactly, or not
//! at all.

use axtile_core::{Error, Result};

use crate::model::{Buffer, ElementType, Values};

/// Numbers as kernels computed them.
#[derive(Clone, Debug, PartialEq)]
pub enum Results {
    /// Floats.
    Floats(Buffer<f64>),
    /// Whole numbers.
    Signed(Buffer<i64>),
    /// Whole numbers.
    Unsigned(Buffer<u64>),
    /// Sums of whole numbers.
    Wide(Buffer<i128>),
}

/// A number on the way from one type to another.
pub trait Exact: Copy {
    /// As a whole number, if it is one.
    fn whole(self) -> Option<i128>;
    /// The nearest float.
    fn nearest(self) -> f64;
    /// As text.
    fn text(self) -> String;
}

impl Exact for f64 {
    fn whole(self) -> Option<i128> {
        // 2^100 holds all 64-bit numbers.
        (self.fract() == 0.0 && self.abs() < (1_u128 << 100) as f64).then_some(self as i128)
    }

    fn nearest(self) -> f64 {
        self
    }

    fn text(self) -> String {
        self.to_string()
    }
}

macro_rules! whole {
    ($($kind:ty),*) => {$(
        impl Exact for $kind {
            fn whole(self) -> Option<i128> {
                Some(self as i128)
            }

            fn nearest(self) -> f64 {
                self as f64
            }

            fn text(self) -> String {
                self.to_string()
            }
        }
    )*};
}

whole!(i64, u64, i128);

impl Results {
    /// As values of type `kind`.
    ///
    /// # Errors
    /// `Error::Range` for a number that the type cannot hold.
    pub fn into_values(self, kind: ElementType) -> Result<Values> {
        match (self, kind) {
            (Results::Floats(values), ElementType::Float64) => Ok(Values::Float64(values)),
            (Results::Signed(values), ElementType::Int64) => Ok(Values::Int64(values)),
            (Results::Unsigned(values), ElementType::UInt64) => Ok(Values::UInt64(values)),
            (Results::Floats(values), _) => typed(&values, kind),
            (Results::Signed(values), _) => typed(&values, kind),
            (Results::Unsigned(values), _) => typed(&values, kind),
            (Results::Wide(values), _) => typed(&values, kind),
        }
    }

    /// As values of type `kind`, or of the 64-bit type of the same sign if
    /// one does not fit.
    ///
    /// # Errors
    /// `Error::Range` if 64 bits are not enough.
    pub fn into_values_or_wider(self, kind: ElementType) -> Result<Values> {
        let wider = match kind {
            ElementType::Int32 => ElementType::Int64,
            ElementType::UInt32 => ElementType::UInt64,
            _ => return self.into_values(kind),
        };
        let fits = |mut values: Box<dyn Iterator<Item = i128> + '_>| match kind {
            ElementType::Int32 => values.all(|value| i32::try_from(value).is_ok()),
            _ => values.all(|value| u32::try_from(value).is_ok()),
        };
        let is_narrow = match &self {
            Results::Floats(_) => true,
            Results::Signed(values) => fits(Box::new(values.iter().map(|&value| value.into()))),
            Results::Unsigned(values) => fits(Box::new(values.iter().map(|&value| value.into()))),
            Results::Wide(values) => fits(Box::new(values.iter().copied())),
        };
        self.into_values(if is_narrow { kind } else { wider })
    }
}

fn typed<T: Exact>(values: &[T], kind: ElementType) -> Result<Values> {
    fn whole<T: Exact, U: TryFrom<i128>>(values: &[T], kind: ElementType) -> Result<Vec<U>> {
        let one = |&value: &T| {
            let whole = value.whole().and_then(|whole| U::try_from(whole).ok());
            whole.ok_or_else(|| not_exact(&value.text(), kind))
        };
        values.iter().map(one).collect()
    }
    Ok(match kind {
        ElementType::Bool => {
            let bits: Vec<u8> = whole(values, kind)?;
            if let Some(bad) = bits.iter().find(|&&bit| bit > 1) {
                return Err(not_exact(&bad.to_string(), kind));
            }
            Values::Bool(bits.into())
        }
        ElementType::Int8 => Values::Int8(whole(values, kind)?.into()),
        ElementType::Int16 => Values::Int16(whole(values, kind)?.into()),
        ElementType::Int32 => Values::Int32(whole(values, kind)?.into()),
        ElementType::Int64 => Values::Int64(whole(values, kind)?.into()),
        ElementType::UInt8 => Values::UInt8(whole(values, kind)?.into()),
        ElementType::UInt16 => Values::UInt16(whole(values, kind)?.into()),
        ElementType::UInt32 => Values::UInt32(whole(values, kind)?.into()),
        ElementType::UInt64 => Values::UInt64(whole(values, kind)?.into()),
        ElementType::Float32 => {
            let one = |value: &T| {
                let (wide, narrow) = (value.nearest(), value.nearest() as f32);
                match narrow.is_infinite() && wide.is_finite() {
                    true => Err(not_exact(&value.text(), kind)),
                    false => Ok(narrow),
                }
            };
            Values::Float32(values.iter().map(one).collect::<Result<Vec<f32>>>()?.into())
        }
        ElementType::Float64 => {
            Values::Float64(values.iter().map(|value| value.nearest()).collect())
        }
        ElementType::String => Values::String(values.iter().map(|value| value.text()).collect()),
    })
}

fn not_exact(value: &str, kind: ElementType) -> Error {
    Error::range(format!("the value {value} is no {kind}"))
}
