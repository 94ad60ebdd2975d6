//! Reason codes that a till offers (config.toml, `[reasons]`).

use crate::http::Answered;
use crate::http::Request;
use domain::model::selling::reasons::Reasons;
use edge::{Doc, Reply};

pub const READ: Doc = Doc::of(
    "Point of sale",
    "List reason codes: of voids, manual discounts and returns, and whether other reasons are accepted",
)
.answers::<Reasons>(
    r#"{"voids": ["wrong_item", "customer_left"], "discounts": ["damaged", "staff"],
                "returns": ["defective", "changed_mind"], "enforced": false}"#,
);

/// `GET /api/pos/reasons`
pub async fn read(request: Request) -> Answered {
    Ok(Reply::ok(&request.state.store.rules().policy.reasons))
}
