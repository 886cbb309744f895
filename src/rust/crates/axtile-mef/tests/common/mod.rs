//! Fixtures of other programs.

mod folders;

use std::path::{Path, PathBuf};

#[allow(unused_imports)]
pub use folders::copy;

use serde_json::Value;

/// A session and what it holds.
pub struct Case {
    pub name: String,
    pub folder: PathBuf,
    pub value: Value,
}

#[allow(dead_code)]
impl Case {
    pub fn session(&self) -> PathBuf {
        self.folder.join("s.mefd")
    }

    pub fn is_damaged(&self) -> bool {
        self.value["damaged"].as_bool().unwrap_or(false)
    }

    pub fn text(&self, field: &str) -> &str {
        self.value[field].as_str().unwrap_or("")
    }

    /// The password of the highest level there is.
    pub fn password(&self) -> Option<&str> {
        [self.text("password2"), self.text("password1")]
            .into_iter()
            .find(|text| !text.is_empty())
    }
}

/// The fixtures that are kept outside the repository: in `$AXTILE_SHARED`, or in
/// `shared` beside it. None where they are not there.
pub fn cases() -> Vec<Case> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../../shared");
    let shared = std::env::var_os("AXTILE_SHARED").map_or_else(beside, PathBuf::from);
    let folder = shared.join("fixtures/mef3");
    let Ok(text) = std::fs::read_to_string(folder.join("manifest.json")) else {
        eprintln!("skipped: no fixtures in {}", folder.display());
        return Vec::new();
    };
    let manifest: Value = serde_json::from_str(&text).unwrap();
    let cases = manifest.as_object().unwrap().iter();
    cases
        .map(|(name, value)| Case {
            name: name.clone(),
            folder: folder.join(name),
            value: value.clone(),
        })
        .collect()
}

fn read_npy(path: &Path, kind: &str) -> Vec<u8> {
    let bytes = std::fs::read(path).unwrap();
    let n = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let header = std::str::from_utf8(&bytes[10..10 + n]).unwrap();
    assert!(header.contains(kind), "{header}");
    bytes[10 + n..].to_vec()
}

#[allow(dead_code)]
pub fn read_npy_f64(path: &Path) -> Vec<f64> {
    let bytes = read_npy(path, "<f8");
    bytes
        .as_chunks()
        .0
        .iter()
        .map(|b| f64::from_le_bytes(*b))
        .collect()
}

#[allow(dead_code)]
pub fn read_npy_i32(path: &Path) -> Vec<i32> {
    let bytes = read_npy(path, "<i4");
    bytes
        .as_chunks()
        .0
        .iter()
        .map(|b| i32::from_le_bytes(*b))
        .collect()
}
