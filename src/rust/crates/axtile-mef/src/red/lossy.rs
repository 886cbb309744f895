//! What lossy coding took off: a line and a common divisor.

use crate::red::block::BlockHeader;

/// Undoes scaling and detrending.
pub(crate) fn restore(header: &BlockHeader, samples: &mut [i32]) {
    if header.scale > 1.0 {
        let scale = f64::from(header.scale);
        for sample in samples.iter_mut() {
            *sample = round(f64::from(*sample) * scale);
        }
    }
    if header.slope != 0.0 || header.intercept != 0.0 {
        let slope = f64::from(header.slope);
        let intercept = f64::from(header.intercept);
        let mut at = 0.0;
        for sample in samples.iter_mut() {
            at += 1.0;
            *sample = round(f64::from(*sample) + slope * at + intercept);
        }
    }
}

/// Half away from zero; what does not fit is the largest count.
fn round(value: f64) -> i32 {
    let most = f64::from(i32::MAX);
    value.round().clamp(-most, most) as i32
}
