//! Files and folders: maps, and writes that appear whole or not at
//! all, whatever happens meanwhile.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

mod durable;
mod identity;
mod lock;
mod map;
mod pages;
mod private_map;
mod staged;

pub use durable::{sync_folder, write_file};
pub use identity::FileIdentity;
pub use lock::FileLock;
pub use map::{Map, open_regular};
pub use pages::Pages;
pub use private_map::PrivateMap;
pub use staged::{StageMode, StagedFolder, lock_store, restore_interrupted};
