//! Checking sessions and bringing them in order.

use axtile_mef::recover::recover;
use axtile_mef::validate::{ValidateOptions, validate};
use extendr_api::prelude::*;

use super::columns::{named, numbers, texts};
use super::source::path_and_password;
use crate::arguments::Arguments;
use crate::guard::guard;
use crate::watch::watched;

// What is wrong with a session.
#[extendr]
fn rs_mef_validate(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let (path, password) = path_and_password(&arguments)?;
        let options = ValidateOptions {
            blocks: arguments.flag("blocks")?,
            n_threads: arguments.n_threads()?,
        };
        let findings = watched(&arguments.get("progress"), |watch| {
            validate(&path, password.as_deref(), options, watch)
        })?;
        let paths: Vec<String> = findings
            .iter()
            .map(|finding| {
                let path = finding.path.strip_prefix(&path).unwrap_or(&finding.path);
                path.to_string_lossy().into_owned()
            })
            .collect();
        let segment = |n: Option<u32>| n.map_or(-1, i64::from);
        let entry = |n: Option<usize>| n.map_or(-1, |n| n as i64);
        Ok(named(vec![
            (
                "severity",
                texts(findings.iter().map(|f| f.severity.name()))?,
            ),
            ("check", texts(findings.iter().map(|f| f.check))?),
            (
                "channel",
                texts(findings.iter().map(|f| f.channel.as_str()))?,
            ),
            (
                "segment",
                numbers(
                    "a segment",
                    findings.iter().map(|f| segment(f.segment)),
                    Some(-1),
                )?,
            ),
            (
                "entry",
                numbers(
                    "an entry",
                    findings.iter().map(|f| entry(f.entry)),
                    Some(-1),
                )?,
            ),
            ("path", texts(paths.iter().map(String::as_str))?),
            (
                "problem",
                texts(findings.iter().map(|f| f.problem.as_str()))?,
            ),
        ]))
    })
}

// What brings, or would bring, a session in order.
#[extendr]
fn rs_mef_recover(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let (path, password) = path_and_password(&arguments)?;
        let apply = arguments.flag("apply")?;
        let report = watched(&arguments.get("progress"), |watch| {
            recover(&path, password.as_deref(), apply, watch)
        })?;
        let actions = &report.actions;
        let paths: Vec<String> = actions
            .iter()
            .map(|action| {
                let path = action.path.strip_prefix(&path).unwrap_or(&action.path);
                path.to_string_lossy().into_owned()
            })
            .collect();
        let count = |of: fn(&axtile_mef::recover::RecoverAction) -> usize| -> Robj {
            actions
                .iter()
                .map(|action| of(action) as f64)
                .collect::<Vec<f64>>()
                .into()
        };
        let (recovered, dropped) = (count(|a| a.n_recovered), count(|a| a.n_dropped));
        let refused: Vec<bool> = actions.iter().map(|action| action.is_refused).collect();
        let backup = report.backup.as_ref().map(|path| path.to_string_lossy());
        Ok(named(vec![
            ("path", texts(paths.iter().map(String::as_str))?),
            ("action", texts(actions.iter().map(|a| a.action.as_str()))?),
            ("n_recovered", recovered),
            ("n_dropped", dropped),
            ("is_refused", refused.into()),
            ("backup", texts(backup.as_deref())?),
        ]))
    })
}

extendr_module! {
    mod repair;
    fn rs_mef_validate;
    fn rs_mef_recover;
}
