//! The footer of a parquet file: which columns there are and where their
//! chunks lie (parquet-format, README.md and parquet.thrift).
//!
//! | offset | width | content |
//! |---|---|---|
//! | 0 | 4 | `PAR1` |
//! | 4 | | column chunks |
//! | end-8-n | n | FileMetaData, Thrift compact protocol |
//! | end-8 | 4 | n, little-endian |
//! | end-4 | 4 | `PAR1` |

use super::stored::{Element, Stored};
use super::thrift::{Reader, Wire};
use crate::damage::{Damage, Parsed};

/// The bytes at both ends of a file.
pub(super) const MAGIC: &[u8; 4] = b"PAR1";

/// Most rows of a row group that are read: a bound on what a few hostile bytes
/// can make a reader allocate. A row group is a tile, or all genes.
pub const MAX_GROUP_ROWS: u64 = 1 << 24;

/// A column of a file.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// The name; for a column in a group the path, joined by dots.
    pub name: String,
    /// The type.
    pub stored: Stored,
    /// Whether values can be missing.
    pub(super) is_optional: bool,
}

/// The chunk of a column in a row group.
#[derive(Clone, Debug)]
pub(super) struct Chunk {
    pub(super) codec: i64,
    pub(super) n_values: u64,
    pub(super) start: u64,
    pub(super) len: u64,
}

/// Rows that are stored together.
#[derive(Clone, Debug)]
pub(super) struct RowGroup {
    pub(super) n_rows: u64,
    pub(super) chunks: Vec<Chunk>,
}

/// What the footer says.
#[derive(Clone, Debug, Default)]
pub(super) struct Footer {
    pub(super) leaves: Vec<Leaf>,
    pub(super) row_groups: Vec<RowGroup>,
    pub(super) metadata: Vec<(String, String)>,
}

impl Footer {
    /// Parses the footer of a whole file.
    pub(super) fn parse(file: &[u8]) -> Parsed<Footer> {
        let not_parquet = || Damage::new("expected a parquet file").within("byte 0");
        let rest = file.strip_prefix(MAGIC).ok_or_else(not_parquet)?;
        let (rest, len) = rest
            .strip_suffix(MAGIC)
            .and_then(|rest| rest.split_last_chunk::<4>())
            .ok_or_else(|| Damage::new("expected the end of a parquet file").within("the end"))?;
        let len = u32::from_le_bytes(*len) as usize;
        let start = rest.len().checked_sub(len).ok_or_else(|| {
            Damage::new(format!("the footer is longer than the file: {len} bytes"))
                .within("the end")
        })?;
        let (chunks, footer) = rest.split_at_checked(start).unwrap_or((rest, &[]));
        let chunks_end = (MAGIC.len() + chunks.len()) as u64;
        Footer::parse_metadata(footer)
            .and_then(|footer| footer.check(chunks_end))
            .map_err(|damage| damage.within("the footer"))
    }

    fn parse_metadata(bytes: &[u8]) -> Parsed<Footer> {
        let mut footer = Footer::default();
        let mut elements = Vec::new();
        let mut n_rows = None;
        Reader::new(bytes).fields(|reader, id, wire| {
            match id {
                2 => elements = reader.list(wire, Element::parse)?,
                3 => n_rows = Some(reader.count(wire)?),
                4 => footer.row_groups = reader.list(wire, parse_row_group)?,
                5 => footer.metadata = reader.list(wire, parse_key_value)?,
                8 => return Err(Damage::unsupported("the file is encrypted")),
                _ => reader.skip(wire)?,
            }
            Ok(())
        })?;
        footer.leaves = leaves(&elements)?;
        let found: u64 = footer
            .row_groups
            .iter()
            .fold(0, |sum, group| sum.saturating_add(group.n_rows));
        if n_rows != Some(found) {
            return Err(Damage::new(format!(
                "the row groups hold {found} rows, expected {n_rows:?}"
            )));
        }
        Ok(footer)
    }

    fn check(self, chunks_end: u64) -> Parsed<Footer> {
        for (i, group) in self.row_groups.iter().enumerate() {
            let here = format!("row group {i}");
            if group.chunks.len() != self.leaves.len() {
                let problem = format!(
                    "{} column chunks, expected {}",
                    group.chunks.len(),
                    self.leaves.len()
                );
                return Err(Damage::new(problem).within(here));
            }
            if group.n_rows > MAX_GROUP_ROWS {
                let problem = format!(
                    "{} rows in one row group; at most {MAX_GROUP_ROWS} are read",
                    group.n_rows
                );
                return Err(Damage::unsupported(problem).within(here));
            }
            for (chunk, leaf) in group.chunks.iter().zip(&self.leaves) {
                let end = chunk.start.checked_add(chunk.len);
                let is_behind_magic = chunk.start >= MAGIC.len() as u64 || group.n_rows == 0;
                let is_inside = is_behind_magic && end.is_some_and(|end| end <= chunks_end);
                let is_flat = !matches!(leaf.stored, Stored::Other(_));
                if !is_inside || (is_flat && chunk.n_values != group.n_rows) {
                    let problem = format!(
                        "{} values at bytes {}..{}+{}, expected {} values in bytes 4..{chunks_end}",
                        chunk.n_values, chunk.start, chunk.start, chunk.len, group.n_rows
                    );
                    let column = format!("column '{}'", leaf.name);
                    return Err(Damage::new(problem).within(column).within(here));
                }
            }
        }
        Ok(self)
    }
}

/// The columns among the elements of the schema, which are a tree in depth-first
/// order.
fn leaves(elements: &[Element]) -> Parsed<Vec<Leaf>> {
    let (root, rest) = elements
        .split_first()
        .ok_or_else(|| Damage::new("the schema is empty"))?;
    let mut leaves = Vec::new();
    // Groups around the current element: their names and children left.
    let mut groups: Vec<(&str, u64)> = Vec::new();
    let mut top_left = root.n_children;
    for element in rest {
        while let Some((_, 0)) = groups.last() {
            groups.pop();
        }
        let left = groups.last_mut().map_or(&mut top_left, |(_, left)| left);
        *left = left
            .checked_sub(1)
            .ok_or_else(|| Damage::new("the schema has more columns than it says"))?;
        if element.n_children > 0 {
            if groups.len() > 32 {
                return Err(Damage::new("the schema is nested too deeply"));
            }
            groups.push((&element.name, element.n_children));
            continue;
        }
        let mut name = String::new();
        for (group, _) in &groups {
            name.push_str(group);
            name.push('.');
        }
        name.push_str(&element.name);
        let stored = match (groups.is_empty(), element.repetition) {
            (false, _) => Stored::Other("nested".to_owned()),
            (true, Some(0 | 1)) => element.stored(),
            (true, _) => Stored::Other("repeated".to_owned()),
        };
        leaves.push(Leaf {
            name,
            stored,
            is_optional: element.repetition == Some(1),
        });
    }
    if top_left > 0 || groups.iter().any(|(_, left)| *left > 0) {
        return Err(Damage::new("the schema has fewer columns than it says"));
    }
    Ok(leaves)
}

fn parse_row_group(reader: &mut Reader, wire: Wire) -> Parsed<RowGroup> {
    let mut group = RowGroup {
        n_rows: 0,
        chunks: Vec::new(),
    };
    reader.structure(wire, |reader, id, wire| {
        match id {
            1 => group.chunks = reader.list(wire, parse_chunk)?,
            3 => group.n_rows = reader.count(wire)?,
            _ => reader.skip(wire)?,
        }
        Ok(())
    })?;
    Ok(group)
}

fn parse_chunk(reader: &mut Reader, wire: Wire) -> Parsed<Chunk> {
    let mut chunk = None;
    let mut is_elsewhere = false;
    reader.structure(wire, |reader, id, wire| {
        match id {
            1 => {
                is_elsewhere = true;
                reader.skip(wire)?;
            }
            3 => chunk = Some(parse_chunk_metadata(reader, wire)?),
            _ => reader.skip(wire)?,
        }
        Ok(())
    })?;
    if is_elsewhere {
        return Err(Damage::unsupported("column chunks in another file"));
    }
    chunk.ok_or_else(|| Damage::new("a column chunk without metadata"))
}

fn parse_chunk_metadata(reader: &mut Reader, wire: Wire) -> Parsed<Chunk> {
    let (mut codec, mut n_values, mut len, mut data, mut dictionary) =
        (None, None, None, None, None);
    reader.structure(wire, |reader, id, wire| {
        match id {
            4 => codec = Some(reader.integer(wire)?),
            5 => n_values = Some(reader.count(wire)?),
            7 => len = Some(reader.count(wire)?),
            9 => data = Some(reader.count(wire)?),
            11 => dictionary = Some(reader.count(wire)?),
            _ => reader.skip(wire)?,
        }
        Ok(())
    })?;
    match (codec, n_values, len, data) {
        (Some(codec), Some(n_values), Some(len), Some(data)) => Ok(Chunk {
            codec,
            n_values,
            // Either offset can be 0 where there is no such page.
            start: dictionary
                .filter(|at| *at > 0 && (data == 0 || *at < data))
                .unwrap_or(data),
            len,
        }),
        _ => Err(Damage::new("a column chunk without codec, size or offset")),
    }
}

fn parse_key_value(reader: &mut Reader, wire: Wire) -> Parsed<(String, String)> {
    let mut entry = (String::new(), String::new());
    reader.structure(wire, |reader, id, wire| {
        match id {
            1 => entry.0 = reader.text(wire)?.to_owned(),
            2 => entry.1 = reader.text(wire)?.to_owned(),
            _ => reader.skip(wire)?,
        }
        Ok(())
    })?;
    Ok(entry)
}
