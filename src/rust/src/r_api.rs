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

/// A fresh vector of R's and its memory.
pub struct Fresh<T: 'static> {
    /// The vector, protected as long as this lives.
    pub robj: Robj,
    /// Its elements. Not initialised: to be written before they are read.
    pub elements: &'static mut [T],
}

/// A fresh integer vector.
///
/// # Errors
/// `Error::Limit` if R has no memory for it.
pub fn fresh_integers(n: usize) -> Result<Fresh<i32>> {
    let robj = allocate(SEXPTYPE::INTSXP, n, 4)?;
    // SAFETY: `robj` is a new integer vector of n elements, which `Fresh` keeps
    // alive; nobody else has it yet. The elements are plain numbers.
    let elements = unsafe { std::slice::from_raw_parts_mut(INTEGER(robj.get()), n) };
    advise_huge_pages(elements);
    Ok(Fresh { robj, elements })
}

/// A fresh double vector.
///
/// # Errors
/// `Error::Limit` if R has no memory for it.
pub fn fresh_doubles(n: usize) -> Result<Fresh<f64>> {
    let robj = allocate(SEXPTYPE::REALSXP, n, 8)?;
    // SAFETY: as in `fresh_integers`.
    let elements = unsafe { std::slice::from_raw_parts_mut(REAL(robj.get()), n) };
    advise_huge_pages(elements);
    Ok(Fresh { robj, elements })
}

/// Allocates inside R_ToplevelExec: R signals a lack of memory by a jump.
fn allocate(kind: SEXPTYPE, n: usize, width: usize) -> Result<Robj> {
    struct Request {
        kind: SEXPTYPE,
        n: usize,
        vector: SEXP,
    }
    unsafe extern "C" fn run(data: *mut c_void) {
        // SAFETY: `data` is the Request below.
        unsafe {
            let request = &mut *data.cast::<Request>();
            request.vector = Rf_allocVector(request.kind, request.n as _);
        }
    }
    // SAFETY: R_NilValue is set when R starts.
    let nothing = unsafe { R_NilValue };
    let mut request = Request {
        kind,
        n,
        vector: nothing,
    };
    // SAFETY: `run` gets its Request and has no Rust frame with a destructor
    // above R's. The vector is protected at once by from_sexp.
    let done = unsafe { R_ToplevelExec(Some(run), (&raw mut request).cast()) };
    if done == Rboolean::FALSE {
        return Err(Error::Limit {
            path: Default::default(),
            problem: format!("R cannot allocate {} MB", n.saturating_mul(width) >> 20),
        });
    }
    // SAFETY: a vector of R's.
    Ok(unsafe { Robj::from_sexp(request.vector) })
}

/// Asks for 2 MB pages: a fresh vector of R's is mapped page by page when it is
/// first written, which costs more than decoding (`benchmarks/README.md`).
fn advise_huge_pages<T>(elements: &mut [T]) {
    #[cfg(target_os = "linux")]
    {
        use rustix::mm::{Advice, madvise};
        const HUGE: usize = 2 << 20;
        let start = elements.as_mut_ptr() as usize;
        let end = start + size_of_val(elements);
        let (start, end) = (start.next_multiple_of(HUGE), end / HUGE * HUGE);
        if end > start {
            // SAFETY: the range lies inside the vector; the advice changes no
            // content, and a refusal does no harm.
            let _ = unsafe { madvise(start as *mut c_void, end - start, Advice::LinuxHugepage) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = elements;
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
    // SAFETY: on R's thread; the class is defined, since axtile imports Matrix;
    // the object is protected while slots are set.
    unsafe {
        let class = Rf_protect(R_do_MAKE_CLASS(c"dgCMatrix".as_ptr()));
        let object = Rf_protect(R_do_new_object(class));
        for (name, value) in [(c"p", starts), (c"i", rows), (c"x", values), (c"Dim", &dim)] {
            R_do_slot_assign(object, Rf_install(name.as_ptr()), value.get());
        }
        let object = Robj::from_sexp(object);
        Rf_unprotect(2);
        Ok(object)
    }
}
