//! Character vectors of R's (ALTREP) whose elements lie in an array of texts,
//! and become texts of R's when they are looked at.
//!
//! The first of its data is a pointer to the texts, the second a vector of the
//! elements that were looked at; R's empty text stands for the others. Once all
//! are there, or one is to be changed, the pointer goes and the vector is all.
//!
//! R calls the methods: none of them panics, or lets an object with a
//! destructor live while R may jump.

use std::ffi::{c_char, c_int, c_void};
use std::sync::OnceLock;

use axtile_core::{Error, Result};
use axtile_daf::model::Texts;
use extendr_api::prelude::*;
use extendr_ffi::{
    DllInfo, R_BlankString, R_NaString, R_NilValue, R_altrep_data2, R_make_altstring_class,
    R_set_altrep_Length_method, R_set_altrep_data2, R_set_altstring_Elt_method,
    R_set_altstring_No_NA_method, R_set_altstring_Set_elt_method, R_set_altvec_Dataptr_method,
    R_set_altvec_Dataptr_or_null_method, R_xlen_t, Rboolean, Rf_allocVector, Rf_mkCharLenCE,
    Rf_protect, Rf_unprotect, Rf_xlength, SET_STRING_ELT, SEXP, SEXPTYPE, STRING_ELT,
    STRING_PTR_RO, cetype_t,
};

use super::owned::{self, Class};

static TEXTS: OnceLock<Class> = OnceLock::new();

/// A character vector of the texts.
///
/// # Errors
/// `Error::Argument` if a text holds a zero byte, which no text in R can;
/// `Error::Limit` if one is longer than R's can be.
pub fn character_vector(texts: &Texts) -> Result<Robj> {
    if texts.has_zero_byte() {
        return Err(Error::argument(
            "a text holds a zero byte, which no text in R can",
        ));
    }
    if texts.n_bytes() > i32::MAX as usize
        && texts
            .iter_bytes()
            .any(|text| c_int::try_from(text.len()).is_err())
    {
        return Err(Error::Limit {
            path: Default::default(),
            problem: "a text is longer than those of R can be".into(),
        });
    }
    owned::make_vector(texts.clone(), &TEXTS)
}

/// The texts, while not all of them are texts of R's yet.
///
/// # Safety
/// As [`owned::owned`], with the class of this module.
unsafe fn texts<'a>(vector: SEXP) -> Option<&'a Texts> {
    // SAFETY: vectors of this class own that, until all elements are in data2.
    unsafe { owned::owned(vector) }
}

unsafe extern "C" fn length(vector: SEXP) -> R_xlen_t {
    // SAFETY: R calls this for vectors of this class; data2 is a vector if
    // there are no texts, or nothing at the end of all.
    unsafe {
        match texts(vector) {
            Some(texts) => texts.len() as R_xlen_t,
            None if R_altrep_data2(vector) == R_NilValue => 0,
            None => Rf_xlength(R_altrep_data2(vector)),
        }
    }
}

/// The vector of the elements that were looked at.
///
/// # Safety
/// As `texts`; may jump.
unsafe fn looked_at(vector: SEXP, n: usize) -> SEXP {
    // SAFETY: as the caller promises; the new vector is protected by `vector`.
    unsafe {
        let known = R_altrep_data2(vector);
        if known != R_NilValue {
            return known;
        }
        let new = Rf_protect(Rf_allocVector(SEXPTYPE::STRSXP, n as _));
        R_set_altrep_data2(vector, new);
        Rf_unprotect(1);
        new
    }
}

/// Element `idx`, one of the `known` ones from then on.
///
/// # Safety
/// `idx` is below the length of both; may jump.
unsafe fn look_at(texts: &Texts, known: SEXP, idx: usize) -> SEXP {
    // SAFETY: as the caller promises; the length was checked when the vector
    // was made.
    unsafe {
        let element = STRING_ELT(known, idx as R_xlen_t);
        if element != R_BlankString {
            return element;
        }
        let bytes = texts.bytes(idx);
        if bytes.is_empty() {
            return element;
        }
        let start = bytes.as_ptr().cast::<c_char>();
        let element = Rf_mkCharLenCE(start, bytes.len() as c_int, cetype_t::CE_UTF8);
        SET_STRING_ELT(known, idx as R_xlen_t, element);
        element
    }
}

unsafe extern "C" fn elt(vector: SEXP, idx: R_xlen_t) -> SEXP {
    // SAFETY: R calls this for vectors of this class.
    unsafe {
        let Some(texts) = texts(vector) else {
            let all = R_altrep_data2(vector);
            if all == R_NilValue || idx < 0 || idx >= Rf_xlength(all) {
                return R_NaString;
            }
            return STRING_ELT(all, idx);
        };
        match usize::try_from(idx) {
            Ok(idx) if idx < texts.len() => {
                let known = looked_at(vector, texts.len());
                look_at(texts, known, idx)
            }
            _ => R_NaString,
        }
    }
}

/// The vector of all elements; the texts go.
///
/// # Safety
/// `vector` is of this module's class; may jump.
unsafe fn all(vector: SEXP) -> SEXP {
    // SAFETY: as the caller promises; data2 protects the elements.
    unsafe {
        let Some(texts) = texts(vector) else {
            return R_altrep_data2(vector);
        };
        let n = texts.len();
        let known = looked_at(vector, n);
        for idx in 0..n {
            look_at(texts, known, idx);
        }
        owned::give_up::<Texts>(vector);
        known
    }
}

unsafe extern "C" fn set_elt(vector: SEXP, idx: R_xlen_t, element: SEXP) {
    // SAFETY: R calls this for vectors of this class, with one of their places.
    unsafe {
        let all = all(vector);
        if all != R_NilValue && idx >= 0 && idx < Rf_xlength(all) {
            SET_STRING_ELT(all, idx, element);
        }
    }
}

unsafe extern "C" fn no_na(vector: SEXP) -> c_int {
    // SAFETY: R calls this for vectors of this class. What replaced the texts
    // may have been changed.
    c_int::from(unsafe { texts(vector) }.is_some())
}

unsafe extern "C" fn dataptr(vector: SEXP, _writeable: Rboolean) -> *mut c_void {
    // SAFETY: R calls this for vectors of this class; elements are only written
    // by way of `set_elt`.
    unsafe {
        let all = all(vector);
        if all == R_NilValue {
            return std::ptr::dangling_mut::<SEXP>().cast();
        }
        STRING_PTR_RO(all).cast_mut().cast()
    }
}

unsafe extern "C" fn dataptr_or_null(vector: SEXP) -> *const c_void {
    // SAFETY: R calls this for vectors of this class.
    unsafe {
        let all = R_altrep_data2(vector);
        if texts(vector).is_some() || all == R_NilValue {
            return std::ptr::null();
        }
        STRING_PTR_RO(all).cast()
    }
}

/// Makes the class; called once, when R loads the library.
///
/// # Safety
/// On R's thread, with the library's own `dll`.
pub unsafe fn register(dll: *mut DllInfo) {
    // SAFETY: texts end with a zero byte; methods fit the class.
    unsafe {
        let class = R_make_altstring_class(c"texts".as_ptr(), c"axtile".as_ptr(), dll);
        R_set_altrep_Length_method(class, Some(length));
        R_set_altvec_Dataptr_method(class, Some(dataptr));
        R_set_altvec_Dataptr_or_null_method(class, Some(dataptr_or_null));
        R_set_altstring_Elt_method(class, Some(elt));
        R_set_altstring_Set_elt_method(class, Some(set_elt));
        R_set_altstring_No_NA_method(class, Some(no_na));
        let _ = TEXTS.set(Class(class));
    }
}
