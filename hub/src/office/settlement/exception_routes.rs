//! What does not agree: listed, and resolved.

use crate::http::bound_page::{after, cut};
use crate::http::change::{self, one_more};
use crate::http::{Answered, Request};
use crate::office::finance::writer::begun_alone;
use crate::office::settlement::exception::{self, ExceptionsQuery, View};
use crate::office::settlement::resolution::Resolve;
use domain::model::base::answer::Answer;
use edge::{Code, Doc, Reply};
use serde_json::json;

const EXCEPTION: &str = r#"{"exception_id": "sxc_1", "type": "missing_at_provider", "source_id": "src_1",
    "statement_id": null, "store_id": "S001", "business_date": "2026-11-19",
    "settlement_id": "stl_1", "method": "card", "amount": 83250,
    "item_ids": ["pay_1"], "line_ids": [], "candidates": [], "state": "resolved", "resolution": "carry",
    "account": null, "reason": "terminal was offline", "resolved_by": "usr_1",
    "resolved_at": "2026-11-20T02:06:34.739Z", "entry_id": null, "found_at": "2026-11-20T02:00:00.000Z",
    "message": "A payment was taken, and whoever pays it out has reported beyond its day without it.",
    "action": "Ask the provider; carry it until it comes, match it, or write it off."}"#;

/// `GET /api/settlement-exceptions`
pub const LIST: Doc = Doc::of("Settlement", "List what does not agree, the newest first")
    .query::<ExceptionsQuery>()
    .lists::<View>(EXCEPTION);
/// `POST /api/settlement-exceptions/:id/resolve`
pub const RESOLVE: Doc = Doc::of("Settlement", "Say what to do about what does not agree")
    .body::<Resolve>(r#"{"resolution": "carry", "reason": "terminal was offline"}"#)
    .answers::<View>(EXCEPTION)
    .refuses(&[Code::InvalidState]);

/// `GET /api/settlement-exceptions`
pub async fn list(request: Request) -> Answered {
    let ask: ExceptionsQuery = request.query()?;
    let items = exception::list(request.state.db.pool(), &ask, after(&ask)?, one_more(ask.limit)).await?;
    Ok(Reply::ok(&cut(&ask, items, exception::place)))
}

/// `POST /api/settlement-exceptions/:id/resolve`
pub async fn resolve(request: Request) -> Answered {
    let asked: Resolve = request.json()?;
    let (mut keyed, writer) = begun_alone!(request);
    let id = request.param("id");
    let carry_days = request.state.settings(&mut keyed.write).await?.settlement.carry_days;
    writer.resolve_exception(&mut keyed.write, id, &asked, carry_days).await?;
    let view = exception::read(&mut keyed.write, id).await?;
    let details = json!({"exception_id": id, "type": view.kind, "resolution": asked.resolution,
        "store_id": view.store_id, "amount": view.amount, "reason": asked.reason});
    change::finish_audited(&request, keyed, ("settlement.exception_resolved", details), Answer::ok(&view))
        .await
}
