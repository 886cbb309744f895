//! What a view shows, as R hands it over.

use axtile_core::Result;
use axtile_daf::{DataKey, ViewSpec};
use extendr_api::prelude::*;

use crate::arguments::Arguments;

/// The arguments `axes` and `data`: NULL for everything, or a list of items,
/// each a list of the names `key` and the text `query`, which is NULL to hide.
/// None if both are NULL.
pub fn spec(arguments: &Arguments) -> Result<Option<ViewSpec>> {
    if arguments.is_null("axes") && arguments.is_null("data") {
        return Ok(None);
    }
    let axes = items(arguments, "axes", |names| match names {
        [axis] => Some(axis.clone()),
        _ => None,
    })?;
    let data = items(arguments, "data", |names| match names {
        [name] => Some(DataKey::Scalar(name.clone())),
        [axis, name] => Some(DataKey::Vector(axis.clone(), name.clone())),
        [rows, columns, name] => Some(DataKey::Matrix(rows.clone(), columns.clone(), name.clone())),
        _ => None,
    })?;
    Ok(Some(ViewSpec { axes, data }))
}

type Items<K> = Option<Vec<(K, Option<String>)>>;

fn items<K>(
    arguments: &Arguments,
    argument: &str,
    key: impl Fn(&[String]) -> Option<K>,
) -> Result<Items<K>> {
    if arguments.is_null(argument) {
        return Ok(None);
    }
    let list = arguments.get(argument);
    let list = list.as_list().ok_or_else(|| Arguments::wrong(argument))?;
    let mut items = Vec::new();
    for item in list.values() {
        let item = Arguments::new(&item)?;
        let key = key(&item.texts("key")?).ok_or_else(|| Arguments::wrong(argument))?;
        let query = match item.is_null("query") {
            true => None,
            false => Some(item.text("query")?),
        };
        items.push((key, query));
    }
    Ok(Some(items))
}
