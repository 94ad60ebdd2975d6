//! A record as it came, read as far as it can be understood.

use super::effect::{self, Effect, TEXT_BYTES_MAX};
use domain::hlc;
use domain::ids::is_id;
use domain::json::check_keys;
use domain::record::{Record, SCHEMA};
use domain::sync::parking;
use domain::sync::{Counted, PushEvent, counted_of};
use serde_json::Value;

const KIND_BYTES_MAX: usize = 64;
const STAMP_BYTES_MAX: usize = 128;

/// A record with its number.
pub struct Incoming {
    /// Its number.
    pub seq: u64,
    /// Its hash.
    pub hash: String,
    /// Its exact text.
    pub record: String,
    /// Unique for ever; none: it could not be read.
    pub event_id: Option<String>,
    /// `transaction.paid`, …; empty if it could not be read.
    pub kind: String,
    /// The store's stamp.
    pub at: Option<String>,
    /// What it belongs to: later records of the same wait behind a parked one.
    pub aggregate: Option<String>,
    /// Whose points it may move; empty: nobody's; none: that can't be told.
    pub member: Option<String>,
    /// As a digest counts it; none: it belongs to no business day.
    pub counted: Option<Counted>,
    /// What it does, or why that is not known.
    pub effect: Result<Effect, Problem>,
}

/// Why a record is parked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Stable.
    pub code: &'static str,
    /// For a person.
    pub message: String,
}

impl Incoming {
    /// Reads a record; what can't be understood says why and is kept all the same.
    pub fn read(event: PushEvent, store_id: &str) -> Self {
        let PushEvent { seq, hash, record } = event;
        let envelope = match read(&record) {
            Ok(envelope) if is_id(&envelope.event_id) && is_text(&envelope.kind, KIND_BYTES_MAX) => {
                Ok(envelope)
            }
            Ok(_) => Err("event_id is no identifier, or type is empty or too long".to_owned()),
            Err(problem) => Err(problem),
        };
        match envelope {
            Ok(envelope) => Self {
                aggregate: aggregate(&envelope.kind, &envelope.payload),
                member: parking::points_of(&envelope.kind, &envelope.payload)
                    .filter(|member| member.is_empty() || is_text(member, TEXT_BYTES_MAX)),
                counted: counted_of(&envelope),
                effect: effect(&envelope, store_id),
                event_id: Some(envelope.event_id),
                kind: envelope.kind,
                at: Some(envelope.at).filter(|at| hlc::parts(at).is_some() && is_text(at, STAMP_BYTES_MAX)),
                seq,
                hash,
                record,
            },
            Err(message) => Self {
                seq,
                hash,
                record,
                event_id: None,
                kind: String::new(),
                at: None,
                aggregate: None,
                member: None,
                counted: None,
                effect: Err(Problem { code: "invalid_envelope", message }),
            },
        }
    }
}

/// Whoever reads a key that stands twice reads one of two records.
fn read(record: &str) -> Result<Record<Value>, String> {
    check_keys(record.as_bytes()).map_err(|unsound| unsound.to_string())?;
    serde_json::from_str(record).map_err(|error| error.to_string())
}

fn is_text(text: &str, bytes_max: usize) -> bool {
    (1..=bytes_max).contains(&text.len()) && !text.contains('\0')
}

fn effect(envelope: &Record<Value>, store_id: &str) -> Result<Effect, Problem> {
    if envelope.schema != SCHEMA {
        let message = format!("the record has schema {}, this hub reads {SCHEMA}", envelope.schema);
        return Err(Problem { code: "unknown_schema", message });
    }
    if hlc::parts(&envelope.at).is_none() {
        let message = "at is no stamp of a hybrid clock".to_owned();
        return Err(Problem { code: "invalid_payload", message });
    }
    effect::read(&envelope.kind, &envelope.payload, store_id)
}

/// What a record belongs to, where a table's key can hold it.
fn aggregate(kind: &str, payload: &Value) -> Option<String> {
    let fits = |of: &String| of.split_once(':').is_some_and(|(_, id)| is_text(id, TEXT_BYTES_MAX));
    parking::aggregate(kind, payload).filter(fits)
}
