//! Scalars in JSON: `{"type":"Float64","value":3.14}`. Numbers that JSON has
//! no words for are written bare, as `NaN`, `Inf` and `-Inf`.

use std::path::Path;

use axtile_core::{Error, Result};
use serde_json::Value;

use crate::model::{ElementType, Scalar};

/// The text of a scalar's file.
pub(super) fn to_json(value: &Scalar) -> String {
    let text = match value {
        Scalar::Bool(value) => value.to_string(),
        Scalar::Float32(value) => float(f64::from(*value)),
        Scalar::Float64(value) => float(*value),
        Scalar::String(text) => Value::from(text.as_str()).to_string(),
        whole => whole.as_integer().unwrap_or_default().to_string(),
    };
    format!(
        "{{\"type\":\"{}\",\"value\":{text}}}\n",
        value.element_type()
    )
}

fn float(value: f64) -> String {
    if value.is_nan() {
        "NaN".into()
    } else if value.is_infinite() {
        if value > 0.0 { "Inf" } else { "-Inf" }.into()
    } else {
        // With its point or exponent, by which other readers know a float.
        format!("{value:?}")
    }
}

/// Reads the scalar in `path`.
pub(super) fn parse(path: &Path, bytes: &[u8]) -> Result<Scalar> {
    let damage = |place: String, problem: String| Error::corrupt(path, place, problem);
    let text = std::str::from_utf8(bytes)
        .map_err(|error| damage(format!("byte {}", error.valid_up_to()), "no UTF-8".into()))?;
    let value: Value = serde_json::from_str(&quote_bare_words(text)).map_err(|error| {
        damage(
            format!("line {}, column {}", error.line(), error.column()),
            format!("no valid JSON: {error}"),
        )
    })?;
    let kind = value
        .get("type")
        .and_then(Value::as_str)
        .and_then(ElementType::parse)
        .ok_or_else(|| damage("the key \"type\"".into(), "no name of a type".into()))?;
    value
        .get("value")
        .and_then(|value| scalar(value, kind))
        .ok_or_else(|| damage("the key \"value\"".into(), format!("no {kind}")))
}

fn scalar(value: &Value, kind: ElementType) -> Option<Scalar> {
    Some(match kind {
        ElementType::Bool => match (value.as_bool(), value.as_u64()) {
            (Some(truth), _) => Scalar::Bool(truth),
            (None, Some(number @ 0..=1)) => Scalar::Bool(number == 1),
            _ => return None,
        },
        ElementType::Float64 => Scalar::Float64(number(value)?),
        ElementType::Float32 => {
            let wide = number(value)?;
            let narrow = wide as f32;
            if narrow.is_infinite() && wide.is_finite() {
                return None;
            }
            Scalar::Float32(narrow)
        }
        ElementType::String => Scalar::String(value.as_str()?.into()),
        _ => {
            let whole = match (value.as_i64(), value.as_u64()) {
                (Some(whole), _) => i128::from(whole),
                (None, Some(whole)) => i128::from(whole),
                _ => return None,
            };
            Scalar::from_integer(whole, kind)?
        }
    })
}

fn number(value: &Value) -> Option<f64> {
    match value.as_str() {
        None => value.as_f64(),
        Some("NaN") => Some(f64::NAN),
        Some("Inf" | "Infinity") => Some(f64::INFINITY),
        Some("-Inf" | "-Infinity") => Some(f64::NEG_INFINITY),
        Some(_) => None,
    }
}

/// JSON with quotes around the bare words for numbers that are not finite.
fn quote_bare_words(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    let mut rest = text;
    let mut in_string = false;
    while let Some(first) = rest.chars().next() {
        if in_string && first == '\\' {
            let end = rest.chars().take(2).map(char::len_utf8).sum();
            quoted.push_str(&rest[..end]);
            rest = &rest[end..];
            continue;
        }
        in_string ^= first == '"';
        let word = ["NaN", "-Infinity", "Infinity", "-Inf", "Inf"]
            .into_iter()
            .find(|word| !in_string && rest.starts_with(word));
        match word {
            Some(word) => {
                quoted.push('"');
                quoted.push_str(word);
                quoted.push('"');
                rest = &rest[word.len()..];
            }
            None => {
                quoted.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Scalar> {
        parse(Path::new("a.json"), text.as_bytes())
    }

    #[test]
    fn every_type_comes_back_exactly() {
        let values: Vec<Scalar> = vec![
            true.into(),
            i8::MIN.into(),
            i16::MIN.into(),
            i32::MIN.into(),
            i64::MIN.into(),
            i64::MAX.into(),
            u8::MAX.into(),
            u16::MAX.into(),
            u32::MAX.into(),
            u64::MAX.into(),
            0.1_f32.into(),
            f32::MAX.into(),
            f32::INFINITY.into(),
            0.1_f64.into(),
            (-0.0_f64).into(),
            1e300_f64.into(),
            5e-324_f64.into(),
            f64::NEG_INFINITY.into(),
            "a \"NaN\" é\n\\".into(),
            "".into(),
        ];
        for value in values {
            assert_eq!(read(&to_json(&value)).unwrap(), value);
        }
        let nan = read(&to_json(&f64::NAN.into())).unwrap();
        assert!(matches!(nan, Scalar::Float64(value) if value.is_nan()));
        let zero = read(&to_json(&(-0.0_f64).into())).unwrap();
        assert!(matches!(zero, Scalar::Float64(value) if value.is_sign_negative()));
    }

    #[test]
    fn what_others_write_is_read() {
        assert_eq!(
            read("{\"value\":1,\"type\":\"Bool\"}").unwrap(),
            true.into()
        );
        assert_eq!(
            read("{\"value\":false,\"type\":\"bool\"}").unwrap(),
            false.into()
        );
        assert_eq!(
            read("{\"value\": 3, \"type\": \"Float64\"}").unwrap(),
            3.0.into()
        );
        assert_eq!(
            read("{\"type\":\"Float64\",\"value\":-Inf}").unwrap(),
            f64::NEG_INFINITY.into()
        );
        assert_eq!(
            read("{\"type\":\"String\",\"value\":\"Inf \\\\\"}").unwrap(),
            "Inf \\".into()
        );
    }

    #[test]
    fn values_that_do_not_fit_are_damage() {
        for text in [
            "{\"type\":\"Int8\",\"value\":128}",
            "{\"type\":\"UInt8\",\"value\":-1}",
            "{\"type\":\"Int64\",\"value\":9223372036854775808}",
            "{\"type\":\"UInt64\",\"value\":18446744073709551616}",
            "{\"type\":\"Int32\",\"value\":1.5}",
            "{\"type\":\"Int32\",\"value\":\"1\"}",
            "{\"type\":\"Float32\",\"value\":1e300}",
            "{\"type\":\"Float64\",\"value\":1e999}",
            "{\"type\":\"Bool\",\"value\":2}",
            "{\"type\":\"String\",\"value\":1}",
            "{\"type\":\"Any\",\"value\":1}",
            "{\"type\":\"Int8\"}",
            "{\"type\":\"Int8\",\"value\":NaN}",
            "3",
            "",
            "{",
            "\"\\",
        ] {
            assert!(matches!(read(text), Err(Error::Corrupt { .. })), "{text}");
        }
        assert!(parse(Path::new("a"), b"\xff").is_err());
    }
}
