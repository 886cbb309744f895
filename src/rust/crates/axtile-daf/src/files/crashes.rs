//! Tests that stop a change after each of its steps on the disk, and the
//! repair after each of its own.

use std::fs;
use std::path::Path;

use axtile_core::Result;

use super::steps::stop;
use super::{FilesDaf, OpenMode};
use crate::Orders;
use crate::model::{
    DenseMatrix, Indices, Matrix, Reader, SparseVector, Texts, Values, Vector, Writer,
};

fn texts(texts: &[&str]) -> Texts {
    texts.iter().copied().collect()
}

fn create(path: &Path) {
    let store = FilesDaf::open(path, OpenMode::Create, None).unwrap();
    store.add_axis("cell", texts(&["A", "B", "C"])).unwrap();
    store.add_axis("gene", texts(&["X", "Y"])).unwrap();
    let set = |name, vector: Vector| store.set_vector("cell", name, &vector, false).unwrap();
    set("age", vec![1.0, 2.0, 3.0].into());
    set("donor", texts(&["d1", "d2", "d3"]).into());
    let indices = Indices::from_positions([0, 2], 3);
    let sparse = SparseVector::new(3, indices, vec![5_u8, 6].into()).unwrap();
    set("sparse", Vector::Sparse(sparse));
    let values: Values = vec![1, 2, 3, 4, 5, 6].into();
    let matrix = Matrix::Dense(DenseMatrix::new(3, 2, values).unwrap());
    store
        .set_matrix("cell", "gene", "UMIs", &matrix, false, true)
        .unwrap();
}

/// All that a store holds, as text.
fn state(path: &Path) -> String {
    let store = FilesDaf::open(path, OpenMode::Read, None).unwrap();
    let mut state = String::new();
    let axes = store.axis_names().unwrap();
    for axis in &axes {
        state += &format!("{axis} {:?}\n", store.axis(axis).unwrap().entries());
        for name in store.vector_names(axis).unwrap() {
            state += &format!("{axis} {name} {:?}\n", store.vector(axis, &name).unwrap());
        }
        for other in &axes {
            for name in store.stored_matrix_names(axis, other).unwrap() {
                let matrix = store.matrix(axis, other, &name).unwrap();
                state += &format!("{axis} {other} {name} {matrix:?}\n");
            }
        }
    }
    state
}

fn open(path: &Path) -> Result<FilesDaf> {
    FilesDaf::open(path, OpenMode::Update, None)
}

/// Stops `change` after each step, and each repair of that after each step of
/// its own: in the end all is as before or as after the change.
fn stop_everywhere(change: impl Fn(&FilesDaf) -> Result<()>) {
    let folder = tempfile::tempdir().unwrap();
    let fresh = |name: String| {
        let path = folder.path().join(name);
        create(&path);
        path
    };
    let path = fresh("after".into());
    let before = state(&path);
    change(&open(&path).unwrap()).unwrap();
    let after = state(&path);
    assert_ne!(before, after);
    let index = |path: &Path| fs::read_to_string(path.join("metadata.json")).unwrap();
    let mut outcomes = [0, 0];
    for n_steps in 0.. {
        for n_repair in 0.. {
            let path = fresh(format!("{n_steps} {n_repair}"));
            let store = open(&path).unwrap();
            let (changed, was_stopped) = stop::after(n_steps, || change(&store));
            let n_repair = if n_steps % 6 == 0 {
                n_repair
            } else {
                usize::MAX
            };
            let (repaired, was_repair_stopped) = stop::after(n_repair, || open(&path));
            drop(repaired);
            drop(open(&path).unwrap());
            let found = state(&path);
            assert!(
                found == before || found == after,
                "{n_steps} steps, {n_repair} of repair: {found}"
            );
            if changed.is_ok() {
                assert_eq!(found, after, "{n_steps} steps were enough");
            }
            outcomes[usize::from(found == after)] += 1;
            assert!(!path.join(".reorder.backup").exists());
            let kept = index(&path);
            fs::remove_file(path.join("metadata.json")).unwrap();
            drop(open(&path).unwrap());
            assert_eq!(kept, index(&path), "the index is that of the files");
            fs::remove_dir_all(&path).unwrap();
            // A repair that is stopped everywhere takes long: some will do.
            if !was_repair_stopped || !was_stopped || n_steps % 6 != 0 {
                break;
            }
        }
        let path = fresh("last".into());
        let store = open(&path).unwrap();
        let (_, was_stopped) = stop::after(n_steps, || change(&store));
        fs::remove_dir_all(&path).unwrap();
        if !was_stopped {
            break;
        }
    }
    assert!(outcomes.iter().all(|&n| n > 0), "{outcomes:?}");
}

#[test]
fn reordering_happens_whole_or_not_at_all() {
    stop_everywhere(|store| {
        store.reorder(&Orders::from([
            ("cell".to_owned(), vec![2, 0, 1]),
            ("gene".to_owned(), vec![1, 0]),
        ]))
    });
}

#[test]
fn a_vector_is_replaced_whole_or_not_at_all() {
    stop_everywhere(|store| store.set_vector("cell", "age", &vec![1_i64, 2, 3].into(), true));
    stop_everywhere(|store| store.set_vector("cell", "donor", &vec![0.0, 0.0, 0.0].into(), true));
}

#[test]
fn things_appear_whole_or_not_at_all() {
    stop_everywhere(|store| store.set_vector("cell", "new", &vec![1_i64, 2, 3].into(), false));
    stop_everywhere(|store| store.add_axis("batch", texts(&["b1"])));
}

#[test]
fn what_another_writer_left_is_repaired() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    create(&path);
    let before = state(&path);
    let backup = path.join(".reorder.backup");
    for file in [
        "axes/cell.txt",
        "vectors/cell/age.json",
        "vectors/cell/age.data",
    ] {
        let saved = backup.join(file);
        fs::create_dir_all(saved.parent().unwrap()).unwrap();
        fs::hard_link(path.join(file), &saved).unwrap();
    }
    // It removes and writes: what is linked stays as it was.
    fs::remove_file(path.join("axes/cell.txt")).unwrap();
    fs::write(path.join("axes/cell.txt"), "C\nA\nB\n").unwrap();
    fs::remove_file(path.join("vectors/cell/age.data")).unwrap();
    assert!(FilesDaf::open(&path, OpenMode::Read, None).is_err());
    assert!(backup.exists(), "reading leaves it alone");
    FilesDaf::reset_reorder(&path).unwrap();
    assert!(!backup.exists());
    assert_eq!(state(&path), before);
}
