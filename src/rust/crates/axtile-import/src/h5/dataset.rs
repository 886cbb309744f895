//! Datasets of up to two dimensions, read by ranges of rows.

use std::ops::Range;

use axtile_core::Result;
use hdf5_reader::messages::HdfMessage;
use hdf5_reader::messages::layout::DataLayout;

use super::chunks::{Chunks, Description};
use super::file::{attribute_text, is_true, optional};
use super::filters::{FilterScratch, Pipeline};
use super::{EXPANSION_SLACK, Element, File, MAX_EXPANSION, MAX_EXPANSION_OTHER};

/// An array in an open file. A one-dimensional one has one column, a scalar one
/// row and one column.
pub(crate) struct Dataset {
    file: File,
    place: String,
    inner: hdf5_reader::Dataset,
    element: Element,
    n_rows: u64,
    n_columns: u64,
    rank: usize,
    layout: Layout,
    fill: Vec<u8>,
}

enum Layout {
    /// Never written: all fill values.
    Nothing,
    Inline(Vec<u8>),
    Run {
        address: u64,
    },
    Chunked(Chunks),
}

/// Buffers that are used again from read to read.
#[derive(Default)]
pub(crate) struct Scratch {
    filter: FilterScratch,
    chunk: Vec<u8>,
    band: Vec<u8>,
}

/// Contiguous datasets are handed out in pieces of about this size.
const RUN_BYTES: u64 = 1 << 20;

impl Dataset {
    pub(super) fn open(file: &File, place: String, inner: hdf5_reader::Dataset) -> Result<Dataset> {
        let superblock = file.handle().superblock();
        let header = file
            .handle()
            .get_or_parse_header(inner.address())
            .map_err(|error| file.damaged(&place, error))?;
        let element = Element::of(file, &place, inner.dtype(), superblock.offset_size)?;
        let element = refuse_odd_numbers(&inner, element);
        let width = element.width();
        let shape = inner.shape().to_vec();
        let rank = shape.len();
        let n_rows = match inner.num_elements() {
            Ok(1) if rank == 0 => 1,
            _ => shape.first().copied().unwrap_or(0),
        };
        let n_columns = shape.get(1).copied().unwrap_or(1);
        if rank > 2 {
            return Err(file.unsupported(&place, format!("a dataset of {rank} dimensions")));
        }

        let mut layout = None;
        let mut filters = Vec::new();
        for message in &header.messages {
            match message {
                HdfMessage::DataLayout(message) => layout = Some(&message.layout),
                HdfMessage::FilterPipeline(message) => filters = message.filters.clone(),
                HdfMessage::ExternalFiles(_) => {
                    return Err(file.unsupported(&place, "its data are in another file"));
                }
                _ => {}
            }
        }
        let pipeline =
            Pipeline::new(filters).map_err(|problem| file.unsupported(&place, problem))?;
        let declared = n_rows
            .checked_mul(n_columns)
            .and_then(|n| n.checked_mul(width as u64));
        let factor = if pipeline.max_expansion() > MAX_EXPANSION {
            MAX_EXPANSION_OTHER
        } else {
            MAX_EXPANSION
        };
        let most = file
            .n_bytes()
            .saturating_mul(factor)
            .saturating_add(EXPANSION_SLACK);
        let declared = declared.filter(|&n| n <= most).ok_or_else(|| {
            file.corrupt(
                &place,
                format!(
                    "{n_rows} x {n_columns} elements of {width} bytes in a file of {} bytes",
                    file.n_bytes()
                ),
            )
        })?;

        let layout = match layout {
            Some(DataLayout::Compact { data }) => {
                if data.len() as u64 != declared {
                    return Err(file.corrupt(
                        &place,
                        format!("{} bytes where {declared} were expected", data.len()),
                    ));
                }
                Layout::Inline(data.clone())
            }
            Some(DataLayout::Contiguous { address, .. }) => {
                // An undefined address has all bits set, whatever its width.
                let undefined =
                    u64::MAX >> (64 - 8 * u32::from(superblock.offset_size.clamp(1, 8)));
                if *address == undefined || declared == 0 {
                    Layout::Nothing
                } else {
                    let available = file.handle().storage().len();
                    if address
                        .checked_add(declared)
                        .is_none_or(|end| end > available)
                    {
                        return Err(file.corrupt(&place, "the data lie outside the file"));
                    }
                    Layout::Run { address: *address }
                }
            }
            Some(DataLayout::Chunked {
                address,
                dims,
                chunk_indexing,
                ..
            }) => Layout::Chunked(Chunks::read(
                file,
                &place,
                Description {
                    address: *address,
                    dims,
                    indexing: chunk_indexing.as_ref(),
                    shape: &shape,
                    max_shape: inner.max_dims(),
                    element_size: width,
                    pipeline,
                },
            )?),
            None => return Err(file.corrupt(&place, "no data layout")),
        };
        let fill = inner
            .fill_value()
            .and_then(|fill| fill.value.clone())
            .filter(|value| value.len() == width)
            .unwrap_or_else(|| vec![0; width]);
        Ok(Dataset {
            file: file.clone(),
            place,
            inner,
            element,
            n_rows,
            n_columns,
            rank,
            layout,
            fill,
        })
    }

    /// The file it is in.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Its path inside the file.
    pub(crate) fn place(&self) -> &str {
        &self.place
    }

    /// The type of its elements.
    pub(crate) fn element(&self) -> &Element {
        &self.element
    }

    /// The number of rows: of elements, where it has one dimension.
    pub(crate) fn n_rows(&self) -> u64 {
        self.n_rows
    }

    /// The number of columns, 1 where it has one dimension.
    pub(crate) fn n_columns(&self) -> u64 {
        self.n_columns
    }

    /// The number of dimensions.
    pub(crate) fn rank(&self) -> usize {
        self.rank
    }

    /// The text of attribute `name`, `None` where there is none.
    pub(crate) fn text_attribute(&self, name: &str) -> Result<Option<String>> {
        optional(self.inner.attribute(name))
            .and_then(|found| found.as_ref().map(attribute_text).transpose())
            .map_err(|error| self.file.damaged(&self.place, error))
    }

    /// Whether attribute `name` is there.
    pub(crate) fn has_attribute(&self, name: &str) -> bool {
        self.inner.attribute(name).is_ok()
    }

    /// Whether attribute `name` is there and true.
    pub(crate) fn flag_attribute(&self, name: &str) -> Result<bool> {
        optional(self.inner.attribute(name))
            .map(|found| found.as_ref().is_some_and(is_true))
            .map_err(|error| self.file.damaged(&self.place, error))
    }

    /// Hands the rows `rows` to `each`, from first to last, in pieces: the
    /// number of the piece's first row and the bytes of its rows.
    pub(crate) fn visit(
        &self,
        rows: Range<u64>,
        scratch: &mut Scratch,
        mut each: impl FnMut(u64, &[u8]) -> Result<()>,
    ) -> Result<()> {
        if rows.start > rows.end || rows.end > self.n_rows {
            return Err(self.file.corrupt(
                &self.place,
                format!(
                    "rows {}..{} were asked for, there are {}",
                    rows.start, rows.end, self.n_rows
                ),
            ));
        }
        // Checked at open: rows x row_len fits the file's bounds.
        let row_len = self.n_columns.saturating_mul(self.element.width() as u64);
        if row_len == 0 {
            return Ok(());
        }
        match &self.layout {
            Layout::Nothing => {
                let filled = |_, n: u64| {
                    let fill = self.fill.iter().copied().cycle();
                    Ok(fill.take(n as usize).collect::<Vec<u8>>())
                };
                self.visit_runs(rows, row_len, filled, each)
            }
            Layout::Inline(data) => {
                let (start, end) = (rows.start * row_len, rows.end * row_len);
                let bytes = data.get(start as usize..end as usize).unwrap_or_default();
                each(rows.start, bytes)
            }
            Layout::Run { address } => {
                let storage = self.file.handle().storage();
                self.visit_runs(
                    rows,
                    row_len,
                    |offset, n| {
                        storage
                            .read_range(address.saturating_add(offset), n as usize)
                            .map_err(|error| self.file.damaged(&self.place, error))
                    },
                    each,
                )
            }
            Layout::Chunked(chunks) => self.visit_chunks(chunks, rows, scratch, &mut each),
        }
    }

    fn visit_runs<Bytes: AsRef<[u8]>>(
        &self,
        rows: Range<u64>,
        row_len: u64,
        mut read: impl FnMut(u64, u64) -> Result<Bytes>,
        mut each: impl FnMut(u64, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let step = (RUN_BYTES / row_len).max(1);
        let mut row = rows.start;
        while row < rows.end {
            let n = step.min(rows.end - row);
            let bytes = read(row * row_len, n * row_len)?;
            each(row, bytes.as_ref())?;
            row += n;
        }
        Ok(())
    }

    fn visit_chunks(
        &self,
        chunks: &Chunks,
        rows: Range<u64>,
        scratch: &mut Scratch,
        each: &mut impl FnMut(u64, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let width = self.element.width();
        let (chunk_rows, chunk_columns) = chunks.shape;
        let row_len = self.n_columns as usize * width;
        let chunk_row_len = chunk_columns as usize * width;
        let mut row = rows.start;
        while row < rows.end {
            let down = row / chunk_rows;
            let top = down * chunk_rows;
            let end = (top + chunk_rows).min(rows.end);
            let (skip, n) = ((row - top) as usize, (end - row) as usize);
            if chunk_row_len == row_len {
                self.decode(chunks, down, scratch)?;
                let bytes = scratch.chunk.get(skip * row_len..(skip + n) * row_len);
                each(row, bytes.unwrap_or_default())?;
            } else {
                // Several chunks beside each other, or one that is wider than
                // the dataset, make up the rows.
                let mut band = std::mem::take(&mut scratch.band);
                band.clear();
                band.resize(n * row_len, 0);
                for across in 0..chunks.n_across {
                    self.decode(chunks, down * chunks.n_across + across, scratch)?;
                    let left = across as usize * chunk_row_len;
                    let piece = chunk_row_len.min(row_len - left);
                    let from = scratch.chunk.chunks_exact(chunk_row_len).skip(skip);
                    for (to, from) in band.chunks_exact_mut(row_len).zip(from) {
                        if let (Some(to), Some(from)) =
                            (to.get_mut(left..left + piece), from.get(..piece))
                        {
                            to.copy_from_slice(from);
                        }
                    }
                }
                each(row, &band)?;
                scratch.band = band;
            }
            row = end;
        }
        Ok(())
    }

    /// Decodes chunk `number` into `scratch.chunk`.
    fn decode(&self, chunks: &Chunks, number: u64, scratch: &mut Scratch) -> Result<()> {
        let Some(entry) = chunks.get(number) else {
            scratch.chunk.clear();
            scratch
                .chunk
                .extend(self.fill.iter().cycle().take(chunks.n_bytes));
            return Ok(());
        };
        let stored = self
            .file
            .handle()
            .storage()
            .read_range(entry.address, entry.n_stored)
            .map_err(|error| self.file.damaged(&self.place, error))?;
        scratch.chunk.resize(chunks.n_bytes, 0);
        chunks
            .pipeline
            .decode(
                &stored,
                entry.mask,
                self.element.width(),
                &mut scratch.filter,
                &mut scratch.chunk,
            )
            .map_err(|problem| {
                let place = format!("{}, chunk {number} at byte {}", self.place, entry.address);
                self.file.corrupt(&place, problem)
            })
    }
}

/// Numbers whose bits are laid out in an unusual way (bfloat16, integers with
/// padding bits) are not read. The layout is in the datatype's properties:
/// specification, IV.A.2.d, fixed- and floating-point classes.
fn refuse_odd_numbers(inner: &hdf5_reader::Dataset, element: Element) -> Element {
    let usual: &[u8] = match &element {
        // bit offset 0, precision, exponent's place and size, mantissa's
        Element::Real { width: 2, .. } => &[0, 0, 16, 0, 10, 5, 0, 10],
        Element::Real { width: 4, .. } => &[0, 0, 32, 0, 23, 8, 0, 23],
        Element::Real { width: 8, .. } => &[0, 0, 64, 0, 52, 11, 0, 52],
        Element::Integer { width: 1, .. } => &[0, 0, 8, 0],
        Element::Integer { width: 2, .. } => &[0, 0, 16, 0],
        Element::Integer { width: 4, .. } => &[0, 0, 32, 0],
        Element::Integer { width: 8, .. } => &[0, 0, 64, 0],
        _ => return element,
    };
    let properties = inner.raw_datatype().unwrap_or_default();
    if properties.get(8..8 + usual.len()) == Some(usual) {
        return element;
    }
    Element::Other {
        width: element.width(),
        what: format!("{} with an unusual layout of its bits", element.describe()),
    }
}
