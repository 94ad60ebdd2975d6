//! Rows that are no lines of their statement: listed, taken in by hand, dismissed.

use crate::http::prelude::*;
use crate::office::finance::writer::{Writer, check_bytes, check_text};
use crate::office::settlement::set_aside_row::{self, Decision, RowsSetAsideQuery, State, View};
use crate::office::settlement::{source, statement, statement_import};
use crate::table::hub;
use domain::model::base::figures::Money;
use domain::model::base::limits::TEXT_CHARS_MAX;
use domain::rules::books::settlement::import::{Figures, TextLine};
use domain::rules::books::settlement::{LineKind, SourceKind};
use jiff::civil::Date;
use sqlx::AnyConnection;
use statements::line::{
    AMOUNT_MAX, Bounds, NAME_BYTES_MAX, REFERENCE_BYTES_MAX, TEXT_BYTES_MAX, check_amount, check_line,
};

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

pub const ROUTES: &[Route<Hub>] = &[
    get("/api/statements/:id/set-aside", FINANCE, "Settlement")
        .summary("List the rows of a statement's file that were set aside, in file order")
        .refuses(&[Code::NotFound])
        .lists::<RowsSetAsideQuery>(ROW),
    post("/api/statements/:id/set-aside/:row_id/take", FINANCE, "Settlement")
        .summary("Add a row that was set aside as a line, with corrections")
        .refuses(&[Code::NotFound, Code::InvalidState, Code::Duplicate])
        .command::<TakeRow>(r#"{"amount": 12345, "reason": "the slip says 12345"}"#, TAKEN),
    post("/api/statements/:id/set-aside/:row_id/dismiss", FINANCE, "Settlement")
        .summary("Dismiss a row that was set aside: it is not a line")
        .refuses(&[Code::NotFound, Code::InvalidState])
        .command::<DismissRow>(r#"{"reason": "a note of the bank"}"#, DISMISSED),
];

/// Corrections of a row. Omitted fields keep the values of the row.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TakeRow {
    /// Reason for adding the row as a line.
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX))]
    reason: String,
    /// Date of the line.
    date: Option<Date>,
    /// Slip or transfer number of the line.
    #[schemars(length(max = REFERENCE_BYTES_MAX))]
    reference: Option<String>,
    /// Description of the line. Null for none.
    #[schemars(length(max = TEXT_BYTES_MAX))]
    description: Option<String>,
    /// Amount of the line in minor currency units: gross for a provider, net for a bank.
    #[schemars(range(min = -AMOUNT_MAX, max = AMOUNT_MAX))]
    amount: Option<Money>,
    /// Amount before fees in minor currency units, positive for incoming money. Null if the source reports none.
    #[schemars(range(min = -AMOUNT_MAX, max = AMOUNT_MAX))]
    gross: Option<Money>,
    /// Fee in minor currency units, positive if it is charged. Null if the source reports none.
    #[schemars(range(min = -AMOUNT_MAX, max = AMOUNT_MAX))]
    fee: Option<Money>,
    /// Net amount that reaches the account, in minor currency units.
    #[schemars(range(min = -AMOUNT_MAX, max = AMOUNT_MAX))]
    net: Option<Money>,
    /// Type of the line.
    #[serde(rename = "type")]
    kind: Option<LineKind>,
    /// Batch that the line was paid out with. Null if the source names none.
    #[schemars(length(max = NAME_BYTES_MAX))]
    batch: Option<String>,
    /// Terminal or shop, as the source names it. Null if it names none.
    #[schemars(length(max = NAME_BYTES_MAX))]
    store_ref: Option<String>,
}

/// Request body that dismisses a row.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DismissRow {
    /// Reason for the dismissal.
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX))]
    reason: String,
}

impl PagedList for RowsSetAsideQuery {
    type Query = Self;
    type Item = View;
    type Position = (i64, String);
    async fn read(page: PageOf<'_, Self>) -> Result<Vec<View>, Failure> {
        let id = page.request.param("id");
        let mut connection = page.pool.acquire().await?;
        statement::read(&mut connection, id).await?;
        Ok(set_aside_row::list(&mut connection, id, page.query, page.after, page.limit).await?)
    }
    fn position(row: &View) -> (i64, String) {
        set_aside_row::place(row)
    }
}

impl Command for TakeRow {
    const ACTION: &'static str = "settlement.row_taken";
    type Answer = View;
    fn check(&self) -> Result<(), ApiError> {
        check_text("reason", &self.reason)?;
        // The spaces around a text count too: the longest text of the request is then the longest of the line.
        check_bytes(|| "reference".to_owned(), self.reference.as_deref(), REFERENCE_BYTES_MAX)?;
        check_bytes(|| "description".to_owned(), self.description.as_deref(), TEXT_BYTES_MAX)
    }
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<View>, Failure> {
        let asked = self;
        let (id, row_id) = (tx.path.get("id"), tx.path.get("row_id"));
        let writer = tx.writer().await?;
        let bounds = Bounds {
            today: tx.today,
            import_rows: tx.hub.limits.import_rows,
            currency: hub::currency(tx.connection).await?,
        };
        let line_id = taken(tx.connection, (id, row_id), &asked, (&writer, &bounds)).await?;
        let (view, _) = set_aside_row::read(tx.connection, id, row_id).await?;
        let details = json!({"statement_id": id, "row_id": row_id, "row_no": view.row_no, "line_id": line_id,
            "reason": asked.reason});
        Ok(Changed::answer(&view, details))
    }
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
    let mut problems = check_line(&line, bounds).into_iter().chain(check_amount(asked.amount, &line));
    if let Some((field, problem)) = problems.next() {
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

/// The line of a row, with its corrections.
fn corrected(
    row: &View,
    known: Option<TextLine>,
    asked: &TakeRow,
    source: SourceKind,
) -> Result<TextLine, ApiError> {
    let date = asked.date.or(known.as_ref().map(|line| line.date)).or(row.date);
    let date = date.ok_or_else(|| {
        ApiError::field("date", "is needed: the value in the row is missing or can't be read")
    })?;
    let given = Figures { amount: asked.amount, gross: asked.gross, fee: asked.fee, net: asked.net };
    let kind = asked.kind.or(known.as_ref().map(|line| line.kind));
    let figures = match (&known, given == Figures::default()) {
        (Some(line), true) => [line.gross, line.fee, line.net],
        (None, true) if row.amount.is_none() => {
            return Err(ApiError::field(
                "amount",
                "is needed: the value in the row is missing or can't be read",
            ));
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
        kind: kind.unwrap_or(LineKind::by_sign(source, gross.or(net).unwrap_or(Money::ZERO))),
        batch: other(&asked.batch, batch),
        store_ref: other(&asked.store_ref, store_ref),
        gross,
        fee,
        net,
    })
}

fn of(figures: Figures, source: SourceKind, kind: Option<LineKind>) -> Result<[Option<Money>; 3], ApiError> {
    figures.of_kind(source, kind).map_err(|problem| ApiError::field("amount", problem))
}

impl Command for DismissRow {
    const ACTION: &'static str = "settlement.row_dismissed";
    type Answer = View;
    fn check(&self) -> Result<(), ApiError> {
        check_text("reason", &self.reason)
    }
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<View>, Failure> {
        let asked = self;
        let (id, row_id) = (tx.path.get("id"), tx.path.get("row_id"));
        let writer = tx.writer().await?;
        let (row, _) = set_aside_row::read(tx.connection, id, row_id).await?;
        let decision = Decision {
            state: State::Dismissed,
            line_id: None,
            by: writer.by,
            at: writer.now,
            reason: asked.reason.trim(),
        };
        set_aside_row::decide(tx.connection, &row, &decision).await?;
        let (view, _) = set_aside_row::read(tx.connection, id, row_id).await?;
        let details =
            json!({"statement_id": id, "row_id": row_id, "row_no": view.row_no, "reason": asked.reason});
        Ok(Changed::answer(&view, details))
    }
}
