//! Statements: imported, listed and read.

use crate::config::IMPORT_ROWS_MAX;
use crate::http::change::one_more;
use crate::http::filtered_list::FilteredList;
use crate::http::prelude::*;
use crate::office::reports::completeness::{self, CompleteList};
use crate::office::settlement::day_settlement::{self as settlement, Detail};
use crate::office::settlement::lines::statement_line::{self, StatementLinesQuery};
use crate::office::settlement::set_aside_row::{self, RowsSetAsideQuery};
use crate::office::settlement::settlement_routes::DETAIL;
use crate::office::settlement::source::{self, DEFAULT, View as Source};
use crate::office::settlement::statement::{self, StatementsQuery, View};
use crate::office::settlement::statement_import::{self, Import};
use domain::model::base::figures::Money;
use domain::model::base::limits::{FIGURE_MAX, ID_BYTES_MAX};
use domain::model::base::refusal::FieldProblem;
use domain::rules::books::settlement::SourceKind;
use domain::rules::books::settlement::import::TextLine;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use sqlx::AnyConnection;
use statements::camt::{self, AccountName, CamtStatement, Wanted};
use statements::csv_reader::{self, CsvStatement};
use statements::format::Fraction;
use statements::line::{Bounds, JsonLine, LineRow, SourceFile, of_json};
use statements::set_aside::{KEPT_MAX, Reason, RowsSetAside};

/// Bad rows that an answer names.
const PROBLEMS_MAX: usize = 1_000;

const STATEMENT: &str = r#"{"statement_id": "stm_1", "doc_no": "ST-2026-000001", "source_id": "src_1",
    "state": "reconciled", "from": "2026-11-20", "to": "2026-11-20", "lines_total": 4, "lines_new": 4,
    "lines_known": 0, "matched": 4, "exceptions": 0, "gross": 648240, "fee": 10656, "net": 637584,
    "opening_balance": null, "closing_balance": null, "balance_difference": null, "set_aside": {"pending": 1},
    "set_aside_open": 0}"#;
const IMPORTED: &str = r#"{"statement_id": "stm_1", "doc_no": "ST-2026-000001", "source_id": "src_1",
    "state": "reconciled", "from": "2026-11-20", "to": "2026-11-20", "lines_total": 4, "lines_new": 4,
    "lines_known": 0, "matched": 4, "exceptions": 0, "gross": 648240, "fee": 10656, "net": 637584,
    "opening_balance": null, "closing_balance": null, "balance_difference": null, "set_aside": {"pending": 1},
    "set_aside_open": 0, "rows_set_aside": [{"row_id": "row_1", "row_no": 7, "reason": "pending", "field": "date",
    "problem": "is not booked yet", "date": null, "reference": "", "description": "BIAYA ADM", "amount": -15000,
    "text": "PEND,BIAYA ADM,0000,15000.00,DB", "repeats_line_id": null, "state": "noted", "line_id": null, "decided_by": null,
    "decided_at": null, "decision": null}], "repeats": []}"#;

/// Example of an import.
const JSON: &str = r#"{"source_id": "src_1", "lines": [{"date": "2026-11-20", "reference": "C-1001", "amount": 155400, "fee": 2331}]}"#;

pub const ROUTES: &[Route<Hub>] = &[
    get("/api/statements", FINANCE, "Settlement").summary("List imported statements, newest first")
        .query::<StatementsQuery>()
        .lists_as::<CompleteList<View>>(STATEMENT, completeness::EXAMPLE, answers!(list)),
    post("/api/statements", FINANCE, "Settlement").summary("Import a statement as JSON, CSV or (for a bank) CAMT.053. Known lines are skipped; rows that can't be read are set aside and listed")
    .query::<ImportQuery>()
    .refuses(&[Code::NotFound, Code::Duplicate, Code::InvalidState])
    .creates_from_file::<JsonStatement, ImportStatement>(JSON, IMPORTED),
    get("/api/statements/:id", FINANCE, "Settlement").summary("Retrieve an imported statement")
        .answers::<View>(STATEMENT, answers!(read)),
    get("/api/statements/:id/lines", FINANCE, "Settlement").summary("List the lines of a statement, in file order")
        .refuses(&[Code::NotFound])
        .lists::<StatementLinesQuery>(
            r#"{"line_id": "sln_1", "line_no": 1, "date": "2026-11-20", "reference": "C-1001", "description": "",
    "type": "sale", "gross": 155400, "fee": 2331, "net": 153069, "batch": "77", "store_ref": null, "state": "matched",
    "match_id": "mch_1"}"#,
        ),
    post("/api/settlements/:id/statements", FINANCE, "Settlement").summary("Import a statement for the settlement of a store's day; items without a line become missing")
    .query::<ImportQuery>()
    .refuses(&[Code::NotFound, Code::Duplicate, Code::InvalidState])
    .creates_from_file::<JsonStatement, ImportForDay>(JSON, DETAIL),
    post("/api/statements/:id/approve", FINANCE, "Settlement").summary("Approve a statement: its lines that belong to no settlement are posted")
    .refuses(&[Code::InvalidState])
    .step::<Approve>(STATEMENT),
];

/// Query parameters of an import.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportQuery {
    /// ID of the statement source. Null for the source of all methods that have no source of their own.
    source_id: Option<String>,
    /// Store that the statement is for.
    store_id: Option<String>,
    /// Opening balance in minor currency units. Null if it is not known.
    opening_balance: Option<Money>,
    /// Closing balance in minor currency units. Null if it is not known.
    closing_balance: Option<Money>,
    /// Whether to preview only: the file is parsed and matched, and nothing is stored.
    dry_run: Option<bool>,
    /// Whether to also import lines that seem to repeat a known line with a different description. Otherwise they are
    /// set aside.
    accept_repeats: Option<bool>,
}

/// A statement that was imported. In a preview: a statement that would be imported.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ImportedStatement {
    /// The statement.
    #[serde(flatten)]
    statement: View,
    /// Rows of the file that were set aside, the first 1000.
    rows_set_aside: Vec<set_aside_row::View>,
    /// Rows that repeat a known line with a different description.
    repeats: Vec<set_aside_row::View>,
}

async fn imported(connection: &mut AnyConnection, statement: View) -> Result<ImportedStatement, Failure> {
    let (id, most) = (statement.statement_id.as_str(), i64::try_from(KEPT_MAX).unwrap_or(i64::MAX));
    let all = RowsSetAsideQuery::default();
    let rows_set_aside = set_aside_row::list(connection, id, &all, None, most).await?;
    let repeats = RowsSetAsideQuery { reason: Some(Reason::Repeat), ..RowsSetAsideQuery::default() };
    let repeats = set_aside_row::list(connection, id, &repeats, None, most).await?;
    Ok(ImportedStatement { statement, rows_set_aside, repeats })
}

/// A statement in JSON.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewStatement")]
pub struct JsonStatement {
    /// ID of the statement source. Null for the source of all methods that have no source of their own.
    #[schemars(length(min = 1, max = ID_BYTES_MAX))]
    source_id: Option<String>,
    /// First day of the statement. Null for the day of its first line.
    from: Option<Date>,
    /// Last day of the statement. Null for the day of its last line.
    to: Option<Date>,
    /// Opening balance in minor currency units. Null if it is not known.
    #[schemars(range(min = -FIGURE_MAX, max = FIGURE_MAX))]
    opening_balance: Option<Money>,
    /// Closing balance in minor currency units. Null if it is not known.
    #[schemars(range(min = -FIGURE_MAX, max = FIGURE_MAX))]
    closing_balance: Option<Money>,
    /// Lines of the statement, up to `limits.import_rows`.
    #[schemars(length(min = 1, max = IMPORT_ROWS_MAX))]
    lines: Vec<JsonLine>,
}

async fn list(request: Request) -> Answered {
    let ask: StatementsQuery = request.query()?;
    let list = FilteredList::of(&request)?;
    // Unmatched lines may be payments that a store has not reported yet: both are read from one state of the database.
    let (mut read, now) = (request.state.db.read().await?, clock::now());
    let items =
        statement::list(&mut read, &ask, list.after(ask.cursor.as_ref())?, one_more(ask.limit)).await?;
    let (page, today) = (list.cut(items, ask.limit, statement::place), request.state.today(now));
    Ok(Reply::ok(&CompleteList::of_days(page, &mut read, (None, ask.from, ask.to), (today, now)).await?))
}

async fn read(request: Request) -> Answered {
    let mut connection = request.state.db.pool().acquire().await?;
    Ok(Reply::ok(&statement::read(&mut connection, request.param("id")).await?))
}

impl PagedList for StatementLinesQuery {
    type Query = Self;
    type Item = statement_line::View;
    type Position = i64;
    async fn read(page: PageOf<'_, Self>) -> Result<Vec<statement_line::View>, Failure> {
        let (pool, id) = (page.pool, page.request.param("id"));
        statement::read(&mut *pool.acquire().await?, id).await?;
        Ok(statement_line::list(pool, id, page.query, page.after, page.limit).await?)
    }
    fn position(line: &statement_line::View) -> i64 {
        statement_line::place(line)
    }
}

/// Imports a statement.
pub struct ImportStatement {
    import: Import,
    dry_run: bool,
}

impl FromRequest for ImportStatement {
    async fn from_request(request: &Request) -> Result<Self, Failure> {
        let query: ImportQuery = request.query()?;
        let dry_run = query.dry_run.unwrap_or(false);
        Ok(Self { import: parsed(request, query).await?, dry_run })
    }
}

impl Command for ImportStatement {
    const ACTION: &'static str = "settlement.statement_imported";
    type Answer = ImportedStatement;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<ImportedStatement>, Failure> {
        let by = tx.writer().await?.by;
        let statement_id =
            statement_import::import(tx.connection, self.import, (by, tx.now, tx.today)).await?;
        let view = statement::read(tx.connection, &statement_id).await?;
        let shown = imported(tx.connection, view).await?;
        if self.dry_run {
            return Ok(Changed::preview(&shown));
        }
        let view = &shown.statement;
        let details = json!({"statement_id": statement_id, "doc_no": view.doc_no, "source_id": view.source_id,
            "lines": view.lines_new, "net": view.net, "set_aside": view.set_aside});
        Ok(Changed::created(format!("/api/statements/{statement_id}"), &shown, details))
    }
}

/// Imports a statement for the settlement of a day.
pub struct ImportForDay {
    import: Import,
    store_id: String,
    dry_run: bool,
}

impl FromRequest for ImportForDay {
    async fn from_request(request: &Request) -> Result<Self, Failure> {
        let query: ImportQuery = request.query()?;
        let (named, dry_run) = (query.store_id.clone(), query.dry_run.unwrap_or(false));
        // A body that can't be is refused before the settlement is looked for.
        let import = parsed(request, query).await?;
        let pool = request.state.db.pool();
        let of = settlement::find(&mut *pool.acquire().await?, request.param("id")).await?;
        if named.is_some_and(|named| named != of.store_id) {
            return Err(ApiError::field("store_id", "is not the settlement's store").into());
        }
        let (store_id, settlement_date) = (Some(of.store_id.clone()), Some(of.business_date));
        Ok(Self { import: Import { store_id, settlement_date, ..import }, store_id: of.store_id, dry_run })
    }
}

impl Command for ImportForDay {
    const ACTION: &'static str = "settlement.statement_imported";
    type Answer = Detail;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Detail>, Failure> {
        let Self { import, store_id, dry_run } = self;
        let (by, id) = (tx.writer().await?.by, tx.path.get("id"));
        let statement_id = statement_import::import(tx.connection, import, (by, tx.now, tx.today)).await?;
        let view = statement::read(tx.connection, &statement_id).await?;
        let detail = settlement::read(tx.connection, id).await?;
        if dry_run {
            return Ok(Changed::preview(&detail));
        }
        let details = json!({"statement_id": statement_id, "doc_no": view.doc_no, "source_id": view.source_id,
            "settlement_id": id, "store_id": store_id, "lines": view.lines_new, "net": view.net});
        Ok(Changed::created(format!("/api/settlements/{id}"), &detail, details))
    }
}

without_body!(Approve);

impl Command for Approve {
    const ACTION: &'static str = "settlement.statement_approved";
    type Answer = View;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<View>, Failure> {
        let id = tx.path.get("id");
        tx.writer().await?.approve_statement(tx.connection, id).await?;
        let view = statement::read(tx.connection, id).await?;
        let details =
            json!({"statement_id": id, "doc_no": view.doc_no, "source_id": view.source_id, "net": view.net});
        Ok(Changed::answer(&view, details))
    }
}

/// Reads the body, whatever it is.
async fn parsed(request: &Request, ask: ImportQuery) -> Result<Import, Failure> {
    let hub = &request.state;
    let (today, import_rows) = (hub.today(clock::now()), hub.limits.import_rows);
    let bounds = Bounds { today, import_rows, currency: hub.currency().await? };
    let content_type = request.headers.get("content-type").and_then(|value| value.to_str().ok());
    let content_type = content_type.unwrap_or_default().trim_start().to_ascii_lowercase();
    let is_xml = content_type.starts_with("application/xml");
    let source_id = ask.source_id.clone().unwrap_or_else(|| DEFAULT.to_owned());
    if !is_xml && !content_type.starts_with("text/csv") {
        return of_lines(request, ask, source_id, &bounds).await;
    }
    let source = source::read(&mut *request.state.db.pool().acquire().await?, &source_id).await?;
    if is_xml && source.kind != SourceKind::Bank {
        return Err(
            ApiError::field("source_id", "is not a bank: import its statements as CSV or JSON").into()
        );
    }
    let (body, local) = (request.body.clone(), request.state.zone.clone());
    // Few files are read at once: each may need several times its size.
    let _turn = request.state.imports.turn(&request.caller()?.user_id).await;
    // A large file is not read on the threads that serve.
    let read = move || {
        if is_xml { of_camt(&body, &source, &local, &bounds) } else { of_csv(&body, &source, local, &bounds) }
    };
    let reported = tokio::task::spawn_blocking(read).await.map_err(ApiError::internal)?;
    let reported = reported.map_err(|problems| refused(&problems))?;
    Ok(Import {
        source_id,
        store_id: ask.store_id,
        settlement_date: None,
        opening_balance: ask.opening_balance.or(reported.opening),
        closing_balance: ask.closing_balance.or(reported.closing),
        span: reported.span,
        account: reported.account,
        lines: reported.lines,
        rows: reported.rows,
        aside: reported.aside,
        accept_repeats: ask.accept_repeats.unwrap_or(false),
    })
}

/// Contents of a file in any format.
struct FileContent {
    opening: Option<Money>,
    closing: Option<Money>,
    lines: Vec<TextLine>,
    rows: Vec<LineRow>,
    aside: RowsSetAside,
    /// First and last day of a statement without lines.
    span: (Option<Date>, Option<Date>),
    /// The account that the file names.
    account: Option<AccountName>,
}

fn of_camt(
    body: &[u8],
    source: &Source,
    local: &TimeZone,
    bounds: &Bounds,
) -> Result<FileContent, Vec<FieldProblem>> {
    let written = source.timezone.as_deref().and_then(|name| TimeZone::get(name).ok());
    let wanted = Wanted {
        account: source.account_no.as_deref(),
        currency: source.currency.as_deref(),
        round: source.csv.fraction == Fraction::Round,
        zone: written.as_ref(),
        local: Some(local),
    };
    let reported = camt::read(body, &wanted, bounds)?;
    let span = if reported.lines.is_empty() { reported.span } else { (None, None) };
    let CamtStatement { opening, closing, lines, rows, aside, account, .. } = reported;
    Ok(FileContent { opening, closing, lines, rows, aside, span, account })
}

fn of_csv(
    body: &[u8],
    source: &Source,
    local: TimeZone,
    bounds: &Bounds,
) -> Result<FileContent, Vec<FieldProblem>> {
    let file = SourceFile {
        kind: source.kind,
        account_no: source.account_no.as_deref(),
        currency: source.currency.as_deref(),
        zone: source.timezone.as_deref().and_then(|name| TimeZone::get(name).ok()),
        local,
        separator: ',',
    };
    let CsvStatement { lines, rows, aside, account } = csv_reader::read(body, &source.csv, file, bounds)?;
    Ok(FileContent { opening: None, closing: None, lines, rows, aside, span: (None, None), account })
}

/// Reads lines of JSON.
async fn of_lines(
    request: &Request,
    ask: ImportQuery,
    named: String,
    bounds: &Bounds,
) -> Result<Import, Failure> {
    let given: JsonStatement = request.json()?;
    // A period beyond today would mark payments as missing that can't have been reported yet.
    if given.to.is_some_and(|to| to > bounds.today) {
        return Err(ApiError::field("to", format!("must not be after {}", bounds.today)).into());
    }
    let source_id = given.source_id.unwrap_or(named);
    let source = source::read(&mut *request.state.db.pool().acquire().await?, &source_id).await?;
    let lines = of_json(given.lines, source.kind, bounds).map_err(|problems| refused(&problems))?;
    Ok(Import {
        source_id,
        store_id: ask.store_id,
        settlement_date: None,
        opening_balance: given.opening_balance.or(ask.opening_balance),
        closing_balance: given.closing_balance.or(ask.closing_balance),
        span: (given.from, given.to),
        account: None,
        lines,
        rows: Vec::new(),
        aside: RowsSetAside::default(),
        accept_repeats: ask.accept_repeats.unwrap_or(false),
    })
}

/// 422 with the first bad rows, and how many there are.
fn refused(problems: &[FieldProblem]) -> ApiError {
    let first: Vec<FieldProblem> = problems.iter().take(PROBLEMS_MAX).cloned().collect();
    let mut error = ApiError::validation(&first);
    error.message = format!("{} cells or rows are wrong: nothing was imported", problems.len());
    error
}
