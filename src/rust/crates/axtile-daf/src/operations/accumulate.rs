//! Accumulators: what is known of the values met so far. Each can be merged
//! with one of other values, so that work splits into chunks; chunks are cut
//! and merged in an order that does not depend on the threads.

use super::lane::Lane;

/// Partial sums of a run of values: as many as the machine adds at once.
const WIDTH: usize = 8;

/// What is known of the values met so far.
pub trait Accumulator<L: Lane>: Copy + Send + Sync {
    /// One more value.
    fn push(&mut self, value: L);

    /// More values.
    fn push_all(&mut self, values: &[L]) {
        for &value in values {
            self.push(value);
        }
    }

    /// The values that another one met after these.
    fn merge(&mut self, later: &Self);
}

/// The sum of floats.
impl Accumulator<f64> for f64 {
    fn push(&mut self, value: f64) {
        *self += value;
    }

    fn push_all(&mut self, values: &[f64]) {
        *self += sum_of(values, |value| value);
    }

    fn merge(&mut self, later: &f64) {
        *self += later;
    }
}

fn sum_of(values: &[f64], of: impl Fn(f64) -> f64) -> f64 {
    let mut sums = [0.0; WIDTH];
    let chunks = values.chunks_exact(WIDTH);
    let rest: f64 = chunks.remainder().iter().map(|&value| of(value)).sum();
    for chunk in chunks {
        for (sum, &value) in sums.iter_mut().zip(chunk) {
            *sum += of(value);
        }
    }
    let [a, b, c, d, e, f, g, h] = sums;
    (((a + e) + (b + f)) + ((c + g) + (d + h))) + rest
}

/// The sum of whole numbers of up to 32 bits, of which no more than 2^31 are
/// met: it cannot overflow.
impl Accumulator<i64> for i64 {
    fn push(&mut self, value: i64) {
        *self = self.wrapping_add(value);
    }

    fn merge(&mut self, later: &i64) {
        *self = self.wrapping_add(*later);
    }
}

/// The sum of any whole numbers: 2^63 of them fit.
impl<L: Lane + Into<i128>> Accumulator<L> for i128 {
    fn push(&mut self, value: L) {
        *self += value.into();
    }

    fn merge(&mut self, later: &i128) {
        *self += later;
    }
}

/// The largest value (or the smallest), and how many there were. NaN wins.
/// Which values win is hard to foresee, so that nothing branches on it.
#[derive(Clone, Copy)]
pub struct Extreme<L, const LARGEST: bool> {
    /// Of those that are numbers.
    value: L,
    /// How many values there were, and [`HAS_NAN`] if one was no number.
    n: u64,
}

/// No matrix has so many values.
const HAS_NAN: u64 = 1 << 63;

impl<L: Lane, const LARGEST: bool> Extreme<L, LARGEST> {
    pub fn new() -> Self {
        Extreme {
            value: if LARGEST { L::LEAST } else { L::LARGEST },
            n: 0,
        }
    }

    /// The old value unless the new one is a better number.
    fn better(old: L, new: L) -> L {
        let wins = if LARGEST { new > old } else { new < old };
        if wins { new } else { old }
    }

    /// The result where `size` values were to be met: those that were not are
    /// zeros.
    pub fn of(self, size: usize) -> L {
        let n = (self.n & !HAS_NAN) as usize;
        match size {
            0 => L::default(),
            _ if self.n & HAS_NAN != 0 => L::NAN,
            _ if n < size => Self::better(self.value, L::default()),
            _ => self.value,
        }
    }
}

impl<L: Lane, const LARGEST: bool> Accumulator<L> for Extreme<L, LARGEST> {
    fn push(&mut self, value: L) {
        self.value = Self::better(self.value, value);
        self.n = (self.n + 1) | (u64::from(value.is_nan()) << 63);
    }

    fn push_all(&mut self, values: &[L]) {
        let mut best = [self.value; WIDTH];
        let mut has_nan = [false; WIDTH];
        let chunks = values.chunks_exact(WIDTH);
        for &value in chunks.remainder() {
            self.push(value);
        }
        for chunk in chunks {
            let known = best.iter_mut().zip(&mut has_nan);
            for ((best, has_nan), &value) in known.zip(chunk) {
                *best = Self::better(*best, value);
                *has_nan |= value.is_nan();
            }
        }
        for value in best {
            self.value = Self::better(self.value, value);
        }
        self.n += (values.len() - values.len() % WIDTH) as u64;
        self.n |= u64::from(has_nan.contains(&true)) << 63;
    }

    fn merge(&mut self, later: &Self) {
        self.value = Self::better(self.value, later.value);
        let flags = (self.n | later.n) & HAS_NAN;
        self.n = ((self.n & !HAS_NAN) + (later.n & !HAS_NAN)) | flags;
    }
}

/// The sum of squares of the distances to a known mean.
#[derive(Clone, Copy, Default)]
pub struct Deviation {
    /// The mean.
    pub mean: f64,
    /// The sum.
    pub squares: f64,
    /// How many values there were.
    pub n: u64,
}

impl Deviation {
    /// The variance of `size` values: those that were not met are zeros.
    pub fn variance(&self, size: usize) -> f64 {
        let zeros = size.saturating_sub(self.n as usize);
        let of_zeros = match zeros {
            0 => 0.0,
            zeros => zeros as f64 * self.mean * self.mean,
        };
        (self.squares + of_zeros) / size as f64
    }
}

impl Accumulator<f64> for Deviation {
    fn push(&mut self, value: f64) {
        let distance = value - self.mean;
        self.squares += distance * distance;
        self.n += 1;
    }

    fn push_all(&mut self, values: &[f64]) {
        let mean = self.mean;
        self.squares += sum_of(values, |value| (value - mean) * (value - mean));
        self.n += values.len() as u64;
    }

    fn merge(&mut self, later: &Deviation) {
        self.squares += later.squares;
        self.n += later.n;
    }
}

/// The logarithm of the product of values, each after adding `eps`: a
/// fraction and a power of 2, so that there is one logarithm for all.
#[derive(Clone, Copy)]
pub struct Product {
    eps: f64,
    fraction: f64,
    power: i64,
    n: u64,
    has_zero: bool,
    has_negative: bool,
}

/// Factors and fractions are kept in the range where a product of two cannot
/// leave the normal numbers.
const SMALL: f64 = f64::from_bits((1023 - 500) << 52);
const LARGE: f64 = f64::from_bits((1023 + 500) << 52);
/// 2^500 and 2^-500 bring a fraction back.
const SHIFT: i64 = 500;

impl Product {
    pub fn new(eps: f64) -> Product {
        Product {
            eps,
            fraction: 1.0,
            power: 0,
            n: 0,
            has_zero: false,
            has_negative: false,
        }
    }

    /// The geometric mean of `size` values: those that were not met are
    /// zeros; 0 if there are none. None if a value plus `eps` is negative.
    pub fn mean(mut self, size: usize) -> Option<f64> {
        let zeros = size.saturating_sub(self.n as usize);
        let mut log = self.fraction.ln() + self.power as f64 * std::f64::consts::LN_2;
        if zeros > 0 {
            if self.eps == 0.0 {
                self.has_zero = true;
            } else {
                log += zeros as f64 * self.eps.ln();
            }
        }
        if self.has_negative {
            return None;
        }
        if self.fraction.is_nan() {
            return Some(f64::NAN);
        }
        let mean = if self.has_zero {
            0.0
        } else {
            (log / size as f64).exp()
        };
        Some(mean - self.eps)
    }

    fn times(&mut self, factor: f64) {
        self.fraction *= factor;
        if self.fraction < SMALL {
            self.fraction *= LARGE;
            self.power -= SHIFT;
        } else if self.fraction > LARGE {
            self.fraction *= SMALL;
            self.power += SHIFT;
        }
    }

    #[cold]
    fn times_odd(&mut self, factor: f64) {
        if factor == 0.0 {
            self.has_zero = true;
        } else if factor < 0.0 {
            self.has_negative = true;
        } else if factor.is_nan() || factor.is_infinite() {
            self.fraction *= factor;
        } else {
            let (scale, power) = if factor < SMALL {
                (LARGE, -SHIFT)
            } else {
                (SMALL, SHIFT)
            };
            let mut factor = factor * scale;
            self.power += power;
            while factor < SMALL {
                factor *= LARGE;
                self.power -= SHIFT;
            }
            while factor > LARGE {
                factor *= SMALL;
                self.power += SHIFT;
            }
            self.times(factor);
        }
    }
}

impl Accumulator<f64> for Product {
    fn push(&mut self, value: f64) {
        let factor = value + self.eps;
        self.n += 1;
        if (SMALL..=LARGE).contains(&factor) {
            self.times(factor);
        } else {
            self.times_odd(factor);
        }
    }

    fn merge(&mut self, later: &Product) {
        self.n += later.n;
        self.has_zero |= later.has_zero;
        self.has_negative |= later.has_negative;
        self.power += later.power;
        self.times(later.fraction);
    }
}

/// How many values are below and above zero.
#[derive(Clone, Copy, Default)]
pub struct Signs {
    /// Below.
    pub negative: u64,
    /// Above.
    pub positive: u64,
    /// Whether one is no number.
    pub has_nan: bool,
    /// How many there are, with zeros and those that are no numbers.
    pub n: u64,
}

impl Signs {
    /// How many values were met.
    pub fn n_stored(&self) -> usize {
        self.n as usize
    }
}

impl<L: Lane> Accumulator<L> for Signs {
    fn push(&mut self, value: L) {
        self.negative += u64::from(value < L::default());
        self.positive += u64::from(value > L::default());
        self.has_nan |= value.is_nan();
        self.n += 1;
    }

    fn merge(&mut self, later: &Signs) {
        self.n += later.n;
        self.negative += later.negative;
        self.positive += later.positive;
        self.has_nan |= later.has_nan;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(values: &[f64], eps: f64) -> Option<f64> {
        let mut product = Product::new(eps);
        product.push_all(values);
        product.mean(values.len())
    }

    #[test]
    fn products_never_leave_the_range_of_floats() {
        for value in [5e-324, 1e-310, 1e-200, 1.0, 1e200, f64::MAX] {
            let mean = product(&[value; 10_000], 0.0).unwrap();
            assert!((mean / value - 1.0).abs() < 1e-12, "{value}: {mean}");
        }
        assert_eq!(product(&[1.0, 0.0], 0.0), Some(0.0));
        assert_eq!(product(&[1.0, -1.0], 0.0), None);
        assert_eq!(product(&[f64::INFINITY, 1.0], 0.0), Some(f64::INFINITY));
        assert!(product(&[f64::NAN, 0.0], 0.0).unwrap().is_nan());
        assert!((product(&[1.0, 3.0], 1.0).unwrap() - (8_f64.sqrt() - 1.0)).abs() < 1e-15);
    }

    #[test]
    fn nan_wins_every_comparison() {
        let mut largest = Extreme::<f64, true>::new();
        largest.push_all(&[1.0, f64::NAN, 2.0]);
        assert!(largest.of(3).is_nan());
        let mut smallest = Extreme::<f64, false>::new();
        smallest.push_all(&[3.0; 20]);
        assert_eq!(smallest.of(20), 3.0);
        assert_eq!(smallest.of(21), 0.0);
    }
}
