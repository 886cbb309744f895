//! Tables to write and read back.
#![allow(dead_code)]

use axtile_table::{Column, Field, IntegerType, Kind, RealType, Table};

pub fn field(name: &str, kind: Kind) -> Field {
    Field {
        name: name.to_owned(),
        kind,
    }
}

pub fn random(state: &mut u64) -> u64 {
    *state = state
        .wrapping_mul(6364136223846793005)
        .wrapping_add(1442695040888963407);
    *state >> 20
}

/// A table with a column of each type; `n` rows.
pub fn table(n: usize, seed: u64) -> Table {
    let mut state = seed;
    let mut fields = Vec::new();
    let mut columns = Vec::new();
    let levels: Vec<String> = (0..300).map(|i| format!("level {i} é")).collect();
    for n_levels in [1, 5, 300] {
        fields.push(field(
            &format!("category {n_levels}"),
            Kind::Category {
                levels: levels[..n_levels].to_vec(),
                ordered: false,
            },
        ));
        let code = |state: &mut u64| (random(state) % (n_levels as u64 + 1)) as i32 - 1;
        columns.push(Column::Category((0..n).map(|_| code(&mut state)).collect()));
    }
    use IntegerType::*;
    for width in [I8, I16, I32, I64, U8, U16, U32, U64] {
        for share in [0, 3] {
            fields.push(field(
                &format!("{} {share}", width.name()),
                Kind::Integer(width),
            ));
            let bits = 8 * width.bytes() as u32;
            let mut values: Vec<i64> = (0..n)
                .map(|_| {
                    let value = (random(&mut state) << 30 ^ random(&mut state)) as i64;
                    if width.is_signed() {
                        value << (64 - bits) >> (64 - bits)
                    } else if bits == 64 {
                        value
                    } else {
                        value & ((1 << bits) - 1)
                    }
                })
                .collect();
            let missing = (share > 0 && n > 0).then(|| {
                let mut missing: Vec<bool> = (0..n)
                    .map(|_| random(&mut state).is_multiple_of(3))
                    .collect();
                missing[0] = true;
                for (value, is_missing) in values.iter_mut().zip(&missing) {
                    *value = if *is_missing { 0 } else { *value };
                }
                missing
            });
            columns.push(Column::Integer { values, missing });
        }
    }
    for width in [RealType::F16, RealType::F32, RealType::F64] {
        fields.push(field(width.name(), Kind::Real(width)));
        let value = |state: &mut u64| match random(state) % 5 {
            0 => f64::NAN,
            1 => f64::NEG_INFINITY,
            2 => -0.0,
            _ => (random(state) % 2048) as f64 / 32.0,
        };
        columns.push(Column::Real((0..n).map(|_| value(&mut state)).collect()));
    }
    fields.push(field("flag", Kind::Bool));
    columns.push(Column::Bool {
        values: (0..n)
            .map(|_| random(&mut state).is_multiple_of(2))
            .collect(),
        missing: None,
    });
    fields.push(field("text", Kind::Text));
    let text = |state: &mut u64| match random(state) % 4 {
        0 => None,
        1 => Some(String::new()),
        2 => Some("NA".to_owned()),
        _ => Some(format!("é {}", random(state) % 50)),
    };
    columns.push(Column::Text((0..n).map(|_| text(&mut state)).collect()));
    fields.push(field("unique.name with / and %", Kind::Text));
    columns.push(Column::Text(
        (0..n)
            .map(|_| Some(format!("{:016x}-1", random(&mut state))))
            .collect(),
    ));
    Table {
        fields,
        columns,
        n_rows: n,
    }
}

pub fn same(a: &Column, b: &Column) -> bool {
    match (a, b) {
        (Column::Real(a), Column::Real(b)) => {
            let same =
                |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
            a.len() == b.len() && a.iter().zip(b).all(same)
        }
        _ => a == b,
    }
}
