//! Where the stores of other writers are, and short ways to make data.

use std::path::{Path, PathBuf};

use axtile_daf::model::{DenseMatrix, Matrix, Reader, Texts, Values};
use axtile_daf::{FilesDaf, OpenMode};

/// The stores kept beside these tests.
pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// The larger stores that are kept outside the repository: in
/// `$AXTILE_SHARED`, or in `shared` beside it. `None` where they are not there.
pub fn shared() -> Option<PathBuf> {
    let root = match std::env::var_os("AXTILE_SHARED") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR"))
            .ancestors()
            .map(|folder| folder.join("shared"))
            .find(|folder| folder.join("fixtures").is_dir())?,
    };
    Some(root.join("fixtures/daf")).filter(|folder| folder.is_dir())
}

pub fn open(path: &Path) -> FilesDaf {
    FilesDaf::open(path, OpenMode::Read, None).unwrap()
}

pub fn create(path: &Path) -> FilesDaf {
    FilesDaf::open(path, OpenMode::Create, None).unwrap()
}

pub fn texts(texts: &[&str]) -> Texts {
    texts.iter().copied().collect()
}

pub fn dense(n_rows: usize, n_columns: usize, values: impl Into<Values>) -> Matrix {
    Matrix::Dense(DenseMatrix::new(n_rows, n_columns, values.into()).unwrap())
}

/// All values of a matrix, column after column.
pub fn all(matrix: &Matrix) -> Values {
    matrix.to_dense().unwrap().values().clone()
}

pub fn entries(store: &dyn Reader, axis: &str) -> Vec<String> {
    let axis = store.axis(axis).unwrap();
    axis.entries().iter().map(str::to_owned).collect()
}

/// Copies a folder with all that is in it.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
