//! Statements: imported, listed and read.

use crate::db::failure::Failure;
use crate::http::bound_page::{after, cut};
use crate::http::change::{self, begun, one_more};
use crate::http::{Answered, Request};
use crate::office::finance::writer::{Writer, begun_alone};
use crate::office::reports::completeness::{self, CompleteList};
use crate::office::settlement::day_settlement::{self as settlement, Detail};
use crate::office::settlement::file::camt::{self, CamtStatement, Wanted};
use crate::office::settlement::file::csv_reader;
use crate::office::settlement::file::line::{Bounds, JsonLine, of_json};
use crate::office::settlement::settlement_routes::DETAIL;
use crate::office::settlement::source::{self, DEFAULT};
use crate::office::settlement::statement::{self, Import, StatementsQuery, View};
use crate::office::settlement::statement_line::{self, StatementLinesQuery};
use domain::model::base::answer::Answer;
use domain::model::base::refusal::FieldProblem;
use domain::rules::books::settlement::SourceKind;
use domain::rules::books::settlement::import::TextLine;
use edge::identity::EmptyBody;
use edge::{ApiError, Code, Doc, Reply, clock};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// Bad rows that an answer names.
const PROBLEMS_MAX: usize = 1_000;

const STATEMENT: &str = r#"{"statement_id": "stm_1", "doc_no": "ST-2026-000001", "source_id": "src_1",
    "state": "reconciled", "from": "2026-11-20", "to": "2026-11-20", "lines_total": 4, "lines_new": 4,
    "lines_known": 0, "matched": 4, "exceptions": 0, "gross": 648240, "fee": 10656, "net": 637584,
    "opening_balance": null, "closing_balance": null}"#;

/// `GET /api/statements`
pub const LIST: Doc = Doc::of("Settlement", "List what providers and banks reported, the newest first")
    .query::<StatementsQuery>()
    .lists_as::<CompleteList<View>>(STATEMENT, completeness::EXAMPLE);
/// `GET /api/statements/:id`
pub const READ: Doc =
    Doc::of("Settlement", "Read what a provider or a bank reported").answers::<View>(STATEMENT);
/// `GET /api/statements/:id/lines`
pub const LINES: Doc = Doc::of("Settlement", "List the lines of a statement, in its order")
    .query::<StatementLinesQuery>()
    .lists::<statement_line::View>(
        r#"{"line_id": "sln_1", "line_no": 1, "date": "2026-11-20", "reference": "C-1001", "description": "",
    "type": "sale", "gross": 155400, "fee": 2331, "net": 153069, "batch": "77", "store_ref": null, "state": "matched",
    "match_id": "mch_1"}"#,
    )
    .refuses(&[Code::NotFound]);
/// `POST /api/statements`
pub const IMPORT: Doc = Doc::of(
    "Settlement",
    "Import what a provider or a bank reported, as JSON, CSV or (of a bank) CAMT.053: all of it or nothing; lines that are known are skipped",
)
.query::<ImportQuery>()
.body_csv_or_xml::<JsonStatement>(
    r#"{"source_id": "src_1", "lines": [{"date": "2026-11-20", "reference": "C-1001", "amount": 155400, "fee": 2331}]}"#,
)
.creates::<View>(STATEMENT)
.refuses(&[Code::NotFound, Code::Duplicate, Code::InvalidState]);

/// `POST /api/settlements/:id/statements`
pub const IMPORT_FOR_DAY: Doc =
    Doc::of("Settlement", "Import a statement for the settlement of a store's day; whatever it lacks is missing")
        .query::<ImportQuery>()
        .body_csv_or_xml::<JsonStatement>(
            r#"{"source_id": "src_1", "lines": [{"date": "2026-11-20", "reference": "C-1001", "amount": 155400, "fee": 2331}]}"#,
        )
        .creates::<Detail>(DETAIL)
        .refuses(&[Code::NotFound, Code::Duplicate, Code::InvalidState]);

/// `POST /api/statements/:id/approve`
pub const APPROVE: Doc =
    Doc::of("Settlement", "Approve a statement: what of it belongs to no settlement is posted")
        .optional_body::<EmptyBody>("{}")
        .answers::<View>(STATEMENT)
        .refuses(&[Code::InvalidState]);

/// What goes with a file.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportQuery {
    /// Who reports; none: whoever pays out what nobody else does.
    source_id: Option<String>,
    /// The store for whose settlement it is.
    store_id: Option<String>,
    /// What it begins with.
    opening_balance: Option<i64>,
    /// What it ends with.
    closing_balance: Option<i64>,
    /// Parsed and matched, and nothing kept.
    dry_run: Option<bool>,
}

/// A statement in JSON.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewStatement")]
pub struct JsonStatement {
    /// Who reports; none: whoever pays out what nobody else does.
    source_id: Option<String>,
    /// The first day that it is of; none: that of its first line.
    from: Option<Date>,
    /// The last day that it is of; none: that of its last line.
    to: Option<Date>,
    /// What it begins with.
    opening_balance: Option<i64>,
    /// What it ends with.
    closing_balance: Option<i64>,
    /// Up to `limits.import_rows`.
    lines: Vec<JsonLine>,
}

/// `GET /api/statements`
pub async fn list(request: Request) -> Answered {
    let ask: StatementsQuery = request.query()?;
    // What is not matched may be what a store has not told yet: both are of one state of the database.
    let (mut read, now) = (request.state.db.read().await?, clock::now());
    let items = statement::list(&mut read, &ask, after(&ask)?, one_more(ask.limit)).await?;
    let (page, today) = (cut(&ask, items, statement::place), request.state.today(now));
    Ok(Reply::ok(&CompleteList::of_days(page, &mut read, (None, ask.from, ask.to), (today, now)).await?))
}

/// `GET /api/statements/:id`
pub async fn read(request: Request) -> Answered {
    let mut connection = request.state.db.pool().acquire().await?;
    Ok(Reply::ok(&statement::read(&mut connection, request.param("id")).await?))
}

/// `GET /api/statements/:id/lines`
pub async fn lines(request: Request) -> Answered {
    let ask: StatementLinesQuery = request.query()?;
    let (pool, id) = (request.state.db.pool(), request.param("id"));
    statement::read(&mut *pool.acquire().await?, id).await?;
    let items = statement_line::list(pool, id, &ask, after(&ask)?, one_more(ask.limit)).await?;
    Ok(Reply::ok(&cut(&ask, items, statement_line::place)))
}

/// `POST /api/statements`
pub async fn import(request: Request) -> Answered {
    let ask: ImportQuery = request.query()?;
    let now = clock::now();
    let dry_run = ask.dry_run.unwrap_or(false);
    let import = parsed(&request, ask).await?;
    let today = request.state.today(now);
    let mut keyed = begun!(request, now);
    let by = Writer::alone(&mut keyed.write, &request, now).await?.by;
    let statement_id = statement::import(&mut keyed.write, import, (by, now, today)).await?;
    let view = statement::read(&mut keyed.write, &statement_id).await?;
    if dry_run {
        // Nothing is committed.
        return Ok(Reply::ok(&view));
    }
    let details = json!({"statement_id": statement_id, "doc_no": view.doc_no, "source_id": view.source_id,
        "lines": view.lines_new, "net": view.net});
    let answer = Answer::created(format!("/api/statements/{statement_id}"), &view);
    change::finish_audited(&request, keyed, ("settlement.statement_imported", details), answer).await
}

/// `POST /api/settlements/:id/statements`
pub async fn import_for_day(request: Request) -> Answered {
    let ask: ImportQuery = request.query()?;
    let (now, id) = (clock::now(), request.param("id"));
    let (named, dry_run) = (ask.store_id.clone(), ask.dry_run.unwrap_or(false));
    // A body that can't be is refused before the settlement is looked for.
    let import = parsed(&request, ask).await?;
    let of = settlement::find(&mut *request.state.db.pool().acquire().await?, id).await?;
    if named.is_some_and(|named| named != of.store_id) {
        return Err(ApiError::field("store_id", "is not the settlement's store").into());
    }
    let (store_id, settlement_date) = (Some(of.store_id.clone()), Some(of.business_date));
    let import = Import { store_id, settlement_date, ..import };
    let today = request.state.today(now);
    let mut keyed = begun!(request, now);
    let by = Writer::alone(&mut keyed.write, &request, now).await?.by;
    let statement_id = statement::import(&mut keyed.write, import, (by, now, today)).await?;
    let told = statement::read(&mut keyed.write, &statement_id).await?;
    let detail = settlement::read(&mut keyed.write, id).await?;
    if dry_run {
        // Nothing is committed.
        return Ok(Reply::ok(&detail));
    }
    let details = json!({"statement_id": statement_id, "doc_no": told.doc_no, "source_id": told.source_id,
        "settlement_id": id, "store_id": of.store_id, "lines": told.lines_new, "net": told.net});
    let answer = Answer::created(format!("/api/settlements/{id}"), &detail);
    change::finish_audited(&request, keyed, ("settlement.statement_imported", details), answer).await
}

/// `POST /api/statements/:id/approve`
pub async fn approve(request: Request) -> Answered {
    let EmptyBody {} = request.json()?;
    let (mut keyed, writer) = begun_alone!(request);
    let id = request.param("id");
    writer.approve_statement(&mut keyed.write, id).await?;
    let view = statement::read(&mut keyed.write, id).await?;
    let details =
        json!({"statement_id": id, "doc_no": view.doc_no, "source_id": view.source_id, "net": view.net});
    change::finish_audited(&request, keyed, ("settlement.statement_approved", details), Answer::ok(&view))
        .await
}

/// Reads the body, whatever it is.
async fn parsed(request: &Request, ask: ImportQuery) -> Result<Import, Failure> {
    let bounds = Bounds { today: request.state.today(clock::now()), limits: request.state.limits };
    let content_type = request.headers.get("content-type").and_then(|value| value.to_str().ok());
    let content_type = content_type.unwrap_or_default().trim_start().to_ascii_lowercase();
    let is_xml = content_type.starts_with("application/xml");
    let named = ask.source_id.unwrap_or_else(|| DEFAULT.to_owned());
    let store_id = ask.store_id;
    let (opening_balance, closing_balance) = (ask.opening_balance, ask.closing_balance);
    let mut connection = request.state.db.pool().acquire().await?;
    if is_xml || content_type.starts_with("text/csv") {
        let source = source::read(&mut connection, &named).await?;
        drop(connection);
        if is_xml && source.kind != SourceKind::Bank {
            return Err(ApiError::field("source_id", "is no bank: it reports as CSV or JSON").into());
        }
        let body = request.body.clone();
        // A large file is not read on the threads that serve.
        let read = move || match is_xml {
            true => camt::read(&body, &Wanted::default(), &bounds),
            false => csv_reader::read(&body, &source.csv, source.kind, &bounds)
                .map(|lines| CamtStatement { lines, ..CamtStatement::default() }),
        };
        let told = tokio::task::spawn_blocking(read).await.map_err(ApiError::internal)?;
        let CamtStatement { opening, closing, lines, .. } = told.map_err(|problems| refused(&problems))?;
        let (opening_balance, closing_balance) = (opening_balance.or(opening), closing_balance.or(closing));
        let span = (None, None);
        let (source_id, settlement_date) = (named, None);
        return Ok(Import {
            source_id,
            store_id,
            settlement_date,
            opening_balance,
            closing_balance,
            span,
            lines,
        });
    }
    let given: JsonStatement = request.json()?;
    // What is reported beyond today would make payments missing that nobody can have told of yet.
    if given.to.is_some_and(|to| to > bounds.today) {
        return Err(ApiError::field("to", format!("must not be after {}", bounds.today)).into());
    }
    let source_id = given.source_id.unwrap_or(named);
    let source = source::read(&mut connection, &source_id).await?;
    let lines: Vec<TextLine> =
        of_json(given.lines, source.kind, &bounds).map_err(|problems| refused(&problems))?;
    Ok(Import {
        source_id,
        store_id,
        settlement_date: None,
        opening_balance: given.opening_balance.or(opening_balance),
        closing_balance: given.closing_balance.or(closing_balance),
        span: (given.from, given.to),
        lines,
    })
}

/// 422 with the first bad rows, and how many there are.
fn refused(problems: &[FieldProblem]) -> ApiError {
    let first: Vec<FieldProblem> = problems.iter().take(PROBLEMS_MAX).cloned().collect();
    let mut error = ApiError::validation(&first);
    error.message = format!("{} cells or rows are wrong; nothing was imported", problems.len());
    error
}
