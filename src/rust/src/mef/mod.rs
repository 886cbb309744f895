//! MEF 3.0 sessions for R: opening, reading, writing, checking and copying.

use extendr_api::prelude::*;

mod columns;
mod copy;
mod handle;
mod infos;
mod record_fields;
mod records;
mod repair;
mod samples;
mod session;
mod source;
mod writer;
mod writing;

extendr_module! {
    mod mef;
    use copy;
    use infos;
    use samples;
    use records;
    use repair;
    use session;
    use writing;
}
