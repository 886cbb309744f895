//! The parts that the plans of vectors, matrices and scalars have in common.

use axtile_core::Result;

use super::expression::{
    AsAxis, AxisQuery, Chain, Comparison, IfNot, Labels, Mask, MaskStep, MaskTerm, Name, Property,
    Reduce, Slice,
};
use super::literal::Literal;
use super::plan::Planner;
use super::step::{Join, Operation, ReduceTo};

impl Planner<'_> {
    pub(super) fn axis(&mut self) -> Result<AxisQuery> {
        let axis = self.name();
        let mut masks = Vec::new();
        while matches!(self.peek(), Some(Operation::BeginMask { .. })) {
            masks.push(self.mask()?);
        }
        Ok(AxisQuery { axis, masks })
    }

    pub(super) fn mask(&mut self) -> Result<Mask> {
        let mut terms = Vec::new();
        loop {
            let (join, negated, property) = match self.peek() {
                Some(Operation::BeginMask { negated, property }) if terms.is_empty() => {
                    (Join::And, *negated, property)
                }
                Some(Operation::Join {
                    how,
                    negated,
                    property,
                }) => (*how, *negated, property),
                Some(Operation::EndMask) => {
                    self.step();
                    return Ok(Mask { terms });
                }
                _ => {
                    return Err(self.unexpected(
                        "a comparison, a look-up ':', another term '&', '|' or '^', or ']'",
                    ));
                }
            };
            let span = self.step().map(|step| step.operand).unwrap_or_default();
            let name = Name {
                text: property.clone(),
                span,
            };
            let slice = self.slice()?;
            let property = Property {
                name,
                slice,
                if_missing: None,
            };
            terms.push(MaskTerm {
                join,
                negated,
                property,
                tail: self.mask_tail()?,
            });
        }
    }

    pub(super) fn mask_tail(&mut self) -> Result<Vec<MaskStep>> {
        let mut tail = Vec::new();
        loop {
            match self.peek() {
                Some(Operation::Compare { .. }) => {
                    tail.push(MaskStep::Compare(self.comparison()));
                }
                Some(Operation::AsAxis(_) | Operation::IfNot(_))
                | Some(Operation::Vector(_) | Operation::Matrix(_)) => {
                    let as_axis = self.as_axis();
                    tail.push(MaskStep::Chain(self.chain(as_axis)?));
                }
                _ => return Ok(tail),
            }
        }
    }

    /// The slice of a matrix that comes next, if one does.
    pub(super) fn slice(&mut self) -> Result<Option<Slice>> {
        match self.peek() {
            Some(Operation::Axis(_)) => {
                let (axis, entry) = self.entry()?;
                Ok(Some(Slice::Entry(axis, entry)))
            }
            Some(Operation::SquareColumn(_)) => Ok(Some(Slice::SquareColumn(self.name()))),
            Some(Operation::SquareRow(_)) => Ok(Some(Slice::SquareRow(self.name()))),
            _ => Ok(None),
        }
    }

    /// `@ axis = entry`
    pub(super) fn entry(&mut self) -> Result<(Name, Name)> {
        if !matches!(self.peek(), Some(Operation::Axis(_))) {
            return Err(self.unexpected("an axis '@' and the entry '=' of it"));
        }
        let axis = self.name();
        match self.peek() {
            Some(Operation::Compare { how, .. }) if how.is_equal() => Ok((axis, self.name())),
            _ => Err(self.unexpected("the entry '=' of the axis")),
        }
    }

    pub(super) fn vector_property(&mut self) -> Property {
        Property {
            name: self.name(),
            slice: None,
            if_missing: self.if_missing(),
        }
    }

    pub(super) fn slice_property(&mut self) -> Result<Property> {
        let mut property = self.vector_property();
        property.slice = self.slice()?;
        match property.slice {
            Some(_) => Ok(property),
            None => Err(self.unexpected(
                "which slice of the matrix: '@' axis '=' entry, or '@|' or '@-' entry",
            )),
        }
    }

    pub(super) fn chain(&mut self, as_axis: Option<AsAxis>) -> Result<Chain> {
        let if_not = match self.peek() {
            Some(Operation::IfNot(value)) => {
                let span = self.here();
                self.step();
                Some(IfNot {
                    value: value.clone(),
                    span,
                })
            }
            _ => None,
        };
        let property = match self.peek() {
            Some(Operation::Vector(_)) => self.vector_property(),
            Some(Operation::Matrix(_)) => self.slice_property()?,
            _ => {
                return Err(self.unexpected("what to look up, a vector ':' or a matrix '::'"));
            }
        };
        Ok(Chain {
            as_axis,
            if_not,
            property,
        })
    }

    pub(super) fn labels(&mut self) -> Result<Labels> {
        let name = self.name();
        let slice = self.slice()?;
        let property = Property {
            name,
            slice,
            if_missing: self.if_missing(),
        };
        let mut chain = Vec::new();
        loop {
            let as_axis = self.as_axis();
            match self.peek() {
                Some(Operation::IfNot(_) | Operation::Vector(_) | Operation::Matrix(_)) => {
                    chain.push(self.chain(as_axis)?);
                }
                _ => {
                    return Ok(Labels {
                        property,
                        chain,
                        as_axis,
                    });
                }
            }
        }
    }

    pub(super) fn as_axis(&mut self) -> Option<AsAxis> {
        let Some(Operation::AsAxis(axis)) = self.peek() else {
            return None;
        };
        let span = self.here();
        self.step();
        Some(AsAxis {
            axis: axis.clone(),
            span,
        })
    }

    pub(super) fn reduce(&mut self, wanted: ReduceTo, why: &str) -> Result<Reduce> {
        match self.peek() {
            Some(Operation::Reduce { to, how }) if *to == wanted => {
                let span = self.here();
                self.step();
                Ok(Reduce {
                    how: how.clone(),
                    if_missing: self.if_missing(),
                    span,
                })
            }
            _ => {
                let sign = match wanted {
                    ReduceTo::Scalar => ">>",
                    ReduceTo::Row => ">-",
                    ReduceTo::Column => ">|",
                };
                Err(self.unexpected(&format!("'{sign}' {why}")))
            }
        }
    }

    pub(super) fn comparison(&mut self) -> Comparison {
        let how = match self.peek() {
            Some(Operation::Compare { how, .. }) => *how,
            _ => Default::default(),
        };
        Comparison {
            how,
            value: self.name(),
        }
    }

    pub(super) fn if_missing(&mut self) -> Option<Literal> {
        let Some(Operation::IfMissing(literal)) = self.peek() else {
            return None;
        };
        self.step();
        Some(literal.clone())
    }

    /// The operand of the step that comes next.
    pub(super) fn name(&mut self) -> Name {
        let Some(step) = self.step() else {
            return Name {
                text: String::new(),
                span: self.here(),
            };
        };
        let text = match &step.operation {
            Operation::Axis(name)
            | Operation::Scalar(name)
            | Operation::Vector(name)
            | Operation::Matrix(name)
            | Operation::Compare { value: name, .. }
            | Operation::SquareColumn(name)
            | Operation::SquareRow(name)
            | Operation::Group(name)
            | Operation::GroupRows(name)
            | Operation::GroupColumns(name)
            | Operation::Count(name) => name.clone(),
            _ => String::new(),
        };
        Name {
            text,
            span: step.operand,
        }
    }
}
