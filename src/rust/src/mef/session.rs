//! Opening sessions, and what there is in them.

use axtile_core::Result;
use axtile_mef::read::Notice;
use axtile_mef::session::{ChannelInfo, Session};
use extendr_api::prelude::*;

use super::columns::{named, numbers, reals, texts, times};
use super::handle::{Handle, point_to};
use super::source::{OpenSession, open_session, path_and_password};
use crate::arguments::Arguments;
use crate::guard::guard;
use crate::watch::watched;

// Opens a session: a pointer and its name.
#[extendr]
fn rs_mef_open(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let (path, password) = path_and_password(&arguments)?;
        let cache = match arguments.is_null("cache") {
            true => None,
            false => Some(arguments.path("cache")?),
        };
        let session = watched(&().into(), |_| match &cache {
            Some(cache) => Session::open_cached(&path, password.as_deref(), cache),
            None => Session::open(&path, password.as_deref()),
        })?;
        let name = texts([session.name()])?;
        let skipped = named(vec![
            (
                "path",
                texts(session.skipped().iter().map(|one| one.path.as_str()))?,
            ),
            (
                "reason",
                texts(session.skipped().iter().map(|one| one.reason.as_str()))?,
            ),
        ]);
        let channels = texts(session.channels().iter().map(|one| one.name()))?;
        let pointer = point_to(OpenSession { session, password })?;
        Ok(named(vec![
            ("pointer", pointer),
            ("name", name),
            ("channels", channels),
            ("skipped", skipped),
        ]))
    })
}

// Whether a pointer still points to a session.
#[extendr]
fn rs_mef_is_open(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let handle = Handle::<OpenSession>::of(&arguments, "pointer")?;
        Ok(handle.is_some().into())
    })
}

// What channels are like.
#[extendr]
fn rs_mef_channels(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let open = open_session(&arguments)?;
        let session = &open.session;
        let channels = indices(&arguments, session)?;
        let infos = watched(&().into(), |watch| {
            let mut infos = Vec::with_capacity(channels.len());
            for &channel in &channels {
                watch.check()?;
                infos.push(session.channel_info(channel)?);
            }
            Ok(infos)
        })?;
        let all = |of: fn(&ChannelInfo) -> f64| infos.iter().map(of).collect::<Vec<f64>>();
        let n_samples = infos
            .iter()
            .map(|info| info.n_samples.map_or(-1, |n| n.cast_signed()));
        Ok(named(vec![
            ("name", texts(infos.iter().map(|info| info.name.as_str()))?),
            ("sampling_rate", all(|info| info.rate).into()),
            ("start", times("a start", infos.iter().map(|i| i.start))?),
            ("end", times("an end", infos.iter().map(|i| i.end))?),
            (
                "n_samples",
                numbers("a number of samples", n_samples, Some(-1))?,
            ),
            ("n_segments", all(|info| info.n_segments as f64).into()),
            (
                "units",
                texts(infos.iter().map(|info| info.units.as_str()))?,
            ),
            (
                "conversion_factor",
                reals(infos.iter().map(|i| i.factor), None),
            ),
        ]))
    })
}

// Earliest start and latest end of all segments of channels.
#[extendr]
fn rs_mef_span(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let open = open_session(&arguments)?;
        let channels = indices(&arguments, &open.session)?;
        let (start, end) = span(&open.session, &channels)?;
        times("a time", [start, end])
    })
}

/// Earliest start and latest end of channels.
pub fn span(session: &Session, channels: &[usize]) -> Result<(i64, i64)> {
    watched(&().into(), |watch| {
        let mut span = (i64::MAX, i64::MIN);
        for &channel in channels {
            watch.check()?;
            let (start, end) = session.span(channel)?;
            span = (span.0.min(start), span.1.max(end));
        }
        Ok(span)
    })
}

/// The channels of the argument `channels`, counted from 0; all for NULL.
pub fn indices(arguments: &Arguments, session: &Session) -> Result<Vec<usize>> {
    Ok(match arguments.indices("channels")? {
        Some(channels) => channels
            .into_iter()
            .map(|channel| channel as usize)
            .collect(),
        None => (0..session.channels().len()).collect(),
    })
}

/// What was noticed, as a data frame's columns.
pub fn notices_to_r(notices: &[Notice]) -> Result<Robj> {
    let block = |notice: &Notice| notice.block.map_or(-1, |block| block as i64);
    Ok(named(vec![
        (
            "channel",
            texts(notices.iter().map(|notice| notice.channel.as_str()))?,
        ),
        (
            "segment",
            numbers("a segment", notices.iter().map(|n| n.segment.into()), None)?,
        ),
        (
            "block",
            numbers("a block", notices.iter().map(block), Some(-1))?,
        ),
        (
            "problem",
            texts(notices.iter().map(|notice| notice.problem.as_str()))?,
        ),
    ]))
}

extendr_module! {
    mod session;
    fn rs_mef_open;
    fn rs_mef_is_open;
    fn rs_mef_channels;
    fn rs_mef_span;
}
