//! Open stores as R's objects hold them: by a pointer. One that was saved, or
//! sent to another process, points to nothing and is refused.

use std::cell::RefCell;
use std::ffi::c_void;
use std::ops::Deref;
use std::sync::Arc;

use axtile_core::{Error, Result};
use axtile_daf::Cache;
use axtile_daf::model::{Reader, Writer, read_only};
use extendr_api::prelude::*;
use extendr_ffi::{
    MARK_NOT_MUTABLE, R_ClearExternalPtr, R_ExternalPtrAddr, R_ExternalPtrProtected,
    R_ExternalPtrTag, R_MakeExternalPtr, R_NilValue, R_RegisterCFinalizerEx, Rboolean,
    Rf_allocVector, Rf_install, Rf_protect, Rf_unprotect, SET_VECTOR_ELT, SEXP, SEXPTYPE,
    VECTOR_ELT,
};

use super::kept::{Kept, Key, N_PLACES, State};
use crate::arguments::Arguments;
use crate::r_api::run_r;

/// A store that is open.
pub struct Handle {
    /// The store, and results of queries on it.
    pub cache: Cache,
    writer: Option<Arc<dyn Writer>>,
    kept: RefCell<Kept>,
}

/// A handle that R's object keeps while it is used.
pub struct Daf {
    pointer: Robj,
    handle: *const Handle,
}

impl Deref for Daf {
    type Target = Handle;

    fn deref(&self) -> &Handle {
        // SAFETY: the address of a handle that goes only with `pointer`, which
        // is protected while `self` lives; nobody has it mutably.
        unsafe { &*self.handle }
    }
}

impl Handle {
    /// The store.
    pub fn store(&self) -> &Arc<dyn Reader> {
        self.cache.store()
    }

    /// The store to write to.
    ///
    /// # Errors
    /// `Error::Argument` if it can only be read.
    pub fn writer(&self) -> Result<&Arc<dyn Writer>> {
        self.writer
            .as_ref()
            .ok_or_else(|| read_only(self.store().name()))
    }

    /// Whether the store can be written.
    pub fn is_writable(&self) -> bool {
        self.writer.is_some()
    }
}

impl Daf {
    /// The store of the argument `daf`.
    ///
    /// # Errors
    /// `Error::Argument` if it is no store, or one of another session.
    pub fn of(arguments: &Arguments) -> Result<Daf> {
        Daf::of_pointer(arguments.get("daf"))
    }

    /// The stores of the argument `dafs`.
    ///
    /// # Errors
    /// As [`Daf::of`].
    pub fn all_of(arguments: &Arguments) -> Result<Vec<Daf>> {
        let value = arguments.get("dafs");
        let list = value.as_list().ok_or_else(|| Arguments::wrong("dafs"))?;
        list.values().map(Daf::of_pointer).collect()
    }

    fn of_pointer(pointer: Robj) -> Result<Daf> {
        // SAFETY: the type is looked at first; the tag tells pointers of this
        // module from others.
        let handle = unsafe {
            let is_ours = pointer.rtype() == Rtype::ExternalPtr
                && R_ExternalPtrTag(pointer.get()) == Rf_install(c"axtile_daf".as_ptr());
            if !is_ours {
                return Err(Arguments::wrong("daf"));
            }
            R_ExternalPtrAddr(pointer.get()).cast::<Handle>()
        };
        if handle.is_null() {
            return Err(Error::argument(
                "this DAF was saved or sent to another process, and is not open there; open it \
                 again",
            ));
        }
        Ok(Daf { pointer, handle })
    }

    /// The object made of what `key` says, if it is still in that state.
    pub fn kept(&self, key: &Key, state: &State) -> Option<Robj> {
        let at = self.kept.borrow_mut().find(key, state)?;
        // SAFETY: the list of `open` has N_PLACES elements, and a place is one
        // of them.
        Some(unsafe {
            let list = R_ExternalPtrProtected(self.pointer.get());
            Robj::from_sexp(VECTOR_ELT(list, at as _))
        })
    }

    /// Keeps an object. It must not be changed from now on.
    pub fn keep(&self, key: Key, state: State, object: &Robj, n_bytes: usize) {
        // SAFETY: `object` is a vector or an S4 object; setting its count does
        // nothing else.
        unsafe { MARK_NOT_MUTABLE(object.get()) };
        let place = self.kept.borrow_mut().make_place(key, state, n_bytes);
        if let Some((at, gone)) = place {
            self.clear_places(&gone);
            // SAFETY: as in `kept`.
            unsafe {
                let list = R_ExternalPtrProtected(self.pointer.get());
                SET_VECTOR_ELT(list, at as _, object.get());
            }
        }
    }

    /// Forgets the objects that `is_meant` says.
    pub fn forget(&self, is_meant: impl Fn(&Key) -> bool) {
        let gone = self.kept.borrow_mut().clear(is_meant);
        self.clear_places(&gone);
    }

    fn clear_places(&self, places: &[usize]) {
        for &at in places {
            // SAFETY: as in `kept`.
            unsafe {
                let list = R_ExternalPtrProtected(self.pointer.get());
                SET_VECTOR_ELT(list, at as _, R_NilValue);
            }
        }
    }
}

/// A pointer of R's to a store to read.
pub fn reader(store: Arc<dyn Reader>, cache_bytes: usize) -> Result<Robj> {
    open(store, None, cache_bytes)
}

/// A pointer of R's to a store to write.
pub fn writer(store: Arc<dyn Writer>, cache_bytes: usize) -> Result<Robj> {
    open(
        Arc::clone(&store) as Arc<dyn Reader>,
        Some(store),
        cache_bytes,
    )
}

fn open(
    store: Arc<dyn Reader>,
    writer: Option<Arc<dyn Writer>>,
    cache_bytes: usize,
) -> Result<Robj> {
    let handle = Box::into_raw(Box::new(Handle {
        cache: Cache::new(store, cache_bytes),
        writer,
        kept: RefCell::new(Kept::new(cache_bytes)),
    }));
    // SAFETY: R_NilValue is set when R starts.
    let mut request = unsafe {
        Request {
            handle,
            pointer: R_NilValue,
        }
    };
    // SAFETY: `make` gets its Request and has no object with a destructor.
    let done = unsafe { run_r(make, &mut request) };
    // SAFETY: R_NilValue is set when R starts.
    if !done || unsafe { request.pointer == R_NilValue } {
        // SAFETY: from Box::into_raw above; without a pointer, nobody has it.
        drop(unsafe { Box::from_raw(handle) });
        return Err(Error::argument("internal: R could not make a pointer"));
    }
    // SAFETY: a pointer of R's.
    Ok(unsafe { Robj::from_sexp(request.pointer) })
}

struct Request {
    handle: *mut Handle,
    pointer: SEXP,
}

unsafe extern "C" fn make(data: *mut c_void) {
    // SAFETY: `data` is a Request; on R's thread, where R's jumps are caught.
    // Registering the finaliser allocates and is therefore the last that may
    // jump; the address is only set after it.
    unsafe {
        let request = &mut *data.cast::<Request>();
        let list = Rf_protect(Rf_allocVector(SEXPTYPE::VECSXP, N_PLACES as _));
        let tag = Rf_install(c"axtile_daf".as_ptr());
        let pointer = Rf_protect(R_MakeExternalPtr(std::ptr::null_mut(), tag, list));
        R_RegisterCFinalizerEx(pointer, Some(finalize), Rboolean::FALSE);
        extendr_ffi::R_SetExternalPtrAddr(pointer, request.handle.cast());
        request.pointer = pointer;
        Rf_unprotect(2);
    }
}

unsafe extern "C" fn finalize(pointer: SEXP) {
    // SAFETY: a pointer of `make`, to a Box or to nothing.
    unsafe {
        let handle = R_ExternalPtrAddr(pointer).cast::<Handle>();
        R_ClearExternalPtr(pointer);
        if !handle.is_null() {
            drop(Box::from_raw(handle));
        }
    }
}
