//! What is wrong, where.

use std::path::PathBuf;
use std::sync::Mutex;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Unusual; nobody reads wrong.
    Info,
    /// Some reader may show something wrong.
    Warning,
    /// Samples, records or metadata are damaged or will be read wrong.
    Error,
}

impl Severity {
    /// "info", "warning" or "error".
    pub fn name(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The file.
    pub path: PathBuf,
    /// Name of the channel; empty for the session's own files.
    pub channel: String,
    /// Number of the segment.
    pub segment: Option<u32>,
    /// Number of the block or record in its file, from 0.
    pub entry: Option<usize>,
    /// Which check: "crc.block", "index.block-count", ...
    pub check: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// What was found and what was expected.
    pub problem: String,
}

/// Findings of several threads.
#[derive(Debug, Default)]
pub(crate) struct Findings(Mutex<Vec<Finding>>);

impl Findings {
    pub(crate) fn push(&self, finding: Finding) {
        if let Ok(mut findings) = self.0.lock() {
            findings.push(finding);
        }
    }

    /// All, by file and entry.
    pub(crate) fn take(self) -> Vec<Finding> {
        let mut findings = self.0.into_inner().unwrap_or_default();
        findings.sort_by(|a, b| {
            (&a.path, a.entry, a.check, &a.problem).cmp(&(&b.path, b.entry, b.check, &b.problem))
        });
        findings
    }
}

/// Where findings of one segment, or of records, go.
pub(crate) struct Place<'a> {
    pub(crate) findings: &'a Findings,
    pub(crate) channel: &'a str,
    pub(crate) segment: Option<u32>,
}

impl Place<'_> {
    pub(crate) fn report(
        &self,
        path: PathBuf,
        entry: Option<usize>,
        check: &'static str,
        severity: Severity,
        problem: impl Into<String>,
    ) {
        self.findings.push(Finding {
            path,
            channel: self.channel.to_owned(),
            segment: self.segment,
            entry,
            check,
            severity,
            problem: problem.into(),
        });
    }
}
