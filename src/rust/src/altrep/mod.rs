//! Vectors of R's (ALTREP) whose elements lie outside R's own memory.

mod numbers;
mod owned;
mod texts;

use extendr_ffi::DllInfo;

pub use numbers::{doubles_in, integer_vector, integers_in, logical_vector, real_vector};
pub use texts::character_vector;

/// Makes the classes; called once, by `R_init_axtile`.
///
/// # Safety
/// On R's thread, with the library's own `dll`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axtile_register_altrep(dll: *mut DllInfo) {
    // SAFETY: as the caller promises.
    unsafe {
        numbers::register(dll);
        texts::register(dll);
    }
}
