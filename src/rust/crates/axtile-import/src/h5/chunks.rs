//! Where a chunked dataset's chunks are in the file.

use axtile_core::Result;
use hdf5_reader::messages::layout::ChunkIndexing;
use hdf5_reader::{btree_v1, chunk_index, extensible_array, fixed_array};

use super::filters::Pipeline;
use super::{EXPANSION_SLACK, File, MAX_CHUNK_BYTES};

/// The chunks of a dataset of one or two dimensions; those that were never
/// written are left out.
#[derive(Debug)]
pub(super) struct Chunks {
    /// Rows and columns of a chunk.
    pub(super) shape: (u64, u64),
    /// Chunks beside each other in one row of chunks.
    pub(super) n_across: u64,
    /// Bytes of a decoded chunk.
    pub(super) n_bytes: usize,
    pub(super) pipeline: Pipeline,
    /// By number, row by row.
    entries: Vec<Entry>,
}

/// One chunk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    number: u64,
    pub(super) address: u64,
    pub(super) n_stored: usize,
    pub(super) mask: u32,
}

/// What the object header says of a chunked dataset.
pub(super) struct Description<'a> {
    pub(super) address: u64,
    pub(super) dims: &'a [u32],
    pub(super) indexing: Option<&'a ChunkIndexing>,
    pub(super) shape: &'a [u64],
    pub(super) max_shape: Option<&'a [u64]>,
    pub(super) element_size: usize,
    pub(super) pipeline: Pipeline,
}

impl Chunks {
    /// Reads the chunk index of `place`.
    pub(super) fn read(file: &File, place: &str, about: Description) -> Result<Chunks> {
        // Old layouts append the element's size to the chunk's shape.
        let dims = about.dims.get(..about.shape.len()).unwrap_or_default();
        if dims.len() != about.shape.len() || dims.contains(&0) {
            return Err(file.corrupt(place, "the chunks' shape does not fit the dataset's"));
        }
        let rows = dims.first().map_or(1, |&n| u64::from(n));
        let columns = dims.get(1).map_or(1, |&n| u64::from(n));
        let n_bytes = rows
            .checked_mul(columns)
            .and_then(|n| n.checked_mul(about.element_size as u64))
            .unwrap_or(u64::MAX);
        if n_bytes > MAX_CHUNK_BYTES {
            return Err(file.unsupported(
                place,
                format!(
                    "chunks of {rows} x {columns} elements; at most {MAX_CHUNK_BYTES} bytes a chunk are read"
                ),
            ));
        }
        // A chunk that was never written takes memory too.
        let most = file
            .n_bytes()
            .saturating_mul(about.pipeline.max_expansion())
            .saturating_add(EXPANSION_SLACK);
        if n_bytes > most {
            return Err(file.corrupt(
                place,
                format!(
                    "chunks of {n_bytes} bytes in a file of {} bytes",
                    file.n_bytes()
                ),
            ));
        }
        let n_across = about.shape.get(1).map_or(1, |n| n.div_ceil(columns));
        let n_down = about.shape.first().map_or(1, |n| n.div_ceil(rows));
        let mut chunks = Chunks {
            shape: (rows, columns),
            n_across,
            n_bytes: n_bytes as usize,
            pipeline: about.pipeline,
            entries: Vec::new(),
        };
        let undefined =
            u64::MAX >> (64 - 8 * u32::from(file.handle().superblock().offset_size.clamp(1, 8)));
        if about.address == undefined || about.shape.contains(&0) {
            return Ok(chunks);
        }
        let found = locate(
            file,
            dims,
            about.shape,
            about.max_shape,
            about.element_size,
            about.address,
            about.indexing,
        )
        .map_err(|error| file.damaged(place, error))?;
        let available = file.handle().storage().len();
        for entry in found {
            let row = entry.offsets.first().copied().unwrap_or(0);
            let column = entry.offsets.get(1).copied().unwrap_or(0);
            if row % rows != 0 || column % columns != 0 {
                return Err(
                    file.corrupt(place, format!("a chunk at ({row}, {column}), off the grid"))
                );
            }
            let (down, across) = (row / rows, column / columns);
            // Chunks outside stay behind where a dataset was made smaller.
            if down >= n_down || across >= n_across {
                continue;
            }
            // Indexes of unfiltered chunks do not repeat their size.
            let n_stored = match entry.size {
                0 if chunks.pipeline.is_empty() => n_bytes,
                n => n,
            };
            if entry
                .address
                .checked_add(n_stored)
                .is_none_or(|end| end > available)
            {
                return Err(file.corrupt(
                    place,
                    format!("the chunk at ({row}, {column}) lies outside the file"),
                ));
            }
            let most = n_stored
                .saturating_mul(chunks.pipeline.max_expansion())
                .saturating_add(EXPANSION_SLACK);
            if n_bytes > most {
                return Err(file.corrupt(
                    place,
                    format!("{n_stored} stored bytes for a chunk of {n_bytes}"),
                ));
            }
            chunks.entries.push(Entry {
                number: down.saturating_mul(n_across).saturating_add(across),
                address: entry.address,
                n_stored: n_stored as usize,
                mask: entry.filter_mask,
            });
        }
        chunks.entries.sort_unstable_by_key(|entry| entry.number);
        let twice = chunks
            .entries
            .windows(2)
            .any(|pair| matches!(pair, [a, b] if a.number == b.number));
        if twice {
            return Err(file.corrupt(place, "a chunk that is there twice"));
        }
        Ok(chunks)
    }

    /// The chunk `number`, `None` if it was never written.
    pub(super) fn get(&self, number: u64) -> Option<Entry> {
        let found = self
            .entries
            .binary_search_by_key(&number, |entry| entry.number);
        found.ok().and_then(|at| self.entries.get(at)).copied()
    }
}

fn locate(
    file: &File,
    dims: &[u32],
    shape: &[u64],
    max_shape: Option<&[u64]>,
    element_size: usize,
    address: u64,
    indexing: Option<&ChunkIndexing>,
) -> hdf5_reader::error::Result<Vec<chunk_index::ChunkEntry>> {
    let storage = file.handle().storage();
    let superblock = file.handle().superblock();
    let (offset_size, length_size) = (superblock.offset_size, superblock.length_size);
    let rank = shape.len() as u32;
    match indexing {
        None => {
            let leaves = btree_v1::collect_btree_v1_leaves_storage(
                storage,
                address,
                offset_size,
                length_size,
                Some(rank),
                dims,
                None,
            )?;
            Ok(leaves
                .into_iter()
                .filter_map(|(key, address)| match key {
                    btree_v1::BTreeV1Key::RawData {
                        chunk_size,
                        filter_mask,
                        offsets,
                    } => Some(chunk_index::ChunkEntry {
                        address,
                        size: u64::from(chunk_size),
                        filter_mask,
                        offsets,
                    }),
                    _ => None,
                })
                .collect())
        }
        Some(ChunkIndexing::SingleChunk {
            filtered_size,
            filters,
        }) => Ok(vec![chunk_index::single_chunk_entry(
            address,
            *filtered_size,
            *filters,
            shape.len(),
        )]),
        Some(ChunkIndexing::Implicit) => chunk_index::collect_implicit_chunk_entries(
            address,
            shape,
            dims,
            element_size,
            None,
            storage.len(),
        ),
        Some(ChunkIndexing::FixedArray { .. }) => {
            fixed_array::collect_fixed_array_chunk_entries_storage(
                storage,
                address,
                offset_size,
                length_size,
                shape,
                dims,
                None,
            )
        }
        Some(ChunkIndexing::ExtensibleArray { .. }) => {
            extensible_array::collect_extensible_array_chunk_entries_storage(
                storage,
                address,
                offset_size,
                length_size,
                shape,
                max_shape,
                dims,
                None,
            )
        }
        Some(ChunkIndexing::BTreeV2) => chunk_index::collect_v2_chunk_entries_storage(
            storage,
            address,
            offset_size,
            length_size,
            rank,
            dims,
            None,
        ),
    }
}
