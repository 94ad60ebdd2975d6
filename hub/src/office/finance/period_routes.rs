//! Lists, closes and reopens months; reports the state of the books, and whether they are proven.

use crate::http::prelude::*;
use crate::office::finance::locking::LockRequest;
use crate::office::finance::period::{self, Reopen};
use crate::office::finance::proof::{self, Proofs, Proven};
use crate::office::finance::status;
use crate::office::reports::completeness::{self, Completeness};
use domain::rules::books::month::Month;
use edge::identity::EmptyBody;
use jiff::civil::Date;

const PERIOD: &str = r#"{"month": "2026-11", "state": "closed", "closed_at": "2026-12-02T02:06:34.739Z",
    "closed_by": "usr_1", "result": 356489}"#;

const PERIODS: &str = r#"{"items": [{"month": "2026-11", "state": "closed",
    "closed_at": "2026-12-02T02:06:34.739Z", "closed_by": "usr_1", "result": 356489}],
    "completeness": {"stores_expected": 1, "stores_complete": 1, "missing": [], "as_of": "2026-11-21T02:06:34.739Z"}}"#;

pub const ROUTES: &[Route<Hub>] = &[
    get("/api/finance/periods", FINANCE, "Finance").summary("List the months of a year that have begun, latest first")
    .query::<PeriodsQuery>()
    .refuses(&[Code::ValidationFailed])
    .answers::<Periods>(PERIODS, answers!(list)),
    post("/api/finance/periods/:month/close", FINANCE, "Finance").summary("Close the next open month: its days are locked, and the proofs of the books must hold")
    .refuses(&[Code::Duplicate, Code::InvalidState, Code::NotReady])
    .command_or_default_of::<LockRequest, CloseMonth>("{}", PERIOD),
    post("/api/finance/periods/:month/reopen", ADMIN, "Finance").summary("Reopen the last closed month; its days stay locked")
    .refuses(&[Code::InvalidState])
    .command::<Reopen>(r#"{"reason": "a bill of November was forgotten"}"#, PERIOD),
    post("/api/finance/proofs", FINANCE, "Finance").summary("Compare each control account with its sub-ledger")
        .step::<Prove>(
            r#"{"at": "2026-11-21T02:06:34.739Z", "ok": false, "proofs": [{"name": "inventory", "ok": false, "left": 99,
            "right": 100, "details": [{"store_id": "S001", "left": 99, "right": 100}]}]}"#,
        ),
    get("/api/finance/status", FINANCE, "Finance").summary("Retrieve the state of the books").answers::<status::View>(
        r#"{"points_policy": "expense", "fiscal_year_start": "01-01", "posting": {"posted": 30, "left": 0, "failed": 0},
        "locked_through": [{"store_id": "", "date": "2026-11-19"}, {"store_id": "S001", "date": null}],
        "open_month": "2026-11", "last_proof": {"at": "2026-11-21T02:06:34.739Z", "ok": true, "problems": 0},
        "documents_lost_since": null}"#,
        answers!(status),
    ),
];

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PeriodsQuery {
    /// Year. Defaults to the current year.
    year: Option<i16>,
}

/// The months of a year.
#[derive(Serialize, JsonSchema)]
struct Periods {
    /// Months that have begun, latest first.
    items: Vec<period::View>,
    /// Completeness: which stores have reported all records of the year.
    completeness: Completeness,
}

async fn list(request: Request) -> Answered {
    let PeriodsQuery { year } = request.query()?;
    let now = clock::now();
    let today = request.state.today(now);
    let year = year.unwrap_or_else(|| today.year());
    let first = Date::new(year, 1, 1).ok().filter(|_| year > 0);
    let first = first.ok_or_else(|| ApiError::invalid_query("year", "must be 1 to 9999"))?;
    // The results and their possible gaps are read from one state of the database.
    let mut read = request.state.db.read().await?;
    let items = period::list(&mut read, year, today).await?;
    let days = (first, first.last_of_year().min(today));
    let completeness = completeness::of(&mut *read, None, days, now).await?;
    Ok(Reply::ok(&Periods { items, completeness }))
}

fn month(text: &str) -> Result<Month, ApiError> {
    Month::parse(text).ok_or_else(|| ApiError::not_found("the month"))
}

/// Closes a month.
pub struct CloseMonth {
    asked: LockRequest,
    month: Month,
    proven: Proven,
}

impl FromRequest for CloseMonth {
    async fn from_request(request: &Request) -> Result<Self, Failure> {
        let asked: LockRequest = request.json()?;
        if asked.store_ids.is_some() {
            return Err(
                ApiError::field("store_ids", "must be omitted: a month is closed in all books").into()
            );
        }
        let month = month(request.param("month"))?;
        let proven = proof::beforehand(&request.state.db, clock::now()).await?;
        Ok(Self { asked, month, proven })
    }
}

impl Command for CloseMonth {
    const ACTION: &'static str = "finance.month_closed";
    type Answer = period::View;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<period::View>, Failure> {
        let Self { asked, month, proven } = self;
        let (writer, finance) = (tx.writer().await?, tx.settings().await?.finance);
        let first_month = finance.first_month().unwrap_or(1);
        writer.close(tx.connection, month, first_month, (&asked, proven)).await?;
        let view = period::view(tx.connection, month).await?;
        let details =
            json!({"month": month, "result": view.result, "force": asked.force, "reason": asked.reason});
        Ok(Changed::answer(&view, details))
    }
}

impl Command for Reopen {
    const ACTION: &'static str = "finance.month_reopened";
    type Answer = period::View;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<period::View>, Failure> {
        let (asked, month) = (self, month(tx.path.get("month"))?);
        tx.writer().await?.reopen(tx.connection, month, &asked).await?;
        let view = period::view(tx.connection, month).await?;
        Ok(Changed::answer(&view, json!({"month": month, "reason": asked.reason})))
    }
}

async fn status(request: Request) -> Answered {
    let mut connection = request.state.db.pool().acquire().await?;
    let today = request.state.today(clock::now());
    let finance = request.state.settings(&mut connection).await?.finance;
    Ok(Reply::ok(&status::read(&mut connection, &finance, today).await?))
}

/// Proves the books.
pub struct Prove(Proofs);

impl FromRequest for Prove {
    async fn from_request(request: &Request) -> Result<Self, Failure> {
        let EmptyBody {} = request.json()?;
        Ok(Self(proof::of_now(&request.state.db, clock::now()).await?))
    }
}

impl Command for Prove {
    const ACTION: &'static str = "finance.proven";
    type Answer = Proofs;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Proofs>, Failure> {
        let Self(proofs) = self;
        proof::note(tx.connection, &proofs).await?;
        let failed: Vec<_> = proofs.proofs.iter().filter(|proof| !proof.ok).map(|proof| proof.name).collect();
        let details = json!({"ok": proofs.ok, "failed": failed.join(", ")});
        // Their sums are no figures of this change: one above the largest hides only itself.
        Ok(Changed::answer(&proofs, details).with_hidden_figures())
    }
}
