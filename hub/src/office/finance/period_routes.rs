//! Months, listed, closed and opened again; how the books stand, and whether they are proven.

use crate::http::change::{self, begun};
use crate::http::{Answered, Request};
use crate::office::finance::locking::LockRequest;
use crate::office::finance::period::{self, Reopen};
use crate::office::finance::proof::{self, Proofs};
use crate::office::finance::status;
use crate::office::finance::writer::Writer;
use crate::office::reports::completeness::{self, CompleteList};
use domain::model::base::answer::Answer;
use domain::rules::books::month::Month;
use edge::identity::EmptyBody;
use edge::page::List;
use edge::{ApiError, Code, Doc, Reply, clock, figures};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

const PERIOD: &str = r#"{"month": "2026-11", "state": "closed", "closed_at": "2026-12-02T02:06:34.739Z",
    "closed_by": "usr_1", "result": 356489}"#;

pub const LIST: Doc = Doc::of("Finance", "List the months of a year that have begun, latest first")
    .query::<PeriodsQuery>()
    .lists_as::<CompleteList<period::View>>(PERIOD, completeness::EXAMPLE)
    .refuses(&[Code::ValidationFailed]);
pub const CLOSE: Doc = Doc::of(
    "Finance",
    "Close the next open month: its days are locked, and the proofs of the books must hold",
)
.optional_body::<LockRequest>("{}")
.answers::<period::View>(PERIOD)
.refuses(&[Code::Duplicate, Code::InvalidState, Code::NotReady]);
pub const REOPEN: Doc = Doc::of("Finance", "Reopen the last closed month; its days stay locked")
    .body::<Reopen>(r#"{"reason": "a bill of November was forgotten"}"#)
    .answers::<period::View>(PERIOD)
    .refuses(&[Code::InvalidState]);
pub const STATUS: Doc = Doc::of("Finance", "Retrieve the state of the books").answers::<status::View>(
    r#"{"points_policy": "expense", "fiscal_year_start": "01-01", "posting": {"posted": 30, "left": 0, "failed": 0},
        "locked_through": [{"store_id": "", "date": "2026-11-19"}, {"store_id": "S001", "date": null}],
        "open_month": "2026-11", "last_proof": {"at": "2026-11-21T02:06:34.739Z", "ok": true, "problems": 0},
        "documents_lost_since": null}"#,
);
pub const PROVE: Doc = Doc::of("Finance", "Compare each control account with its sub-ledger")
    .optional_body::<EmptyBody>("{}")
    .answers::<Proofs>(
        r#"{"at": "2026-11-21T02:06:34.739Z", "ok": false, "proofs": [{"name": "inventory", "ok": false, "left": 99,
            "right": 100, "details": [{"store_id": "S001", "left": 99, "right": 100}]}]}"#,
    );

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PeriodsQuery {
    /// Year. Defaults to the current year.
    year: Option<i16>,
}

/// `GET /api/finance/periods`
pub async fn list(request: Request) -> Answered {
    let PeriodsQuery { year } = request.query()?;
    let now = clock::now();
    let today = request.state.today(now);
    let year = year.unwrap_or_else(|| today.year());
    let first = Date::new(year, 1, 1).ok().filter(|_| year > 0);
    let first = first.ok_or_else(|| ApiError::invalid_query("year must be 1 to 9999"))?;
    // The results and what they may lack are of one state of the database.
    let mut read = request.state.db.read().await?;
    let page = List { items: period::list(&mut read, year, today).await?, next_cursor: None };
    let days = (None, Some(first), Some(first.last_of_year().min(today)));
    Ok(Reply::ok(&CompleteList::of_days(page, &mut read, days, (today, now)).await?))
}

fn month(request: &Request) -> Result<Month, ApiError> {
    Month::parse(request.param("month")).ok_or_else(|| ApiError::not_found("the month"))
}

/// `POST /api/finance/periods/:month/close`
pub async fn close(request: Request) -> Answered {
    let ask: LockRequest = if request.body.is_empty() { LockRequest::default() } else { request.json()? };
    if ask.store_ids.is_some() {
        return Err(ApiError::field("store_ids", "must be omitted: a month is closed in all books").into());
    }
    let (month, now) = (month(&request)?, clock::now());
    let proven = proof::beforehand(&request.state.db, now).await?;
    let mut keyed = begun!(request, now);
    let writer = Writer::alone(&mut keyed.write, &request, now).await?;
    let finance = request.state.settings(&mut keyed.write).await?.finance;
    let first_month = finance.first_month().unwrap_or(1);
    writer.close(&mut keyed.write, month, first_month, (&ask, proven)).await?;
    let view = period::view(&mut keyed.write, month).await?;
    let details = json!({"month": month, "result": view.result, "force": ask.force, "reason": ask.reason});
    change::finish_audited(&request, keyed, ("finance.month_closed", details), Answer::ok(&view)).await
}

/// `POST /api/finance/periods/:month/reopen`
pub async fn reopen(request: Request) -> Answered {
    let ask: Reopen = request.json()?;
    let (month, now) = (month(&request)?, clock::now());
    let mut keyed = begun!(request, now);
    let writer = Writer::alone(&mut keyed.write, &request, now).await?;
    writer.reopen(&mut keyed.write, month, &ask).await?;
    let view = period::view(&mut keyed.write, month).await?;
    let details = json!({"month": month, "reason": ask.reason});
    change::finish_audited(&request, keyed, ("finance.month_reopened", details), Answer::ok(&view)).await
}

/// `GET /api/finance/status`
pub async fn status(request: Request) -> Answered {
    let mut connection = request.state.db.pool().acquire().await?;
    let today = request.state.today(clock::now());
    let finance = request.state.settings(&mut connection).await?.finance;
    Ok(Reply::ok(&status::read(&mut connection, &finance, today).await?))
}

/// `POST /api/finance/proofs`
pub async fn prove(request: Request) -> Answered {
    let EmptyBody {} = request.json()?;
    let now = clock::now();
    let proofs = proof::of_now(&request.state.db, now).await?;
    let mut keyed = begun!(request, now);
    proof::note(&mut keyed.write, &proofs).await?;
    let failed: Vec<_> = proofs.proofs.iter().filter(|proof| !proof.ok).map(|proof| proof.name).collect();
    let details = json!({"ok": proofs.ok, "failed": failed.join(", ")});
    let mut answer = Answer::ok(&proofs);
    // What they come to is no figure of this change: one above the largest hides itself alone.
    figures::hide(&mut answer.body);
    change::finish_audited(&request, keyed, ("finance.proven", details), answer).await
}
