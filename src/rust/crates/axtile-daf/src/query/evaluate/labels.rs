//! Values as labels of groups.

use std::hash::BuildHasher;

use axtile_core::{Error, Result};
use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

use crate::model::{Texts, Values};
use crate::operations::{NO_SLOT, Numbers, numbers};

/// The group of each value, and the labels of the groups in the order of
/// their bytes.
pub struct Groups {
    /// By value; [`NO_SLOT`] for none.
    pub of: Vec<u32>,
    /// By group.
    pub labels: Texts,
}

/// A group for each value that occurs. A float that is no number has no label:
/// it belongs to no group if `skips_nan`.
///
/// # Errors
/// `Error::Range` for a float that is no number.
pub fn groups(values: &Values, skips_nan: bool) -> Result<Groups> {
    if let Values::String(texts) = values {
        return Ok(of_texts(texts));
    }
    match numbers(values) {
        Some(Numbers::Float32(values)) => of_floats(
            values,
            f64::from,
            |value| float_label(format!("{value:?}")),
            skips_nan,
        ),
        Some(Numbers::Float64(values)) => of_floats(
            values,
            |value| value,
            |value| float_label(format!("{value:?}")),
            skips_nan,
        ),
        Some(Numbers::Bool(values)) => Ok(of_keys(
            values.iter().map(|&value| Some(value != 0)),
            |value| value.to_string(),
        )),
        Some(Numbers::AllTrue(n)) => Ok(of_keys((0..n).map(|_| Some(true)), |one| one.to_string())),
        Some(Numbers::Int8(values)) => Ok(of_whole(values)),
        Some(Numbers::Int16(values)) => Ok(of_whole(values)),
        Some(Numbers::Int32(values)) => Ok(of_whole(values)),
        Some(Numbers::Int64(values)) => Ok(of_whole(values)),
        Some(Numbers::UInt8(values)) => Ok(of_whole(values)),
        Some(Numbers::UInt16(values)) => Ok(of_whole(values)),
        Some(Numbers::UInt32(values)) => Ok(of_whole(values)),
        Some(Numbers::UInt64(values)) => Ok(of_whole(values)),
        None => Ok(of_texts(&Texts::default())),
    }
}

fn of_whole<T: Copy + Eq + std::hash::Hash + ToString>(values: &[T]) -> Groups {
    of_keys(values.iter().map(|&value| Some(value)), |value| {
        value.to_string()
    })
}

fn of_floats<T: Copy>(
    values: &[T],
    float: impl Fn(T) -> f64,
    label: impl Fn(T) -> String,
    skips_nan: bool,
) -> Result<Groups> {
    if !skips_nan && values.iter().any(|&value| float(value).is_nan()) {
        return Err(Error::range(
            "NaN is no label of a group; add '||' and a value to leave it out",
        ));
    }
    // Both zeros are one label.
    let key = |value: &T| (float(*value) + 0.0).to_bits();
    let of: HashMap<u64, T> = values.iter().map(|value| (key(value), *value)).collect();
    let keys = values
        .iter()
        .map(|value| (!float(*value).is_nan()).then(|| key(value)));
    Ok(of_keys(keys, |key| match of.get(&key) {
        Some(_) if key == 0 => "0.0".to_owned(),
        Some(&value) => label(value),
        None => String::new(),
    }))
}

/// With a digit on both sides of the point, as in "1.0e16".
fn float_label(text: String) -> String {
    match text.as_str() {
        "inf" => return "Inf".into(),
        "-inf" => return "-Inf".into(),
        _ => {}
    }
    match text.split_once('e') {
        Some((digits, power)) if !digits.contains('.') => format!("{digits}.0e{power}"),
        _ => text,
    }
}

fn of_keys<K: Copy + Eq + std::hash::Hash>(
    keys: impl Iterator<Item = Option<K>>,
    label: impl Fn(K) -> String,
) -> Groups {
    let mut found: HashMap<K, u32> = HashMap::new();
    let mut labels = Vec::new();
    let mut last = None;
    let of = keys
        .map(|key| {
            let Some(key) = key else {
                return NO_SLOT;
            };
            match last {
                Some((same, group)) if same == key => group,
                _ => {
                    let group = *found.entry(key).or_insert_with(|| {
                        labels.push(label(key));
                        labels.len() as u32 - 1
                    });
                    last = Some((key, group));
                    group
                }
            }
        })
        .collect();
    sorted(of, &labels.iter().map(String::as_bytes).collect::<Vec<_>>())
}

fn of_texts(texts: &Texts) -> Groups {
    let hasher = DefaultHashBuilder::default();
    let mut found: HashTable<u32> = HashTable::new();
    let mut labels: Vec<&[u8]> = Vec::new();
    let mut last: Option<(&[u8], u32)> = None;
    let mut of = Vec::with_capacity(texts.len());
    for text in texts.iter_bytes() {
        let group = match last {
            Some((same, group)) if same == text => group,
            _ => {
                let hash = hasher.hash_one(text);
                let text_of = |group: u32| labels.get(group as usize).copied().unwrap_or_default();
                let known = found.find(hash, |&group| text_of(group) == text).copied();
                known.unwrap_or_else(|| {
                    let group = labels.len() as u32;
                    labels.push(text);
                    found.insert_unique(hash, group, |&group| {
                        hasher.hash_one(labels.get(group as usize).copied().unwrap_or_default())
                    });
                    group
                })
            }
        };
        last = Some((text, group));
        of.push(group);
    }
    sorted(of, &labels)
}

/// Numbers the groups in the order of their labels.
fn sorted(mut of: Vec<u32>, labels: &[&[u8]]) -> Groups {
    let mut order: Vec<usize> = (0..labels.len()).collect();
    let label = |group: usize| labels.get(group).copied().unwrap_or_default();
    order.sort_unstable_by_key(|&group| label(group));
    let mut rank = vec![0_u32; labels.len()];
    for (new, &old) in order.iter().enumerate() {
        if let Some(rank) = rank.get_mut(old) {
            *rank = new as u32;
        }
    }
    for group in &mut of {
        *group = rank.get(*group as usize).copied().unwrap_or(NO_SLOT);
    }
    Groups {
        of,
        labels: Texts::of_bytes(order.into_iter().map(label)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: Values) -> (Vec<u32>, Vec<String>) {
        let groups = groups(&values, false).unwrap();
        let labels = groups.labels.iter().map(str::to_owned).collect();
        (groups.of, labels)
    }

    #[test]
    fn labels_are_sorted_by_their_bytes() {
        let texts = Values::String(["b", "a", "B", "b", ""].into_iter().collect());
        let labels = ["", "B", "a", "b"].map(String::from).to_vec();
        assert_eq!(of(texts), (vec![3, 2, 1, 3, 0], labels));
        let whole = Values::Int32(vec![10, 9, 10].into());
        assert_eq!(of(whole), (vec![0, 1, 0], vec!["10".into(), "9".into()]));
        let truths = Values::Bool(vec![1, 0].into());
        assert_eq!(
            of(truths),
            (vec![1, 0], vec!["false".into(), "true".into()])
        );
    }

    #[test]
    fn floats_keep_their_point_and_nan_is_no_label() {
        let floats = Values::Float64(vec![-1.0, 1e16, -0.0, 0.0].into());
        let labels = vec!["-1.0".into(), "0.0".into(), "1.0e16".into()];
        assert_eq!(of(floats), (vec![0, 2, 1, 1], labels));
        let nan = Values::Float32(vec![f32::NAN, 1.5].into());
        assert!(groups(&nan, false).is_err());
        assert_eq!(groups(&nan, true).unwrap().of, [NO_SLOT, 0]);
    }
}
