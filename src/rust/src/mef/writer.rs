//! Sessions open for writing, as R's objects point to them.

use std::ffi::CStr;
use std::sync::{Mutex, TryLockError};

use axtile_core::{Error, Result};
use axtile_mef::write::SessionWriter;

use super::handle::{Handle, Target};
use crate::arguments::Arguments;

/// A writer; none once it is closed.
pub struct OpenWriter(Mutex<Option<SessionWriter>>);

impl Target for OpenWriter {
    const TAG: &'static CStr = c"axtile_mef_writer";
}

impl OpenWriter {
    pub fn new(writer: SessionWriter) -> OpenWriter {
        OpenWriter(Mutex::new(Some(writer)))
    }
}

impl Drop for OpenWriter {
    fn drop(&mut self) {
        if let Ok(writer) = self.0.get_mut()
            && let Some(mut writer) = writer.take()
        {
            // There is nobody to tell; `close()` does.
            let _ = writer.flush();
        }
    }
}

fn find(arguments: &Arguments) -> Result<Handle<OpenWriter>> {
    let refused = |problem: &str| {
        Error::argument(format!(
            "this MEF writer {problem}; open the session with mef_writer()"
        ))
    };
    let handle = Handle::<OpenWriter>::of(arguments, "pointer")?
        .ok_or_else(|| refused("was saved or sent to another process, and is not open there"))?;
    if !handle.is_own() {
        return Err(refused(
            "belongs to the process that this one was forked from",
        ));
    }
    Ok(handle)
}

/// Uses the writer of the argument `pointer`.
///
/// # Errors
/// `Error::Argument` if it is closed, in use, or another process's; those of
/// `work`.
pub fn with_writer<T>(
    arguments: &Arguments,
    work: impl FnOnce(&mut SessionWriter) -> Result<T>,
) -> Result<T> {
    let handle = find(arguments)?;
    // R's progress function may call back.
    let mut writer = match handle.0.try_lock() {
        Ok(writer) => writer,
        Err(TryLockError::WouldBlock) => {
            return Err(Error::argument("this MEF writer is writing already"));
        }
        Err(TryLockError::Poisoned(_)) => {
            return Err(Error::argument(
                "this MEF writer met an internal error and is used no more",
            ));
        }
    };
    let writer = writer.as_mut().ok_or_else(|| {
        Error::argument("this MEF writer is closed; open the session with mef_writer()")
    })?;
    work(writer)
}

/// Closes the writer of the argument `pointer`; one that is closed stays so.
///
/// # Errors
/// As [`with_writer`]; if the disk cannot be written, the writer stays open.
pub fn close(arguments: &Arguments) -> Result<()> {
    let handle = find(arguments)?;
    let mut writer = handle
        .0
        .try_lock()
        .map_err(|_| Error::argument("this MEF writer is writing already"))?;
    if let Some(open) = writer.as_mut() {
        open.flush()?;
    }
    *writer = None;
    Ok(())
}

/// Whether the writer of the argument `pointer` can be written to.
pub fn is_open(arguments: &Arguments) -> Result<bool> {
    Ok(match Handle::<OpenWriter>::of(arguments, "pointer")? {
        Some(handle) if handle.is_own() => handle.0.try_lock().is_ok_and(|writer| writer.is_some()),
        _ => false,
    })
}
