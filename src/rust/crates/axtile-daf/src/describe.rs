//! What a store holds, as text.

use axtile_core::Result;

use crate::model::{Indices, Matrix, Reader, Scalar, Values, Vector};

/// The name, type and place of a store and what it holds, one thing a line.
///
/// # Errors
/// Errors of reading the store.
pub fn describe(store: &dyn Reader) -> Result<String> {
    let mut text = format!("name: {}\ntype: {}\n", store.name(), store.kind());
    if let Some(path) = store.path() {
        text += &format!("path: {}\n", path.display());
        let mode = match store.as_writer() {
            Some(_) => "r+",
            None => "r",
        };
        text += &format!("mode: {mode}\n");
    }
    let axes = store.axis_names()?;
    let mut sections = [
        ("scalars", String::new()),
        ("axes", String::new()),
        ("vectors", String::new()),
        ("matrices", String::new()),
    ];
    let [(_, scalars), (_, lengths), (_, vectors), (_, matrices)] = &mut sections;
    for name in store.scalar_names()? {
        *scalars += &format!("  {name}: {}\n", scalar(&store.scalar(&name)?));
    }
    for axis in &axes {
        *lengths += &format!("  {axis}: {} entries\n", store.axis(axis)?.len());
        let names = store.vector_names(axis)?;
        if !names.is_empty() {
            *vectors += &format!("  {axis}:\n");
        }
        for name in names {
            *vectors += &format!("    {name}: {}\n", vector(&store.vector(axis, &name)?));
        }
        for other in &axes {
            let names = store.stored_matrix_names(axis, other)?;
            if !names.is_empty() {
                *matrices += &format!("  {axis},{other}:\n");
            }
            for name in names {
                if let Some(found) = store.find_matrix(axis, other, &name)? {
                    *matrices += &format!("    {name}: {}\n", matrix(&found));
                }
            }
        }
    }
    for (name, lines) in sections {
        if !lines.is_empty() {
            text += &format!("{name}:\n{lines}");
        }
    }
    Ok(text)
}

fn scalar(scalar: &Scalar) -> String {
    match scalar {
        Scalar::String(text) => format!("{text:?}"),
        Scalar::Bool(value) => format!("{value} (Bool)"),
        Scalar::Float32(value) => format!("{value} (Float32)"),
        Scalar::Float64(value) => format!("{value} (Float64)"),
        whole => format!(
            "{} ({})",
            whole.as_integer().unwrap_or_default(),
            whole.element_type()
        ),
    }
}

fn vector(vector: &Vector) -> String {
    let len = vector.len();
    let layout = match vector {
        Vector::Dense(values) => dense(values),
        Vector::Sparse(sparse) => kept(sparse.values(), sparse.indices(), len),
    };
    format!("{len} x {} ({layout})", kind(vector.element_type().name()))
}

fn matrix(matrix: &Matrix) -> String {
    let (n_rows, n_columns) = (matrix.n_rows(), matrix.n_columns());
    let layout = match matrix {
        Matrix::Dense(all) => dense(all.values()),
        Matrix::Sparse(sparse) => {
            let n_all = n_rows.saturating_mul(n_columns);
            kept(sparse.values(), sparse.rowval(), n_all)
        }
    };
    format!(
        "{n_rows} x {n_columns} x {} in Columns ({layout})",
        kind(matrix.element_type().name())
    )
}

fn kind(name: &str) -> &str {
    if name == "String" { "Str" } else { name }
}

fn dense(values: &Values) -> String {
    match values {
        Values::Bool(truths) => {
            let n_true = truths.iter().filter(|&&truth| truth == 1).count();
            format!("Dense; {} true", share(n_true, truths.len()))
        }
        _ => "Dense".into(),
    }
}

fn kept(values: &Values, positions: &Indices, n_all: usize) -> String {
    format!(
        "Sparse {} [{}]",
        share(values.len(), n_all),
        positions.stored_type()
    )
}

/// A part of a whole, and how many percent that is.
fn share(n: usize, n_all: usize) -> String {
    format!("{n} ({:.0}%)", 100.0 * n as f64 / n_all.max(1) as f64)
}
