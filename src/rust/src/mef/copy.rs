//! New sessions from others, archives, and other names.

use std::path::Path;

use axtile_mef::archive::{archive_session, extract_session};
use axtile_mef::copy::{AnonymizeOptions, anonymize_session, cut_session, merge_sessions};
use axtile_mef::read::Window;
use axtile_mef::rename::rename_session;
use extendr_api::prelude::*;

use super::columns::{texts, whole};
use super::source::{optional_text, passwords, path_and_password};
use crate::arguments::Arguments;
use crate::guard::guard;
use crate::watch::watched;

// Copies a span of time to a new session.
#[extendr]
fn rs_mef_cut(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let (path, password) = path_and_password(&arguments)?;
        let target = arguments.path("target")?;
        let window = Window {
            from: whole(&arguments, "from")?,
            to: whole(&arguments, "to")?,
        };
        watched(&arguments.get("progress"), |watch| {
            cut_session(&path, &target, window, password.as_deref(), watch)
        })?;
        Ok(().into())
    })
}

// Makes one session of several.
#[extendr]
fn rs_mef_merge(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let paths = arguments.texts("paths")?;
        let target = arguments.path("target")?;
        let password = optional_text(&arguments, "password")?;
        watched(&arguments.get("progress"), |watch| {
            let paths: Vec<&Path> = paths.iter().map(Path::new).collect();
            merge_sessions(&paths, &target, password.as_deref(), watch)
        })?;
        Ok(().into())
    })
}

// Copies a session without what tells who the subject is.
#[extendr]
fn rs_mef_anonymize(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let (path, password) = path_and_password(&arguments)?;
        let target = arguments.path("target")?;
        let options = AnonymizeOptions {
            pseudonym: arguments.text("pseudonym")?,
            shift: whole(&arguments, "shift")?,
            keep_location: arguments.flag("keep_location")?,
            keep_descriptions: arguments.flag("keep_descriptions")?,
            passwords: passwords(&arguments, "output_passwords")?,
        };
        watched(&arguments.get("progress"), |watch| {
            anonymize_session(&path, &target, &options, password.as_deref(), watch)
        })?;
        Ok(().into())
    })
}

// Makes an archive of a session.
#[extendr]
fn rs_mef_archive(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let (path, target) = (arguments.path("path")?, arguments.path("target")?);
        let overwrite = arguments.flag("overwrite")?;
        watched(&arguments.get("progress"), |watch| {
            archive_session(&path, &target, overwrite, watch)
        })?;
        Ok(().into())
    })
}

// Makes a session's folder of its archive.
#[extendr]
fn rs_mef_extract(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let (path, target) = (arguments.path("path")?, arguments.path("target")?);
        watched(&arguments.get("progress"), |watch| {
            extract_session(&path, &target, watch)
        })?;
        Ok(().into())
    })
}

// Renames a session: its new path.
#[extendr]
fn rs_mef_rename(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let (path, name) = (arguments.path("path")?, arguments.text("name")?);
        let renamed = watched(&().into(), |watch| rename_session(&path, &name, watch))?;
        texts([renamed.to_string_lossy().as_ref()])
    })
}

extendr_module! {
    mod copy;
    fn rs_mef_cut;
    fn rs_mef_merge;
    fn rs_mef_anonymize;
    fn rs_mef_archive;
    fn rs_mef_extract;
    fn rs_mef_rename;
}
