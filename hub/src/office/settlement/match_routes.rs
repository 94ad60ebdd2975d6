//! Matches by hand: made, read and taken back.

use crate::http::prelude::*;
use crate::office::settlement::hand_match::New;
use crate::office::settlement::settlement_match::{self, View};
use domain::model::base::limits::TEXT_CHARS_MAX;

const MATCH: &str = r#"{"match_id": "mch_1", "source_id": "src_1", "rule": "by_hand", "line_ids": ["sln_1"],
    "item_ids": ["pay_1"], "gross": 83250, "fee": 1249, "net": 82001, "difference": 0, "difference_account": null,
    "slices": [{"store_id": "S001", "settlement_date": "2026-11-20", "gross": 83250, "fee": 1249, "difference": 0,
    "net": 82001, "booked": false}], "state": "matched", "made_by": "usr_1", "reason": "the slip has another number",
    "made_at": "2026-11-21T02:06:34.739Z", "undone_by": null, "undone_at": null, "undone_reason": null}"#;

pub const ROUTES: &[Route<Hub>] = &[
    post("/api/settlement-matches", FINANCE, "Settlement").summary("Match lines and items manually")
        .refuses(&[Code::NotFound, Code::InvalidState])
        .creates::<New>(
            r#"{"source_id": "src_1", "line_ids": ["sln_1"], "item_ids": ["pay_1"], "reason": "the slip has another number"}"#,
            MATCH,
        ),
    get("/api/settlement-matches/:id", FINANCE, "Settlement").summary("Retrieve a match with its lines and items")
        .answers::<View>(MATCH, answers!(read)),
    post("/api/settlement-matches/:id/undo", FINANCE, "Settlement").summary("Undo a match before any of it is posted")
    .refuses(&[Code::InvalidState])
    .command::<Undo>(r#"{"reason": "it was another terminal's"}"#, MATCH),
];

/// Request body for the undoing of a match.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SettlementMatchUndo")]
pub struct Undo {
    /// Reason for undoing the match.
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX))]
    reason: String,
}

async fn read(request: Request) -> Answered {
    let mut connection = request.state.db.pool().acquire().await?;
    Ok(Reply::ok(&settlement_match::read(&mut connection, request.param("id")).await?))
}

impl Command for New {
    const ACTION: &'static str = "settlement.match_made";
    type Answer = View;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<View>, Failure> {
        let match_id = tx.writer().await?.match_by_hand(tx.connection, &self).await?;
        let view = settlement_match::read(tx.connection, &match_id).await?;
        let details = json!({"match_id": match_id, "source_id": self.source_id, "gross": view.gross,
            "net": view.net, "reason": self.reason});
        Ok(Changed::created(format!("/api/settlement-matches/{match_id}"), &view, details))
    }
}

impl Command for Undo {
    const ACTION: &'static str = "settlement.match_undone";
    type Answer = View;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<View>, Failure> {
        let id = tx.path.get("id");
        tx.writer().await?.undo_match(tx.connection, id, &self.reason).await?;
        let view = settlement_match::read(tx.connection, id).await?;
        let details = json!({"match_id": id, "source_id": view.source_id, "gross": view.gross,
            "reason": self.reason});
        Ok(Changed::answer(&view, details))
    }
}
