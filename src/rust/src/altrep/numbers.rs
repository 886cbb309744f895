//! Vectors of R's (ALTREP) whose elements lie in a private map of a file, or in
//! memory of the pool for results.
//!
//! R asks for memory that it may write to for nearly every reading, so that it
//! always gets that memory itself: a copy-on-write map, or what is nobody
//! else's. There is no method for what R
//! does well with an ordinary vector: duplicates, subsets and serialised forms
//! are ordinary vectors of the values.
//!
//! R calls the methods: none of them allocates, panics, or lets an object with
//! a destructor live while R may jump.

use std::ffi::{CString, c_char, c_int, c_void};
use std::marker::PhantomData;
use std::sync::OnceLock;

use axtile_core::{Error, Result};
use axtile_store::PrivateMap;
use extendr_api::prelude::*;
use extendr_ffi::{
    DllInfo, R_altrep_class_t, R_make_altinteger_class, R_make_altlogical_class,
    R_make_altreal_class, R_set_altinteger_Elt_method, R_set_altinteger_Get_region_method,
    R_set_altlogical_Elt_method, R_set_altlogical_Get_region_method, R_set_altreal_Elt_method,
    R_set_altreal_Get_region_method, R_set_altrep_Inspect_method, R_set_altrep_Length_method,
    R_set_altvec_Dataptr_method, R_set_altvec_Dataptr_or_null_method, R_xlen_t, Rboolean, Rprintf,
    SEXP,
};

use super::owned::{self, Class};
use crate::pool;

/// R's NA of integers and logical values.
const NA: c_int = c_int::MIN;

/// A type of vector elements, as R keeps it in memory.
pub trait Element: Copy {
    /// R's missing value.
    const MISSING: Self;
}

impl Element for c_int {
    const MISSING: c_int = NA;
}

impl Element for f64 {
    // The number that R takes for NA: a NaN with the payload 1954.
    const MISSING: f64 = f64::from_bits(0x7FF0_0000_0000_07A2);
}

/// What a vector's external pointer points to.
struct Mapped {
    _memory: Memory,
    data: *mut u8,
    n: usize,
    /// What `.Internal(inspect())` shows.
    label: CString,
}

/// What is held while a vector lives.
#[allow(dead_code, reason = "it is only held")]
enum Memory {
    Map(PrivateMap),
    Pool(pool::Memory),
}

static INTEGER: OnceLock<Class> = OnceLock::new();
static REAL: OnceLock<Class> = OnceLock::new();
static LOGICAL: OnceLock<Class> = OnceLock::new();

/// An integer vector of the little-endian numbers in `map`.
pub fn integer_vector(map: PrivateMap) -> Result<Robj> {
    vector::<c_int>(map, &INTEGER)
}

/// A double vector of the little-endian numbers in `map`.
pub fn real_vector(map: PrivateMap) -> Result<Robj> {
    vector::<f64>(map, &REAL)
}

/// A logical vector of the little-endian numbers in `map`.
///
/// # Errors
/// `Error::Corrupt` for a number that R has no logical value for: what R's
/// functions do with one is not defined. All are looked at, therefore.
pub fn logical_vector(map: PrivateMap) -> Result<Robj> {
    let mut numbers = map
        .as_chunks()
        .0
        .iter()
        .map(|&bytes| i32::from_le_bytes(bytes));
    let is_logical = |number| matches!(number, 0 | 1 | NA);
    if let Some(at) = numbers.position(|number| !is_logical(number)) {
        let place = format!("byte {}", map.offset() + 4 * at as u64);
        let problem = "not the number of a logical value: 0, 1, or -2147483648 for NA";
        return Err(Error::corrupt(map.path(), place, problem));
    }
    vector::<c_int>(map, &LOGICAL)
}

/// An integer vector of `n` elements in memory that holds anything; and where
/// the elements are.
pub fn integers_in(memory: pool::Memory, n: usize) -> Result<(Robj, *mut i32)> {
    pooled(memory, n, &INTEGER)
}

/// As [`integers_in`], with doubles.
pub fn doubles_in(memory: pool::Memory, n: usize) -> Result<(Robj, *mut f64)> {
    pooled(memory, n, &REAL)
}

/// The memory is large enough.
fn pooled<T: Element>(
    mut memory: pool::Memory,
    n: usize,
    class: &OnceLock<Class>,
) -> Result<(Robj, *mut T)> {
    let data = memory.as_mut_ptr();
    let label = format!(" axtile memory of {n} elements\n");
    let robj = make_vector(Memory::Pool(memory), data, n, label, class)?;
    Ok((robj, data.cast()))
}

fn vector<T: Element>(mut map: PrivateMap, class: &OnceLock<Class>) -> Result<Robj> {
    if cfg!(target_endian = "big") {
        let problem = "its numbers are little-endian, those of this machine are not";
        return Err(Error::unsupported(map.path(), problem));
    }
    let path = map.path().to_string_lossy().replace('\0', "");
    let data = map.as_mut_ptr();
    assert!(data.cast::<T>().is_aligned());
    let n = map.len() / size_of::<T>();
    let label = format!(
        " axtile map of {n} elements from byte {} of {path}\n",
        map.offset()
    );
    make_vector(Memory::Map(map), data, n, label, class)
}

fn make_vector(
    memory: Memory,
    data: *mut u8,
    n: usize,
    label: String,
    class: &OnceLock<Class>,
) -> Result<Robj> {
    let mapped = Mapped {
        _memory: memory,
        data,
        n,
        label: CString::new(label).unwrap_or_default(),
    };
    owned::make_vector(mapped, class)
}

/// A vector's map, as [`owned::owned`].
///
/// # Safety
/// As there, with the classes of this module.
unsafe fn mapped<'a>(vector: SEXP) -> Option<&'a Mapped> {
    // SAFETY: vectors of these classes own that.
    unsafe { owned::owned(vector) }
}

unsafe extern "C" fn length(vector: SEXP) -> R_xlen_t {
    // SAFETY: R calls this for vectors of these classes.
    unsafe { mapped(vector) }.map_or(0, |mapped| mapped.n as R_xlen_t)
}

unsafe extern "C" fn inspect(
    vector: SEXP,
    _pre: c_int,
    _deep: c_int,
    _pvec: c_int,
    _subtree: Option<unsafe extern "C" fn(SEXP, c_int, c_int, c_int)>,
) -> Rboolean {
    // SAFETY: R calls this for vectors of these classes; the label ends with a
    // zero byte and is no format.
    unsafe {
        if let Some(mapped) = mapped(vector) {
            Rprintf(c"%s".as_ptr(), mapped.label.as_ptr());
        }
    }
    Rboolean::TRUE
}

unsafe extern "C" fn dataptr(vector: SEXP, _writeable: Rboolean) -> *mut c_void {
    // SAFETY: R calls this for vectors of these classes.
    match unsafe { mapped(vector) } {
        Some(mapped) => mapped.data.cast(),
        // Of no elements; R takes NULL for a failure.
        None => std::ptr::dangling_mut::<f64>().cast(),
    }
}

unsafe extern "C" fn dataptr_or_null(vector: SEXP) -> *const c_void {
    // SAFETY: as `dataptr`.
    unsafe { dataptr(vector, Rboolean::FALSE) }
}

/// The methods of vectors of `T`.
struct Methods<T>(PhantomData<T>);

impl<T: Element> Methods<T> {
    unsafe extern "C" fn elt(vector: SEXP, idx: R_xlen_t) -> T {
        // SAFETY: R calls this for vectors of these classes; the element is one
        // of the n.
        unsafe {
            match (mapped(vector), usize::try_from(idx)) {
                (Some(mapped), Ok(idx)) if idx < mapped.n => *mapped.data.cast::<T>().add(idx),
                _ => T::MISSING,
            }
        }
    }

    unsafe extern "C" fn get_region(
        vector: SEXP,
        first: R_xlen_t,
        n: R_xlen_t,
        out: *mut T,
    ) -> R_xlen_t {
        // SAFETY: R calls this for vectors of these classes, with room for n
        // elements at `out`; no more than there are from `first` on are copied.
        unsafe {
            let (Some(mapped), Ok(first), Ok(n)) =
                (mapped(vector), usize::try_from(first), usize::try_from(n))
            else {
                return 0;
            };
            let n = n.min(mapped.n.saturating_sub(first));
            if n > 0 {
                let from = mapped.data.cast::<T>().add(first);
                std::ptr::copy_nonoverlapping(from, out, n);
            }
            n as R_xlen_t
        }
    }
}

/// Makes the classes; called once, when R loads the library.
///
/// # Safety
/// On R's thread, with the library's own `dll`.
pub unsafe fn register(dll: *mut DllInfo) {
    let package: *const c_char = c"axtile".as_ptr();
    // SAFETY: texts end with a zero byte; methods fit the classes.
    unsafe {
        let class = R_make_altinteger_class(c"mapped_integer".as_ptr(), package, dll);
        register_common(class);
        R_set_altinteger_Elt_method(class, Some(Methods::<c_int>::elt));
        R_set_altinteger_Get_region_method(class, Some(Methods::<c_int>::get_region));
        let _ = INTEGER.set(Class(class));

        let class = R_make_altreal_class(c"mapped_double".as_ptr(), package, dll);
        register_common(class);
        R_set_altreal_Elt_method(class, Some(Methods::<f64>::elt));
        R_set_altreal_Get_region_method(class, Some(Methods::<f64>::get_region));
        let _ = REAL.set(Class(class));

        let class = R_make_altlogical_class(c"mapped_logical".as_ptr(), package, dll);
        register_common(class);
        R_set_altlogical_Elt_method(class, Some(Methods::<c_int>::elt));
        R_set_altlogical_Get_region_method(class, Some(Methods::<c_int>::get_region));
        let _ = LOGICAL.set(Class(class));
    }
}

/// # Safety
/// On R's thread.
unsafe fn register_common(class: R_altrep_class_t) {
    // SAFETY: the methods are those of any class of this module.
    unsafe {
        R_set_altrep_Length_method(class, Some(length));
        R_set_altrep_Inspect_method(class, Some(inspect));
        R_set_altvec_Dataptr_method(class, Some(dataptr));
        R_set_altvec_Dataptr_or_null_method(class, Some(dataptr_or_null));
    }
}
