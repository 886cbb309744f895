//! Fresh vectors of R's, for results.

use std::ffi::c_void;

use axtile_core::{Error, Result};
use extendr_api::prelude::*;
use extendr_ffi::{INTEGER, LOGICAL, R_NilValue, REAL, Rf_allocVector, SEXP, SEXPTYPE};

use crate::altrep;
use crate::pool;
use crate::r_api::run_r;

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
/// `Error::Limit` if there is no memory for it.
pub fn fresh_integers(n: usize) -> Result<Fresh<i32>> {
    if let Some(memory) = pool::take(n.saturating_mul(size_of::<i32>())) {
        let (robj, data) = altrep::integers_in(memory, n)?;
        return Ok(Fresh { robj, data, n });
    }
    let robj = allocate(SEXPTYPE::INTSXP, n, size_of::<i32>())?;
    // SAFETY: `robj` is an integer vector.
    let data = unsafe { INTEGER(robj.get()) };
    Ok(Fresh { robj, data, n })
}

/// A fresh logical vector.
///
/// # Errors
/// `Error::Limit` if there is no memory for it.
pub fn fresh_logicals(n: usize) -> Result<Fresh<i32>> {
    let robj = allocate(SEXPTYPE::LGLSXP, n, size_of::<i32>())?;
    // SAFETY: `robj` is a logical vector.
    let data = unsafe { LOGICAL(robj.get()) };
    Ok(Fresh { robj, data, n })
}

/// A fresh double vector.
///
/// # Errors
/// `Error::Limit` if there is no memory for it.
pub fn fresh_doubles(n: usize) -> Result<Fresh<f64>> {
    if let Some(memory) = pool::take(n.saturating_mul(size_of::<f64>())) {
        let (robj, data) = altrep::doubles_in(memory, n)?;
        return Ok(Fresh { robj, data, n });
    }
    let robj = allocate(SEXPTYPE::REALSXP, n, size_of::<f64>())?;
    // SAFETY: `robj` is a double vector.
    let data = unsafe { REAL(robj.get()) };
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
