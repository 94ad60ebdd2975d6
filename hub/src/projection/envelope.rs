//! A record as it arrived, read as far as it can be understood.

use domain::model::base::figures::Money;
use domain::model::base::ids::is_id;
use domain::model::base::limits::{FIGURE_MAX, TEXT_CHARS_MAX};
use domain::model::base::time::UtcMs;
use domain::model::hub::hlc;
use domain::rules::hub::sync::{Counted, counted_of};
use domain::wire::json::check_keys;
use domain::wire::record::{About, AnyPayload, Effect, Known, RECORD_BYTES_MAX, Record, SCHEMA};
use domain::wire::sync::PushEvent;
use jiff::civil::Date;
use serde_json::Value;

/// The record is larger than a record may be.
pub const RECORD_TOO_LARGE: &str = "record_too_large";

/// A figure of the record exceeds the figures of a store's commands.
pub const OUT_OF_BOUNDS: &str = "out_of_bounds";

const KIND_BYTES_MAX: usize = 64;
const STAMP_BYTES_MAX: usize = 128;
/// The longest ID of an aggregate or a member that is a key of a table, in bytes.
const KEY_BYTES_MAX: usize = 1024;
/// The longest text that is applied, in bytes: a store takes so many characters, whatever their alphabet.
const TEXT_BYTES_MAX: usize = TEXT_CHARS_MAX * 4;
/// Greatest depth of a payload.
const DEPTH_MAX: usize = 32;

/// A record with its number.
pub struct Incoming {
    /// Sequence number of the record.
    pub seq: u64,
    /// Hash of the record.
    pub hash: String,
    /// Exact text of the record.
    pub record: String,
    /// ID of the event, unique for ever. `None` if it could not be read.
    pub event_id: Option<String>,
    /// `transaction.paid`, …; empty if it could not be read.
    pub kind: String,
    /// Stamp of the store.
    pub at: Option<String>,
    /// Object that the record belongs to: later records of the same object wait behind a parked one.
    pub aggregate: Option<String>,
    /// Member whose points the record may move. Empty if it moves nobody's; `None` if that is not known.
    pub member: Option<String>,
    /// Figures of the event as a digest counts it. `None` if it belongs to no business day.
    pub counted: Option<Counted>,
    /// Effect of the record, or the reason why it is not known.
    pub understood: Result<Understood, Problem>,
}

/// A record of a known kind.
pub struct Understood {
    /// Payload of the record.
    pub payload: AnyPayload,
    /// Effect of the payload.
    pub effect: Effect,
    /// The day that it counts for.
    pub business_date: Option<Date>,
    /// When the event happened, by the store's clock.
    pub occurred_at: UtcMs,
}

impl Understood {
    /// Amount by which it moves the value of the store's stock.
    pub fn moved(&self) -> Money {
        self.effect.moves.iter().map(|moved| moved.value).sum()
    }
}

/// A record of a known kind, with the event that reported it.
pub(crate) type ToPost<'a> = (&'a str, &'a Understood);

/// Reason why a record is parked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub code: &'static str,
    pub message: String,
}

impl Incoming {
    /// Reads a record; a record that can't be understood is kept with the reason.
    pub fn read(event: PushEvent, store_id: &str) -> Self {
        let PushEvent { seq, hash, record } = event;
        let envelope = match read(&record) {
            Ok(envelope) if is_id(&envelope.event_id) && is_text(&envelope.kind, KIND_BYTES_MAX) => {
                Ok(envelope)
            }
            Ok(_) => Err("event_id is not an identifier, or type is empty or too long".to_owned()),
            Err(problem) => Err(problem),
        };
        match envelope {
            Ok(mut envelope) => {
                let payload = payload(&mut envelope);
                let about = envelope.about.as_ref();
                let aggregate = about.and_then(|about| about.aggregate.clone());
                let at = Some(envelope.at.clone());
                Self {
                    aggregate: aggregate.filter(|of| is_text(of, KEY_BYTES_MAX)),
                    // A record that can't be read may move any member's points.
                    member: about.and_then(member),
                    counted: counted_of(&envelope),
                    understood: within(&record)
                        .and(payload)
                        .and_then(|payload| understood(&envelope, payload, store_id)),
                    at: at.filter(|at| hlc::parts(at).is_some() && is_text(at, STAMP_BYTES_MAX)),
                    event_id: Some(envelope.event_id),
                    kind: envelope.kind,
                    seq,
                    hash,
                    record,
                }
            }
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
                understood: Err(Problem { code: "invalid_envelope", message }),
            },
        }
    }

    /// Object that the record requires.
    pub fn needs(&self) -> Option<&Known> {
        self.understood.as_ref().ok()?.effect.needs.as_ref()
    }
}

/// With a key that occurs twice, a reader would choose one of two records.
fn read(record: &str) -> Result<Record<Value>, String> {
    check_keys(record.as_bytes()).map_err(|unsound| unsound.to_string())?;
    serde_json::from_str(record).map_err(|error| error.to_string())
}

fn is_text(text: &str, bytes_max: usize) -> bool {
    (1..=bytes_max).contains(&text.len()) && !text.contains('\0')
}

/// Member whose points a record may move. Empty if it moves nobody's; `None` if there are several, or one that a
/// table's key can't hold.
fn member(about: &About) -> Option<String> {
    match about.members.as_slice() {
        [] => Some(String::new()),
        [member] => Some(member.0.clone()).filter(|member| is_text(member, KEY_BYTES_MAX)),
        _ => None,
    }
}

fn invalid(message: String) -> Problem {
    Problem { code: "invalid_payload", message }
}

/// A record above the limit waits for a person: refusing it would hold up all later records of the store.
fn within(record: &str) -> Result<(), Problem> {
    if record.len() <= RECORD_BYTES_MAX {
        return Ok(());
    }
    let message = format!("the record has {} bytes; at most {RECORD_BYTES_MAX} are applied", record.len());
    Err(Problem { code: RECORD_TOO_LARGE, message })
}

/// Payload of a record, if this hub can read it.
fn payload(envelope: &mut Record<Value>) -> Result<AnyPayload, Problem> {
    if envelope.schema != SCHEMA {
        let message = format!("the record has schema {}, this hub reads {SCHEMA}", envelope.schema);
        return Err(Problem { code: "unknown_schema", message });
    }
    let known = envelope.read_payload().map_err(|error| invalid(error.to_string()))?;
    let unknown =
        || Problem { code: "unknown_type", message: format!("this hub does not know {}", envelope.kind) };
    known.ok_or_else(unknown)
}

fn understood(envelope: &Record<Value>, known: AnyPayload, store_id: &str) -> Result<Understood, Problem> {
    if hlc::parts(&envelope.at).is_none() {
        return Err(invalid("at is not a timestamp of a hybrid clock".to_owned()));
    }
    let effect = known.effect(store_id).map_err(invalid)?;
    if !matches!(known, AnyPayload::AuditRecorded(_)) {
        sound(&envelope.payload, 0)
            .map_err(|Unsound { path, problem }| invalid(format!("{path} {problem}")))?;
    }
    known.check_bounds().map_err(|message| Problem { code: OUT_OF_BOUNDS, message })?;
    let business_date = known.about().business_date;
    Ok(Understood { payload: known, effect, business_date, occurred_at: envelope.occurred_at })
}

/// A value that can't be stored.
struct Unsound {
    /// Its place, from the inside out: `receiving.lines[2].note`.
    path: String,
    problem: String,
}

impl Unsound {
    fn here(problem: impl Into<String>) -> Self {
        Self { path: String::new(), problem: problem.into() }
    }

    fn within(self, step: &str) -> Self {
        let dot = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        Self { path: format!("{step}{dot}{}", self.path), ..self }
    }
}

/// Checks that apply to all records: text that can't be stored, figures out of range.
fn sound(value: &Value, depth: usize) -> Result<(), Unsound> {
    if depth > DEPTH_MAX {
        return Err(Unsound::here("has too many levels"));
    }
    let depth = depth.saturating_add(1);
    match value {
        Value::String(text) if text.len() > TEXT_BYTES_MAX => {
            Err(Unsound::here(format!("has {} bytes, at most {TEXT_BYTES_MAX} are applied", text.len())))
        }
        Value::String(text) if text.contains('\0') => Err(Unsound::here("contains a NUL")),
        Value::Number(number)
            if !number.as_i64().is_some_and(|figure| (-FIGURE_MAX..=FIGURE_MAX).contains(&figure)) =>
        {
            Err(Unsound::here(format!("is {number}, which is out of range")))
        }
        Value::Array(items) => items.iter().enumerate().try_for_each(|(place, item)| {
            sound(item, depth).map_err(|unsound| unsound.within(&format!("[{place}]")))
        }),
        Value::Object(fields) => fields
            .iter()
            .try_for_each(|(name, item)| sound(item, depth).map_err(|unsound| unsound.within(name))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
