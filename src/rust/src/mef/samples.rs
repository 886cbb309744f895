//! Windows of samples, decoded straight into R's matrices.

use axtile_core::{Error, Result};
use axtile_mef::read::{ReadOptions, ReadPlan, Window};
use axtile_mef::session::Session;
use extendr_api::prelude::*;

use super::columns::{named, numbers, texts, times, whole};
use super::session::{indices, notices_to_r, span};
use super::source::open_session;
use crate::arguments::Arguments;
use crate::fresh::{fresh_doubles, fresh_integers};
use crate::guard::guard;
use crate::watch::watched;

// A window of some channels: a matrix of time x channel and what goes with it.
#[extendr]
fn rs_mef_read(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let open = open_session(&arguments)?;
        let session = &open.session;
        let channels = indices(&arguments, session)?;
        let window = window(&arguments, session, &channels)?;
        let counts = arguments.flag("counts")?;
        let plan = watched(&().into(), |watch| session.plan(&channels, window, watch))?;
        let width = if counts {
            size_of::<i32>()
        } else {
            size_of::<f64>()
        };
        let [n_rows, n_columns] = dimensions(&plan, width, arguments.number("max_bytes")?)?;
        let options = ReadOptions {
            lenient: arguments.flag("lenient")?,
            n_threads: arguments.n_threads()?,
        };
        let progress = arguments.get("progress");
        let n = plan.n_rows() * plan.n_columns();
        let (mut samples, notices) = if counts {
            let mut samples = fresh_integers(n)?;
            let out = samples.elements();
            let notices = watched(&progress, |watch| plan.read(out, options, watch))?;
            (samples.robj().clone(), notices)
        } else {
            let mut samples = fresh_doubles(n)?;
            let out = samples.elements();
            let notices = watched(&progress, |watch| plan.read(out, options, watch))?;
            (samples.robj().clone(), notices)
        };
        // R would copy the samples for each attribute.
        set(&mut samples, "dim", [n_rows, n_columns].as_slice().into())?;
        set(&mut samples, "dimnames", arguments.get("dimnames"))?;
        if arguments.flag("with_times")? {
            set(
                &mut samples,
                "time",
                row_times(&plan, arguments.flag("seconds")?)?,
            )?;
        }
        set(&mut samples, "sampling_rate", plan.rate().into())?;
        set(
            &mut samples,
            "start_uutc",
            times("a time", [plan.window().from])?,
        )?;
        set(&mut samples, "units", arguments.get("units"))?;
        if counts {
            let names = arguments.texts("names")?;
            set(&mut samples, "conversion_factor", factors(&plan, &names)?)?;
        }
        Ok(named(vec![
            ("samples", samples),
            ("notices", notices_to_r(&notices)?),
        ]))
    })
}

fn set(object: &mut Robj, attribute: &str, value: Robj) -> Result<()> {
    object
        .set_attrib(attribute, value)
        .map(|_| ())
        .map_err(|problem| Error::argument(format!("internal: {attribute}: {problem}")))
}

/// What counts are multiplied with, as a data frame.
fn factors(plan: &ReadPlan<'_>, names: &[String]) -> Result<Robj> {
    let (mut channels, mut segments, mut factors) = (Vec::new(), Vec::new(), Vec::new());
    for (name, own) in names.iter().zip(plan.factors()) {
        for (number, factor) in own {
            channels.push(name.as_str());
            segments.push(i64::from(number));
            factors.push(factor);
        }
    }
    // R's short form of the names 1 to n.
    let row_names = [i32::MIN, -i32::try_from(channels.len()).unwrap_or(0)];
    let mut frame = named(vec![
        ("channel", texts(channels)?),
        ("segment", numbers("a segment", segments, None)?),
        ("factor", factors.into()),
    ]);
    set(&mut frame, "row.names", row_names.as_slice().into())?;
    set(&mut frame, "class", "data.frame".into())?;
    Ok(frame)
}

/// The window of the arguments `from` and `to`, each NULL for that of all
/// samples.
fn window(arguments: &Arguments, session: &Session, channels: &[usize]) -> Result<Option<Window>> {
    let given = |name: &str| match arguments.is_null(name) {
        true => Ok(None),
        false => whole(arguments, name).map(Some),
    };
    Ok(match (given("from")?, given("to")?) {
        (None, None) => None,
        (Some(from), Some(to)) => Some(Window { from, to }),
        (from, to) => {
            let (start, end) = span(session, channels)?;
            Some(Window {
                from: from.unwrap_or(start),
                to: to.unwrap_or(end),
            })
        }
    })
}

/// Rows and columns, if R and the limit have room for them.
fn dimensions(plan: &ReadPlan<'_>, width: usize, max_bytes: f64) -> Result<[i32; 2]> {
    let limit = |problem: String| Error::Limit {
        path: Default::default(),
        problem: format!(
            "the window from {} to {} has {} rows of {} channels at {} Hz, {problem}; read \
             shorter windows or fewer channels, or look at `mef_blocks()`",
            plan.window().from,
            plan.window().to,
            plan.n_rows(),
            plan.n_columns(),
            plan.rate()
        ),
    };
    let (Ok(n_rows), Ok(n_columns)) = (
        i32::try_from(plan.n_rows()),
        i32::try_from(plan.n_columns()),
    ) else {
        return Err(limit("a matrix of R's has at most 2147483647".to_owned()));
    };
    let n_bytes = plan.n_rows() as f64 * plan.n_columns() as f64 * width as f64;
    if n_bytes > max_bytes {
        return Err(limit(format!(
            "which take {:.3} GB, more than the {:.3} GB that options(axtile.mef_max_mb) \
             allows",
            n_bytes / 1e9,
            max_bytes / 1e9
        )));
    }
    Ok([n_rows, n_columns])
}

/// The rows' times: seconds since 1970 as R has times, or microseconds.
fn row_times(plan: &ReadPlan<'_>, seconds: bool) -> Result<Robj> {
    let (from, rate) = (plan.window().from as f64, plan.rate());
    let mut all = fresh_doubles(plan.n_rows())?;
    for (row, time) in all.elements().iter_mut().enumerate() {
        let microseconds = from + (row as f64 * 1e6 / rate).round();
        *time = if seconds {
            microseconds / 1e6
        } else {
            microseconds
        };
    }
    let mut times = all.robj().clone();
    if seconds {
        set(&mut times, "class", ["POSIXct", "POSIXt"].as_slice().into())?;
        set(&mut times, "tzone", "UTC".into())?;
    }
    Ok(times)
}

extendr_module! {
    mod samples;
    fn rs_mef_read;
}
