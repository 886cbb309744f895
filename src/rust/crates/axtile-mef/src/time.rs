//! Times: microseconds since 1970, UTC. Files store them negated and moved by
//! their recording's time offset.

/// Where a file has no time, or metadata no offset.
pub const NO_TIME: i64 = i64::MIN;

/// No recording is later; sums of times below do not overflow.
const LATEST: i64 = i64::MAX / 2;

/// What a recording's times are moved by when they are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeOffset(i64);

impl TimeOffset {
    /// The offset that section 3 of the metadata has; none there means 0.
    pub fn new(stored: i64) -> TimeOffset {
        TimeOffset(if stored == NO_TIME { 0 } else { stored })
    }

    /// The offset in microseconds.
    pub fn microseconds(self) -> i64 {
        self.0
    }

    /// The time that `stored` stands for; `None` where there is none.
    pub fn absolute(self, stored: i64) -> Option<i64> {
        match stored {
            NO_TIME => None,
            0.. => Some(stored),
            _ => Some(self.0.saturating_sub(stored)),
        }
    }

    /// How `time` is stored; `None` where the format cannot hold it: at or
    /// before the offset the sign would say something else.
    pub fn stored(self, time: i64) -> Option<i64> {
        if time > self.0 && time > 0 && time <= LATEST {
            self.0.checked_sub(time).filter(|&stored| stored != NO_TIME)
        } else {
            None
        }
    }
}

/// Duration of `n` samples in microseconds.
pub fn duration(n: u64, rate: f64) -> i64 {
    round_to_i64(n as f64 * 1e6 / rate)
}

/// The time for messages: as people write it, and in microseconds.
pub(crate) fn shown(time: i64) -> String {
    match chrono::DateTime::from_timestamp_micros(time) {
        Some(date) => format!("{} UTC ({time})", date.format("%Y-%m-%d %H:%M:%S%.6f")),
        None => time.to_string(),
    }
}

/// The nearest integer, half away from zero; saturating, 0 for NaN.
pub(crate) fn round_to_i64(value: f64) -> i64 {
    value.round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_come_back_or_cannot_be_stored() {
        for offset in [NO_TIME, 0, 1_577_833_200_000_000] {
            let offset = TimeOffset::new(offset);
            let time = 1_577_836_800_000_000;
            let stored = offset.stored(time).unwrap();
            assert!(stored < 0);
            assert_eq!(offset.absolute(stored), Some(time));
            assert_eq!(offset.absolute(time), Some(time));
            assert_eq!(offset.absolute(NO_TIME), None);
            assert_eq!(offset.stored(offset.microseconds()), None);
            assert_eq!(offset.stored(-5), None);
        }
        assert_eq!(TimeOffset::new(i64::MAX).absolute(-1), Some(i64::MAX));
        assert_eq!(TimeOffset::new(i64::MIN + 1).stored(1), None);
        assert_eq!(TimeOffset::new(0).stored(i64::MAX), None);
    }

    #[test]
    fn times_are_shown_as_dates_where_they_are_some() {
        let shown_time = "2020-01-01 00:00:00.000001 UTC (1577836800000001)";
        assert_eq!(shown(1_577_836_800_000_001), shown_time);
        assert_eq!(shown(-1), "1969-12-31 23:59:59.999999 UTC (-1)");
        assert_eq!(shown(i64::MIN), "-9223372036854775808");
    }

    #[test]
    fn durations_round_and_saturate() {
        assert_eq!(duration(1, 512.0), 1953);
        assert_eq!(duration(u64::MAX, 1e-300), i64::MAX);
    }
}
