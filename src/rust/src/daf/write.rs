//! Changes of stores.

use std::sync::Arc;

use axtile_core::Result;
use axtile_daf::model::{Axis, Texts, Writer, order_of_names};
use axtile_daf::{Orders, reorder_axes};
use extendr_api::prelude::*;

use super::from_r;
use super::handle::Daf;
use crate::arguments::Arguments;
use crate::guard::guard;

/// Nothing, for R.
fn done() -> Result<Robj> {
    Ok(().into())
}

// Adds an axis.
#[extendr]
fn rs_daf_add_axis(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let daf = Daf::of(&arguments)?;
        let entries = from_r::texts(&arguments.get("entries"), "entries")?;
        daf.writer()?.add_axis(&arguments.text("axis")?, entries)?;
        done()
    })
}

// Deletes a scalar, axis, vector or matrix.
#[extendr]
fn rs_daf_delete(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let daf = Daf::of(&arguments)?;
        let (writer, name) = (daf.writer()?, arguments.text("name")?);
        let must_exist = arguments.flag("must_exist")?;
        match arguments.text("what")?.as_str() {
            "scalar" => writer.delete_scalar(&name, must_exist)?,
            "axis" => writer.delete_axis(&name, must_exist)?,
            "vector" => writer.delete_vector(&arguments.text("axis")?, &name, must_exist)?,
            "matrix" => writer.delete_matrix(
                &arguments.text("axis")?,
                &arguments.text("columns")?,
                &name,
                must_exist,
                arguments.flag("relayout")?,
            )?,
            _ => return Err(Arguments::wrong("what")),
        }
        done()
    })
}

// Sets a scalar.
#[extendr]
fn rs_daf_set_scalar(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let daf = Daf::of(&arguments)?;
        let writer = daf.writer()?;
        let value = from_r::scalar(&arguments.get("values"), "value")?;
        let overwrite = arguments.flag("overwrite")?;
        writer.set_scalar(&arguments.text("name")?, &value, overwrite)?;
        done()
    })
}

/// How values come into the order of the entries of an axis, by the names that
/// are the argument `argument`; none if they have no names, or are in order.
fn order(
    arguments: &Arguments,
    argument: &str,
    writer: &dyn Writer,
    axis_name: &str,
    axis: &Arc<Axis>,
) -> Result<Option<Vec<usize>>> {
    if arguments.is_null(argument) {
        return Ok(None);
    }
    let names: Texts = from_r::texts(&arguments.get(argument), argument)?;
    order_of_names(writer.name(), axis_name, axis, &names)
}

// Sets a vector.
#[extendr]
fn rs_daf_set_vector(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let daf = Daf::of(&arguments)?;
        let writer = daf.writer()?.as_ref();
        let (axis, name) = (arguments.text("axis")?, arguments.text("name")?);
        let mut vector = from_r::vector(&arguments, "vec")?;
        let entries = writer.axis(&axis)?;
        if let Some(order) = order(&arguments, "names", writer, &axis, &entries)? {
            vector = vector.reordered(&order);
        }
        writer.set_vector(&axis, &name, &vector, arguments.flag("overwrite")?)?;
        done()
    })
}

// Sets a matrix.
#[extendr]
fn rs_daf_set_matrix(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let daf = Daf::of(&arguments)?;
        let writer = daf.writer()?.as_ref();
        let (rows, columns) = (arguments.text("axis")?, arguments.text("columns")?);
        let mut matrix = from_r::matrix(&arguments, "mat")?;
        let (row_axis, column_axis) = (writer.axis(&rows)?, writer.axis(&columns)?);
        let row_order = order(&arguments, "row_names", writer, &rows, &row_axis)?;
        let column_order = order(&arguments, "column_names", writer, &columns, &column_axis)?;
        if row_order.is_some() || column_order.is_some() {
            matrix = matrix.reordered(row_order.as_deref(), column_order.as_deref());
        }
        writer.set_matrix(
            &rows,
            &columns,
            &arguments.text("name")?,
            &matrix,
            arguments.flag("overwrite")?,
            arguments.flag("relayout")?,
        )?;
        done()
    })
}

// Stores a matrix the other way round as well.
#[extendr]
fn rs_daf_relayout_matrix(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let daf = Daf::of(&arguments)?;
        daf.writer()?.relayout_matrix(
            &arguments.text("axis")?,
            &arguments.text("columns")?,
            &arguments.text("name")?,
            arguments.flag("overwrite")?,
        )?;
        done()
    })
}

// Reorders axes: the argument `orders` holds, by axis, the old position of
// each entry, counted from 1.
#[extendr]
fn rs_daf_reorder_axes(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let dafs = Daf::all_of(&arguments)?;
        let writers = dafs
            .iter()
            .map(|daf| daf.writer().map(AsRef::as_ref))
            .collect::<Result<Vec<&dyn Writer>>>()?;
        let value = arguments.get("orders");
        let list = value.as_list().ok_or_else(|| Arguments::wrong("orders"))?;
        let given = Arguments::new(&value)?;
        let mut orders = Orders::new();
        for (axis, _) in list.iter() {
            let order = given.indices(axis)?.unwrap_or_default();
            let order = order.into_iter().map(|at| at as usize).collect();
            orders.insert(axis.to_owned(), order);
        }
        reorder_axes(&writers, &orders)?;
        done()
    })
}

extendr_module! {
    mod write;
    fn rs_daf_add_axis;
    fn rs_daf_delete;
    fn rs_daf_set_scalar;
    fn rs_daf_set_vector;
    fn rs_daf_set_matrix;
    fn rs_daf_relayout_matrix;
    fn rs_daf_reorder_axes;
}
