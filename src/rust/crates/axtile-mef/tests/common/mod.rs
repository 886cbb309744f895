//! Fixtures of other programs.

use std::path::{Path, PathBuf};

use serde_json::Value;

const FOLDER: &str = "/work/shared/fixtures/mef3";

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

/// All fixtures; none where they are not installed.
pub fn cases() -> Vec<Case> {
    let folder = std::env::var_os("AXTILE_MEF_FIXTURES").map_or(FOLDER.into(), PathBuf::from);
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

/// Copies a folder; the copy can be written to.
#[allow(dead_code)]
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::write(&target, std::fs::read(entry.path()).unwrap()).unwrap();
        }
    }
}
