//! How Python writes values out: labels of categories that are no text become
//! what `str()` makes of them.

/// `str()` of a bool.
pub(crate) fn bool_label(value: bool) -> &'static str {
    if value { "True" } else { "False" }
}

/// `str()` of a float: the fewest digits that give the value back, as float32 if
/// `short`, with an exponent below 1e-4 and from 1e16 on.
pub(crate) fn real_label(value: f64, short: bool) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let scientific = if short {
        format!("{:e}", value as f32)
    } else {
        format!("{value:e}")
    };
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        let plain = if short {
            format!("{}", value as f32)
        } else {
            format!("{value}")
        };
        return if plain.contains('.') {
            plain
        } else {
            plain + ".0"
        };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::real_label;

    #[test]
    fn as_python_does() {
        for (value, text) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (0.1, "0.1"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1.5e300, "1.5e+300"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (-2.5e-7, "-2.5e-07"),
            (f64::NAN, "nan"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(real_label(value, false), text);
        }
        assert_eq!(real_label(f64::from(0.1f32), true), "0.1");
    }
}
