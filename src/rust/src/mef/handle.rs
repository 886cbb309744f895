//! What R's objects point to. A pointer that was saved, or sent to another
//! process, points to nothing.

use std::ffi::{CStr, c_void};
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};

use axtile_core::{Error, Result};
use extendr_api::prelude::*;
use extendr_ffi::{
    R_ClearExternalPtr, R_ExternalPtrAddr, R_ExternalPtrTag, R_MakeExternalPtr, R_NilValue,
    R_RegisterCFinalizerEx, R_SetExternalPtrAddr, Rboolean, Rf_install, Rf_protect, Rf_unprotect,
    SEXP,
};

use crate::arguments::Arguments;
use crate::r_api::run_r;

/// What can be pointed to. It holds nothing of R's: finalisers drop it.
pub trait Target: Sized {
    /// Tells pointers to it from others.
    const TAG: &'static CStr;
}

/// A pointer that is used: R keeps its target meanwhile.
pub struct Handle<T: Target> {
    _pointer: Robj,
    kept: *const Kept<T>,
}

struct Kept<T> {
    target: T,
    /// A forked process has a copy, of which nothing may be ended: files and
    /// locks are its parent's.
    process: u32,
}

impl<T: Target> Deref for Handle<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the address of a Box that goes only with the pointer, which is
        // protected while `self` lives; nobody has it mutably.
        unsafe { &(*self.kept).target }
    }
}

impl<T: Target> Handle<T> {
    /// What the argument `name` points to; `None` where it was saved or sent to
    /// another process.
    ///
    /// # Errors
    /// `Error::Argument` if it is no such pointer.
    pub fn of(arguments: &Arguments, name: &str) -> Result<Option<Handle<T>>> {
        let pointer = arguments.get(name);
        // SAFETY: the type is looked at first; the tag tells pointers to a T
        // from others.
        let kept = unsafe {
            let is_ours = pointer.rtype() == Rtype::ExternalPtr
                && R_ExternalPtrTag(pointer.get()) == Rf_install(T::TAG.as_ptr());
            if !is_ours {
                return Err(Arguments::wrong(name));
            }
            R_ExternalPtrAddr(pointer.get()).cast::<Kept<T>>()
        };
        Ok((!kept.is_null()).then_some(Handle {
            _pointer: pointer,
            kept,
        }))
    }

    /// Whether it was made in this process, not in the one that it was forked
    /// from.
    pub fn is_own(&self) -> bool {
        // SAFETY: as in `deref`.
        unsafe { (*self.kept).process == std::process::id() }
    }
}

/// A pointer of R's to `target`, which is dropped with it, also when R ends.
///
/// # Errors
/// `Error::Argument` if R has no memory for it.
pub fn point_to<T: Target>(target: T) -> Result<Robj> {
    let kept = Box::into_raw(Box::new(Kept {
        target,
        process: std::process::id(),
    }));
    // SAFETY: R_NilValue is set when R starts.
    let mut request = unsafe {
        Request {
            address: kept.cast(),
            tag: T::TAG,
            finalize: finalize::<T>,
            pointer: R_NilValue,
        }
    };
    // SAFETY: `make` gets its Request and has no object with a destructor.
    let done = unsafe { run_r(make, &mut request) };
    // SAFETY: R_NilValue is set when R starts.
    if !done || unsafe { request.pointer == R_NilValue } {
        // SAFETY: from Box::into_raw above; without a pointer, nobody has it.
        drop(unsafe { Box::from_raw(kept) });
        return Err(Error::argument("internal: R could not make a pointer"));
    }
    // SAFETY: a pointer of R's.
    Ok(unsafe { Robj::from_sexp(request.pointer) })
}

struct Request {
    address: *mut c_void,
    tag: &'static CStr,
    finalize: unsafe extern "C" fn(SEXP),
    pointer: SEXP,
}

unsafe extern "C" fn make(data: *mut c_void) {
    // SAFETY: `data` is a Request; on R's thread, where R's jumps are caught.
    // The address is set when nothing can jump any more.
    unsafe {
        let request = &mut *data.cast::<Request>();
        let tag = Rf_install(request.tag.as_ptr());
        let pointer = Rf_protect(R_MakeExternalPtr(std::ptr::null_mut(), tag, R_NilValue));
        R_RegisterCFinalizerEx(pointer, Some(request.finalize), Rboolean::TRUE);
        R_SetExternalPtrAddr(pointer, request.address);
        request.pointer = pointer;
        Rf_unprotect(1);
    }
}

unsafe extern "C" fn finalize<T: Target>(pointer: SEXP) {
    // SAFETY: a pointer of `make`, to a Box of a Kept<T> or to nothing.
    let kept = unsafe {
        let kept = R_ExternalPtrAddr(pointer).cast::<Kept<T>>();
        R_ClearExternalPtr(pointer);
        if kept.is_null() {
            return;
        }
        Box::from_raw(kept)
    };
    if kept.process == std::process::id() {
        // There is nobody to tell of a failure.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(kept)));
    } else {
        std::mem::forget(kept);
    }
}
