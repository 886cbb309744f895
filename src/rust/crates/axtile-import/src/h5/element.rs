//! The types of a dataset's elements, as far as count matrices and their
//! annotations use them.

use axtile_core::Result;
use hdf5_reader::{ByteOrder, Datatype, StringPadding, StringSize, VarLenKind};

use super::File;

/// The byte order of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Little,
    Big,
}

/// The type of one element.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Element {
    /// 1, 2, 4 or 8 bytes.
    Integer {
        width: usize,
        signed: bool,
        order: Order,
    },
    /// 2, 4 or 8 bytes, IEEE 754.
    Real { width: usize, order: Order },
    /// One byte; h5py's enumeration of FALSE = 0 and TRUE = 1.
    Bool,
    /// Text of a fixed number of bytes, padded.
    FixedText { width: usize, spaces: bool },
    /// A reference into the file's global heap.
    HeapText { width: usize },
    /// Named fields at byte offsets.
    Record {
        width: usize,
        fields: Vec<(String, usize, Element)>,
    },
    /// Anything else, with its size and what it is.
    Other { width: usize, what: String },
}

impl Element {
    /// Bytes of one element in a decoded chunk.
    pub(crate) fn width(&self) -> usize {
        match self {
            Element::Bool => 1,
            Element::Integer { width, .. }
            | Element::Real { width, .. }
            | Element::FixedText { width, .. }
            | Element::HeapText { width }
            | Element::Record { width, .. }
            | Element::Other { width, .. } => *width,
        }
    }

    /// Whether the elements can be counts.
    pub(crate) fn is_number(&self) -> bool {
        matches!(
            self,
            Element::Bool | Element::Integer { .. } | Element::Real { .. }
        )
    }

    /// Whether the elements are text.
    pub(crate) fn is_text(&self) -> bool {
        matches!(self, Element::FixedText { .. } | Element::HeapText { .. })
    }

    /// What it is, for messages.
    pub(crate) fn describe(&self) -> String {
        match self {
            Element::Integer { width, signed, .. } => {
                format!("{}int{}", if *signed { "" } else { "u" }, 8 * width)
            }
            Element::Real { width, .. } => format!("float{}", 8 * width),
            Element::Bool => "bool".to_owned(),
            Element::FixedText { .. } | Element::HeapText { .. } => "text".to_owned(),
            Element::Record { .. } => "a compound type".to_owned(),
            Element::Other { what, .. } => what.clone(),
        }
    }

    /// The type `datatype` of `place`. `offset_size` is the width of file
    /// addresses.
    pub(super) fn of(
        file: &File,
        place: &str,
        datatype: &Datatype,
        offset_size: u8,
    ) -> Result<Element> {
        let width_of = |size: u32| -> Result<usize> {
            if size == 0 {
                return Err(file.corrupt(place, "elements of 0 bytes"));
            }
            Ok(size as usize)
        };
        // A heap reference: length, address, number (specification, III.B, "Global
        // Heap ID").
        let reference = 4 + usize::from(offset_size) + 4;
        Ok(match datatype {
            Datatype::FixedPoint {
                size,
                signed,
                byte_order,
            } => {
                let width = width_of(u32::from(*size))?;
                match width {
                    1 | 2 | 4 | 8 => Element::Integer {
                        width,
                        signed: *signed,
                        order: order(*byte_order),
                    },
                    _ => Element::Other {
                        width,
                        what: format!("integers of {width} bytes"),
                    },
                }
            }
            Datatype::FloatingPoint { size, byte_order } => {
                let width = width_of(u32::from(*size))?;
                match width {
                    2 | 4 | 8 => Element::Real {
                        width,
                        order: order(*byte_order),
                    },
                    _ => Element::Other {
                        width,
                        what: format!("floating-point numbers of {width} bytes"),
                    },
                }
            }
            Datatype::Enum { base, members } => {
                let names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
                match Element::of(file, place, base, offset_size)? {
                    Element::Integer { width: 1, .. }
                        if names == ["FALSE", "TRUE"] || names == ["TRUE", "FALSE"] =>
                    {
                        Element::Bool
                    }
                    base => Element::Other {
                        width: base.width(),
                        what: "an enumeration".to_owned(),
                    },
                }
            }
            Datatype::String {
                size: StringSize::Fixed(size),
                padding,
                ..
            } => Element::FixedText {
                width: width_of(*size)?,
                spaces: *padding == StringPadding::SpacePad,
            },
            Datatype::String {
                size: StringSize::Variable,
                ..
            } => Element::HeapText { width: reference },
            Datatype::VarLen {
                kind: VarLenKind::String,
                ..
            } => Element::HeapText { width: reference },
            Datatype::VarLen { .. } => Element::Other {
                width: reference,
                what: "lists of varying length".to_owned(),
            },
            Datatype::Compound { size, fields } => {
                let width = width_of(*size)?;
                let mut known = Vec::with_capacity(fields.len());
                for field in fields {
                    let element = Element::of(file, place, &field.datatype, offset_size)?;
                    let offset = field.byte_offset as usize;
                    if offset
                        .checked_add(element.width())
                        .is_none_or(|end| end > width)
                    {
                        return Err(file.corrupt(
                            place,
                            format!("field '{}' lies outside its record", field.name),
                        ));
                    }
                    known.push((field.name.clone(), offset, element));
                }
                Element::Record {
                    width,
                    fields: known,
                }
            }
            Datatype::Array { base, dims } => {
                let base = Element::of(file, place, base, offset_size)?.width() as u64;
                let width = dims
                    .iter()
                    .try_fold(base, |width, &n| width.checked_mul(n))
                    .filter(|&width| width > 0 && width <= u64::from(u32::MAX))
                    .ok_or_else(|| file.corrupt(place, "an array type of impossible size"))?;
                Element::Other {
                    width: width as usize,
                    what: "arrays as elements".to_owned(),
                }
            }
            Datatype::Opaque { size, .. } => Element::Other {
                width: width_of(*size)?,
                what: "opaque bytes".to_owned(),
            },
            Datatype::Reference { size, .. } => Element::Other {
                width: width_of(u32::from(*size))?,
                what: "references".to_owned(),
            },
            Datatype::Bitfield { size, .. } => Element::Other {
                width: width_of(u32::from(*size))?,
                what: "bit fields".to_owned(),
            },
        })
    }
}

fn order(order: ByteOrder) -> Order {
    match order {
        ByteOrder::LittleEndian => Order::Little,
        ByteOrder::BigEndian => Order::Big,
    }
}
