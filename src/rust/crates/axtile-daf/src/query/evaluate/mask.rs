//! Masks: which entries of an axis pass.

use axtile_core::Result;

use super::Evaluation;
use super::entries::Entries;
use crate::operations::numbers;
use crate::query::compare::truthy;
use crate::query::expression::{Mask, MaskStep, MaskTerm};
use crate::query::step::Join;

impl Evaluation<'_> {
    /// Which of all entries of an axis pass, as bytes of 0 and 1.
    pub fn mask(&mut self, all: &Entries, mask: &Mask) -> Result<Vec<u8>> {
        let mut passes = vec![1; all.len()];
        for term in &mask.terms {
            let next = self.term(all, term)?;
            for (one, next) in passes.iter_mut().zip(next) {
                *one = match term.join {
                    Join::And => *one & next,
                    Join::Or => *one | next,
                    Join::Xor => *one ^ next,
                };
            }
        }
        Ok(passes)
    }

    fn term(&mut self, all: &Entries, term: &MaskTerm) -> Result<Vec<u8>> {
        let mut vector = self.property(all, &term.property)?;
        for step in &term.tail {
            vector = match step {
                MaskStep::Chain(chain) => self.chain(vector, chain)?,
                MaskStep::Compare(comparison) => self.compared(vector, comparison)?,
            };
        }
        let vector = self.settled(vector)?;
        let values = vector.values();
        let mut truths = truthy(&values, numbers(&values).as_ref())?;
        if term.negated {
            for truth in &mut truths {
                *truth ^= 1;
            }
        }
        // An entry that '??' dropped has no value: it does not pass, negated
        // or not.
        let Some(kept) = &vector.kept else {
            return Ok(truths);
        };
        let mut passes = vec![0; all.len()];
        for (&at, truth) in kept.iter().zip(truths) {
            if let Some(one) = passes.get_mut(at as usize) {
                *one = truth;
            }
        }
        Ok(passes)
    }
}
