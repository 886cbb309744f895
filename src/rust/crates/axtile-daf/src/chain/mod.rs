//! Several stores as one. What a later store has hides what earlier ones have
//! under the same name; all that is written goes to the last one. The layouts
//! of a matrix belong together: they come from the last store that has either.

mod complete;
mod read;
mod write;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use axtile_core::{Error, Result};

pub use complete::{complete_chain, complete_daf, complete_path, complete_writer};

use crate::model::{Axis, Dependency, Reader, Stamp, Writer};
use crate::read_only;

/// What the axes were, by name, when their entries were last compared.
type Compared = HashMap<String, (Stamp, Arc<Axis>)>;

/// Several stores as one.
pub(crate) struct Chain {
    name: String,
    /// Earlier ones first.
    members: Vec<Arc<dyn Reader>>,
    /// The last member, if the chain can be written.
    last: Option<Arc<dyn Writer>>,
    compared: Mutex<Compared>,
}

/// Several stores as one to read. A store alone is that store, read only.
///
/// # Errors
/// `Error::Argument` if there is no store, or stores have the same axis with
/// different entries.
pub fn chain_reader(members: Vec<Arc<dyn Reader>>, name: Option<&str>) -> Result<Arc<dyn Reader>> {
    if let [member] = members.as_slice() {
        return Ok(read_only(Arc::clone(member), name));
    }
    Ok(Arc::new(Chain::new(members, None, name)?))
}

/// Several stores as one to read, and to write to the last of them. That
/// store alone and without another name is itself.
///
/// # Errors
/// As [`chain_reader`].
pub fn chain_writer(
    mut members: Vec<Arc<dyn Reader>>,
    last: Arc<dyn Writer>,
    name: Option<&str>,
) -> Result<Arc<dyn Writer>> {
    if members.is_empty() && name.is_none() {
        return Ok(last);
    }
    members.push(Arc::clone(&last) as Arc<dyn Reader>);
    Ok(Arc::new(Chain::new(members, Some(last), name)?))
}

impl Chain {
    fn new(
        members: Vec<Arc<dyn Reader>>,
        last: Option<Arc<dyn Writer>>,
        name: Option<&str>,
    ) -> Result<Chain> {
        if members.is_empty() {
            return Err(Error::argument("empty chain"));
        }
        let name = name.map_or_else(
            || {
                let names: Vec<&str> = members.iter().map(|member| member.name()).collect();
                names.join(";")
            },
            str::to_owned,
        );
        let chain = Chain {
            name,
            members,
            last,
            compared: Mutex::default(),
        };
        for axis in chain.axis_names()? {
            chain.common_axis(&axis)?;
        }
        Ok(chain)
    }

    /// The axis, which all members that have it must agree about. Entries are
    /// only compared again once one of the members changed.
    fn common_axis(&self, axis: &str) -> Result<Option<Arc<Axis>>> {
        let stamp = self.stamp_of_all(&Dependency::Axis(axis.to_owned()))?;
        let known = self
            .compared
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(axis)
            .filter(|(known, _)| *known == stamp)
            .map(|(_, entries)| Arc::clone(entries));
        if known.is_some() {
            return Ok(known);
        }
        let mut common: Option<(&str, Arc<Axis>)> = None;
        for member in &self.members {
            let Some(found) = member.find_axis(axis)? else {
                continue;
            };
            match &common {
                Some((name, entries)) if entries.entries() != found.entries() => {
                    return Err(Error::argument(format!(
                        "different entries of the axis: {axis} in the daf data: {name} and the \
                         daf data: {} in the chain: {}",
                        member.name(),
                        self.name
                    )));
                }
                Some(_) => {}
                None => common = Some((member.name(), found)),
            }
        }
        let Some((_, entries)) = common else {
            return Ok(None);
        };
        self.compared
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(axis.to_owned(), (stamp, Arc::clone(&entries)));
        Ok(Some(entries))
    }

    fn stamp_of_all(&self, of: &Dependency) -> Result<Stamp> {
        let stamps = self
            .members
            .iter()
            .map(|member| member.stamp(of))
            .collect::<Result<Vec<Stamp>>>()?;
        if stamps.iter().all(|&stamp| stamp == Stamp::ABSENT) {
            return Ok(Stamp::ABSENT);
        }
        Ok(Stamp::of_all(stamps))
    }

    /// The last member that has the matrix, either way round.
    fn owner(&self, rows: &str, columns: &str, name: &str) -> Result<Option<&dyn Reader>> {
        for member in self.members.iter().rev() {
            if member.has_stored_matrix(rows, columns, name)?
                || member.has_stored_matrix(columns, rows, name)?
            {
                return Ok(Some(member.as_ref()));
            }
        }
        Ok(None)
    }
}
