//! Var tables of the golden files, and tables written here.

mod common;

use std::fs;
use std::path::Path;

use axtile_core::ErrorKind;
use axtile_table::{Column, Field, IntegerType, Kind, RealType, Table};
use axtile_tiles::{VarTable, read_gene_order, read_var, read_var_names, write_var};
use common::{fixtures, shared, texts};

/// A copy of a file as the `var.parquet` of a dataset.
fn as_dataset(file: &Path) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(file, folder.path().join("var.parquet")).unwrap();
    folder
}

fn levels(field: &Field) -> &[String] {
    match &field.kind {
        Kind::Category { levels, .. } => levels,
        _ => &[],
    }
}

#[test]
fn every_kind_of_pandas_index_is_read() {
    let folder = fixtures().join("var_tables");
    for (case, index_name) in [
        ("named_index", Some("gene_id")),
        ("unnamed_index", None),
        ("range_index", None),
        ("int_index", Some("row")),
        ("index_only", None),
        ("index_name_is_also_a_column", Some("gene_id")),
        ("categories", None),
    ] {
        let dataset = as_dataset(&folder.join(format!("{case}.parquet")));
        let var = read_var(dataset.path(), 4).unwrap();
        assert_eq!(var.index_name.as_deref(), index_name, "{case}");
        let expected = fs::read_to_string(folder.join(format!("{case}.csv"))).unwrap();
        let mut rows = expected.lines();
        let header: Vec<&str> = rows.next().unwrap().split(',').skip(1).collect();
        let found: Vec<&str> = var.table.fields.iter().map(|f| f.name.as_str()).collect();
        assert_eq!(found, header, "{case}");
        for (i, row) in rows.enumerate() {
            let row: Vec<&str> = row.split(',').collect();
            assert_eq!(var.names.as_ref().unwrap()[i], row[0]);
            for (j, (field, column)) in var.table.fields.iter().zip(&var.table.columns).enumerate()
            {
                let value = texts(field, column)[i].clone();
                assert_eq!(value.as_deref().unwrap_or("<NA>"), row[j + 1], "{case}");
            }
        }
        assert!(read_var(dataset.path(), 5).is_err());
        if case == "categories" {
            assert_eq!(levels(&var.table.fields[0]), ["X", "1", "unused"]);
        }
    }
}

#[test]
fn var_of_the_tiny_dataset() {
    let folder = fixtures().join("tiny");
    let var = read_var(&folder, 12).unwrap();
    let names = read_var_names(&folder, 12).unwrap();
    let order = read_gene_order(&folder, 12).unwrap();
    assert_eq!(var.names.as_ref(), Some(&names));
    assert_eq!(levels(&var.table.fields[1]), ["chr1", "chr2", "chrX"]);
    let expected = fs::read_to_string(folder.join("genes.csv")).unwrap();
    for (i, row) in expected.lines().skip(1).enumerate() {
        let row: Vec<&str> = row.split(',').collect();
        assert_eq!(order[i].to_string(), row[1]);
        assert_eq!(names[i], row[3]);
        for (j, (field, column)) in var.table.fields.iter().zip(&var.table.columns).enumerate() {
            let value = texts(field, column)[i].clone().unwrap_or_default();
            assert_eq!(
                value.to_lowercase(),
                row[4 + j].to_lowercase(),
                "{}",
                field.name
            );
        }
    }
}

#[test]
fn real_var_is_read() {
    let Some(shared) = shared() else { return };
    let folder = shared.join("real_L19_C8");
    let n_genes = 16_791;
    let var = read_var(&folder, n_genes).unwrap();
    assert_eq!(
        var.names.as_ref(),
        Some(&read_var_names(&folder, n_genes).unwrap())
    );
    assert_eq!(read_gene_order(&folder, n_genes).unwrap().len(), n_genes);
}

#[test]
fn hostile_gene_files_are_refused() {
    let Some(shared) = shared() else { return };
    let folder = shared.join("hostile_datasets");
    let table = fs::read_to_string(folder.join("hostile_datasets.csv")).unwrap();
    let mut n_checked = 0;
    for row in table.lines().skip(1) {
        let mut row = row.splitn(3, ',');
        let (name, must) = (row.next().unwrap(), row.next().unwrap());
        let path = folder.join(name);
        let result = match name {
            _ if name.starts_with("gene_order") => read_gene_order(&path, 12).map(drop),
            _ if name.starts_with("var_names") => read_var_names(&path, 12).map(drop),
            _ if name.starts_with("var_") => read_var(&path, 12).map(drop),
            _ => continue,
        };
        match must {
            "accept" => result.unwrap(),
            _ => {
                let error = result.unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Corrupt, "{name}: {error}");
                assert!(error.to_string().contains(name));
            }
        }
        n_checked += 1;
    }
    assert!(n_checked >= 6);
}

fn written() -> VarTable {
    let field = |name: &str, kind| Field {
        name: name.to_owned(),
        kind,
    };
    let text = |text: &str| Some(text.to_owned());
    VarTable {
        names: Some(vec!["g1".to_owned(), "é 😀".to_owned(), "g1".to_owned()]),
        index_name: Some("gene".to_owned()),
        table: Table {
            fields: vec![
                field(
                    "grade",
                    Kind::Category {
                        levels: ["z", "unused", "a"].map(String::from).to_vec(),
                        ordered: true,
                    },
                ),
                field(
                    "nothing",
                    Kind::Category {
                        levels: Vec::new(),
                        ordered: false,
                    },
                ),
                field("length", Kind::Integer(IntegerType::U32)),
                field("gc", Kind::Real(RealType::F32)),
                field("coding", Kind::Bool),
                field("symbol", Kind::Text),
            ],
            columns: vec![
                Column::Category(vec![2, -1, 0]),
                Column::Category(vec![-1, -1, -1]),
                Column::Integer {
                    values: vec![0, 4_294_967_295, 7],
                    missing: Some(vec![true, false, false]),
                },
                Column::Real(vec![0.5, f64::NAN, -0.25]),
                Column::Bool {
                    values: vec![true, false, false],
                    missing: Some(vec![false, false, true]),
                },
                Column::Text(vec![text("a"), None, text("")]),
            ],
            n_rows: 3,
        },
    }
}

fn same(a: &VarTable, b: &VarTable) -> bool {
    let text = |var: &VarTable| -> Vec<_> {
        let table = &var.table;
        table
            .fields
            .iter()
            .zip(&table.columns)
            .map(|(f, c)| texts(f, c))
            .collect()
    };
    a.names == b.names
        && a.index_name == b.index_name
        && a.table.fields == b.table.fields
        && text(a) == text(b)
}

#[test]
fn what_is_written_reads_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let var = written();
    let round_trip = |var: &VarTable| {
        write_var(folder.path(), var).unwrap();
        read_var(folder.path(), var.table.n_rows).unwrap()
    };
    assert!(same(&round_trip(&var), &var));

    let mut unnamed = var.clone();
    unnamed.index_name = None;
    assert!(same(&round_trip(&unnamed), &unnamed));
    let mut like_a_column = var.clone();
    like_a_column.index_name = Some("gc".to_owned());
    assert!(same(&round_trip(&like_a_column), &like_a_column));
    let mut without_names = var.clone();
    without_names.names = None;
    without_names.index_name = None;
    assert!(same(&round_trip(&without_names), &without_names));
    let names_only = VarTable {
        names: var.names.clone(),
        ..VarTable::without_columns(3)
    };
    assert!(same(&round_trip(&names_only), &names_only));
    let nothing = VarTable::without_columns(3);
    assert!(same(&round_trip(&nothing), &nothing));

    let permuted = var.permuted(&[2, 0, 1]);
    assert_eq!(permuted.names.as_ref().unwrap()[2], "é 😀");
    assert_eq!(permuted.table.columns[0], Column::Category(vec![0, 2, -1]));

    let mut wrong = var.clone();
    wrong.names = Some(Vec::new());
    assert!(write_var(folder.path(), &wrong).is_err());
    let mut twice = var;
    twice.table.fields[1].name = "grade".to_owned();
    assert!(write_var(folder.path(), &twice).is_err());
}
