//! Checking all of a session.

use std::path::Path;

use axtile_core::{Error, Result, Watch};
use rayon::prelude::*;

use crate::session::Session;
use crate::validate::finding::{Finding, Findings, Place, Severity};
use crate::validate::{records, segment};

/// How much to check.
#[derive(Clone, Copy, Debug)]
pub struct ValidateOptions {
    /// Read all blocks: checksums, headers and whether they decode to the
    /// extremes that the index has. Without: headers, indexes and metadata.
    pub blocks: bool,
    /// Threads.
    pub n_threads: usize,
}

impl Default for ValidateOptions {
    fn default() -> Self {
        ValidateOptions {
            blocks: true,
            n_threads: 1,
        }
    }
}

/// Checks the session in a folder or an archive. Damage is what it returns, not
/// an error. `watch` advances by bytes of data.
///
/// # Errors
/// `Error::Argument` where a password is missing or wrong, `Error::Io`,
/// `Error::Interrupted`.
pub fn validate(
    path: &Path,
    password: Option<&str>,
    options: ValidateOptions,
    watch: &dyn Watch,
) -> Result<Vec<Finding>> {
    let session = Session::list_all(path, password)?;
    let findings = Findings::default();
    let mut tasks = Vec::new();
    for channel in session.channels() {
        for one in channel.segments() {
            let place = Place {
                findings: &findings,
                channel: channel.name(),
                segment: Some(one.number()),
            };
            tasks.push((one, place));
        }
        records::check_channel(&session, channel, &findings)?;
        segment::check_order(&session, channel, &findings)?;
    }
    let own = Place {
        findings: &findings,
        channel: "",
        segment: None,
    };
    records::check_session(&session, &own)?;
    for skipped in session.skipped() {
        let path = session.storage().path_of(&skipped.path);
        own.report(path, None, "files.skipped", Severity::Info, &skipped.reason);
    }
    let check = |(one, place): &(&crate::session::Segment, Place<'_>)| {
        watch.check()?;
        segment::check(&session, one, place, options.blocks, watch)
    };
    if options.n_threads <= 1 {
        tasks.iter().try_for_each(check)?;
    } else {
        rayon::ThreadPoolBuilder::new()
            .num_threads(options.n_threads)
            .build()
            .map_err(|error| Error::argument(format!("no threads can be started: {error}")))?
            .install(|| tasks.par_iter().try_for_each(check))?;
    }
    Ok(findings.take())
}
