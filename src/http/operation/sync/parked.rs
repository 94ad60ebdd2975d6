//! Records that the hub could not apply.

use crate::http::Answered;
use crate::http::Request;
use crate::http::failure::stored;
use domain::model::base::ids::ReceivingId;
use domain::model::base::time::UtcMs;
use domain::model::hub::sync::local::ParkedNote;
use domain::rules::hub::sync::mending::{ParkedState, may_correct, state};
use edge::page::{List, Page};
use edge::{Doc, Reply};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;
use storage::{Storage, StorageError};

/// `GET /api/parked`
pub const PARKED: Doc =
    Doc::of("Synchronisation", "List parked records: records that the hub could not apply, with who has to act")
        .query::<Page>()
        .answers::<List<View>>(
            r#"{"items": [{"epoch": "1-00a1b2c3d4e5f607", "seq": 1017, "event_id": "evt_019a9f00a1b27c3d8e4f5a6b7c8d9e0f",
                "code": "out_of_bounds", "message": "line 1: cost is 90000000000000, but must be -10000000000000 to 10000000000000",
                "parked_at": "2026-11-20T02:06:34.739Z", "type": "receiving.posted", "business_date": "2026-11-20",
                "amount": 90000000000000, "state": "waits_for_store",
                "receiving_id": "rcv_019a9f00a1b27c3d8e4f5a6b7c8d9e10", "may_correct": true, "replaced_by": null}],
                "next_cursor": null}"#,
        );

/// Parked record, with who has to act.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ParkedRecord")]
struct View {
    /// Epoch of the record.
    epoch: String,
    /// Sequence number of the record in its epoch.
    seq: u64,
    /// Event ID of the record.
    event_id: String,
    /// Stable code of the reason.
    code: String,
    /// Reason for parking, for people.
    message: String,
    /// When the hub parked it, in hub time.
    parked_at: UtcMs,
    /// Type of the record.
    #[serde(rename = "type")]
    kind: Option<String>,
    /// Business date of the record. Null if it has none.
    business_date: Option<Date>,
    /// Amount of the record, in the unit of its type. Null if it is not known.
    amount: Option<i64>,
    /// Who has to act.
    state: ParkedState,
    /// Receipt of goods that the record posted. Null for records of other types.
    receiving_id: Option<ReceivingId>,
    /// Whether the store may correct the receipt: `POST /api/receiving/:id/resubmit`.
    may_correct: bool,
    /// Receipt that corrects this one, until head office has confirmed it. Null if none does.
    replaced_by: Option<ReceivingId>,
}

/// `GET /api/parked`: in order of epoch and seq.
pub async fn parked(request: Request) -> Answered {
    let page: Page = request.query()?;
    let after = page.after::<(String, u64)>()?;
    let after = after.as_ref().map(|(epoch, seq)| (epoch.as_str(), *seq));
    let storage = request.state.store.storage();
    let notes = storage.sync().parked(after, page.limit.one_more()).map_err(stored)?;
    let views = notes.into_iter().map(|note| view(storage, note));
    let views = views.collect::<Result<Vec<View>, _>>().map_err(stored)?;
    Ok(Reply::ok(&List::cut(views, page.limit, |view: &View| (view.epoch.clone(), view.seq))))
}

fn view(storage: &Storage, note: ParkedNote) -> Result<View, StorageError> {
    let kind = note.kind.as_deref().unwrap_or_default();
    let receipt =
        note.receiving_id.as_ref().map(|id| storage.purchasing().receiving(id)).transpose()?.flatten();
    let is_posted = receipt.as_ref().is_some_and(|receipt| receipt.state == "posted");
    let replaced_by = receipt.and_then(|receipt| receipt.replaced_by);
    let state = match state(&note.code, kind) {
        _ if replaced_by.is_some() => ParkedState::Replaced,
        // It was reversed: only head office can still do something.
        ParkedState::WaitsForStore if !is_posted => ParkedState::WaitsForHeadOffice,
        state => state,
    };
    Ok(View {
        state,
        may_correct: is_posted && may_correct(&note.code, kind),
        receiving_id: note.receiving_id,
        replaced_by,
        epoch: note.epoch,
        seq: note.seq,
        event_id: note.event_id,
        code: note.code,
        message: note.message,
        parked_at: note.parked_at,
        kind: note.kind,
        business_date: note.business_date,
        amount: note.amount,
    })
}
