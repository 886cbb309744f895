//! Reductions of one piece: what to accumulate, and what becomes of that.

use axtile_core::{Error, Result};

use super::accumulate::{Deviation, Extreme, Product};
use super::lane::{Lane, LaneKind};
use super::piece::{Piece, accumulated};
use super::select::{modes, quantiles};

/// A piece in all lanes.
pub trait AnyPiece: Piece<f64> + Piece<i64> + Piece<u64> {
    fn sizes(&self) -> impl Iterator<Item = usize> {
        (0..Piece::<f64>::n_slots(self)).map(|slot| Piece::<f64>::size(self, slot))
    }
}

impl<P: Piece<f64> + Piece<i64> + Piece<u64>> AnyPiece for P {}

/// A reduction of one piece; the results are zero before.
pub trait Job<T>: Send + Sync {
    fn run(&self, piece: &impl AnyPiece, results: &mut [T]) -> Result<()>;
}

/// Sums of floats.
pub struct FloatSums;

impl Job<f64> for FloatSums {
    fn run(&self, piece: &impl AnyPiece, results: &mut [f64]) -> Result<()> {
        piece.accumulate(results)
    }
}

/// Sums of whole numbers that fit into 64 bits.
pub struct NarrowSums;

impl Job<i64> for NarrowSums {
    fn run(&self, piece: &impl AnyPiece, results: &mut [i64]) -> Result<()> {
        piece.accumulate(results)
    }
}

/// Sums of any whole numbers with a sign.
pub struct WideSums;

impl Job<i128> for WideSums {
    fn run(&self, piece: &impl AnyPiece, results: &mut [i128]) -> Result<()> {
        Piece::<i64>::accumulate(piece, results)
    }
}

/// Sums of any whole numbers without a sign.
pub struct UnsignedSums;

impl Job<i128> for UnsignedSums {
    fn run(&self, piece: &impl AnyPiece, results: &mut [i128]) -> Result<()> {
        Piece::<u64>::accumulate(piece, results)
    }
}

/// Numbers of values.
pub struct Sizes;

impl Job<u64> for Sizes {
    fn run(&self, piece: &impl AnyPiece, results: &mut [u64]) -> Result<()> {
        put(results, piece.sizes().map(|size| size as u64));
        Ok(())
    }
}

/// Means.
#[derive(Clone, Copy)]
pub struct Means {
    /// How they are computed with.
    pub lane: LaneKind,
    /// Whether sums fit into 64 bits.
    pub is_narrow: bool,
}

impl Job<f64> for Means {
    fn run(&self, piece: &impl AnyPiece, results: &mut [f64]) -> Result<()> {
        match self.lane {
            LaneKind::Float => piece.accumulate(results)?,
            LaneKind::Signed if self.is_narrow => {
                let sums = accumulated(piece, |_| 0_i64)?;
                put(results, sums.iter().map(|&sum| sum as f64));
            }
            LaneKind::Signed => {
                let sums = accumulated::<i64, i128>(piece, |_| 0)?;
                put(results, sums.iter().map(|&sum| sum as f64));
            }
            LaneKind::Unsigned => {
                let sums = accumulated::<u64, i128>(piece, |_| 0)?;
                put(results, sums.iter().map(|&sum| sum as f64));
            }
        }
        Piece::<f64>::divide(piece, results);
        Ok(())
    }
}

/// Largest or smallest values.
pub struct Extremes<const LARGEST: bool>;

impl<const LARGEST: bool> Extremes<LARGEST> {
    fn of<L: Lane>(piece: &impl Piece<L>, results: &mut [L]) -> Result<()> {
        let found = accumulated(piece, |_| Extreme::<L, LARGEST>::new())?;
        let found = found.iter().enumerate();
        put(results, found.map(|(slot, one)| one.of(piece.size(slot))));
        Ok(())
    }
}

/// Most frequent values.
pub struct Modes;

/// Jobs whose results are of the type of the values.
macro_rules! in_lane {
    ($($lane:ty),*) => {$(
        impl<const LARGEST: bool> Job<$lane> for Extremes<LARGEST> {
            fn run(&self, piece: &impl AnyPiece, results: &mut [$lane]) -> Result<()> {
                Extremes::<LARGEST>::of(piece, results)
            }
        }

        impl Job<$lane> for Modes {
            fn run(&self, piece: &impl AnyPiece, results: &mut [$lane]) -> Result<()> {
                modes(piece, results)
            }
        }
    )*};
}

in_lane!(f64, i64, u64);

/// Quantiles.
pub struct Quantiles {
    /// From 0 to 1.
    pub p: f64,
}

impl Job<f64> for Quantiles {
    fn run(&self, piece: &impl AnyPiece, results: &mut [f64]) -> Result<()> {
        quantiles(piece, self.p, results)
    }
}

/// Variances and what is made of them.
pub struct Spreads {
    means: Means,
    is_root: bool,
    /// Added to the mean that the spread is divided by; none to divide by
    /// nothing.
    eps: Option<f64>,
}

impl Spreads {
    /// Of values with these means.
    pub fn new(means: Means, is_root: bool, eps: Option<f64>) -> Spreads {
        Spreads {
            means,
            is_root,
            eps,
        }
    }
}

impl Job<f64> for Spreads {
    fn run(&self, piece: &impl AnyPiece, results: &mut [f64]) -> Result<()> {
        self.means.run(piece, results)?;
        let means = &*results;
        let found = accumulated::<f64, _>(piece, |slot| Deviation {
            mean: means.get(slot).copied().unwrap_or(0.0),
            ..Deviation::default()
        })?;
        let found = found.iter().zip(piece.sizes());
        put(
            results,
            found.map(|(one, size)| {
                let variance = one.variance(size);
                let spread = if self.is_root {
                    variance.sqrt()
                } else {
                    variance
                };
                self.eps.map_or(spread, |eps| spread / (one.mean + eps))
            }),
        );
        Ok(())
    }
}

/// Geometric means.
pub struct GeoMeans {
    /// Added to each value.
    pub eps: f64,
}

impl Job<f64> for GeoMeans {
    fn run(&self, piece: &impl AnyPiece, results: &mut [f64]) -> Result<()> {
        let found = accumulated(piece, |_| Product::new(self.eps))?;
        let sizes = piece.sizes();
        for ((result, product), size) in results.iter_mut().zip(&found).zip(sizes) {
            *result = product.mean(size).ok_or_else(|| {
                Error::range(format!(
                    "GeoMean with eps {} of a value that is below {}",
                    self.eps, -self.eps
                ))
            })?;
        }
        Ok(())
    }
}

fn put<T>(results: &mut [T], values: impl Iterator<Item = T>) {
    for (result, value) in results.iter_mut().zip(values) {
        *result = value;
    }
}
