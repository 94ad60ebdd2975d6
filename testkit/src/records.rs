//! Records that tests write by hand.

use domain::wire::record::AnyPayload;
use serde_json::{Value, json};

/// The statement in the envelope of such a record about it; empty if its payload is not understood.
pub fn about(kind: &str, payload: &Value) -> Value {
    let known = AnyPayload::read(kind, payload).ok().flatten();
    known.map_or_else(|| json!({}), |known| json!(known.about()))
}
