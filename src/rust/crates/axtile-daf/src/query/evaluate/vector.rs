//! Vectors: look-ups, chains, comparisons, operations and groups.

use std::sync::Arc;

use axtile_core::Result;

use super::Evaluation;
use super::chain::Final;
use super::entries::Entries;
use super::groups::{reduce_groups, reduce_values};
use super::labels::groups;
use super::values::{dense, of_vector, take};
use crate::model::{ElementType, Values, Vector};
use crate::operations::{NO_SLOT, numbers};
use crate::query::compare::{numbers_that_pass, texts_that_pass};
use crate::query::expression::{
    AsAxis, AxisQuery, Comparison, Labels, Property, Reduce, Slice, VectorQuery,
};
use crate::query::place::Span;
use crate::query::step::ReduceTo;

/// A vector on its way.
#[derive(Clone, Debug)]
pub struct Along {
    /// What the values belong to.
    pub entries: Entries,
    /// The values.
    pub values: Vector,
    /// The vector or matrix that was looked up last: its name may say which
    /// axis the values are entries of.
    pub property: Option<String>,
    /// Which of the entries that the look-up began with are left; all if
    /// none.
    pub kept: Option<Vec<u32>>,
    /// Values that no later look-up changes, by position, as texts.
    pub finals: Vec<Final>,
}

impl Along {
    pub fn new(entries: Entries, values: Values) -> Along {
        Along {
            entries,
            values: of_vector(values),
            property: None,
            kept: None,
            finals: Vec::new(),
        }
    }

    pub fn values(&self) -> Values {
        dense(&self.values)
    }

    pub fn with_values(self, values: Values) -> Along {
        Along {
            values: of_vector(values),
            ..self
        }
    }
}

impl Evaluation<'_> {
    /// The vector that a query gives.
    pub fn vector(&mut self, query: &VectorQuery) -> Result<Along> {
        match query {
            VectorQuery::Entries(axis) => {
                let entries = self.entries(axis)?;
                let values = Values::String(entries.texts());
                let name = entries.axis_name().map(str::to_owned);
                Ok(Along {
                    property: name,
                    ..Along::new(entries, values)
                })
            }
            VectorQuery::Lookup(axis, property) => {
                let entries = self.entries(axis)?;
                self.property(&entries, property)
            }
            VectorQuery::Reduce(matrix, to, reduce) => {
                let matrix = self.matrix(matrix)?;
                self.reduce_lines(matrix, *to == ReduceTo::Column, reduce)
            }
            VectorQuery::Chain(vector, chain) => {
                let vector = self.vector(vector)?;
                self.chain(vector, chain)
            }
            VectorQuery::Eltwise(vector, how, span) => {
                let vector = self.vector(vector)?;
                let vector = self.settled(vector)?;
                let values = self.changed(&vector.values(), how, *span)?;
                Ok(vector.with_values(values))
            }
            VectorQuery::Compare(vector, comparison) => {
                let vector = self.vector(vector)?;
                self.compared(vector, comparison)
            }
            VectorQuery::Group(vector, labels, reduce) => {
                let vector = self.vector(vector)?;
                self.group(vector, labels, reduce)
            }
        }
    }

    /// The entries that are left of an axis.
    pub fn entries(&mut self, query: &AxisQuery) -> Result<Entries> {
        let axis = self.axis(&query.axis)?;
        let all = Entries::all(&query.axis.text, axis);
        let mut passes: Option<Vec<u8>> = None;
        for mask in &query.masks {
            let next = self.mask(&all, mask)?;
            passes = Some(match passes {
                None => next,
                Some(passes) => passes.iter().zip(next).map(|(a, b)| a & b).collect(),
            });
        }
        let Some(passes) = passes else {
            return Ok(all);
        };
        let passing = passes
            .iter()
            .enumerate()
            .filter(|(_, passes)| **passes != 0);
        let picked: Vec<u32> = passing.map(|(at, _)| at as u32).collect();
        Ok(all.pick(&picked))
    }

    /// A vector, or a slice of a matrix, at some entries of its axis.
    pub fn property(&mut self, entries: &Entries, property: &Property) -> Result<Along> {
        let Entries::OfAxis { name, axis, .. } = entries else {
            let problem = format!(
                "the values belong to groups; there is no axis to look up '{}' on",
                property.name.text
            );
            return Err(self.wrong(property.name.span, problem));
        };
        let (name, axis) = (name.clone(), Arc::clone(axis));
        let values = match &property.slice {
            None => self.stored_vector(&name, &axis, property)?,
            Some(slice) => self.slice(&name, &axis, property, slice)?,
        };
        let values = match entries.picked() {
            Some(picked) => of_vector(take(&dense(&values), picked)),
            None => values,
        };
        Ok(Along {
            entries: entries.clone(),
            values,
            property: Some(property.name.text.clone()),
            kept: None,
            finals: Vec::new(),
        })
    }

    fn slice(
        &mut self,
        name: &str,
        axis: &crate::model::Axis,
        property: &Property,
        slice: &Slice,
    ) -> Result<Vector> {
        match slice {
            Slice::Entry(other, entry) => {
                let others = self.axis(other)?;
                let idx = self.index(&other.text, &others, entry)?;
                self.stored_slice(name, axis, &other.text, property, idx)
            }
            Slice::SquareColumn(entry) => {
                let idx = self.index(name, axis, entry)?;
                self.stored_square(name, axis, property, idx, true)
            }
            Slice::SquareRow(entry) => {
                let idx = self.index(name, axis, entry)?;
                self.stored_square(name, axis, property, idx, false)
            }
        }
    }

    /// Which values pass a comparison.
    pub fn compared(&mut self, vector: Along, comparison: &Comparison) -> Result<Along> {
        let vector = self.settled(vector)?;
        let passes = self.passing(&vector.values(), comparison)?;
        Ok(vector.with_values(Values::Bool(passes.into())))
    }

    /// Which values pass a comparison, as bytes of 0 and 1.
    pub fn passing(&self, values: &Values, comparison: &Comparison) -> Result<Vec<u8>> {
        let value = &comparison.value;
        let passes = match (values, numbers(values)) {
            (Values::String(texts), _) => texts_that_pass(texts, comparison.how, &value.text),
            (_, Some(numbers)) => numbers_that_pass(&numbers, comparison.how, &value.text),
            _ => Ok(Vec::new()),
        };
        passes.map_err(|problem| self.wrong(value.span, problem.to_string()))
    }

    /// The labels of groups of entries.
    pub fn labels(&mut self, entries: &Entries, labels: &Labels) -> Result<Along> {
        let mut vector = self.property(entries, &labels.property)?;
        for chain in &labels.chain {
            vector = self.chain(vector, chain)?;
        }
        self.settled(vector)
    }

    /// The group of each of `n` entries that `labels` belong to, and what the
    /// groups are.
    pub fn groups(
        &mut self,
        labels: &Along,
        as_axis: Option<&AsAxis>,
        skips_nan: bool,
        span: Span,
        n: usize,
    ) -> Result<(Vec<u32>, Entries)> {
        let values = labels.values();
        let (of, groups) = match as_axis {
            None => {
                let groups = groups(&values, skips_nan)
                    .map_err(|problem| self.wrong(span, problem.to_string()))?;
                (groups.of, Entries::Labels(groups.labels))
            }
            Some(as_axis) => {
                let Values::String(texts) = &values else {
                    let problem = format!(
                        "the values are {}, not entries of an axis",
                        values.element_type()
                    );
                    return Err(self.wrong(as_axis.span, problem));
                };
                let property = labels.property.as_deref();
                let (name, axis) = self.implied_axis(property, Some(as_axis), as_axis.span)?;
                let mut of = Vec::with_capacity(texts.len());
                let mut last: Option<(&[u8], u32)> = None;
                for text in texts.iter_bytes() {
                    let idx = match last {
                        Some((same, idx)) if same == text => idx,
                        _ => self.entry_index(&name, &axis, text, as_axis.span)?,
                    };
                    last = Some((text, idx));
                    of.push(idx);
                }
                (of, Entries::all(&name, axis))
            }
        };
        let Some(kept) = &labels.kept else {
            return Ok((of, groups));
        };
        let mut all = vec![NO_SLOT; n];
        for (&at, &group) in kept.iter().zip(&of) {
            if let Some(place) = all.get_mut(at as usize) {
                *place = group;
            }
        }
        Ok((all, groups))
    }

    fn group(&mut self, vector: Along, labels: &Labels, reduce: &Reduce) -> Result<Along> {
        let vector = self.settled(vector)?;
        let of = self.labels(&vector.entries, labels)?;
        let (of, groups) = self.groups(
            &of,
            labels.as_axis.as_ref(),
            reduce.if_missing.is_some(),
            labels.property.name.span,
            vector.entries.len(),
        )?;
        let values = vector.values();
        let values = reduce_groups(self, &values, &of, groups.len(), reduce)?;
        let values = self.filled_groups(values, &of, &groups, 1, reduce)?;
        Ok(Along::new(groups, values))
    }

    /// A vector reduced to one value.
    pub fn reduced(&mut self, vector: Along, reduce: &Reduce) -> Result<Values> {
        let vector = self.settled(vector)?;
        let values = vector.values();
        if vector.entries.is_empty() {
            return self.default_of(&values, reduce);
        }
        reduce_values(self, &values, reduce)
    }

    /// What a reduction of nothing of that type gives.
    pub fn default_of(&self, values: &Values, reduce: &Reduce) -> Result<Values> {
        self.default_as(reduce.how.result_type(values.element_type()), reduce)
    }

    /// The default of a reduction as a value of `kind`.
    pub fn default_as(&self, kind: ElementType, reduce: &Reduce) -> Result<Values> {
        let Some(literal) = &reduce.if_missing else {
            let problem = format!(
                "no values to reduce by {}; add '||' and the value to give then",
                reduce.how
            );
            return Err(self.wrong(reduce.span, problem));
        };
        super::values::one_as(literal, kind)
            .map_err(|problem| self.wrong(reduce.span, problem.to_string()))
    }
}
