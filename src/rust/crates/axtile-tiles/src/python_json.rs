//! JSON text exactly as Python's `json.dumps` writes it, which the deltacells
//! format asks for: the fingerprint of obs is a hash of such text, and a
//! manifest that was read and written again should not change.
//!
//! ASCII only: everything outside 0x20..0x7E is escaped as `\uXXXX`, above
//! U+FFFF as a surrogate pair; `/` is not escaped. Floats are printed as
//! Python's `repr` prints them: the shortest digits that read back, with an
//! exponent below 1e-4 and from 1e16 on.

use serde_json::{Number, Value};

/// `json.dumps(value)`: one line, separators `", "` and `": "`.
pub(crate) fn compact(value: &Value) -> String {
    let mut text = String::new();
    Layout::Line { sorted: false }.value(&mut text, value, 0);
    text
}

/// `json.dumps(value, sort_keys=True)`.
pub(crate) fn sorted(value: &Value) -> String {
    let mut text = String::new();
    Layout::Line { sorted: true }.value(&mut text, value, 0);
    text
}

/// `json.dumps(value, indent=2)`.
pub(crate) fn indented(value: &Value) -> String {
    let mut text = String::new();
    Layout::Indented.value(&mut text, value, 0);
    text
}

/// Where line breaks and blanks go.
#[derive(Clone, Copy)]
enum Layout {
    Line { sorted: bool },
    Indented,
}

impl Layout {
    fn value(self, out: &mut String, value: &Value, depth: usize) {
        match value {
            Value::Null => out.push_str("null"),
            Value::Bool(true) => out.push_str("true"),
            Value::Bool(false) => out.push_str("false"),
            Value::Number(number) => push_number(out, number),
            Value::String(text) => push_string(out, text),
            Value::Array(items) => {
                self.list(out, depth, '[', ']', items.iter(), |out, item| {
                    self.value(out, item, depth + 1);
                });
            }
            Value::Object(map) => {
                let mut entries: Vec<_> = map.iter().collect();
                if let Layout::Line { sorted: true } = self {
                    // Python compares code points, which UTF-8 bytes preserve.
                    entries.sort_by(|a, b| a.0.cmp(b.0));
                }
                self.list(out, depth, '{', '}', entries.into_iter(), |out, entry| {
                    push_string(out, entry.0);
                    out.push_str(": ");
                    self.value(out, entry.1, depth + 1);
                });
            }
        }
    }

    fn list<T>(
        self,
        out: &mut String,
        depth: usize,
        open: char,
        close: char,
        items: impl ExactSizeIterator<Item = T>,
        push: impl Fn(&mut String, T),
    ) {
        out.push(open);
        let any = items.len() > 0;
        for (i, item) in items.enumerate() {
            match self {
                Layout::Line { .. } if i > 0 => out.push_str(", "),
                Layout::Line { .. } => {}
                Layout::Indented => {
                    if i > 0 {
                        out.push(',');
                    }
                    push_line_break(out, depth + 1);
                }
            }
            push(out, item);
        }
        if let (Layout::Indented, true) = (self, any) {
            push_line_break(out, depth);
        }
        out.push(close);
    }
}

fn push_line_break(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

fn push_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            ' '..='~' => out.push(c),
            _ => {
                let mut units = [0u16; 2];
                for unit in c.encode_utf16(&mut units) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }
    out.push('"');
}

fn push_number(out: &mut String, number: &Number) {
    if number.is_i64() || number.is_u64() {
        out.push_str(&number.to_string());
    } else {
        out.push_str(&repr(number.as_f64().unwrap_or(f64::NAN)));
    }
}

/// Python's `repr` of a float; `NaN` and `Infinity` as `json.dumps` has them.
pub(crate) fn repr(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    // Rust's LowerExp gives the shortest digits that read back, as repr does.
    let shortest = format!("{:e}", value.abs());
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if !(-4..16).contains(&exponent) {
        let (first, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        let exponent_sign = if exponent < 0 { '-' } else { '+' };
        let size = exponent.unsigned_abs();
        return format!("{sign}{first}{point}{rest}e{exponent_sign}{size:02}");
    }
    if exponent < 0 {
        let zeros = "0".repeat((-exponent - 1) as usize);
        return format!("{sign}0.{zeros}{digits}");
    }
    let whole = exponent as usize + 1;
    if digits.len() <= whole {
        let zeros = "0".repeat(whole - digits.len());
        return format!("{sign}{digits}{zeros}.0");
    }
    let (integer, fraction) = digits.split_at(whole);
    format!("{sign}{integer}.{fraction}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn floats_are_printed_as_python_prints_them() {
        for (value, text) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (2.5, "2.5"),
            (0.1, "0.1"),
            (123456.789, "123456.789"),
            (1e15, "1000000000000000.0"),
            (9007199254740993.0, "9007199254740992.0"),
            (1e16, "1e+16"),
            (1.25e16, "1.25e+16"),
            (1e22, "1e+22"),
            (1e100, "1e+100"),
            (0.0001, "0.0001"),
            (0.00012345, "0.00012345"),
            (0.00001, "1e-05"),
            (1.5e-7, "1.5e-07"),
            (5e-324, "5e-324"),
            (-1.7976931348623157e308, "-1.7976931348623157e+308"),
        ] {
            assert_eq!(repr(value), text);
        }
    }

    #[test]
    fn text_is_escaped_as_python_escapes_it() {
        let value = json!("\"\\\u{8}\u{c}\n\r\t/\u{0}\u{1f}\u{7f}\u{80}ü\u{2028}😀");
        assert_eq!(
            compact(&value),
            r#""\"\\\b\f\n\r\t/\u0000\u001f\u007f\u0080\u00fc\u2028\ud83d\ude00""#
        );
    }

    #[test]
    fn the_three_layouts() {
        let value = json!({"b": [1, 2.0, null], "a": {}, "c": [], "d": {"y": true, "x": -1}});
        assert_eq!(
            compact(&value),
            r#"{"b": [1, 2.0, null], "a": {}, "c": [], "d": {"y": true, "x": -1}}"#
        );
        assert_eq!(
            sorted(&value),
            r#"{"a": {}, "b": [1, 2.0, null], "c": [], "d": {"x": -1, "y": true}}"#
        );
        let lines = [
            "{",
            "  \"b\": [",
            "    1,",
            "    2.0,",
            "    null",
            "  ],",
            "  \"a\": {},",
            "  \"c\": [],",
            "  \"d\": {",
            "    \"y\": true,",
            "    \"x\": -1",
            "  }",
            "}",
        ];
        assert_eq!(indented(&value), lines.join("\n"));
    }

    #[test]
    fn floats_survive_being_read_and_written() {
        let mut state = 1u64;
        for _ in 0..20_000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
            let value = f64::from_bits(state ^ (state >> 29));
            if !value.is_finite() {
                continue;
            }
            let text = repr(value);
            assert_eq!(text.parse(), Ok(value));
            let read: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(compact(&read), text);
        }
    }
}
