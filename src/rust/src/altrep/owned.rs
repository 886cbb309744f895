//! Vectors that own a Rust value: the first of their data is an external pointer
//! to it, whose finaliser drops it.

use std::ffi::c_void;
use std::sync::OnceLock;

use axtile_core::{Error, Result};
use extendr_api::prelude::*;
use extendr_ffi::{
    R_ClearExternalPtr, R_ExternalPtrAddr, R_MakeExternalPtr, R_NilValue, R_RegisterCFinalizerEx,
    R_altrep_class_t, R_altrep_data1, R_new_altrep, Rboolean, Rf_protect, Rf_unprotect, SEXP,
};

use crate::r_api::run_r;

/// A class of vectors, made when R loads the library.
pub struct Class(pub R_altrep_class_t);

// SAFETY: the class lives as long as R, never changes, and is used on R's
// thread only.
unsafe impl Send for Class {}
// SAFETY: as above.
unsafe impl Sync for Class {}

/// A vector of `class` that owns `value`. All vectors of a class own values of
/// the same type.
pub fn make_vector<T>(value: T, class: &OnceLock<Class>) -> Result<Robj> {
    let class = class
        .get()
        .ok_or_else(|| Error::argument("internal: the vector classes are not registered"))?;
    let value = Box::into_raw(Box::new(value));
    // SAFETY: R_NilValue is set when R starts.
    let mut request = unsafe {
        Request {
            value,
            class: class.0,
            owner: R_NilValue,
            vector: R_NilValue,
        }
    };
    // SAFETY: `make` gets its Request and has no object with a destructor.
    let done = unsafe { run_r(make::<T>, &mut request) };
    // SAFETY: R_NilValue is set when R starts.
    if unsafe { request.owner == R_NilValue } {
        // SAFETY: from Box::into_raw above, and nobody else has it.
        drop(unsafe { Box::from_raw(value) });
    }
    if !done {
        return Err(Error::argument("internal: R could not make a vector"));
    }
    // SAFETY: a vector of R's.
    Ok(unsafe { Robj::from_sexp(request.vector) })
}

struct Request<T> {
    value: *mut T,
    class: R_altrep_class_t,
    /// The external pointer, once its finaliser has taken `value` over.
    owner: SEXP,
    vector: SEXP,
}

unsafe extern "C" fn make<T>(data: *mut c_void) {
    // SAFETY: `data` is a Request; on R's thread, where R's jumps are caught.
    unsafe {
        let request = &mut *data.cast::<Request<T>>();
        let owner = R_MakeExternalPtr(request.value.cast(), R_NilValue, R_NilValue);
        let owner = Rf_protect(owner);
        // Not when R ends: finalisers of others may still look at the vector.
        R_RegisterCFinalizerEx(owner, Some(finalize::<T>), Rboolean::FALSE);
        request.owner = owner;
        request.vector = R_new_altrep(request.class, owner, R_NilValue);
        Rf_unprotect(1);
    }
}

unsafe extern "C" fn finalize<T>(owner: SEXP) {
    // SAFETY: an external pointer of `make`, to a Box or, the second time, to
    // nothing.
    unsafe {
        let value = R_ExternalPtrAddr(owner).cast::<T>();
        R_ClearExternalPtr(owner);
        if !value.is_null() {
            drop(Box::from_raw(value));
        }
    }
}

/// What a vector owns; `None` once that is gone: it was given up, or another
/// object's finaliser looks at a vector that went in the same garbage collection.
///
/// # Safety
/// `vector` is of a class whose vectors own a `T`, and stays reachable as long as
/// the result is used.
pub unsafe fn owned<'a, T>(vector: SEXP) -> Option<&'a T> {
    // SAFETY: data1 of these vectors is an external pointer of `make`.
    unsafe {
        R_ExternalPtrAddr(R_altrep_data1(vector))
            .cast::<T>()
            .as_ref()
    }
}

/// Drops what a vector owns.
///
/// # Safety
/// As [`owned`]; nobody looks at the value any more.
pub unsafe fn give_up<T>(vector: SEXP) {
    // SAFETY: as the caller promises.
    unsafe { finalize::<T>(R_altrep_data1(vector)) }
}
