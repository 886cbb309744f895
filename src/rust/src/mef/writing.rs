//! Writing sessions and appending to them.

use axtile_core::Result;
use axtile_mef::header::{Section2, Section3};
use axtile_mef::write::{Durability, Part, Precision, SessionWriter, Values, WriteOptions};
use extendr_api::prelude::*;

use super::columns::{all_whole, whole};
use super::handle::point_to;
use super::source::{optional_text, passwords};
use super::writer::{OpenWriter, close, is_open, with_writer};
use crate::arguments::Arguments;
use crate::guard::guard;
use crate::watch::watched;

/// When the argument `durability` wants a write on the disk.
pub fn durability(arguments: &Arguments) -> Result<Durability> {
    match arguments.text("durability")?.as_str() {
        "full" => Ok(Durability::Full),
        "fast" => Ok(Durability::Fast),
        _ => Err(Arguments::wrong("durability")),
    }
}

/// Channels that samples are for, and what there is to know about them.
struct Channels {
    names: Vec<String>,
    starts: Vec<i64>,
    rates: Vec<f64>,
    factors: Vec<f64>,
    precision: Precision,
    descriptions: Vec<Section2>,
    new_segment: bool,
}

impl Channels {
    fn of(arguments: &Arguments) -> Result<Channels> {
        let numbers = |name: &str| {
            let value = arguments.get(name);
            let numbers = value.as_real_slice().map(<[f64]>::to_vec);
            numbers.ok_or_else(|| Arguments::wrong(name))
        };
        let names = arguments.texts("channels")?;
        Ok(Channels {
            descriptions: descriptions(arguments, names.len())?,
            starts: all_whole(arguments, "start", i64::MIN)?,
            rates: numbers("sampling_rate")?,
            factors: numbers("conversion_factor")?,
            precision: precision(arguments)?,
            new_segment: arguments.flag("new_segment")?,
            names,
        })
    }

    /// The samples of each, as they are written.
    fn parts<'a>(&'a self, columns: &[Values<'a>]) -> Result<Vec<Part<'a>>> {
        let mut parts = Vec::with_capacity(columns.len());
        for (at, &values) in columns.iter().enumerate() {
            let (Some(channel), Some(&start), Some(&rate)) =
                (self.names.get(at), self.starts.get(at), self.rates.get(at))
            else {
                return Err(Arguments::wrong("channels"));
            };
            parts.push(Part {
                channel,
                values,
                start,
                rate,
                description: self.descriptions.get(at),
                new_segment: self.new_segment,
            });
        }
        Ok(parts)
    }

    /// The samples of each channel: the elements of a list, or the columns of
    /// a matrix.
    fn columns<'a>(&self, elements: &'a [Robj]) -> Result<Vec<Values<'a>>> {
        let n = self.names.len();
        if elements.len() == n {
            let column = |(at, element)| self.column(element, at, 0, 1);
            return elements.iter().enumerate().map(column).collect();
        }
        let [matrix] = elements else {
            return Err(Arguments::wrong("values"));
        };
        (0..n).map(|at| self.column(matrix, at, at, n)).collect()
    }

    /// Column `column` of the `n` that `values` has.
    fn column<'a>(
        &self,
        values: &'a Robj,
        at: usize,
        column: usize,
        n: usize,
    ) -> Result<Values<'a>> {
        fn part<T>(all: &[T], column: usize, n: usize) -> &[T] {
            let rows = all.len() / n.max(1);
            all.get(column * rows..(column + 1) * rows)
                .unwrap_or_default()
        }
        if let Some(counts) = values.as_integer_slice() {
            let factor = self.factors.get(at).copied();
            return Ok(Values::Counts {
                counts: part(counts, column, n),
                factor: factor.ok_or_else(|| Arguments::wrong("conversion_factor"))?,
            });
        }
        let scaled = values
            .as_real_slice()
            .ok_or_else(|| Arguments::wrong("values"))?;
        Ok(Values::Scaled {
            values: part(scaled, column, n),
            precision: self.precision,
        })
    }
}

/// The argument `values`: a matrix, or a list with the samples of each channel.
fn elements(arguments: &Arguments) -> Vec<Robj> {
    let values = arguments.get("values");
    match values.as_list() {
        Some(list) => list.values().collect(),
        None => vec![values],
    }
}

fn precision(arguments: &Arguments) -> Result<Precision> {
    match arguments.text("precision")?.as_str() {
        "automatic" => Ok(Precision::Automatic),
        "step" => Ok(Precision::Step),
        decimals => decimals
            .parse()
            .map(Precision::Decimals)
            .map_err(|_| Arguments::wrong("precision")),
    }
}

/// What new channels are like; the argument `description` holds, by field, one
/// value for each.
fn descriptions(arguments: &Arguments, n: usize) -> Result<Vec<Section2>> {
    let mut all = vec![Section2::default(); n];
    if arguments.is_null("description") {
        return Ok(all);
    }
    let given = Arguments::new(&arguments.get("description"))?;
    type TextField = fn(&mut Section2) -> &mut String;
    let text_fields: [(&str, TextField); 4] = [
        ("units", |s| &mut s.units),
        ("channel_description", |s| &mut s.channel_description),
        ("session_description", |s| &mut s.session_description),
        ("reference_description", |s| &mut s.reference_description),
    ];
    for (name, field) in text_fields {
        for (section, text) in all.iter_mut().zip(given.texts(name)?) {
            *field(section) = text;
        }
    }
    type RealField = fn(&mut Section2) -> &mut f64;
    let real_fields: [(&str, RealField); 4] = [
        ("high_pass", |s| &mut s.low_frequency_filter),
        ("low_pass", |s| &mut s.high_frequency_filter),
        ("notch", |s| &mut s.notch_filter),
        ("line_frequency", |s| &mut s.line_frequency),
    ];
    for (name, field) in real_fields {
        if !given.is_null(name) {
            let value = given.get(name);
            let numbers = value
                .as_real_slice()
                .ok_or_else(|| Arguments::wrong(name))?;
            for (section, &number) in all.iter_mut().zip(numbers) {
                *field(section) = number;
            }
        }
    }
    if !given.is_null("acquisition_channel") {
        let numbers = all_whole(&given, "acquisition_channel", -1)?;
        for (section, number) in all.iter_mut().zip(numbers) {
            section.acquisition_channel = number;
        }
    }
    Ok(all)
}

/// The subject of a new session, by the argument `subject`.
fn subject(arguments: &Arguments) -> Result<Section3> {
    let mut section = Section3::default();
    if arguments.is_null("subject") {
        return Ok(section);
    }
    let given = Arguments::new(&arguments.get("subject"))?;
    for (name, field) in [
        ("subject_name_1", &mut section.subject_name_1),
        ("subject_name_2", &mut section.subject_name_2),
        ("subject_id", &mut section.subject_id),
        ("recording_location", &mut section.recording_location),
    ] {
        if let Some(text) = optional_text(&given, name)? {
            *field = text;
        }
    }
    if !given.is_null("gmt_offset") {
        section.gmt_offset = i32::try_from(whole(&given, "gmt_offset")?)
            .map_err(|_| Arguments::wrong("gmt_offset"))?;
    }
    if !given.is_null("recording_time_offset") {
        section.recording_time_offset = whole(&given, "recording_time_offset")?;
    }
    Ok(section)
}

// A new session with its first samples: a pointer to its writer.
#[extendr]
fn rs_mef_create(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let options = WriteOptions {
            passwords: passwords(&arguments, "passwords")?,
            section_3: subject(&arguments)?,
            overwrite: arguments.flag("overwrite")?,
        };
        let path = arguments.path("path")?;
        let (channels, elements) = (Channels::of(&arguments)?, elements(&arguments));
        let parts = channels.parts(&channels.columns(&elements)?)?;
        let n_threads = arguments.n_threads()?;
        let durability = durability(&arguments)?;
        let writer = watched(&arguments.get("progress"), |watch| {
            let mut writer = SessionWriter::create(&path, &options)?;
            writer.write(&parts, durability, n_threads, watch)?;
            writer.publish()?;
            Ok(writer)
        })?;
        point_to(OpenWriter::new(writer))
    })
}

// Opens a session to append to it: a pointer to its writer.
#[extendr]
fn rs_mef_writer_open(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let path = arguments.path("path")?;
        let password = optional_text(&arguments, "password")?;
        let writer = watched(&().into(), |_| {
            SessionWriter::open(&path, password.as_deref())
        })?;
        point_to(OpenWriter::new(writer))
    })
}

// Appends samples.
#[extendr]
fn rs_mef_write(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let (channels, elements) = (Channels::of(&arguments)?, elements(&arguments));
        let parts = channels.parts(&channels.columns(&elements)?)?;
        let n_threads = arguments.n_threads()?;
        let durability = durability(&arguments)?;
        with_writer(&arguments, |writer| {
            watched(&arguments.get("progress"), |watch| {
                writer.write(&parts, durability, n_threads, watch)
            })
        })?;
        Ok(().into())
    })
}

// Waits until all that was written is on the disk.
#[extendr]
fn rs_mef_flush(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        with_writer(&arguments, SessionWriter::flush)?;
        Ok(().into())
    })
}

// Waits for the disk and lets go of the session.
#[extendr]
fn rs_mef_close(arguments: Robj) -> Robj {
    guard(|| {
        close(&Arguments::new(&arguments)?)?;
        Ok(().into())
    })
}

// Whether a writer can be written to.
#[extendr]
fn rs_mef_is_writable(arguments: Robj) -> Robj {
    guard(|| Ok(is_open(&Arguments::new(&arguments)?)?.into()))
}

extendr_module! {
    mod writing;
    fn rs_mef_create;
    fn rs_mef_writer_open;
    fn rs_mef_write;
    fn rs_mef_flush;
    fn rs_mef_close;
    fn rs_mef_is_writable;
}
