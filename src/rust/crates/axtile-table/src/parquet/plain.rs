//! The PLAIN encoding: values one after another, little-endian; texts with
//! their length in 4 bytes before them; true and false in bits, lowest first
//! (parquet-format, Encodings.md).

use crate::damage::{Damage, Parsed};
use crate::half::half_to_f64;
use crate::model::{IntegerType, RealType};

/// Most bytes of text in a column chunk: what an Arrow string column holds. A
/// dictionary lets a few bytes stand for more.
pub(super) const MAX_TEXT_BYTES: u64 = i32::MAX as u64;

/// How to decode the values of a type.
pub(super) trait Plain {
    /// A value in memory.
    type Value: Clone;

    /// Appends `n` values.
    fn decode(&self, bytes: &[u8], n: usize, out: &mut Vec<Self::Value>) -> Parsed<()>;

    /// Bytes that a value takes beyond its fixed size.
    fn extra_bytes(_value: &Self::Value) -> u64 {
        0
    }

    /// Whether the values can also be in run-length encoding.
    const HAS_RUNS: bool = false;

    /// The value of a bit.
    fn from_bit(_bit: bool) -> Option<Self::Value> {
        None
    }
}

/// Whole numbers, widened.
pub(super) struct Integers(pub(super) IntegerType);

impl Plain for Integers {
    type Value = i64;

    fn decode(&self, bytes: &[u8], n: usize, out: &mut Vec<i64>) -> Parsed<()> {
        let start = out.len();
        match self.0 {
            IntegerType::I64 | IntegerType::U64 => {
                out.extend(words::<8>(bytes, n)?.iter().map(|w| i64::from_le_bytes(*w)));
            }
            IntegerType::U32 => {
                let words = words::<4>(bytes, n)?.iter();
                out.extend(words.map(|w| i64::from(u32::from_le_bytes(*w))));
            }
            _ => {
                let words = words::<4>(bytes, n)?.iter();
                out.extend(words.map(|w| i64::from(i32::from_le_bytes(*w))));
            }
        }
        let new = out.get(start..).unwrap_or(&[]);
        match new.iter().find(|value| !self.0.holds(**value)) {
            None => Ok(()),
            Some(value) => Err(Damage::new(format!(
                "the value {value} is no {}",
                self.0.name()
            ))),
        }
    }
}

/// Floating-point numbers, widened.
pub(super) struct Reals(pub(super) RealType);

impl Plain for Reals {
    type Value = f64;

    fn decode(&self, bytes: &[u8], n: usize, out: &mut Vec<f64>) -> Parsed<()> {
        match self.0 {
            RealType::F16 => {
                let words = words::<2>(bytes, n)?.iter();
                out.extend(words.map(|w| half_to_f64(u16::from_le_bytes(*w))));
            }
            RealType::F32 => {
                let words = words::<4>(bytes, n)?.iter();
                out.extend(words.map(|w| f64::from(f32::from_le_bytes(*w))));
            }
            RealType::F64 => {
                out.extend(words::<8>(bytes, n)?.iter().map(|w| f64::from_le_bytes(*w)));
            }
        }
        Ok(())
    }
}

/// True or false.
pub(super) struct Bits;

impl Plain for Bits {
    type Value = bool;
    const HAS_RUNS: bool = true;

    fn decode(&self, bytes: &[u8], n: usize, out: &mut Vec<bool>) -> Parsed<()> {
        let needed = bytes.get(..n.div_ceil(8)).ok_or_else(ended)?;
        let bits = needed
            .iter()
            .flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1 == 1));
        out.extend(bits.take(n));
        Ok(())
    }

    fn from_bit(bit: bool) -> Option<bool> {
        Some(bit)
    }
}

/// Text.
pub(super) struct Texts;

impl Plain for Texts {
    type Value = String;

    fn decode(&self, bytes: &[u8], n: usize, out: &mut Vec<String>) -> Parsed<()> {
        let mut rest = bytes;
        for _ in 0..n {
            let (len, after) = rest.split_first_chunk::<4>().ok_or_else(ended)?;
            let len = u32::from_le_bytes(*len) as usize;
            let (text, after) = after.split_at_checked(len).ok_or_else(ended)?;
            let text = std::str::from_utf8(text)
                .map_err(|_| Damage::new(format!("text number {} is no UTF-8", out.len())))?;
            out.push(text.to_owned());
            rest = after;
        }
        Ok(())
    }

    fn extra_bytes(value: &String) -> u64 {
        value.len() as u64
    }
}

fn words<const N: usize>(bytes: &[u8], n: usize) -> Parsed<&[[u8; N]]> {
    bytes.as_chunks::<N>().0.get(..n).ok_or_else(ended)
}

fn ended() -> Damage {
    Damage::new("the values end too early")
}
