//! Rows that are no lines of their statement: listed, taken in by hand, dismissed.

use crate::db::failure::Failure;
use crate::http::bound_page::{after, cut};
use crate::http::change::{self, one_more};
use crate::http::{Answered, Request};
use crate::office::finance::writer::{Writer, begun_alone, check_text};
use crate::office::settlement::file::line::{Bounds, check_line};
use crate::office::settlement::set_aside_row::{self, Decision, RowsSetAsideQuery, State, View};
use crate::office::settlement::{source, statement, statement_import};
use domain::model::base::answer::Answer;
use domain::rules::books::settlement::import::{Figures, TextLine};
use domain::rules::books::settlement::{LineKind, SourceKind};
use edge::{ApiError, Code, Doc, Reply};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use sqlx::AnyConnection;

const ROW: &str = r#"{"row_id": "row_1", "row_no": 7, "reason": "invalid", "field": "amount",
    "problem": "\"12,34,5\" is not a number, or its digits are not grouped in threes", "date": "2026-11-20",
    "reference": "C-1004", "description": "", "amount": null, "text": "20/11/2026;C-1004;12,34,5", "repeats_line_id": null,
    "state": "open", "line_id": null, "decided_by": null, "decided_at": null, "decision": null}"#;
const TAKEN: &str = r#"{"row_id": "row_1", "row_no": 7, "reason": "invalid", "field": "amount",
    "problem": "\"12,34,5\" is not a number, or its digits are not grouped in threes", "date": "2026-11-20",
    "reference": "C-1004", "description": "", "amount": null, "text": "20/11/2026;C-1004;12,34,5", "repeats_line_id": null,
    "state": "taken", "line_id": "sln_9", "decided_by": "usr_1", "decided_at": "2026-11-20T02:06:34.739Z",
    "decision": "the slip says 12345"}"#;
const DISMISSED: &str = r#"{"row_id": "row_1", "row_no": 7, "reason": "invalid", "field": "amount",
    "problem": "\"12,34,5\" is not a number, or its digits are not grouped in threes", "date": "2026-11-20",
    "reference": "C-1004", "description": "", "amount": null, "text": "20/11/2026;C-1004;12,34,5", "repeats_line_id": null,
    "state": "dismissed", "line_id": null, "decided_by": "usr_1", "decided_at": "2026-11-20T02:06:34.739Z",
    "decision": "a note of the bank"}"#;

pub const LIST: Doc =
    Doc::of("Settlement", "List the rows of a statement's file that were set aside, in file order")
        .query::<RowsSetAsideQuery>()
        .lists::<View>(ROW)
        .refuses(&[Code::NotFound]);
pub const TAKE: Doc = Doc::of("Settlement", "Add a row that was set aside as a line, with corrections")
    .body::<TakeRow>(r#"{"amount": 12345, "reason": "the slip says 12345"}"#)
    .answers::<View>(TAKEN)
    .refuses(&[Code::NotFound, Code::InvalidState, Code::Duplicate]);
pub const DISMISS: Doc = Doc::of("Settlement", "Dismiss a row that was set aside: it is not a line")
    .body::<DismissRow>(r#"{"reason": "a note of the bank"}"#)
    .answers::<View>(DISMISSED)
    .refuses(&[Code::NotFound, Code::InvalidState]);

/// Corrections of a row; omitted fields are taken from the row.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TakeRow {
    /// Reason why the row is taken in.
    reason: String,
    /// Date of the line.
    date: Option<Date>,
    /// Slip or transfer number of the line.
    reference: Option<String>,
    /// Description of the line, for people.
    description: Option<String>,
    /// Amount of the line: gross for a provider, net for a bank.
    amount: Option<i64>,
    /// Amount before fees, positive for money to us.
    gross: Option<i64>,
    /// Fee, positive if it costs.
    fee: Option<i64>,
    /// Net amount that reaches the account.
    net: Option<i64>,
    /// Type of the line.
    #[serde(rename = "type")]
    kind: Option<LineKind>,
    /// Batch that the line was paid out with.
    batch: Option<String>,
    /// Terminal or shop, as the source names it.
    store_ref: Option<String>,
}

/// Request body that dismisses a row.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DismissRow {
    /// Reason for the dismissal.
    reason: String,
}

/// `GET /api/statements/:id/set-aside`
pub async fn list(request: Request) -> Answered {
    let ask: RowsSetAsideQuery = request.query()?;
    let id = request.param("id");
    let mut connection = request.state.db.pool().acquire().await?;
    statement::read(&mut connection, id).await?;
    let items = set_aside_row::list(&mut connection, id, &ask, after(&ask)?, one_more(ask.limit)).await?;
    Ok(Reply::ok(&cut(&ask, items, set_aside_row::place)))
}

/// `POST /api/statements/:id/set-aside/:row_id/take`
pub async fn take(request: Request) -> Answered {
    let asked: TakeRow = request.json()?;
    check_text("reason", &asked.reason)?;
    let (id, row_id) = (request.param("id"), request.param("row_id"));
    let (mut keyed, writer) = begun_alone!(request);
    let bounds = Bounds { today: writer.today, limits: request.state.limits };
    let line_id = taken(&mut keyed.write, (id, row_id), &asked, (&writer, &bounds)).await?;
    let (view, _) = set_aside_row::read(&mut keyed.write, id, row_id).await?;
    let details = json!({"statement_id": id, "row_id": row_id, "row_no": view.row_no, "line_id": line_id,
        "reason": asked.reason});
    change::finish_audited(&request, keyed, ("settlement.row_taken", details), Answer::ok(&view)).await
}

async fn taken(
    connection: &mut AnyConnection,
    (id, row_id): (&str, &str),
    asked: &TakeRow,
    (writer, bounds): (&Writer<'_>, &Bounds),
) -> Result<String, Failure> {
    let of = statement::read(connection, id).await?;
    // Waits for an import or a matching of the same source that is under way.
    let source = source::lock(connection, &of.source_id).await?;
    let (row, known) = set_aside_row::read(connection, id, row_id).await?;
    let line = corrected(&row, known, asked, source.kind)?;
    if let Some((field, problem)) = check_line(&line, bounds).into_iter().next() {
        return Err(ApiError::field(field, problem).into());
    }
    let when = (writer.now, writer.today);
    let line_id = statement_import::take_in(connection, &source, (id, row.row_no), line, when).await?;
    let decision = Decision {
        state: State::Taken,
        line_id: Some(&line_id),
        by: writer.by,
        at: writer.now,
        reason: asked.reason.trim(),
    };
    set_aside_row::decide(connection, &row, &decision).await?;
    Ok(line_id)
}

/// The line that a row is, with what is corrected.
fn corrected(
    row: &View,
    known: Option<TextLine>,
    asked: &TakeRow,
    source: SourceKind,
) -> Result<TextLine, ApiError> {
    let date = asked.date.or(known.as_ref().map(|line| line.date)).or(row.date);
    let date = date.ok_or_else(|| ApiError::field("date", "is needed: the row has none that can be read"))?;
    let given = Figures { amount: asked.amount, gross: asked.gross, fee: asked.fee, net: asked.net };
    let kind = asked.kind.or(known.as_ref().map(|line| line.kind));
    let figures = match (&known, given == Figures::default()) {
        (Some(line), true) => [line.gross, line.fee, line.net],
        (None, true) if row.amount.is_none() => {
            return Err(ApiError::field("amount", "is needed: the row has none that can be read"));
        }
        (None, true) => of(Figures { amount: row.amount, ..Figures::default() }, source, kind)?,
        (_, false) => of(given, source, kind)?,
    };
    let [gross, fee, net] = figures;
    let text = |given: &Option<String>, row: &str| given.as_deref().unwrap_or(row).trim().to_owned();
    let other = |given: &Option<String>, known: Option<String>| {
        given.clone().or(known).filter(|text| !text.is_empty())
    };
    let (batch, store_ref, other_references) =
        known.map_or((None, None, Vec::new()), |line| (line.batch, line.store_ref, line.other_references));
    Ok(TextLine {
        date,
        reference: text(&asked.reference, &row.reference),
        other_references,
        description: text(&asked.description, &row.description),
        kind: kind.unwrap_or(LineKind::by_sign(source, gross.or(net).unwrap_or(0))),
        batch: other(&asked.batch, batch),
        store_ref: other(&asked.store_ref, store_ref),
        gross,
        fee,
        net,
    })
}

fn of(figures: Figures, source: SourceKind, kind: Option<LineKind>) -> Result<[Option<i64>; 3], ApiError> {
    figures.of_kind(source, kind).map_err(|problem| ApiError::field("amount", problem))
}

/// `POST /api/statements/:id/set-aside/:row_id/dismiss`
pub async fn dismiss(request: Request) -> Answered {
    let asked: DismissRow = request.json()?;
    check_text("reason", &asked.reason)?;
    let (id, row_id) = (request.param("id"), request.param("row_id"));
    let (mut keyed, writer) = begun_alone!(request);
    let (row, _) = set_aside_row::read(&mut keyed.write, id, row_id).await?;
    let decision = Decision {
        state: State::Dismissed,
        line_id: None,
        by: writer.by,
        at: writer.now,
        reason: asked.reason.trim(),
    };
    set_aside_row::decide(&mut keyed.write, &row, &decision).await?;
    let (view, _) = set_aside_row::read(&mut keyed.write, id, row_id).await?;
    let details =
        json!({"statement_id": id, "row_id": row_id, "row_no": view.row_no, "reason": asked.reason});
    change::finish_audited(&request, keyed, ("settlement.row_dismissed", details), Answer::ok(&view)).await
}
