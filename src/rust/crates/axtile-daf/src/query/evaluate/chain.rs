//! Look-ups through the axis whose entries the values are.

use axtile_core::Result;

use super::Evaluation;
use super::entries::Entries;
use super::values::{of_vector, take, with_finals};
use super::vector::Along;
use crate::model::Values;
use crate::operations::NO_SLOT;
use crate::query::expression::Chain;
use crate::query::place::Span;

/// A value that no later look-up changes.
#[derive(Clone, Debug)]
pub struct Final {
    at: u32,
    text: String,
    span: Span,
}

impl Evaluation<'_> {
    /// The values looked up on the axis whose entries they are.
    pub fn chain(&mut self, vector: Along, chain: &Chain) -> Result<Along> {
        let span = chain.property.name.span;
        let values = vector.values();
        let Values::String(texts) = &values else {
            let problem = format!(
                "the values are {}, not entries of an axis; only those can be looked up",
                values.element_type()
            );
            return Err(self.wrong(span, problem));
        };
        let (axis_name, axis) =
            self.implied_axis(vector.property.as_deref(), chain.as_axis.as_ref(), span)?;
        let mut old_finals = vector.finals.into_iter().peekable();
        let mut finals = Vec::new();
        let mut kept = Vec::with_capacity(texts.len());
        let mut indices = Vec::with_capacity(texts.len());
        let mut last: Option<(&[u8], u32)> = None;
        for (at, text) in texts.iter_bytes().enumerate() {
            let old = old_finals.next_if(|one| one.at as usize == at);
            let new_at = kept.len() as u32;
            let idx = match (old, last) {
                (Some(old), _) => {
                    finals.push(Final { at: new_at, ..old });
                    NO_SLOT
                }
                (None, Some((same, idx))) if same == text => idx,
                (None, _) if text.is_empty() => match &chain.if_not {
                    None => {
                        let problem = format!(
                            "the value of '{}' is empty; '??' says what to do then",
                            vector.entries.name(at)
                        );
                        return Err(self.missing(span, problem));
                    }
                    Some(if_not) => {
                        let Some(text) = &if_not.value else {
                            continue;
                        };
                        finals.push(Final {
                            at: new_at,
                            text: text.clone(),
                            span: if_not.span,
                        });
                        NO_SLOT
                    }
                },
                (None, _) => {
                    let idx = self.entry_index(&axis_name, &axis, text, span)?;
                    last = Some((text, idx));
                    idx
                }
            };
            kept.push(at as u32);
            indices.push(idx);
        }
        let all = Entries::all(&axis_name, axis);
        let looked_up = self.property(&all, &chain.property)?;
        let values = take(&looked_up.values(), &indices);
        let (entries, kept) = if kept.len() == texts.len() {
            (vector.entries, vector.kept)
        } else {
            let before = vector.kept;
            let original = kept.iter().map(|&at| match &before {
                Some(before) => before.get(at as usize).copied().unwrap_or(NO_SLOT),
                None => at,
            });
            let original = original.collect();
            (vector.entries.pick(&kept), Some(original))
        };
        Ok(Along {
            entries,
            values: of_vector(values),
            property: looked_up.property,
            kept,
            finals,
        })
    }

    /// The vector with its final values put in.
    pub fn settled(&mut self, vector: Along) -> Result<Along> {
        if vector.finals.is_empty() {
            return Ok(vector);
        }
        let values = vector.values();
        let finals: Vec<(u32, String)> = vector
            .finals
            .iter()
            .map(|one| (one.at, one.text.clone()))
            .collect();
        let values = with_finals(&values, &finals).map_err(|idx| {
            let (text, span) = vector
                .finals
                .get(idx)
                .map_or(("", Span::default()), |one| (&one.text, one.span));
            let kind = values.element_type();
            self.wrong(
                span,
                format!("the value '{text}' is no {kind}, which the others are"),
            )
        })?;
        Ok(Along {
            finals: Vec::new(),
            ..vector.with_values(values)
        })
    }
}
