//! Opening files, finding groups and datasets, and reading attributes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axtile_core::{Error, Result};
use axtile_store::Map;
use hdf5_reader::error::Error as H5Error;
use hdf5_reader::{Attribute, Datatype, Hdf5File, OpenOptions, group};

use super::{Dataset, MAX_CHUNK_BYTES};

/// Object headers are a few kilobytes; more than this is damage.
const MAX_HEADER_BYTES: usize = 16 << 20;

struct SharedMap(Map);

impl AsRef<[u8]> for SharedMap {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// An open file, shared by its groups and datasets.
#[derive(Clone)]
pub(crate) struct File {
    inner: Hdf5File,
    path: Arc<PathBuf>,
    n_bytes: u64,
}

impl File {
    /// Opens the HDF5 file at `path` without reading any data.
    pub(crate) fn open(path: &Path) -> Result<File> {
        let map = Map::open(path)?;
        let n_bytes = map.len() as u64;
        let options = OpenOptions {
            // Chunks are inflated here, not there.
            chunk_cache_bytes: 0,
            chunk_cache_slots: 1,
            max_chunk_bytes: MAX_CHUNK_BYTES as usize,
            max_read_bytes: MAX_CHUNK_BYTES as usize,
            max_object_header_bytes: MAX_HEADER_BYTES,
            ..OpenOptions::default()
        };
        let inner = Hdf5File::from_owner(SharedMap(map), options)
            .map_err(|error| damaged(path, "/", error))?;
        // Not relative to a user block: it counts the bytes of the whole file.
        let end = inner.superblock().eof_address;
        if end > n_bytes {
            return Err(Error::corrupt(
                path,
                format!("byte {n_bytes}"),
                format!("the file is cut off, it should have {end} bytes"),
            ));
        }
        Ok(File {
            inner,
            path: Arc::new(path.to_owned()),
            n_bytes,
        })
    }

    /// The file's path as it was opened.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The file's size.
    pub(crate) fn n_bytes(&self) -> u64 {
        self.n_bytes
    }

    pub(super) fn handle(&self) -> &Hdf5File {
        &self.inner
    }

    /// The group at the top.
    pub(crate) fn root(&self) -> Result<Group> {
        let inner = self
            .inner
            .root_group()
            .map_err(|error| self.damaged("/", error))?;
        Ok(Group {
            file: self.clone(),
            inner,
            name: String::new(),
        })
    }

    /// Damage of the object `place`, as the parser reports it.
    pub(crate) fn damaged(&self, place: &str, error: H5Error) -> Error {
        damaged(&self.path, place, error)
    }

    /// Damage of the object `place`.
    pub(crate) fn corrupt(&self, place: &str, problem: impl Into<String>) -> Error {
        Error::corrupt(&self.path, place, problem)
    }

    /// Something valid in `place` that is not read.
    pub(crate) fn unsupported(&self, place: &str, problem: impl AsRef<str>) -> Error {
        Error::unsupported(&self.path, format!("{place}: {}", problem.as_ref()))
    }
}

fn damaged(path: &Path, place: &str, error: H5Error) -> Error {
    match error {
        H5Error::Io(source) => Error::Io {
            path: path.to_owned(),
            action: "read",
            source,
        },
        H5Error::Context { source, .. } => damaged(path, place, *source),
        H5Error::UnsupportedFilter(_)
        | H5Error::UnsupportedEncoding(_)
        | H5Error::UnsupportedSuperblockVersion(_)
        | H5Error::UnsupportedLayoutClass(_)
        | H5Error::UnsupportedLayoutVersion(_) => {
            Error::unsupported(path, format!("{place}: {error}"))
        }
        error => Error::corrupt(path, place, error.to_string()),
    }
}

/// A child of a group.
pub(crate) enum Node {
    Group(Group),
    Dataset(Box<Dataset>),
}

/// A group of an open file.
#[derive(Clone)]
pub(crate) struct Group {
    file: File,
    inner: group::Group,
    /// Its path inside the file, "" for the top.
    name: String,
}

impl Group {
    /// Its path inside the file.
    pub(crate) fn name(&self) -> &str {
        if self.name.is_empty() {
            "/"
        } else {
            &self.name
        }
    }

    /// The file it is in.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    fn place(&self, child: &str) -> String {
        format!("{}/{child}", self.name)
    }

    /// The child `name`, `None` where there is none.
    pub(crate) fn child(&self, name: &str) -> Result<Option<Node>> {
        if let Some(group) = self.group(name)? {
            return Ok(Some(Node::Group(group)));
        }
        Ok(self
            .dataset(name)?
            .map(|dataset| Node::Dataset(Box::new(dataset))))
    }

    /// The child group `name`, `None` where there is no such group.
    pub(crate) fn group(&self, name: &str) -> Result<Option<Group>> {
        match self.inner.group(name) {
            Ok(inner) => Ok(Some(Group {
                file: self.file.clone(),
                inner,
                name: self.place(name),
            })),
            Err(H5Error::GroupNotFound(_)) => Ok(None),
            Err(error) => Err(self.file.damaged(&self.place(name), error)),
        }
    }

    /// The child dataset `name`, `None` where there is no such dataset.
    pub(crate) fn dataset(&self, name: &str) -> Result<Option<Dataset>> {
        match self.inner.dataset(name) {
            Ok(inner) => Dataset::open(&self.file, self.place(name), inner).map(Some),
            Err(H5Error::DatasetNotFound(_)) => Ok(None),
            Err(error) => Err(self.file.damaged(&self.place(name), error)),
        }
    }

    /// The child dataset `name`, which the format requires.
    pub(crate) fn required(&self, name: &str) -> Result<Dataset> {
        self.dataset(name)?.ok_or_else(|| {
            self.file
                .corrupt(self.name(), format!("the dataset '{name}' is missing"))
        })
    }

    /// Names of the child groups and of the child datasets.
    pub(crate) fn names(&self) -> Result<(Vec<String>, Vec<String>)> {
        self.inner
            .member_names()
            .map_err(|error| self.file.damaged(self.name(), error))
    }

    fn attribute(&self, name: &str) -> Result<Option<Attribute>> {
        optional(self.inner.attribute(name)).map_err(|error| self.file.damaged(self.name(), error))
    }

    /// The text of attribute `name`, `None` where there is none.
    pub(crate) fn text_attribute(&self, name: &str) -> Result<Option<String>> {
        let Some(attribute) = self.attribute(name)? else {
            return Ok(None);
        };
        attribute_text(&attribute)
            .map(Some)
            .map_err(|error| self.file.damaged(self.name(), error))
    }

    /// The texts of attribute `name`, `None` where there is none.
    pub(crate) fn texts_attribute(&self, name: &str) -> Result<Option<Vec<String>>> {
        let Some(attribute) = self.attribute(name)? else {
            return Ok(None);
        };
        // An empty list may have any type: numpy's default is float64.
        if attribute.num_elements().is_ok_and(|n| n == 0) {
            return Ok(Some(Vec::new()));
        }
        attribute
            .read_strings()
            .map(Some)
            .map_err(|error| self.file.damaged(self.name(), error))
    }

    /// The whole numbers of attribute `name`, `None` where there is none.
    pub(crate) fn integers_attribute(&self, name: &str) -> Result<Option<Vec<u64>>> {
        let Some(attribute) = self.attribute(name)? else {
            return Ok(None);
        };
        attribute_integers(&attribute)
            .map(Some)
            .map_err(|error| self.file.damaged(self.name(), error))
    }

    /// Whether attribute `name` is there and true.
    pub(crate) fn flag_attribute(&self, name: &str) -> Result<bool> {
        Ok(self
            .attribute(name)?
            .is_some_and(|attribute| is_true(&attribute)))
    }

    pub(super) fn resolve(&self, reference: &[u8]) -> Result<Vec<u8>, H5Error> {
        self.inner.resolve_vlen_reference_bytes(reference, 1)
    }
}

pub(super) fn optional(
    attribute: Result<Attribute, H5Error>,
) -> Result<Option<Attribute>, H5Error> {
    match attribute {
        Ok(attribute) => Ok(Some(attribute)),
        Err(H5Error::AttributeNotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

pub(super) fn attribute_text(attribute: &Attribute) -> Result<String, H5Error> {
    attribute.read_string()
}

pub(super) fn is_true(attribute: &Attribute) -> bool {
    // h5py's booleans are an enumeration of one byte.
    attribute.raw_data.iter().any(|&byte| byte != 0)
}

fn attribute_integers(attribute: &Attribute) -> Result<Vec<u64>, H5Error> {
    let negative = || H5Error::InvalidData(format!("attribute '{}' is negative", attribute.name));
    let Datatype::FixedPoint { size, signed, .. } = attribute.datatype else {
        return Err(H5Error::InvalidData(format!(
            "attribute '{}' holds no whole numbers",
            attribute.name
        )));
    };
    macro_rules! read {
        ($type:ty) => {
            attribute
                .read_1d::<$type>()?
                .into_iter()
                .map(|value| u64::try_from(value).map_err(|_| negative()))
                .collect()
        };
    }
    match (size, signed) {
        (1, true) => read!(i8),
        (2, true) => read!(i16),
        (4, true) => read!(i32),
        (8, true) => read!(i64),
        (1, false) => read!(u8),
        (2, false) => read!(u16),
        (4, false) => read!(u32),
        (8, false) => read!(u64),
        _ => Err(H5Error::InvalidData(format!(
            "attribute '{}' has integers of {size} bytes",
            attribute.name
        ))),
    }
}
