//! A store in memory for tests of queries, and the shared example data.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axtile_core::{Result, Unwatched};
use axtile_daf::model::{
    Axis, Buffer, DenseMatrix, Dependency, Indices, Matrix, Reader, Scalar, SparseMatrix, Stamp,
    StreamedMatrix, Texts, Values, Vector, missing_axis,
};
use axtile_daf::operations::{NoCustomOperations, Threads};
use axtile_daf::query::{Answer, Evaluated, Options, Query};

use crate::cut::Cut;

/// A store whose things are set directly; each setting has its own stamp.
#[derive(Default)]
pub struct Store {
    scalars: BTreeMap<String, Scalar>,
    axes: BTreeMap<String, Arc<Axis>>,
    vectors: BTreeMap<(String, String), Vector>,
    matrices: BTreeMap<(String, String, String), Matrix>,
    stamps: BTreeMap<Dependency, u64>,
    changes: u64,
    /// Columns of the runs that matrices are read by; they are not had as a
    /// whole then.
    pub run: Option<usize>,
}

impl Store {
    fn changed(&mut self, thing: Dependency) {
        self.changes += 1;
        self.stamps.insert(thing, self.changes);
    }

    pub fn scalar_is(&mut self, name: &str, value: impl Into<Scalar>) {
        self.scalars.insert(name.into(), value.into());
        self.changed(Dependency::Scalar(name.into()));
    }

    pub fn axis_is(&mut self, name: &str, entries: &[&str]) {
        let entries: Texts = entries.iter().copied().collect();
        self.axes
            .insert(name.into(), Arc::new(Axis::new(entries).unwrap()));
        self.changed(Dependency::Axis(name.into()));
    }

    pub fn vector_is(&mut self, axis: &str, name: &str, values: impl Into<Vector>) {
        let values = values.into();
        assert_eq!(values.len(), self.axes[axis].len());
        self.vectors.insert((axis.into(), name.into()), values);
        self.changed(Dependency::Vector(axis.into(), name.into()));
    }

    pub fn vector_is_gone(&mut self, axis: &str, name: &str) {
        self.vectors.remove(&(axis.into(), name.into()));
        self.changed(Dependency::Vector(axis.into(), name.into()));
    }

    pub fn texts_are(&mut self, axis: &str, name: &str, texts: &[&str]) {
        let texts: Texts = texts.iter().copied().collect();
        self.vector_is(axis, name, texts);
    }

    /// Values by columns.
    pub fn matrix_is(&mut self, rows: &str, columns: &str, name: &str, values: impl Into<Values>) {
        let (n_rows, n_columns) = (self.axes[rows].len(), self.axes[columns].len());
        let matrix = DenseMatrix::new(n_rows, n_columns, values.into()).unwrap();
        self.any_matrix_is(rows, columns, name, Matrix::Dense(matrix));
    }

    pub fn any_matrix_is(&mut self, rows: &str, columns: &str, name: &str, matrix: Matrix) {
        self.matrices
            .insert((rows.into(), columns.into(), name.into()), matrix);
        self.changed(Dependency::Matrix(rows.into(), columns.into(), name.into()));
    }
}

impl Reader for Store {
    fn name(&self) -> &str {
        "test"
    }

    fn kind(&self) -> &'static str {
        "TestStore"
    }

    fn scalar_names(&self) -> Result<Vec<String>> {
        Ok(self.scalars.keys().cloned().collect())
    }

    fn axis_names(&self) -> Result<Vec<String>> {
        Ok(self.axes.keys().cloned().collect())
    }

    fn vector_names(&self, axis: &str) -> Result<Vec<String>> {
        if !self.axes.contains_key(axis) {
            return Err(missing_axis("test", axis));
        }
        let of_axis = self.vectors.keys().filter(|(of, _)| of == axis);
        Ok(of_axis.map(|(_, name)| name.clone()).collect())
    }

    fn stored_matrix_names(&self, rows: &str, columns: &str) -> Result<Vec<String>> {
        let of_axes = self
            .matrices
            .keys()
            .filter(|(r, c, _)| r == rows && c == columns);
        Ok(of_axes.map(|(_, _, name)| name.clone()).collect())
    }

    fn find_scalar(&self, name: &str) -> Result<Option<Scalar>> {
        Ok(self.scalars.get(name).cloned())
    }

    fn find_axis(&self, axis: &str) -> Result<Option<Arc<Axis>>> {
        Ok(self.axes.get(axis).cloned())
    }

    fn find_vector(&self, axis: &str, name: &str) -> Result<Option<Vector>> {
        Ok(self.vectors.get(&(axis.into(), name.into())).cloned())
    }

    fn find_matrix(&self, rows: &str, columns: &str, name: &str) -> Result<Option<Matrix>> {
        let key = (rows.into(), columns.into(), name.into());
        let found = self.matrices.get(&key).cloned();
        assert!(
            found.is_none() || self.run.is_none(),
            "{name} is read run by run"
        );
        Ok(found)
    }

    fn find_streamed(
        &self,
        rows: &str,
        columns: &str,
        name: &str,
    ) -> Result<Option<Arc<dyn StreamedMatrix>>> {
        let key = (rows.into(), columns.into(), name.into());
        Ok(match (self.matrices.get(&key), self.run) {
            (Some(matrix), Some(run)) => Some(Arc::new(Cut::new(matrix.clone(), run))),
            _ => None,
        })
    }

    fn has_scalar(&self, name: &str) -> Result<bool> {
        Ok(self.scalars.contains_key(name))
    }

    fn has_axis(&self, axis: &str) -> Result<bool> {
        Ok(self.axes.contains_key(axis))
    }

    fn has_stored_vector(&self, axis: &str, name: &str) -> Result<bool> {
        Ok(self.find_vector(axis, name)?.is_some())
    }

    fn has_stored_matrix(&self, rows: &str, columns: &str, name: &str) -> Result<bool> {
        let key = (rows.into(), columns.into(), name.into());
        Ok(self.matrices.contains_key(&key))
    }

    fn axis_version(&self, _axis: &str) -> u64 {
        self.changes
    }

    fn vector_version(&self, _axis: &str, _name: &str) -> u64 {
        self.changes
    }

    fn matrix_version(&self, _rows: &str, _columns: &str, _name: &str) -> u64 {
        self.changes
    }

    fn stamp(&self, of: &Dependency) -> Result<Stamp> {
        Ok(match of {
            Dependency::Scalars => Stamp::of_names(&self.scalar_names()?),
            Dependency::Axes => Stamp::of_names(&self.axis_names()?),
            Dependency::Vectors(axis) => Stamp::of_names(&self.vector_names(axis)?),
            Dependency::Matrices(rows, columns) => {
                Stamp::of_names(&self.stored_matrix_names(rows, columns)?)
            }
            one => Stamp::of_number(self.stamps.get(one).copied().unwrap_or(0)),
        })
    }
}

/// What a query gives for a store, by one thread.
pub fn evaluated(store: &dyn Reader, query: &str) -> Result<Evaluated> {
    let options = Options {
        threads: Threads::default(),
        custom: &NoCustomOperations,
        watch: &Unwatched,
    };
    Query::parse(query, &NoCustomOperations)?.evaluate(store, &options)
}

/// As [`evaluated`], without what it was made of.
pub fn answer(store: &dyn Reader, query: &str) -> Answer {
    evaluated(store, query)
        .unwrap_or_else(|problem| panic!("{query}\n{problem}"))
        .answer
}

/// Why a query is refused.
pub fn refusal(store: &dyn Reader, query: &str) -> String {
    match evaluated(store, query) {
        Ok(found) => panic!("{query}: {:?}", found.answer),
        Err(problem) => problem.to_string(),
    }
}

/// The answer as text: names with their values as far as they are told.
pub fn shown(store: &dyn Reader, query: &str) -> String {
    match answer(store, query) {
        Answer::Names(names) => names.join(" "),
        Answer::Entries(entries) => entries.texts().iter().collect::<Vec<_>>().join(" "),
        Answer::Scalar(scalar) => scalar_text(&scalar),
        Answer::Vector { entries, values } => {
            let one = |at| {
                format!(
                    "{}={}",
                    entries.name(at),
                    scalar_text(&values.get(at).unwrap())
                )
            };
            let all: Vec<String> = (0..entries.len()).map(one).collect();
            all.join(" ")
        }
        Answer::Matrix {
            rows,
            columns,
            values,
        } => {
            let row = |row| {
                let one = |column| scalar_text(&values.get(row, column).unwrap());
                let all: Vec<String> = (0..columns.len()).map(one).collect();
                format!("{}={}", rows.name(row), all.join(","))
            };
            let names: Vec<&str> = (0..columns.len()).map(|at| columns.name(at)).collect();
            let all: Vec<String> = (0..rows.len()).map(row).collect();
            format!("[{}] {}", names.join(","), all.join(" "))
        }
    }
}

pub fn scalar_text(scalar: &Scalar) -> String {
    match scalar {
        Scalar::Bool(value) => value.to_string(),
        Scalar::Float32(value) => value.to_string(),
        Scalar::Float64(value) => value.to_string(),
        Scalar::String(text) => text.clone(),
        whole => whole.as_integer().unwrap().to_string(),
    }
}

/// A number.
pub fn number(scalar: &Scalar) -> f64 {
    match scalar {
        Scalar::Bool(value) => f64::from(u8::from(*value)),
        Scalar::Float32(value) => f64::from(*value),
        Scalar::Float64(value) => *value,
        whole => whole.as_integer().unwrap() as f64,
    }
}

/// The same matrix, sparse.
pub fn sparse(n_rows: usize, n_columns: usize, values: &[f64]) -> Matrix {
    let mut starts = vec![0];
    let (mut rows, mut kept) = (Vec::new(), Vec::new());
    for column in values.chunks(n_rows.max(1)) {
        for (row, &value) in column.iter().enumerate() {
            if value != 0.0 {
                rows.push(row);
                kept.push(value);
            }
        }
        starts.push(kept.len());
    }
    let size = values.len().max(n_rows);
    let matrix = SparseMatrix::new(
        n_rows,
        n_columns,
        Indices::from_positions(starts, size + 1),
        Indices::from_positions(rows, size + 1),
        kept.into(),
    );
    Matrix::Sparse(matrix.unwrap())
}

/// The folder of data shared by all checkouts: beside the repository, or where
/// `AXTILE_SHARED` says.
pub fn shared() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("AXTILE_SHARED") {
        return Some(PathBuf::from(folder)).filter(|folder| folder.is_dir());
    }
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|folder| folder.join("shared"))
        .find(|folder| folder.join("fixtures").is_dir())
}

/// The dense data of a folder of files, added to `store`.
pub fn read_files(store: &mut Store, folder: &Path) {
    let names = |folder: PathBuf, suffix: &str| -> Vec<String> {
        let Ok(files) = std::fs::read_dir(folder) else {
            return Vec::new();
        };
        let files = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = files
            .filter_map(|file| file.strip_suffix(suffix).map(str::to_owned))
            .collect();
        names.sort();
        names
    };
    let texts = |path: PathBuf| -> Texts {
        Texts::from_lines(std::fs::read(path).unwrap().into()).unwrap()
    };
    let values = |path: PathBuf, kind: &str| -> Values {
        if kind == "String" {
            return texts(path.with_extension("txt")).into();
        }
        let bytes = std::fs::read(path.with_extension("data")).unwrap();
        match kind {
            "Int32" => Values::Int32(Buffer::from_le_bytes(&bytes).unwrap()),
            "Float64" => Values::Float64(Buffer::from_le_bytes(&bytes).unwrap()),
            "Bool" => Values::Bool(bytes.into()),
            other => panic!("{other}"),
        }
    };
    let descriptor = |path: PathBuf| -> serde_json::Value {
        serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
    };
    // Names of properties may hold dots.
    let payload = |folder: &Path, name: &str| folder.join(format!("{name}.json"));
    for name in names(folder.join("scalars"), ".json") {
        let json = descriptor(payload(&folder.join("scalars"), &name));
        store.scalar_is(&name, json["value"].as_str().unwrap());
    }
    let axes = names(folder.join("axes"), ".txt");
    for name in &axes {
        let entries = texts(folder.join("axes").join(format!("{name}.txt")));
        store.axis_is(name, &entries.iter().collect::<Vec<_>>());
    }
    for axis in &axes {
        let folder = folder.join("vectors").join(axis);
        for name in names(folder.clone(), ".json") {
            let json = descriptor(payload(&folder, &name));
            let kind = json["eltype"].as_str().unwrap();
            store.vector_is(axis, &name, values(payload(&folder, &name), kind));
        }
    }
    for (rows, columns) in axes
        .iter()
        .flat_map(|rows| axes.iter().map(move |columns| (rows, columns)))
    {
        let folder = folder.join("matrices").join(rows).join(columns);
        for name in names(folder.clone(), ".json") {
            let json = descriptor(payload(&folder, &name));
            let kind = json["eltype"].as_str().unwrap();
            store.matrix_is(rows, columns, &name, values(payload(&folder, &name), kind));
        }
    }
}
