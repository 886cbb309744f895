//! The bodies of records with many fields as named lists of R's, and back.
//! Times are microseconds since 1970, durations microseconds; what is unknown
//! is -1 in files and NA in R.

use axtile_core::{Error, Result};
use axtile_mef::records::{
    Cursor, ElectricStimulus, Epoch, RecordBody, Seizure, SeizureChannel, Stimulus,
};
use extendr_api::prelude::*;

use super::columns::{all_whole, named, numbers, texts};
use crate::arguments::Arguments;

fn number(name: &str, value: i64) -> Result<Robj> {
    numbers(name, [value], Some(-1))
}

fn text(value: &str) -> Result<Robj> {
    texts([value])
}

fn real(value: f64) -> Robj {
    value.into()
}

fn code(value: i32) -> Robj {
    if value == -1 {
        Robj::from(i32::MIN)
    } else {
        value.into()
    }
}

/// The body's fields; NULL for plain text.
///
/// # Errors
/// `Error::Range` for a number that R has not exactly.
pub fn to_r(body: &RecordBody) -> Result<Robj> {
    Ok(named(match body {
        RecordBody::Text(_) | RecordBody::Annotation { .. } | RecordBody::Locked => {
            return Ok(().into());
        }
        RecordBody::Seizure(one) => {
            let (mut onsets, mut offsets, mut names) = (Vec::new(), Vec::new(), Vec::new());
            for channel in &one.channels {
                names.push(channel.name.as_str());
                onsets.push(channel.onset);
                offsets.push(channel.offset);
            }
            vec![
                ("onset", number("onset", one.onset)?),
                ("offset", number("offset", one.offset)?),
                ("duration", number("duration", one.duration)?),
                ("onset_code", code(one.onset_code)),
                ("marker_1", text(&one.marker_1)?),
                ("marker_2", text(&one.marker_2)?),
                ("annotation", text(&one.annotation)?),
                ("channels", texts(names)?),
                ("channel_onsets", numbers("onset", onsets, Some(-1))?),
                ("channel_offsets", numbers("offset", offsets, Some(-1))?),
            ]
        }
        RecordBody::Epoch(one) => vec![
            ("id", number("id", one.id)?),
            ("start", number("start", one.start)?),
            ("end", number("end", one.end)?),
            ("duration", number("duration", one.duration)?),
            ("type", text(&one.kind)?),
            ("text", text(&one.text)?),
        ],
        RecordBody::Cursor(one) => vec![
            ("id", number("id", one.id)?),
            ("time", number("time", one.time)?),
            ("latency", number("latency", one.latency)?),
            ("value", real(one.value)),
            ("name", text(&one.name)?),
        ],
        RecordBody::Stimulus(one) => vec![
            ("task", text(&one.task)?),
            ("duration", number("duration", one.duration)?),
            ("stimulus", text(&one.stimulus)?),
            ("response", text(&one.response)?),
        ],
        RecordBody::ElectricStimulus(one) => vec![
            ("amplitude", real(one.amplitude)),
            ("frequency", real(one.frequency)),
            ("pulse_width", number("pulse width", one.pulse_width)?),
            ("unit_code", code(one.unit_code)),
            ("mode_code", code(one.mode_code)),
            ("waveform", text(&one.waveform)?),
            ("anode", text(&one.anode)?),
            ("cathode", text(&one.cathode)?),
        ],
        RecordBody::LineNoise(template) => vec![(
            "template",
            template
                .iter()
                .map(|&value| f64::from(value))
                .collect::<Vec<f64>>()
                .into(),
        )],
        RecordBody::Other(bytes) => {
            vec![("body", Raw::from_bytes(bytes).into())]
        }
    }))
}

/// The fields that R hands over, which all must be there.
struct Fields<'a> {
    given: Arguments,
    kind: &'a str,
}

impl Fields<'_> {
    fn wrong(&self, name: &str, expected: &str) -> Error {
        Error::argument(format!(
            "a record of type '{}' needs the field '{name}' of `fields`: {expected}",
            self.kind
        ))
    }

    fn number(&self, name: &str) -> Result<i64> {
        match all_whole(&self.given, name, -1).as_deref() {
            Ok(&[number]) => Ok(number),
            _ => Err(self.wrong(name, "a whole number, or NA")),
        }
    }

    fn numbers(&self, name: &str) -> Result<Vec<i64>> {
        all_whole(&self.given, name, -1).map_err(|_| self.wrong(name, "whole numbers"))
    }

    fn code(&self, name: &str) -> Result<i32> {
        i32::try_from(self.number(name)?).map_err(|_| self.wrong(name, "a code, or NA"))
    }

    fn real(&self, name: &str) -> Result<f64> {
        self.given
            .number(name)
            .map_err(|_| self.wrong(name, "a number"))
    }

    /// A text that has room in `most` bytes, its end included.
    fn text(&self, name: &str, most: usize) -> Result<String> {
        let text = self
            .given
            .text(name)
            .map_err(|_| self.wrong(name, "a text"))?;
        if text.len() < most {
            Ok(text)
        } else {
            let expected = format!("a text of at most {} bytes", most - 1);
            Err(self.wrong(name, &expected))
        }
    }
}

/// The body of a record of type `kind`; `text` and `duration` are for the types
/// that have nothing else.
///
/// # Errors
/// `Error::Argument` for fields that the type has and that are missing or of
/// another type.
pub fn from_r(kind: &str, text: Option<&str>, duration: i64, fields: &Robj) -> Result<RecordBody> {
    let plain = text.unwrap_or_default();
    match kind {
        "Note" | "SyLg" => return Ok(RecordBody::Text(plain.to_owned())),
        "EDFA" => {
            return Ok(RecordBody::Annotation {
                duration,
                text: plain.to_owned(),
            });
        }
        _ => {}
    }
    if fields.is_null() {
        return Err(Error::argument(format!(
            "a record of type '{kind}' needs `fields`; only Note, SyLg and EDFA have a plain text"
        )));
    }
    let fields = Fields {
        given: Arguments::new(fields)?,
        kind,
    };
    Ok(match kind {
        "Seiz" => {
            let names = fields.given.texts("channels")?;
            let onsets = fields.numbers("channel_onsets")?;
            let offsets = fields.numbers("channel_offsets")?;
            if onsets.len() != names.len() || offsets.len() != names.len() {
                return Err(fields.wrong("channel_onsets", "as many as there are `channels`"));
            }
            if let Some(name) = names.iter().find(|name| name.len() > 255) {
                let expected = format!("names of at most 255 bytes, not '{name}'");
                return Err(fields.wrong("channels", &expected));
            }
            let channels = names.into_iter().zip(onsets.into_iter().zip(offsets));
            RecordBody::Seizure(Seizure {
                onset: fields.number("onset")?,
                offset: fields.number("offset")?,
                duration: fields.number("duration")?,
                onset_code: fields.code("onset_code")?,
                marker_1: fields.text("marker_1", 128)?,
                marker_2: fields.text("marker_2", 128)?,
                annotation: fields.text("annotation", 1024)?,
                channels: channels
                    .map(|(name, (onset, offset))| SeizureChannel {
                        name,
                        onset,
                        offset,
                    })
                    .collect(),
            })
        }
        "Epoc" => RecordBody::Epoch(Epoch {
            id: fields.number("id")?,
            start: fields.number("start")?,
            end: fields.number("end")?,
            duration: fields.number("duration")?,
            kind: fields.text("type", 32)?,
            text: fields.text("text", 128)?,
        }),
        "Curs" => RecordBody::Cursor(Cursor {
            id: fields.number("id")?,
            time: fields.number("time")?,
            latency: fields.number("latency")?,
            value: fields.real("value")?,
            name: fields.text("name", 128)?,
        }),
        "CSti" => RecordBody::Stimulus(Stimulus {
            task: fields.text("task", 64)?,
            duration: fields.number("duration")?,
            stimulus: fields.text("stimulus", 64)?,
            response: fields.text("response", 64)?,
        }),
        "ESti" => RecordBody::ElectricStimulus(ElectricStimulus {
            amplitude: fields.real("amplitude")?,
            frequency: fields.real("frequency")?,
            pulse_width: fields.number("pulse_width")?,
            unit_code: fields.code("unit_code")?,
            mode_code: fields.code("mode_code")?,
            waveform: fields.text("waveform", 128)?,
            anode: fields.text("anode", 128)?,
            cathode: fields.text("cathode", 128)?,
        }),
        "LNTP" => {
            let values = fields.numbers("template")?.into_iter().map(i32::try_from);
            let template = values.collect::<std::result::Result<_, _>>();
            RecordBody::LineNoise(
                template.map_err(|_| fields.wrong("template", "32-bit integers"))?,
            )
        }
        _ => {
            let body = fields.given.get("body");
            let bytes = body.as_raw_slice().map(<[u8]>::to_vec);
            RecordBody::Other(bytes.ok_or_else(|| fields.wrong("body", "raw bytes"))?)
        }
    })
}
