//! Changes in the JSON of a manifest: values at their limits or of another
//! type, keys that lack, move or come twice.

use serde_json::{Value, json};

use crate::random::Random;

/// A damaged manifest up to where its checksum is.
pub fn mutated(random: &mut Random, text: &str) -> Vec<u8> {
    let mut json: Value = serde_json::from_str(text).unwrap();
    json.as_object_mut().unwrap().shift_remove("checksum");
    for _ in 0..1 + random.below(3) {
        change(random, &mut json);
    }
    let mut bytes = serde_json::to_vec_pretty(&json).unwrap();
    // The brace and the line break before it.
    bytes.truncate(bytes.len().saturating_sub(2));
    bytes.extend_from_slice(b",\n  ");
    if random.once_in(4) {
        random.damage(&mut bytes);
    }
    bytes
}

fn change(random: &mut Random, json: &mut Value) {
    let donor = any(random, json).clone();
    // Everything hangs on the object at the top: it stays one, mostly.
    let place = any(random, json);
    if place.get("format").is_some() && !random.once_in(50) {
        return change(random, json);
    }
    match random.below(5) {
        0 => *place = donor,
        1 => *place = other_value(random),
        _ => match place {
            Value::Number(number) => {
                let old = number.as_u64().unwrap_or(0);
                *place = random.number(old).into();
            }
            Value::String(text) => {
                let mut bytes = std::mem::take(text).into_bytes();
                random.damage(&mut bytes);
                *text = String::from_utf8_lossy(&bytes).into_owned();
            }
            Value::Array(values) if !values.is_empty() => {
                let at = random.below(values.len());
                match random.below(3) {
                    0 => {
                        values.remove(at);
                    }
                    1 => {
                        let copy = values[at].clone();
                        values.extend(vec![copy; 1 + random.below(300)]);
                    }
                    _ => {
                        let last = values.len() - 1;
                        values.swap(at, last);
                    }
                }
            }
            Value::Object(keys) if !keys.is_empty() => {
                let key = keys.keys().nth(random.below(keys.len())).cloned();
                let value = key.and_then(|key| keys.shift_remove(&key));
                if random.once_in(4) {
                    keys.insert("unheard of".into(), value.unwrap_or_default());
                }
            }
            _ => *place = donor,
        },
    }
}

/// Any value in `json`.
fn any<'a>(random: &mut Random, json: &'a mut Value) -> &'a mut Value {
    let n = match json {
        Value::Array(values) => values.len(),
        Value::Object(keys) => keys.len(),
        _ => 0,
    };
    if n == 0 || random.once_in(8) {
        return json;
    }
    let at = random.below(n);
    match json {
        Value::Array(values) => any(random, &mut values[at]),
        Value::Object(keys) => any(random, keys.values_mut().nth(at).unwrap()),
        _ => json,
    }
}

fn other_value(random: &mut Random) -> Value {
    let values = [
        Value::Null,
        true.into(),
        0.into(),
        (-1).into(),
        1.5.into(),
        1e300.into(),
        i32::MAX.into(),
        u32::MAX.into(),
        (1u64 << 53).into(),
        i64::MAX.into(),
        u64::MAX.into(),
        "".into(),
        "../../..".into(),
        "\u{0}%s%n".into(),
        json!([]),
        json!({}),
        json!([[[[[[[[]]]]]]]]),
        json!({"bytes": u64::MAX, "xxh3": "0000000000000000"}),
    ];
    random.pick(&values).clone()
}
