//! The few entry points of R that extendr does not wrap, each behind a safe
//! function. All are for R's own thread.

use std::ffi::{c_char, c_void};

use axtile_core::{Error, Result};
use extendr_api::prelude::*;
use extendr_ffi::{
    INTEGER, R_NilValue, R_do_slot_assign, REAL, Rboolean, Rf_allocVector, Rf_install, Rf_protect,
    Rf_unprotect, SEXP, SEXPTYPE,
};

// SEXP is a pointer to a struct whose inside nobody here looks at.
#[allow(improper_ctypes)]
unsafe extern "C" {
    fn R_CheckUserInterrupt();
    fn R_ToplevelExec(
        function: Option<unsafe extern "C" fn(*mut c_void)>,
        data: *mut c_void,
    ) -> Rboolean;
    fn R_do_MAKE_CLASS(name: *const c_char) -> SEXP;
    fn R_do_new_object(class: SEXP) -> SEXP;
}

/// Whether the user pressed Ctrl-C since the last call.
pub fn is_interrupt_pending() -> bool {
    unsafe extern "C" fn check(_: *mut c_void) {
        // SAFETY: called by R_ToplevelExec on R's thread.
        unsafe { R_CheckUserInterrupt() }
    }
    // SAFETY: R_ToplevelExec catches the jump that R_CheckUserInterrupt makes,
    // so that it crosses no Rust frame but the empty `check`.
    unsafe { R_ToplevelExec(Some(check), std::ptr::null_mut()) == Rboolean::FALSE }
}

/// Runs `function`, which calls R, so that a jump of R's ends there: `false` if
/// there was one.
///
/// # Safety
/// `function` takes a pointer to a `T`, and has no Rust frame with a destructor
/// above R's.
pub unsafe fn run_r<T>(function: unsafe extern "C" fn(*mut c_void), data: &mut T) -> bool {
    // SAFETY: as the caller promises.
    unsafe { R_ToplevelExec(Some(function), (&raw mut *data).cast()) != Rboolean::FALSE }
}

/// A fresh vector of R's that nobody else has yet.
pub struct Fresh<T> {
    robj: Robj,
    data: *mut T,
    n: usize,
}

impl<T> Fresh<T> {
    /// Its elements: plain numbers, for which every content is valid. They hold
    /// anything until they are written.
    pub fn elements(&mut self) -> &mut [T] {
        if self.n == 0 {
            // R's pointer may be a made-up one then.
            return &mut [];
        }
        // SAFETY: `data` points to the n elements of `robj`, which is protected
        // while `self` lives and was given to nobody; T is i32 or f64.
        unsafe { std::slice::from_raw_parts_mut(self.data, self.n) }
    }

    /// The vector, to be handed to R.
    pub fn robj(&self) -> &Robj {
        &self.robj
    }
}

/// A fresh integer vector.
///
/// # Errors
/// `Error::Limit` if R has no memory for it.
pub fn fresh_integers(n: usize) -> Result<Fresh<i32>> {
    let robj = allocate(SEXPTYPE::INTSXP, n, size_of::<i32>())?;
    // SAFETY: `robj` is an integer vector.
    let data = unsafe { INTEGER(robj.get()) };
    advise_huge_pages(data, n);
    Ok(Fresh { robj, data, n })
}

/// A fresh double vector.
///
/// # Errors
/// `Error::Limit` if R has no memory for it.
pub fn fresh_doubles(n: usize) -> Result<Fresh<f64>> {
    let robj = allocate(SEXPTYPE::REALSXP, n, size_of::<f64>())?;
    // SAFETY: `robj` is a double vector.
    let data = unsafe { REAL(robj.get()) };
    advise_huge_pages(data, n);
    Ok(Fresh { robj, data, n })
}

/// Allocates inside R_ToplevelExec: R signals a lack of memory by a jump.
fn allocate(kind: SEXPTYPE, n: usize, width: usize) -> Result<Robj> {
    struct Vector {
        kind: SEXPTYPE,
        n: usize,
        vector: SEXP,
    }
    unsafe extern "C" fn run(data: *mut c_void) {
        // SAFETY: `data` is the Vector below.
        unsafe {
            let request = &mut *data.cast::<Vector>();
            request.vector = Rf_allocVector(request.kind, request.n as _);
        }
    }
    // SAFETY: R_NilValue is set when R starts.
    let nothing = unsafe { R_NilValue };
    let mut request = Vector {
        kind,
        n,
        vector: nothing,
    };
    // SAFETY: `run` gets its Vector and has no Rust frame with a destructor
    // above R's. The vector is protected at once by from_sexp.
    let done = unsafe { run_r(run, &mut request) };
    if !done {
        return Err(Error::Limit {
            path: Default::default(),
            problem: format!("R cannot allocate {} MB", n.saturating_mul(width) >> 20),
        });
    }
    // SAFETY: a vector of R's.
    Ok(unsafe { Robj::from_sexp(request.vector) })
}

/// Asks for 2 MB pages: a fresh vector of R's is mapped page by page when it is
/// first written, which takes longer than decoding.
fn advise_huge_pages<T>(data: *mut T, n: usize) {
    #[cfg(target_os = "linux")]
    {
        use rustix::mm::{Advice, madvise};
        const HUGE: usize = 2 << 20;
        let start = data as usize;
        let end = start + n * size_of::<T>();
        let (start, end) = (start.next_multiple_of(HUGE), end / HUGE * HUGE);
        if end > start {
            // SAFETY: the range lies inside the vector; the advice changes no
            // content, and a refusal does no harm.
            let _ = unsafe { madvise(start as *mut c_void, end - start, Advice::LinuxHugepage) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (data, n);
}

/// A dgCMatrix of the given slots, without R's check of every element, which
/// takes longer than decoding: `starts` ascends from 0 to the length of `rows`
/// and `values`, and rows ascend in every column.
pub fn sparse_matrix(
    starts: &Robj,
    rows: &Robj,
    values: &Robj,
    n_rows: usize,
    n_columns: usize,
) -> Result<Robj> {
    let limit = |_| Error::Limit {
        path: Default::default(),
        problem: format!("{n_rows} x {n_columns} is more than a dgCMatrix can have"),
    };
    let dim: [i32; 2] = [
        i32::try_from(n_rows).map_err(limit)?,
        i32::try_from(n_columns).map_err(limit)?,
    ];
    let dim = Robj::from(dim.as_slice());
    // SAFETY: the slots are protected by their Robj, which outlive the request;
    // R_NilValue is set when R starts.
    let mut request = unsafe {
        Request {
            slots: [starts.get(), rows.get(), values.get(), dim.get()],
            object: R_NilValue,
        }
    };
    // SAFETY: `make_object` gets its Request and has no Rust frame with
    // a destructor above R's; the slots are protected by their Robj.
    let done = unsafe { run_r(make_object, &mut request) };
    if !done {
        return Err(Error::argument(
            "internal: R could not make a dgCMatrix; is the Matrix package loaded?",
        ));
    }
    // SAFETY: an object of R's.
    Ok(unsafe { Robj::from_sexp(request.object) })
}

struct Request {
    slots: [SEXP; 4],
    object: SEXP,
}

/// Makes a dgCMatrix of a [`Request`]'s slots. R's class must be defined: `R/`
/// loads Matrix before every call that comes here.
unsafe extern "C" fn make_object(data: *mut c_void) {
    // SAFETY: `data` is a Request; on R's thread, inside R_ToplevelExec, which
    // catches R's jumps; the object is protected while slots are set.
    unsafe {
        let request = &mut *data.cast::<Request>();
        let class = Rf_protect(R_do_MAKE_CLASS(c"dgCMatrix".as_ptr()));
        let object = Rf_protect(R_do_new_object(class));
        for (name, value) in [c"p", c"i", c"x", c"Dim"].iter().zip(request.slots) {
            R_do_slot_assign(object, Rf_install(name.as_ptr()), value);
        }
        request.object = object;
        Rf_unprotect(2);
    }
}
