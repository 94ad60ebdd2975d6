//! Who has to do something about a parked record. Shown at both ends (docs/protocol.md#fix-and-resubmit).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// State of a record that the hub could not apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ParkedState {
    /// Head office removes the cause, then retries the record.
    WaitsForHeadOffice,
    /// The store corrects its document and sends it again.
    WaitsForStore,
    /// It is applied after another record.
    WaitsForRecord,
    /// A program made an invalid record: support needs its number.
    Defect,
    /// The store's corrected document took its place; it is never applied.
    Replaced,
}

/// The only kind of record that a store can correct: what was typed in a receipt of goods counts in no drawer, no
/// receipt of a customer and no other store.
pub const CORRECTED: &str = "receiving.posted";

/// State of a record of this kind that is parked for this reason.
pub fn state(code: &str, kind: &str) -> ParkedState {
    match code {
        "waits_for_parked" | "waits_for_predecessor" => ParkedState::WaitsForRecord,
        _ if is_of_content(code) && kind == CORRECTED => ParkedState::WaitsForStore,
        "unknown_type" | "unknown_schema" | "effects_failed" => ParkedState::WaitsForHeadOffice,
        _ => ParkedState::Defect,
    }
}

/// Whether the store may correct a record of this kind that is parked for this reason. If the hub's database refused
/// the effects, only a person knows whether a figure of the document is the cause.
pub fn may_correct(code: &str, kind: &str) -> bool {
    kind == CORRECTED && (is_of_content(code) || code == "effects_failed")
}

/// Whether what the record says is the reason.
fn is_of_content(code: &str) -> bool {
    matches!(code, "invalid_payload" | "out_of_bounds" | "record_too_large")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cause_of_each_kind_has_somebody_who_mends_it() {
        let table = [
            ("unknown_type", CORRECTED, ParkedState::WaitsForHeadOffice, false),
            ("unknown_schema", CORRECTED, ParkedState::WaitsForHeadOffice, false),
            ("effects_failed", CORRECTED, ParkedState::WaitsForHeadOffice, true),
            ("effects_failed", "transaction.paid", ParkedState::WaitsForHeadOffice, false),
            ("invalid_payload", CORRECTED, ParkedState::WaitsForStore, true),
            ("out_of_bounds", CORRECTED, ParkedState::WaitsForStore, true),
            ("record_too_large", CORRECTED, ParkedState::WaitsForStore, true),
            ("invalid_payload", "transaction.paid", ParkedState::Defect, false),
            ("out_of_bounds", "receiving.reversed", ParkedState::Defect, false),
            ("invalid_envelope", "", ParkedState::Defect, false),
            ("event_id_reused", CORRECTED, ParkedState::Defect, false),
            ("waits_for_parked", "receiving.reversed", ParkedState::WaitsForRecord, false),
            ("waits_for_predecessor", "transfer.received", ParkedState::WaitsForRecord, false),
        ];
        for (code, kind, expected, correctable) in table {
            assert_eq!(
                (state(code, kind), may_correct(code, kind)),
                (expected, correctable),
                "{code} {kind}"
            );
        }
    }
}
