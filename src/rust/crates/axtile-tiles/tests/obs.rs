//! Obs of the golden datasets, and of datasets written here.

mod common;

use std::fs;
use std::path::Path;
use std::time::Instant;

use axtile_core::{ErrorKind, Unwatched, Watch};
use axtile_table::{Column, Field, IntegerType, Kind, RealType, Table};
use axtile_tiles::{Cells, ObsReader, ObsSection, ObsWriter};
use common::{fixtures, section, shared, text_of, texts};
use serde_json::Value;

/// Opens the obs of a dataset; its cache is a folder that is never there.
fn open(dataset: &Path) -> axtile_core::Result<ObsReader> {
    let (section, tile_cells) = section(dataset);
    ObsReader::open(
        &dataset.join("obs"),
        &section,
        &tile_cells,
        &["grade".to_owned()],
    )
}

fn no_cache() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn read(obs: &ObsReader, columns: &[usize], cells: Cells, threads: usize) -> Table {
    let cache = no_cache();
    obs.read(columns, cells, Some(cache.path()), threads, &Unwatched)
        .unwrap()
}

fn same(a: &Table, b: &Table) -> bool {
    let text = |table: &Table| -> Vec<_> {
        table
            .fields
            .iter()
            .zip(&table.columns)
            .map(|(field, column)| texts(field, column))
            .collect()
    };
    a.fields == b.fields && a.n_rows == b.n_rows && text(a) == text(b)
}

#[test]
fn the_tiny_dataset_reads_as_expected() {
    let folder = fixtures().join("tiny");
    let obs = open(&folder).unwrap();
    obs.verify(1, &Unwatched).unwrap();
    obs.verify(2, &Unwatched).unwrap();
    let text = fs::read_to_string(folder.join("obs.json")).unwrap();
    let expected: Value = serde_json::from_str(&text).unwrap();
    let names: Vec<&String> = expected.as_object().unwrap().keys().collect();
    let found: Vec<&String> = obs.fields().iter().map(|field| &field.name).collect();
    assert_eq!(found, names);

    let all: Vec<usize> = (0..obs.fields().len()).collect();
    let lists: [&[u64]; 5] = [
        &[],
        &[18, 0, 8, 0, 7, 13, 2, 18],
        &[14],
        &[1, 2, 3, 10, 9, 15],
        &[6, 7],
    ];
    for threads in [1, 2] {
        let table = read(&obs, &all, Cells::All, threads);
        assert_eq!(table.n_rows, 19);
        for (field, column) in table.fields.iter().zip(&table.columns) {
            let about = &expected[&field.name];
            let values = about["values"].as_array().unwrap();
            let values: Vec<_> = values.iter().map(|value| text_of(field, value)).collect();
            assert_eq!(texts(field, column), values, "{}", field.name);
            if let (Kind::Category { levels, ordered }, Column::Category(codes)) =
                (&field.kind, column)
            {
                assert_eq!(Value::from(levels.clone()), about["categories"]);
                assert_eq!(Value::from(codes.clone()), about["codes"]);
                assert_eq!(*ordered, field.name == "grade");
            }
            for cells in lists {
                let some = read(
                    &obs,
                    &[all[field_number(&obs, &field.name)]],
                    Cells::List(cells),
                    threads,
                );
                let picked: Vec<_> = cells
                    .iter()
                    .map(|cell| values[*cell as usize].clone())
                    .collect();
                assert_eq!(
                    texts(field, &some.columns[0]),
                    picked,
                    "{} {cells:?}",
                    field.name
                );
            }
        }
    }
    let cache = no_cache();
    let root = Some(cache.path());
    let wrong_cell = obs
        .read(&[0], Cells::List(&[19]), root, 1, &Unwatched)
        .unwrap_err();
    assert_eq!(wrong_cell.kind(), ErrorKind::Range);
    let wrong_column = obs
        .read(&[21], Cells::All, root, 1, &Unwatched)
        .unwrap_err();
    assert_eq!(wrong_column.kind(), ErrorKind::Range);
}

fn field_number(obs: &ObsReader, name: &str) -> usize {
    obs.fields()
        .iter()
        .position(|field| field.name == name)
        .unwrap()
}

#[test]
fn localized_columns_read_the_same_and_heal() {
    let folder = fixtures().join("tiny");
    let (section, _) = section(&folder);
    let cache = tempfile::tempdir().unwrap();
    let root = Some(cache.path());
    let obs = open(&folder).unwrap();
    let all: Vec<usize> = (0..obs.fields().len()).collect();
    let cells = [18u64, 0, 8, 0, 7, 13, 2, 18];
    let expected = read(&obs, &all, Cells::All, 1);
    let expected_some = read(&obs, &all, Cells::List(&cells), 1);

    assert!(obs.localized_columns(root).is_empty());
    obs.localize(&[3, 3], root, 2, &Unwatched).unwrap();
    assert_eq!(obs.localized_columns(root), ["many"]);
    obs.localize(&all, root, 2, &Unwatched).unwrap();
    assert_eq!(obs.localized_columns(root).len(), all.len());
    let files = cache.path().join(&section.fingerprint).join("obs");
    assert!(files.join("odd%20%2F%20name%20%25%C3%A9.arrow").is_file());
    assert_eq!(
        fs::read_dir(&files).unwrap().count(),
        all.len(),
        "no leftovers"
    );

    for damage in [false, true] {
        if damage {
            // One file of another column, one cut short, one empty.
            fs::copy(files.join("i8.arrow"), files.join("cell_type.arrow")).unwrap();
            let note = fs::read(files.join("note.arrow")).unwrap();
            fs::remove_file(files.join("note.arrow")).unwrap();
            fs::write(files.join("note.arrow"), &note[..note.len() - 9]).unwrap();
            fs::remove_file(files.join("age.arrow")).unwrap();
            fs::write(files.join("age.arrow"), b"").unwrap();
        }
        let obs = open(&folder).unwrap();
        let table = obs.read(&all, Cells::All, root, 2, &Unwatched).unwrap();
        assert!(same(&table, &expected));
        let table = obs
            .read(&all, Cells::List(&cells), root, 2, &Unwatched)
            .unwrap();
        assert!(same(&table, &expected_some));
    }
    let healed = fs::metadata(files.join("age.arrow")).unwrap();
    assert!(healed.len() > 0);
    let gone = cache.path().join("file");
    fs::write(&gone, "").unwrap();
    assert!(obs.localize(&[0], Some(&gone), 1, &Unwatched).is_err());
}

#[test]
fn categories_of_all_widths() {
    let Some(shared) = shared() else { return };
    let obs = open(&shared.join("obs_int32")).unwrap();
    obs.verify(1, &Unwatched).unwrap();
    let expected = fs::read_to_string(shared.join("obs_int32.expected/obs_int32.csv")).unwrap();
    let mut n_columns = 0;
    for row in expected.lines().skip(1) {
        let row: Vec<&str> = row.split(',').collect();
        let column = field_number(&obs, row[0]);
        let table = read(&obs, &[column], Cells::All, 1);
        let Kind::Category { levels, .. } = &table.fields[0].kind else {
            panic!()
        };
        assert_eq!(levels.len().to_string(), row[2]);
        let Column::Category(codes) = &table.columns[0] else {
            panic!()
        };
        let codes: Vec<String> = codes.iter().map(i32::to_string).collect();
        assert_eq!(codes.join(" "), row[3]);
        n_columns += 1;
    }
    assert_eq!(n_columns, 4);
}

#[test]
fn real_obs_reads_as_expected() {
    let Some(shared) = shared() else { return };
    let expected = fs::read_to_string(shared.join("real.expected/obs.csv")).unwrap();
    let mut rows = expected.lines();
    let names: Vec<&str> = rows.next().unwrap().split(',').collect();
    let rows: Vec<Vec<&str>> = rows.map(|row| row.split(',').collect()).collect();
    for dataset in ["real_L03_C1", "real_L03_C8", "real_L19_C1", "real_L19_C8"] {
        let obs = open(&shared.join(dataset)).unwrap();
        obs.verify(2, &Unwatched).unwrap();
        let all: Vec<usize> = (0..obs.fields().len()).collect();
        let table = read(&obs, &all, Cells::All, 2);
        assert_eq!(table.n_rows, rows.len());
        for (i, (field, column)) in table.fields.iter().zip(&table.columns).enumerate() {
            assert_eq!(field.name, names[i]);
            for (found, row) in texts(field, column).iter().zip(&rows) {
                let found = found.as_deref().unwrap_or("<NA>");
                match field.kind {
                    Kind::Real(_) => assert_eq!(found.parse::<f64>(), row[i].parse::<f64>()),
                    _ => assert_eq!(found, row[i]),
                }
            }
        }
    }
}

/// Reads and verifies everything of obs.
fn check(dataset: &Path) -> [Result<(), String>; 3] {
    let obs = match open(dataset) {
        Ok(obs) => obs,
        Err(error) => return [Err(error.to_string()), Ok(()), Ok(())],
    };
    let cache = no_cache();
    let all: Vec<usize> = (0..obs.fields().len()).collect();
    let text = |error: axtile_core::Error| error.to_string();
    let read = obs.read(&all, Cells::All, Some(cache.path()), 1, &Unwatched);
    [
        Ok(()),
        read.map(drop).map_err(text),
        obs.verify(1, &Unwatched).map_err(text),
    ]
}

#[test]
fn hostile_datasets_are_refused_where_they_must_be() {
    let Some(shared) = shared() else { return };
    let folder = shared.join("hostile_datasets");
    let table = fs::read_to_string(folder.join("hostile_datasets.csv")).unwrap();
    let mut n_checked = 0;
    for row in table.lines().skip(1) {
        let mut row = row.splitn(3, ',');
        let (name, must) = (row.next().unwrap(), row.next().unwrap());
        let is_control = matches!(name, "00_valid" | "var_names_no_final_newline");
        if !name.starts_with("obs_") && !is_control {
            continue;
        }
        let [opened, read, verified] = check(&folder.join(name));
        let any = opened.clone().and(read.clone()).and(verified.clone());
        match must {
            "accept" => any.unwrap(),
            "any" => {}
            // A schema that is wrong is noticed when obs is opened, which a
            // dataset does when obs is read.
            "reject at open" => assert!(opened.is_err(), "{name}"),
            "reject when obs is read" => {
                assert!(opened.is_err() || read.is_err(), "{name}");
            }
            "reject by verify" => assert!(any.is_err(), "{name}"),
            other => panic!("{other}"),
        }
        let message = [opened, read, verified].into_iter().find_map(Result::err);
        if let Some(message) = message {
            assert!(message.contains(name), "names the file: {message}");
        }
        n_checked += 1;
    }
    assert!(n_checked > 10);
}

/// Somebody who wants everything to stop after so many units of work.
struct Impatient(std::sync::atomic::AtomicU64);

impl Watch for Impatient {
    fn advance(&self, done: u64) {
        let order = std::sync::atomic::Ordering::Relaxed;
        let left = self.0.load(order);
        self.0.store(left.saturating_sub(done), order);
    }

    fn is_interrupted(&self) -> bool {
        self.0.load(std::sync::atomic::Ordering::Relaxed) == 0
    }
}

#[test]
fn work_stops_when_asked_to_and_leaves_nothing() {
    let folder = fixtures().join("tiny");
    let obs = open(&folder).unwrap();
    let all: Vec<usize> = (0..obs.fields().len()).collect();
    let cache = tempfile::tempdir().unwrap();
    let root = Some(cache.path());
    let watch = || Impatient(std::sync::atomic::AtomicU64::new(30));
    for threads in [1, 2] {
        let stopped = [
            obs.read(&all, Cells::All, root, threads, &watch())
                .map(drop),
            obs.localize(&all, root, threads, &watch()),
            obs.verify(threads, &watch()),
        ];
        for result in stopped {
            assert_eq!(result.unwrap_err().kind(), ErrorKind::Interrupted);
        }
        let (section, _) = section(&folder);
        let files = cache.path().join(section.fingerprint).join("obs");
        assert_eq!(fs::read_dir(files).unwrap().count(), 0);
    }
}

fn random(state: &mut u64) -> u64 {
    *state = state
        .wrapping_mul(6364136223846793005)
        .wrapping_add(1442695040888963407);
    *state >> 33
}

/// Three columns of `n` cells.
fn annotations(n: usize, seed: u64) -> Table {
    let mut state = seed;
    let field = |name: &str, kind| Field {
        name: name.to_owned(),
        kind,
    };
    let kind = Kind::Category {
        levels: (0..20).map(|i| format!("type {i}")).collect(),
        ordered: false,
    };
    Table {
        fields: vec![
            field("cell_type", kind),
            field("n_counts", Kind::Integer(IntegerType::I64)),
            field("score", Kind::Real(RealType::F64)),
            field("obs_names", Kind::Text),
        ],
        columns: vec![
            Column::Category(
                (0..n)
                    .map(|_| (random(&mut state) % 21) as i32 - 1)
                    .collect(),
            ),
            Column::Integer {
                values: (0..n)
                    .map(|_| (random(&mut state) % 20_000) as i64)
                    .collect(),
                missing: None,
            },
            Column::Real((0..n).map(|_| random(&mut state) as f64 / 7.0).collect()),
            Column::Text(
                (0..n)
                    .map(|_| Some(format!("{:016x}-1", random(&mut state))))
                    .collect(),
            ),
        ],
        n_rows: n,
    }
}

fn write(folder: &Path, tiles: &[Table], tiles_per_file: u32) -> (ObsSection, Vec<u64>) {
    let tile_cells: Vec<u64> = tiles.iter().map(|tile| tile.n_rows as u64).collect();
    let mut writer =
        ObsWriter::create(&folder.join("obs"), &tiles[0].fields, tiles_per_file).unwrap();
    for tile in tiles {
        writer.write_tile(tile).unwrap();
    }
    (writer.finish(&tile_cells).unwrap(), tile_cells)
}

#[test]
fn what_is_written_reads_the_same_and_is_replaced_whole() {
    let folder = tempfile::tempdir().unwrap();
    for tiles_per_file in [1, 2, 3, 100] {
        let tiles: Vec<Table> = [50, 50, 50, 50, 7]
            .iter()
            .enumerate()
            .map(|(i, n)| annotations(*n, i as u64))
            .collect();
        let (section, tile_cells) = write(folder.path(), &tiles, tiles_per_file);
        let n_shards = 5usize.div_ceil(tiles_per_file as usize);
        assert_eq!(section.shard_bytes.len(), n_shards);
        // The shards and the schema, and none of an earlier attempt.
        assert_eq!(
            fs::read_dir(folder.path().join("obs")).unwrap().count(),
            n_shards + 1
        );
        let obs = ObsReader::open(&folder.path().join("obs"), &section, &tile_cells, &[]).unwrap();
        obs.verify(2, &Unwatched).unwrap();
        let mut expected = tiles[0].clone();
        for tile in &tiles[1..] {
            for (a, b) in expected.columns.iter_mut().zip(&tile.columns) {
                assert!(a.append(b.clone()));
            }
            expected.n_rows += tile.n_rows;
        }
        assert!(same(&read(&obs, &[0, 1, 2, 3], Cells::All, 2), &expected));
    }
}

#[test]
fn the_writer_refuses_what_it_cannot_store() {
    let folder = tempfile::tempdir().unwrap();
    let tile = annotations(5, 1);
    let create = |fields: &[Field], n| ObsWriter::create(&folder.path().join("obs"), fields, n);
    assert!(create(&tile.fields, 0).is_err());
    let twice = [tile.fields[1].clone(), tile.fields[1].clone()];
    assert!(create(&twice, 1).is_err());
    let mut levels = tile.fields[0].clone();
    levels.kind = Kind::Category {
        levels: vec!["a".to_owned(); 2],
        ordered: false,
    };
    assert!(create(&[levels], 1).is_err());

    let mut writer = create(&tile.fields, 1).unwrap();
    let mut other = tile.clone();
    other.columns[0] = Column::Category(vec![20; 5]);
    assert!(writer.write_tile(&other).is_err());
    assert!(writer.write_tile(&tile).is_err(), "broken after an error");
    assert!(writer.finish(&[]).is_err());
    let mut writer = create(&tile.fields, 1).unwrap();
    writer.write_tile(&tile).unwrap();
    assert!(writer.finish(&[5, 5]).is_err());
}

/// A damaged shard is an error or read, and never a panic; `verify` finds all
/// damage.
#[test]
fn damaged_shards_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let (section, tile_cells) = write(folder.path(), &[annotations(30, 1), annotations(4, 2)], 9);
    let path = folder.path().join("obs/obs_0000.parquet");
    let bytes = fs::read(&path).unwrap();
    let read = |damaged: &[u8], shorter: bool| {
        fs::write(&path, damaged).unwrap();
        let mut section = section.clone();
        if shorter {
            // As if the manifest agreed, so that the parser sees the bytes.
            section.shard_bytes = vec![damaged.len() as u64];
        }
        let cache = no_cache();
        let obs = ObsReader::open(&folder.path().join("obs"), &section, &tile_cells, &[]).unwrap();
        let read = obs.read(&[0, 1, 2, 3], Cells::All, Some(cache.path()), 1, &Unwatched);
        let verified = obs.verify(1, &Unwatched);
        assert!(verified.is_err());
        read.is_ok()
    };
    for len in (0..bytes.len()).step_by(7) {
        assert!(!read(&bytes[..len], false));
        assert!(!read(&bytes[..len], true));
    }
    let mut state = 3;
    for at in (0..bytes.len()).step_by(3) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (random(&mut state) % 8);
        read(&damaged, false);
    }
}

#[test]
fn look_ups_in_the_cache_are_fast() {
    let folder = tempfile::tempdir().unwrap();
    let tiles: Vec<Table> = (0..10).map(|i| annotations(10_000, i)).collect();
    let (section, tile_cells) = write(folder.path(), &tiles, 4);
    let cache = tempfile::tempdir().unwrap();
    let root = Some(cache.path());
    let obs = ObsReader::open(&folder.path().join("obs"), &section, &tile_cells, &[]).unwrap();
    let mut state = 11;
    let cells: Vec<u64> = (0..5000).map(|_| random(&mut state) % 100_000).collect();
    let timed = |what: &str, columns: &[usize]| {
        let start = Instant::now();
        let table = obs
            .read(columns, Cells::List(&cells), root, 1, &Unwatched)
            .unwrap();
        println!("{what}: {:.3} ms", start.elapsed().as_secs_f64() * 1e3);
        table
    };
    let from_shards = timed("5,000 cells x 3 columns from shards", &[0, 1, 2]);
    obs.localize(&[0, 1, 2, 3], root, 1, &Unwatched).unwrap();
    assert!(same(
        &timed("first from the cache", &[0, 1, 2]),
        &from_shards
    ));
    for _ in 0..3 {
        assert!(same(&timed("again", &[0, 1, 2]), &from_shards));
    }
    timed("with cell names", &[0, 1, 3]);
}
