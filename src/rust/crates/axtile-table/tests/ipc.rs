//! Arrow IPC files written and read back, and what becomes of damaged ones.

mod common;

use std::path::Path;

use axtile_table::ipc::{IpcColumn, IpcWriter, Place};

use axtile_table::{Column, IntegerType, Kind, Stored, Table};
use common::{random, same, table};

fn stored(kind: &Kind) -> Stored {
    match kind {
        Kind::Category { levels, .. } => {
            Stored::Integer(IntegerType::for_codes(levels.len()).unwrap())
        }
        Kind::Integer(width) => Stored::Integer(*width),
        Kind::Real(width) => Stored::Real(*width),
        Kind::Bool => Stored::Bool,
        Kind::Text => Stored::Text,
    }
}

/// A file of column `i` of the tables.
fn write(tables: &[Table], i: usize) -> Vec<u8> {
    let field = &tables[0].fields[i];
    let path = Path::new("x.arrow");
    let mut writer = IpcWriter::new(Vec::new(), path, &field.name, stored(&field.kind)).unwrap();
    for table in tables {
        writer.write_batch(&table.columns[i]).unwrap();
    }
    writer.finish().unwrap()
}

#[test]
fn all_types_come_back() {
    let tables = [table(7, 1), table(0, 2), table(1000, 3), table(5, 4)];
    for i in 0..tables[0].fields.len() {
        let kind = &tables[0].fields[i].kind;
        let bytes = write(&tables, i);
        let file = IpcColumn::parse(Path::new("x"), bytes.clone()).unwrap();
        assert_eq!(file.batch_rows().collect::<Vec<_>>(), [7, 0, 1000, 5]);
        assert_eq!(*file.stored(), stored(kind));
        for (batch, table) in tables.iter().enumerate() {
            let column = file.read_batch(kind, batch).unwrap();
            let name = &table.fields[i].name;
            assert!(same(&column, &table.columns[i]), "{name} {batch}");
        }
        let mut state = 5;
        let places: Vec<Place> = (0..500)
            .map(|_| {
                let batch = [0, 2, 3][random(&mut state) as usize % 3];
                let row = random(&mut state) as usize % tables[batch].n_rows;
                Place { batch, row }
            })
            .collect();
        let mut expected = kind.empty_column();
        for place in &places {
            let one = tables[place.batch].columns[i].gather(&[place.row]).unwrap();
            assert!(expected.append(one));
        }
        assert!(same(&file.take(kind, &places).unwrap(), &expected));
        for (batch, row) in [(1, 0), (0, 7), (4, 0), (2, usize::MAX)] {
            assert!(file.take(kind, &[Place { batch, row }]).is_err());
        }
    }
}

#[test]
fn codes_must_be_those_of_levels() {
    let mut writer = IpcWriter::new(
        Vec::new(),
        Path::new("x"),
        "a",
        Stored::Integer(IntegerType::I8),
    )
    .unwrap();
    writer
        .write_batch(&Column::Category(vec![0, 1, -1, -2]))
        .unwrap();
    let bytes = writer.finish().unwrap();
    let file = IpcColumn::parse(Path::new("x"), bytes.clone()).unwrap();
    let kind = |n: usize| Kind::Category {
        levels: (0..n).map(|i| i.to_string()).collect(),
        ordered: false,
    };
    let place = |row| [Place { batch: 0, row }];
    assert!(file.take(&kind(2), &place(1)).is_ok());
    assert!(file.take(&kind(1), &place(1)).is_err());
    assert!(file.take(&kind(2), &place(2)).is_ok());
    assert!(file.take(&kind(2), &place(3)).is_err());
    assert!(file.take(&Kind::Bool, &place(0)).is_err());
    assert!(
        file.take(&Kind::Integer(IntegerType::I16), &place(0))
            .is_err()
    );
}

/// Reads all that can be read.
fn read_all(bytes: &[u8], kind: &Kind) -> bool {
    let Ok(file) = IpcColumn::parse(Path::new("x"), bytes.to_vec()) else {
        return false;
    };
    (0..file.batch_rows().len().min(10)).all(|batch| {
        let places = [Place { batch, row: 3 }, Place { batch, row: 0 }];
        file.take(kind, &places).is_ok() && file.batch_rows().all(|n| n < 1 << 20)
    })
}

#[test]
fn damaged_files_never_panic() {
    let tables = [table(12, 1), table(9, 2)];
    let mut state = 9;
    for i in 0..tables[0].fields.len() {
        let kind = &tables[0].fields[i].kind;
        let bytes = write(&tables, i);
        assert!(read_all(&bytes, kind));
        for len in 0..bytes.len() {
            assert!(IpcColumn::parse(Path::new("x"), bytes[..len].to_vec()).is_err());
        }
        for at in 0..bytes.len() {
            for change in [1u8, 0x80, 0xff, random(&mut state) as u8] {
                let mut damaged = bytes.clone();
                damaged[at] ^= change;
                read_all(&damaged, kind);
            }
        }
    }
}
