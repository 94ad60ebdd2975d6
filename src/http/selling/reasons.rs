//! Reason codes that a till offers (config.toml, `[reasons]`).

use crate::http::Answered;
use crate::http::Request;
use domain::model::selling::reasons::Reasons;
use edge::{Doc, Reply};

/// `GET /api/pos/reasons`
pub const READ: Doc = Doc::of(
    "Point of sale",
    "Reason codes of voids, discounts by hand and returns, and whether only these are taken",
)
.answers::<Reasons>(
    r#"{"voids": ["wrong_item", "customer_left"], "discounts": ["damaged", "staff"],
                "returns": ["defective", "changed_mind"], "enforced": false}"#,
);

/// `GET /api/pos/reasons`
pub async fn read(request: Request) -> Answered {
    Ok(Reply::ok(&request.state.store.rules().policy.reasons))
}
