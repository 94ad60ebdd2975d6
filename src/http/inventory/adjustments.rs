//! Adjustments.

use crate::http::Answered;
use crate::http::Request;
use crate::http::access::approval::{Approved, approved};
use crate::http::ask::{answered, run};
use crate::http::documents::{Dates, page};
use crate::http::failure::stored;
use ::actors::commands;
use domain::model::base::ids::{AdjustmentId, Sku};
use domain::model::inventory::adjustment::{Adjustment, AdjustmentReason, AdjustmentState};
use domain::rules::inventory::adjustment::NewAdjustment;
use edge::identity::EmptyBody;
use edge::page::{Cursor, Limit};
use edge::{ApiError, Code, Doc, Reply};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;

const ADJUSTMENT: &str = include_str!("examples/adjustment.json");

pub const CREATE: Doc = Doc::of("Adjustments", "Create a stock adjustment")
    .body::<Approved<NewAdjustment>>(
        r#"{"reason": "damaged", "lines": [{"sku": "8991234567890", "qty": -2}], "note": "fell off the shelf"}"#,
    )
    .creates::<Adjustment>(ADJUSTMENT)
    .refuses(&[Code::UnknownSku, Code::InsufficientStock]);
pub const LIST: Doc = Doc::of("Adjustments", "List stock adjustments, last changed first")
    .query::<Query>()
    .lists::<Adjustment>(ADJUSTMENT);
pub const READ: Doc = Doc::of("Adjustments", "Retrieve a stock adjustment").answers::<Adjustment>(ADJUSTMENT);
pub const APPROVE: Doc = Doc::of("Adjustments", "Approve and post a pending adjustment")
    .optional_body::<EmptyBody>("{}")
    .answers::<Adjustment>(ADJUSTMENT)
    .refuses(&[Code::InvalidState, Code::InsufficientStock]);
pub const REJECT: Doc = Doc::of("Adjustments", "Reject a pending adjustment")
    .optional_body::<EmptyBody>("{}")
    .answers::<Adjustment>(ADJUSTMENT)
    .refuses(&[Code::InvalidState]);
pub const REVERSE: Doc = Doc::of("Adjustments", "Reverse a posted adjustment")
    .optional_body::<EmptyBody>("{}")
    .answers::<Adjustment>(ADJUSTMENT)
    .refuses(&[Code::InvalidState, Code::InsufficientStock]);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    /// Only those in this state.
    state: Option<AdjustmentState>,
    /// Only those for this reason.
    reason: Option<AdjustmentReason>,
    /// Only documents with this product.
    sku: Option<Sku>,
    /// First business date.
    from: Option<Date>,
    /// Last business date.
    to: Option<Date>,
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

/// `POST /api/adjustments`
pub async fn create(request: Request) -> Answered {
    let (command, ask) = approved::<NewAdjustment>(&request).await?;
    answered(request.state.store.run(ask, commands::Adjust(command)).await)
}

/// `GET /api/adjustments`
pub async fn list(request: Request) -> Answered {
    let Query { state, reason, sku, from, to, limit, cursor } = request.query()?;
    let wanted = move |adjustment: &Adjustment| {
        state.is_none_or(|state| adjustment.state == state)
            && reason.is_none_or(|reason| adjustment.reason == reason)
            && Dates { from, to }.hold(adjustment.business_date)
            && sku.as_ref().is_none_or(|sku| adjustment.lines.iter().any(|line| line.sku == *sku))
    };
    let read =
        |storage: &storage::Storage, before, limit| storage.stock_documents().adjustments(before, limit);
    Ok(Reply::ok(&page(&request, limit, cursor, read, wanted).await?))
}

/// `GET /api/adjustments/:id`
pub async fn read(request: Request) -> Answered {
    let found = request.state.store.storage().stock_documents().adjustment(&id(&request)).map_err(stored)?;
    Ok(Reply::ok(&found.ok_or_else(|| ApiError::not_found("adjustment"))?))
}

/// `POST /api/adjustments/:id/approve`
pub async fn approve(request: Request) -> Answered {
    let EmptyBody {} = request.json()?;
    run(&request, commands::ApproveAdjustment(id(&request))).await
}

/// `POST /api/adjustments/:id/reject`
pub async fn reject(request: Request) -> Answered {
    let EmptyBody {} = request.json()?;
    run(&request, commands::RejectAdjustment(id(&request))).await
}

/// `POST /api/adjustments/:id/reverse`
pub async fn reverse(request: Request) -> Answered {
    let EmptyBody {} = request.json()?;
    run(&request, commands::ReverseAdjustment(id(&request))).await
}

fn id(request: &Request) -> AdjustmentId {
    AdjustmentId::from(request.param("id"))
}
