//! What does not agree: listed, and resolved.

use crate::db::failure::Failure;
use crate::http::bound_page::{after, cut};
use crate::http::change::{self, one_more};
use crate::http::{Answered, Request};
use crate::office::finance::writer::{Writer, begun_alone};
use crate::office::settlement::exception::{self, ExceptionsQuery, View};
use crate::office::settlement::exceptions::resolution::Resolve;
use crate::office::settlement::posting::{self, Posting};
use crate::table::journal_counts;
use domain::model::base::answer::Answer;
use edge::{Code, Doc, Reply, clock};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::AnyConnection;

const EXCEPTION: &str = r#"{"exception_id": "sxc_1", "type": "missing_at_provider", "source_id": "src_1",
    "statement_id": null, "store_id": "S001", "business_date": "2026-11-19",
    "settlement_id": "stl_1", "method": "card", "amount": 83250,
    "item_ids": ["pay_1"], "line_ids": [], "candidates": [], "state": "resolved", "resolution": "carry",
    "account": null, "reason": "terminal was offline", "resolved_by": "usr_1",
    "resolved_at": "2026-11-20T02:06:34.739Z", "entry_id": null, "found_at": "2026-11-20T02:00:00.000Z",
    "message": "A payment was taken, but its provider reported later days without it.",
    "action": "Ask the provider; carry it until it comes, match it, or write it off."}"#;

pub const LIST: Doc = Doc::of("Settlement", "List settlement exceptions, newest first")
    .query::<ExceptionsQuery>()
    .lists::<View>(EXCEPTION);
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
pub const RESOLVE: Doc = Doc::of("Settlement", "Resolve a settlement exception")
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

/// `GET /api/settlement-exceptions`
pub async fn list(request: Request) -> Answered {
    let ask: ExceptionsQuery = request.query()?;
    let items = exception::list(request.state.db.pool(), &ask, after(&ask)?, one_more(ask.limit)).await?;
    Ok(Reply::ok(&cut(&ask, items, exception::place)))
}

/// `POST /api/settlement-exceptions/:id/resolve`
pub async fn resolve(request: Request) -> Answered {
    let ask: ResolveQuery = request.query()?;
    let asked: Resolve = request.json()?;
    if ask.preview == Some(true) {
        return preview(&request, &asked).await;
    }
    let (mut keyed, writer) = begun_alone!(request);
    let view = resolved(&request, &mut keyed.write, &writer, &asked).await?;
    let details = json!({"exception_id": view.exception_id, "type": view.kind, "resolution": asked.resolution,
        "store_id": view.store_id, "amount": view.amount, "reason": asked.reason});
    let answer = Answer::ok(&Resolved { exception: view, posting: Vec::new() });
    change::finish_audited(&request, keyed, ("settlement.exception_resolved", details), answer).await
}

/// Does it, says what it came to, and takes it back: nothing is committed, and no key is looked at.
async fn preview(request: &Request, asked: &Resolve) -> Answered {
    let mut write = request.state.db.write().await?;
    let writer = Writer::alone(&mut write, request, clock::now()).await?;
    let shown = resolved(request, &mut write, &writer, asked);
    let exception = journal_counts::uncounted(shown).await?;
    let posting = posting::of(&mut write, &exception).await?;
    Ok(Reply::ok(&Resolved { exception, posting }))
}

async fn resolved(
    request: &Request,
    connection: &mut AnyConnection,
    writer: &Writer<'_>,
    asked: &Resolve,
) -> Result<View, Failure> {
    let id = request.param("id");
    let carry_days = request.state.settings(connection).await?.settlement.carry_days;
    writer.resolve_exception(connection, id, asked, carry_days).await?;
    exception::read(connection, id).await
}
