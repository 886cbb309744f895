//! The records with many fields.

use crate::bytes::{f64_at, i32_at, i64_at, put, put_text, text_at};
use crate::time::TimeOffset;

const SEIZURE_BYTES: usize = 1312;
const SEIZURE_CHANNEL_BYTES: usize = 272;

/// `Seiz`: a seizure. Times are -1 where unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seizure {
    /// Earliest onset in any channel.
    pub onset: i64,
    /// Latest offset in any channel.
    pub offset: i64,
    /// Microseconds.
    pub duration: i64,
    /// -1 none, 0 unknown, 1 focal, 2 generalised, 3 propagated, 4 mixed.
    pub onset_code: i32,
    /// First marker.
    pub marker_1: String,
    /// Second marker.
    pub marker_2: String,
    /// Remarks.
    pub annotation: String,
    /// The channels that took part.
    pub channels: Vec<SeizureChannel>,
}

/// When a seizure was in a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeizureChannel {
    /// The channel's name.
    pub name: String,
    /// Onset; -1 for unknown.
    pub onset: i64,
    /// Offset; -1 for unknown.
    pub offset: i64,
}

/// `Epoc`: a span with a type, as a sleep stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Epoch {
    /// Identifier.
    pub id: i64,
    /// Start.
    pub start: i64,
    /// End.
    pub end: i64,
    /// Microseconds.
    pub duration: i64,
    /// Type.
    pub kind: String,
    /// Remarks.
    pub text: String,
}

/// `Curs`: a cursor on a trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Cursor {
    /// Identifier.
    pub id: i64,
    /// Time on the trace.
    pub time: i64,
    /// Microseconds.
    pub latency: i64,
    /// Value at the cursor.
    pub value: f64,
    /// Name.
    pub name: String,
}

/// `CSti`: a stimulus of a cognitive task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stimulus {
    /// The task.
    pub task: String,
    /// Microseconds.
    pub duration: i64,
    /// The stimulus.
    pub stimulus: String,
    /// The subject's response.
    pub response: String,
}

/// `ESti`: an electric stimulus.
#[derive(Clone, Debug, PartialEq)]
pub struct ElectricStimulus {
    /// In the unit of `unit_code`.
    pub amplitude: f64,
    /// Hz.
    pub frequency: f64,
    /// Microseconds.
    pub pulse_width: i64,
    /// -1 none, 0 unknown, 1 mA, 2 V.
    pub unit_code: i32,
    /// -1 none, 0 unknown, 1 current, 2 voltage.
    pub mode_code: i32,
    /// Waveform.
    pub waveform: String,
    /// Anode.
    pub anode: String,
    /// Cathode.
    pub cathode: String,
}

/// Times in bodies: -1 for unknown, else as all times.
fn time_at(body: &[u8], at: usize, offset: TimeOffset) -> i64 {
    match i64_at(body, at) {
        -1 => -1,
        stored => offset.absolute(stored).unwrap_or(-1),
    }
}

impl Seizure {
    pub(super) fn parse(body: &[u8], offset: TimeOffset) -> Option<Seizure> {
        if body.len() < SEIZURE_BYTES {
            return None;
        }
        let n = usize::try_from(i32_at(body, 24)).ok()?;
        let (all, _) = body
            .get(SEIZURE_BYTES..)?
            .as_chunks::<SEIZURE_CHANNEL_BYTES>();
        let channels = all.get(..n)?.iter().map(|channel| SeizureChannel {
            name: text_at(channel, 0, 256),
            onset: time_at(channel, 256, offset),
            offset: time_at(channel, 264, offset),
        });
        Some(Seizure {
            onset: time_at(body, 0, offset),
            offset: time_at(body, 8, offset),
            duration: i64_at(body, 16),
            onset_code: i32_at(body, 28),
            marker_1: text_at(body, 32, 128),
            marker_2: text_at(body, 160, 128),
            annotation: text_at(body, 288, 1024),
            channels: channels.collect(),
        })
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut body = vec![0; SEIZURE_BYTES + SEIZURE_CHANNEL_BYTES * self.channels.len()];
        put(&mut body, 0, &self.onset.to_le_bytes());
        put(&mut body, 8, &self.offset.to_le_bytes());
        put(&mut body, 16, &self.duration.to_le_bytes());
        put(&mut body, 24, &(self.channels.len() as i32).to_le_bytes());
        put(&mut body, 28, &self.onset_code.to_le_bytes());
        put_text(&mut body, 32, 128, &self.marker_1);
        put_text(&mut body, 160, 128, &self.marker_2);
        put_text(&mut body, 288, 1024, &self.annotation);
        for (i, channel) in self.channels.iter().enumerate() {
            let at = SEIZURE_BYTES + i * SEIZURE_CHANNEL_BYTES;
            put_text(&mut body, at, 256, &channel.name);
            put(&mut body, at + 256, &channel.onset.to_le_bytes());
            put(&mut body, at + 264, &channel.offset.to_le_bytes());
        }
        body
    }
}

impl Epoch {
    pub(super) fn parse(body: &[u8], offset: TimeOffset) -> Option<Epoch> {
        (body.len() >= 192).then(|| Epoch {
            id: i64_at(body, 0),
            start: time_at(body, 8, offset),
            end: time_at(body, 16, offset),
            duration: i64_at(body, 24),
            kind: text_at(body, 32, 32),
            text: text_at(body, 64, 128),
        })
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut body = vec![0; 192];
        put(&mut body, 0, &self.id.to_le_bytes());
        put(&mut body, 8, &self.start.to_le_bytes());
        put(&mut body, 16, &self.end.to_le_bytes());
        put(&mut body, 24, &self.duration.to_le_bytes());
        put_text(&mut body, 32, 32, &self.kind);
        put_text(&mut body, 64, 128, &self.text);
        body
    }
}

impl Cursor {
    pub(super) fn parse(body: &[u8], offset: TimeOffset) -> Option<Cursor> {
        (body.len() >= 160).then(|| Cursor {
            id: i64_at(body, 0),
            time: time_at(body, 8, offset),
            latency: i64_at(body, 16),
            value: f64_at(body, 24),
            name: text_at(body, 32, 128),
        })
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut body = vec![0; 160];
        put(&mut body, 0, &self.id.to_le_bytes());
        put(&mut body, 8, &self.time.to_le_bytes());
        put(&mut body, 16, &self.latency.to_le_bytes());
        put(&mut body, 24, &self.value.to_le_bytes());
        put_text(&mut body, 32, 128, &self.name);
        body
    }
}

impl Stimulus {
    pub(super) fn parse(body: &[u8]) -> Option<Stimulus> {
        (body.len() >= 200).then(|| Stimulus {
            task: text_at(body, 0, 64),
            duration: i64_at(body, 64),
            stimulus: text_at(body, 72, 64),
            response: text_at(body, 136, 64),
        })
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut body = vec![0; 200];
        put_text(&mut body, 0, 64, &self.task);
        put(&mut body, 64, &self.duration.to_le_bytes());
        put_text(&mut body, 72, 64, &self.stimulus);
        put_text(&mut body, 136, 64, &self.response);
        body
    }
}

impl ElectricStimulus {
    pub(super) fn parse(body: &[u8]) -> Option<ElectricStimulus> {
        (body.len() >= 416).then(|| ElectricStimulus {
            amplitude: f64_at(body, 0),
            frequency: f64_at(body, 8),
            pulse_width: i64_at(body, 16),
            unit_code: i32_at(body, 24),
            mode_code: i32_at(body, 28),
            waveform: text_at(body, 32, 128),
            anode: text_at(body, 160, 128),
            cathode: text_at(body, 288, 128),
        })
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut body = vec![0; 416];
        put(&mut body, 0, &self.amplitude.to_le_bytes());
        put(&mut body, 8, &self.frequency.to_le_bytes());
        put(&mut body, 16, &self.pulse_width.to_le_bytes());
        put(&mut body, 24, &self.unit_code.to_le_bytes());
        put(&mut body, 28, &self.mode_code.to_le_bytes());
        put_text(&mut body, 32, 128, &self.waveform);
        put_text(&mut body, 160, 128, &self.anode);
        put_text(&mut body, 288, 128, &self.cathode);
        body
    }
}
