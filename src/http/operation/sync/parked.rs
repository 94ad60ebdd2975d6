//! Records that the hub could not apply.

use crate::http::Answered;
use crate::http::Request;
use crate::http::failure::stored;
use domain::model::hub::sync::local::ParkedNote;
use edge::page::{List, Page};
use edge::{Doc, Reply};

/// `GET /api/sync/parked`
pub const PARKED: Doc =
    Doc::of("Synchronisation", "List parked records: records that the hub could not apply, with their amounts")
        .query::<Page>()
        .answers::<List<ParkedNote>>(
            r#"{"items": [{"epoch": "1-00a1b2c3d4e5f607", "seq": 1017, "event_id": "evt_019a9f00a1b27c3d8e4f5a6b7c8d9e0f",
                "code": "unknown_type", "message": "this hub does not know records of this type",
                "parked_at": "2026-11-20T02:06:34.739Z", "type": "return.posted", "business_date": "2026-11-20", "amount": 3330}],
                "next_cursor": null}"#,
        );

/// `GET /api/sync/parked`: in order of epoch and seq.
pub async fn parked(request: Request) -> Answered {
    let page: Page = request.query()?;
    let after = page.after::<(String, u64)>()?;
    let after = after.as_ref().map(|(epoch, seq)| (epoch.as_str(), *seq));
    let storage = request.state.store.storage();
    let notes = storage.sync().parked(after, page.limit.one_more()).map_err(stored)?;
    Ok(Reply::ok(&List::cut(notes, page.limit, |note: &ParkedNote| (note.epoch.clone(), note.seq))))
}
