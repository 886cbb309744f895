//! What a renaming that was cut off was about.

use std::fs;
use std::path::{Path, PathBuf};

use axtile_core::{Error, Result};
use axtile_store::write_file;
use serde_json::{Value, json};

const FILE: &str = ".axtile-rename.json";

/// A renaming under way.
pub(super) struct Journal {
    path: PathBuf,
    names: Vec<String>,
}

impl Journal {
    /// Notes the names before anything is changed, with those of a renaming
    /// that was cut off.
    pub(super) fn start(session: &Path, from: &str, to: &str) -> Result<Journal> {
        let path = session.join(FILE);
        let mut names = vec![from.to_owned(), to.to_owned()];
        match fs::read(&path) {
            Ok(bytes) => {
                let earlier: Option<Value> = serde_json::from_slice(&bytes).ok();
                let earlier = earlier.as_ref().and_then(Value::as_array);
                for name in earlier.into_iter().flatten().filter_map(Value::as_str) {
                    // They become names of files.
                    if crate::session::check_name("session", name).is_ok() {
                        names.push(name.to_owned());
                    }
                }
            }
            Err(source) if source.kind() == std::io::ErrorKind::NotFound => {}
            Err(source) => return Err(Error::io("read", &path)(source)),
        }
        names.sort();
        names.dedup();
        write_file(&path, json!(names).to_string().as_bytes())?;
        Ok(Journal { path, names })
    }

    /// All names that files may have.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Everything has the new name.
    pub(super) fn end(self) -> Result<()> {
        fs::remove_file(&self.path).map_err(Error::io("remove", &self.path))
    }
}
