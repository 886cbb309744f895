//! The few entry points of R that extendr does not wrap, each behind a safe
//! function. All are for R's own thread.

use std::ffi::{CStr, c_char, c_void};

use axtile_core::{Error, Result};
use extendr_api::prelude::*;
use extendr_ffi::{
    R_NilValue, R_do_slot_assign, Rboolean, Rf_install, Rf_protect, Rf_unprotect, SEXP,
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
    /// The first byte of R's flag, which is one or four wide depending on R's
    /// version; it is set if any byte is not zero.
    static mut R_interrupts_suspended: u8;
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
/// there was one. The user's interrupt waits meanwhile: as a jump, which R makes
/// after collecting garbage, it would pass for a lack of memory and be lost.
///
/// # Safety
/// `function` takes a pointer to a `T`, and has no Rust frame with a destructor
/// above R's.
pub unsafe fn run_r<T>(function: unsafe extern "C" fn(*mut c_void), data: &mut T) -> bool {
    // SAFETY: as the caller promises; the flag is R's own, on R's thread, and
    // gets the value that it had.
    unsafe {
        let before = R_interrupts_suspended;
        R_interrupts_suspended = 1;
        let done = R_ToplevelExec(Some(function), (&raw mut *data).cast());
        R_interrupts_suspended = before;
        done != Rboolean::FALSE
    }
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
    let names = Robj::from(List::from_values([Robj::from(()), Robj::from(())]));
    sparse_matrix_of(
        c"dgCMatrix",
        [starts, rows, values],
        [n_rows, n_columns],
        &names,
    )
}

/// As [`sparse_matrix`], of the class `class`, whose slots are those of a
/// dgCMatrix, and with names: a list of two.
pub fn sparse_matrix_of(
    class: &CStr,
    [starts, rows, values]: [&Robj; 3],
    [n_rows, n_columns]: [usize; 2],
    names: &Robj,
) -> Result<Robj> {
    let limit = |_| Error::Limit {
        path: Default::default(),
        problem: format!("{n_rows} x {n_columns} is more than a sparse matrix of R's can have"),
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
            class: class.as_ptr(),
            slots: [
                starts.get(),
                rows.get(),
                values.get(),
                dim.get(),
                names.get(),
            ],
            object: R_NilValue,
        }
    };
    // SAFETY: `make_object` gets its Request and has no Rust frame with
    // a destructor above R's; the slots are protected by their Robj.
    let done = unsafe { run_r(make_object, &mut request) };
    if !done {
        return Err(Error::argument(
            "internal: R could not make a sparse matrix; is the Matrix package loaded?",
        ));
    }
    // SAFETY: an object of R's.
    Ok(unsafe { Robj::from_sexp(request.object) })
}

struct Request {
    class: *const c_char,
    slots: [SEXP; 5],
    object: SEXP,
}

/// Makes a matrix of a [`Request`]'s slots. R's class must be defined: `R/`
/// loads Matrix before every call that comes here.
unsafe extern "C" fn make_object(data: *mut c_void) {
    // SAFETY: `data` is a Request; on R's thread, inside R_ToplevelExec, which
    // catches R's jumps; the object is protected while slots are set.
    unsafe {
        let request = &mut *data.cast::<Request>();
        let class = Rf_protect(R_do_MAKE_CLASS(request.class));
        let object = Rf_protect(R_do_new_object(class));
        for (name, value) in [c"p", c"i", c"x", c"Dim", c"Dimnames"]
            .iter()
            .zip(request.slots)
        {
            R_do_slot_assign(object, Rf_install(name.as_ptr()), value);
        }
        request.object = object;
        Rf_unprotect(2);
    }
}
