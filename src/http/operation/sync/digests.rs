//! Day by day: does the hub agree?

use crate::http::Answered;
use crate::http::Request;
use crate::http::failure::stored;
use domain::model::base::time::UtcMs;
use domain::model::hub::sync::Figure;
use domain::model::hub::sync::local::DayFigures;
use domain::wire::sync::{Difference, DigestResult};
use edge::page::{List, Page};
use edge::{ApiError, Doc, Reply};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use storage::Storage;

pub const DIGESTS: Doc =
    Doc::of("Synchronisation", "List days with both digests, the store's and the hub's, newest first")
        .query::<Page>()
        .answers::<List<DayView>>(
            r#"{"items": [{"business_date": "2026-11-20", "result": "match", "since": null, "parked": 0,
            "first_difference": null, "compared_at": "2026-11-21T01:00:00.000Z",
            "types": {"transaction.paid": {"count": 812, "total": 91435997}}}], "next_cursor": null}"#,
        );

/// Comparison of a business day: the figures of the store and the answer of the hub.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DayDigest")]
struct DayView {
    /// The business date.
    business_date: Date,
    /// Result of the comparison. Null if the day is not over, or was not compared yet.
    result: Option<DigestResult>,
    /// When the day was first found to differ. Null if it matches, or was not compared.
    since: Option<UtcMs>,
    /// Number of records of the day that the hub has parked. They are included in its figures.
    parked: u64,
    /// First figure that differs. Null if none does.
    first_difference: Option<Difference>,
    /// When the day was last compared, by the hub's clock. Null if it was not compared yet.
    compared_at: Option<UtcMs>,
    /// Current figures of the store, by type of record.
    types: BTreeMap<String, Figure>,
}

/// `GET /api/sync/digests`
pub async fn digests(request: Request) -> Answered {
    let page: Page = request.query()?;
    let before = page.after::<Date>()?;
    let storage = request.state.store.storage();
    let tally = storage.days().tally().map_err(stored)?.number;
    let wanted = page.limit.one_more();
    let (mut before, mut views) = (before, Vec::new());
    loop {
        let days = storage.days().days_before(before, wanted).map_err(stored)?;
        before = days.last().map(|day| day.business_date);
        let whole = days.len() < wanted;
        // Figures of an earlier tally count for nothing.
        for day in days.into_iter().filter(|day| day.tally == tally) {
            views.push(view(storage, day)?);
        }
        if whole || views.len() >= wanted {
            break;
        }
    }
    Ok(Reply::ok(&List::cut(views, page.limit, |view: &DayView| view.business_date)))
}

fn view(storage: &Storage, day: DayFigures) -> Result<DayView, ApiError> {
    let DayFigures { business_date, types, .. } = day;
    let proof = storage.days().day_proof(business_date).map_err(stored)?;
    let read = |proof: &domain::model::hub::sync::local::DayProof| {
        let difference = proof.first_difference.clone();
        let difference = difference.map(serde_json::from_value::<Difference>).transpose();
        let result = serde_json::from_value::<DigestResult>(proof.result.clone().into());
        Ok::<_, serde_json::Error>((result?, difference?))
    };
    let proven = proof.as_ref().map(read).transpose().map_err(ApiError::internal)?;
    let (result, first_difference) = proven.map_or((None, None), |(result, first)| (Some(result), first));
    Ok(DayView {
        business_date,
        result,
        since: proof.as_ref().and_then(|proof| proof.since),
        parked: proof.as_ref().map_or(0, |proof| proof.parked),
        first_difference,
        compared_at: proof.map(|proof| proof.at),
        types,
    })
}
