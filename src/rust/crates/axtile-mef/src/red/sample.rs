//! What samples are read as.

/// The count that stands for a missing value: INT32_MIN, which is R's integer NA.
pub const MISSING_COUNT: i32 = i32::MIN;

/// A number that samples can be read as.
pub trait Sample: Copy + Send + Sync + 'static {
    /// What stands in gaps.
    const MISSING: Self;

    /// A stored count, times its segment's factor where the type is scaled.
    fn from_count(count: i32, factor: f64) -> Self;
}

impl Sample for i32 {
    const MISSING: i32 = MISSING_COUNT;

    #[inline(always)]
    fn from_count(count: i32, _factor: f64) -> i32 {
        count
    }
}

impl Sample for f64 {
    const MISSING: f64 = f64::NAN;

    #[inline(always)]
    fn from_count(count: i32, factor: f64) -> f64 {
        let scaled = f64::from(count) * factor;
        if count == MISSING_COUNT {
            f64::NAN
        } else {
            scaled
        }
    }
}

impl Sample for f32 {
    const MISSING: f32 = f32::NAN;

    #[inline(always)]
    fn from_count(count: i32, factor: f64) -> f32 {
        f64::from_count(count, factor) as f32
    }
}
