//! Lists and resolves exceptions.

use crate::http::command;
use crate::http::prelude::*;
use crate::office::finance::writer::Writer;
use crate::office::settlement::exception::{self, Bookmark, ExceptionsQuery, View};
use crate::office::settlement::exceptions::resolution::Resolve;
use crate::office::settlement::posting::{self, Posting};
use crate::table::journal_counts;

use edge::Doc;

const EXCEPTION: &str = r#"{"exception_id": "sxc_1", "type": "missing_at_provider", "source_id": "src_1",
    "statement_id": null, "store_id": "S001", "business_date": "2026-11-19",
    "settlement_id": "stl_1", "method": "card", "amount": 83250,
    "item_ids": ["pay_1"], "line_ids": [], "candidates": [], "state": "resolved", "resolution": "carry",
    "account": null, "reason": "terminal was offline", "resolved_by": "usr_1",
    "resolved_at": "2026-11-20T02:06:34.739Z", "entry_id": null, "found_at": "2026-11-20T02:00:00.000Z",
    "message": "A payment was taken, but its provider reported later days without it.",
    "action": "Ask the provider; carry it until it comes, match it, or write it off."}"#;

pub const ROUTES: &[Route<Hub>] = &[
    get("/api/settlement-exceptions", FINANCE, "Settlement")
        .summary("List settlement exceptions, newest first")
        .lists::<ExceptionsQuery>(EXCEPTION),
    Route::post("/api/settlement-exceptions/:id/resolve", FINANCE, RESOLVE, answers!(resolve)),
];

const RESOLVED: &str = r#"{"exception_id": "sxc_1", "type": "missing_at_provider", "source_id": "src_1",
    "statement_id": null, "store_id": "S001", "business_date": "2026-11-19",
    "settlement_id": "stl_1", "method": "card", "amount": 83250,
    "item_ids": ["pay_1"], "line_ids": [], "candidates": [], "state": "resolved", "resolution": "write_off",
    "account": "6060", "reason": "the provider no longer exists", "resolved_by": "usr_1",
    "resolved_at": "2026-11-20T02:06:34.739Z", "entry_id": "jrn_1", "found_at": "2026-11-20T02:00:00.000Z",
    "message": "A payment was taken, but its provider reported later days without it.",
    "action": "Ask the provider; carry it until it comes, match it, or write it off.",
    "posting": [{"store_id": "S001", "entry_date": "2026-11-20", "waits": false, "lines": [
    {"account": "1110", "debit": 0, "credit": 83250}, {"account": "6060", "debit": 83250, "credit": 0}]}]}"#;
const RESOLVE: Doc = Doc::of("Settlement", "Resolve a settlement exception")
    .query::<ResolveQuery>()
    .body::<Resolve>(r#"{"resolution": "carry", "reason": "terminal was offline"}"#)
    .answers::<Resolved>(RESOLVED)
    .refuses(&[Code::InvalidState]);

/// Query parameters of a resolution.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResolveQuery {
    /// Whether to preview only: the result and its entries are returned, and nothing is stored.
    preview: Option<bool>,
}

/// An exception as it was resolved, with its postings.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ResolvedSettlementException")]
pub struct Resolved {
    /// The exception afterwards.
    #[serde(flatten)]
    exception: View,
    /// In a preview: entries that would be posted, at once or with an approval.
    posting: Vec<Posting>,
}

impl PagedList for ExceptionsQuery {
    type Query = Self;
    type Item = View;
    type Position = Bookmark;
    async fn read(page: PageOf<'_, Self>) -> Result<Vec<View>, Failure> {
        Ok(exception::list(page.pool, page.query, page.after, page.limit).await?)
    }
    fn position(exception: &View) -> Bookmark {
        exception::place(exception)
    }
}

async fn resolve(request: Request) -> Answered {
    let query: ResolveQuery = request.query()?;
    if query.preview == Some(true) {
        return preview(&request, &request.json()?).await;
    }
    command::run::<Resolve>(request).await
}

impl Command for Resolve {
    const ACTION: &'static str = "settlement.exception_resolved";
    type Answer = Resolved;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Resolved>, Failure> {
        let (writer, settings) = (tx.writer().await?, tx.settings().await?);
        let (id, carry_days) = (tx.path.get("id"), settings.settlement.carry_days);
        writer.resolve_exception(tx.connection, id, &self, carry_days).await?;
        let view = exception::read(tx.connection, id).await?;
        let details = json!({"exception_id": view.exception_id, "type": view.kind, "resolution": self.resolution,
            "store_id": view.store_id, "amount": view.amount, "reason": self.reason});
        Ok(Changed::answer(&Resolved { exception: view, posting: Vec::new() }, details))
    }
}

/// Resolves it, reports the result, and rolls it back: nothing is committed, and no key is checked.
async fn preview(request: &Request, asked: &Resolve) -> Answered {
    let mut write = request.state.db.write().await?;
    let writer = Writer::alone(&mut write, request, clock::now()).await?;
    let id = request.param("id");
    let shown = async {
        let carry_days = request.state.settings(&mut write).await?.settlement.carry_days;
        writer.resolve_exception(&mut write, id, asked, carry_days).await?;
        exception::read(&mut write, id).await
    };
    let exception = journal_counts::uncounted(shown).await?;
    let posting = posting::of(&mut write, &exception).await?;
    Ok(Reply::ok(&Resolved { exception, posting }))
}
