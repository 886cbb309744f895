//! Parquet files written and read back, and what becomes of damaged ones.

use std::path::Path;

use axtile_table::parquet::{Categories, ParquetFile, ParquetWriter};
use axtile_table::{Column, Field, IntegerType, Kind, RealType, Table};

fn field(name: &str, kind: Kind) -> Field {
    Field {
        name: name.to_owned(),
        kind,
    }
}

fn random(state: &mut u64) -> u64 {
    *state = state
        .wrapping_mul(6364136223846793005)
        .wrapping_add(1442695040888963407);
    *state >> 20
}

/// A table with a column of each type; `n` rows.
fn table(n: usize, seed: u64) -> Table {
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
                let mut missing: Vec<bool> = (0..n).map(|_| random(&mut state) % 3 == 0).collect();
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
        values: (0..n).map(|_| random(&mut state) % 2 == 0).collect(),
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

fn write(tables: &[Table], categories: Categories) -> Vec<u8> {
    let path = Path::new("x.parquet");
    let mut writer =
        ParquetWriter::new(Vec::new(), path, &tables[0].fields, categories, 9).unwrap();
    for table in tables {
        writer.write_group(table).unwrap();
    }
    writer.finish(&[("key", "value é")]).unwrap()
}

fn same(a: &Column, b: &Column) -> bool {
    match (a, b) {
        (Column::Real(a), Column::Real(b)) => {
            let same =
                |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
            a.len() == b.len() && a.iter().zip(b).all(same)
        }
        _ => a == b,
    }
}

#[test]
fn all_types_come_back() {
    for sizes in [
        vec![0],
        vec![1],
        vec![7, 7, 5],
        vec![10_000, 1],
        vec![150_000],
    ] {
        let mut tables: Vec<Table> = Vec::new();
        for (i, n) in sizes.iter().enumerate() {
            tables.push(table(*n, i as u64 + 1));
        }
        let bytes = write(&tables, Categories::Codes);
        let file = ParquetFile::parse(Path::new("x"), &bytes[..]).unwrap();
        assert_eq!(file.metadata("key"), Some("value é"));
        let rows: Vec<u64> = file.group_rows().collect();
        assert_eq!(rows, sizes.iter().map(|n| *n as u64).collect::<Vec<_>>());
        for (group, table) in tables.iter().enumerate() {
            for (i, field) in table.fields.iter().enumerate() {
                assert_eq!(file.columns()[i].name, field.name);
                let column = file.read(group, i, field).unwrap();
                assert!(same(&column, &table.columns[i]), "{} {sizes:?}", field.name);
            }
        }
    }
}

#[test]
fn labels_keep_the_order_of_the_levels() {
    let table = table(100, 3);
    let bytes = write(std::slice::from_ref(&table), Categories::Labels);
    let file = ParquetFile::parse(Path::new("x"), &bytes[..]).unwrap();
    let Kind::Category { levels, .. } = &table.fields[2].kind else {
        panic!()
    };
    assert_eq!(file.read_dictionary(0, 2).unwrap().as_ref(), Some(levels));
    let Column::Category(codes) = &table.columns[2] else {
        panic!()
    };
    let labels = codes.iter().map(|code| levels.get(*code as usize).cloned());
    assert_eq!(
        file.read_stored(0, 2).unwrap(),
        Column::Text(labels.collect())
    );
}

#[test]
fn values_that_do_not_fit_are_refused() {
    let one = |kind: Kind, column: Column| {
        let table = Table {
            fields: vec![field("x", kind)],
            n_rows: column.len(),
            columns: vec![column],
        };
        let path = Path::new("x.parquet");
        let mut writer =
            ParquetWriter::new(Vec::new(), path, &table.fields, Categories::Codes, 1).unwrap();
        writer.write_group(&table).unwrap_err().to_string()
    };
    let integer = |value| Column::Integer {
        values: vec![value],
        missing: None,
    };
    let category = Kind::Category {
        levels: vec!["a".to_owned()],
        ordered: false,
    };
    assert!(one(Kind::Integer(IntegerType::I8), integer(128)).contains("128 is no int8"));
    assert!(one(Kind::Integer(IntegerType::U32), integer(-1)).contains("-1 is no uint32"));
    assert!(one(Kind::Real(RealType::F32), Column::Real(vec![0.1])).contains("0.1 is no float"));
    assert!(one(category.clone(), Column::Category(vec![1])).contains("code 1 of 1"));
    assert!(one(category, Column::Category(vec![-2])).contains("code -2"));
    assert!(one(Kind::Text, integer(0)).contains("values are not those"));
}

/// Reads all that can be read.
fn read_all(bytes: &[u8], table: &Table) -> usize {
    let Ok(file) = ParquetFile::parse(Path::new("x"), bytes) else {
        return 0;
    };
    let mut n_read = 0;
    for group in 0..file.group_rows().len() {
        for (i, field) in table.fields.iter().enumerate() {
            n_read += usize::from(file.read(group, i, field).is_ok());
            let _ = file.read_dictionary(group, i);
        }
    }
    n_read
}

#[test]
fn every_truncation_is_an_error() {
    let table = table(20, 1);
    let bytes = write(std::slice::from_ref(&table), Categories::Codes);
    assert_eq!(read_all(&bytes, &table), table.fields.len());
    for len in 0..bytes.len() {
        assert!(ParquetFile::parse(Path::new("x"), &bytes[..len]).is_err());
    }
}

#[test]
fn flipped_bytes_never_panic() {
    let table = table(20, 1);
    let bytes = write(std::slice::from_ref(&table), Categories::Codes);
    let mut state = 7;
    for at in 0..bytes.len() {
        for change in [
            1u8,
            0x80,
            random(&mut state) as u8,
            random(&mut state) as u8,
        ] {
            let mut damaged = bytes.clone();
            damaged[at] ^= change;
            read_all(&damaged, &table);
        }
    }
    for _ in 0..3000 {
        let mut damaged = bytes.clone();
        for _ in 0..1 + random(&mut state) % 8 {
            let at = random(&mut state) as usize % damaged.len();
            damaged[at] = random(&mut state) as u8;
        }
        read_all(&damaged, &table);
    }
}
