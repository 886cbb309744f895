//! Errors and panics become values that R raises as classed conditions.
//!
//! extendr would raise them itself, but its message goes through a format
//! string: a `%` in a path can end R. What may be large or run R code is kept
//! from jumping across Rust frames (`r_api`); that R runs out of memory for
//! a small vector is the case that is left.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, Once, PoisonError};

use axtile_core::{Error, Result};
use extendr_api::prelude::*;

/// The class by which R tells an error value from a result (`R/rust.R`).
const ERROR_CLASS: &str = "axtile_rust_error";

/// Where the last panic was, for its error. Without a hook of ours it would be
/// printed to R's standard error.
static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

fn note_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        std::panic::set_hook(Box::new(|info| {
            let place = info.location().map(ToString::to_string);
            let mut last = LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner);
            *last = place.unwrap_or_default();
        }));
    });
}

/// Runs the body of a function that R calls.
pub fn guard(body: impl FnOnce() -> Result<Robj>) -> Robj {
    note_panics();
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(value)) => value,
        Ok(Err(error)) => error_value(&error),
        Err(panic) => panic_value(panic.as_ref()),
    }
}

fn error_value(error: &Error) -> Robj {
    let path = error.path().map(|path| path.to_string_lossy().into_owned());
    value(error.kind().name(), &error.to_string(), path, error.place())
}

fn panic_value(panic: &(dyn Any + Send)) -> Robj {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "panic".to_owned());
    let place = LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner);
    let message = format!("internal error, please report it: {text} ({place})");
    value("internal", &message, None, None)
}

fn value(kind: &str, message: &str, path: Option<String>, place: Option<&str>) -> Robj {
    // R's texts hold no zero byte.
    let text = |text: &str| Robj::from(text.replace('\0', "\\0"));
    let or_null = |value: Option<&str>| value.map_or_else(|| Robj::from(()), text);
    let list = list!(
        kind = kind,
        message = text(message),
        path = or_null(path.as_deref()),
        place = or_null(place)
    );
    let mut value = Robj::from(list);
    // Setting a class on a fresh list does not fail.
    let _ = value.set_class([ERROR_CLASS]);
    value
}
