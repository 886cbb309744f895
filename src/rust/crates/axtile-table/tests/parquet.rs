//! Parquet files written and read back, and what becomes of damaged ones.

mod common;

use std::path::Path;

use axtile_table::parquet::{Categories, ParquetFile, ParquetWriter};
use axtile_table::{Column, IntegerType, Kind, RealType, Table};
use common::{field, random, same, table};

fn write(tables: &[Table], categories: Categories) -> Vec<u8> {
    let path = Path::new("x.parquet");
    let mut writer =
        ParquetWriter::new(Vec::new(), path, &tables[0].fields, categories, 9).unwrap();
    for table in tables {
        writer.write_group(table).unwrap();
    }
    writer.finish(&[("key", "value é")]).unwrap()
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
        let file = ParquetFile::parse(Path::new("x"), bytes.clone()).unwrap();
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
    let file = ParquetFile::parse(Path::new("x"), bytes.clone()).unwrap();
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
    let Ok(file) = ParquetFile::parse(Path::new("x"), bytes.to_vec()) else {
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
        assert!(ParquetFile::parse(Path::new("x"), bytes[..len].to_vec()).is_err());
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
