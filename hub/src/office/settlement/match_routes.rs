//! Matches by hand: made, read and taken back.

use crate::http::change;
use crate::http::{Answered, Request};
use crate::office::finance::writer::begun_alone;
use crate::office::settlement::hand_match::New;
use crate::office::settlement::settlement_match::{self, View};
use domain::model::base::answer::Answer;
use edge::{Code, Doc, Reply};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

const MATCH: &str = r#"{"match_id": "mch_1", "source_id": "src_1", "rule": "by_hand", "line_ids": ["sln_1"],
    "item_ids": ["pay_1"], "gross": 83250, "fee": 1249, "net": 82001, "difference": 0, "difference_account": null,
    "slices": [{"store_id": "S001", "settlement_date": "2026-11-20", "gross": 83250, "fee": 1249, "difference": 0,
    "net": 82001, "booked": false}], "state": "matched", "made_by": "usr_1", "reason": "the slip has another number",
    "made_at": "2026-11-21T02:06:34.739Z", "undone_by": null, "undone_at": null, "undone_reason": null}"#;

pub const READ: Doc =
    Doc::of("Settlement", "Retrieve a match with its lines and items").answers::<View>(MATCH);
pub const MAKE: Doc = Doc::of("Settlement", "Match lines and items manually")
    .body::<New>(
        r#"{"source_id": "src_1", "line_ids": ["sln_1"], "item_ids": ["pay_1"], "reason": "the slip has another number"}"#,
    )
    .creates::<View>(MATCH)
    .refuses(&[Code::NotFound, Code::InvalidState]);
pub const UNDO: Doc = Doc::of("Settlement", "Undo a match before any of it is posted")
    .body::<Undo>(r#"{"reason": "it was another terminal's"}"#)
    .answers::<View>(MATCH)
    .refuses(&[Code::InvalidState]);

/// Request body for the undoing of a match.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SettlementMatchUndo")]
pub struct Undo {
    /// Reason for undoing the match.
    reason: String,
}

/// `GET /api/settlement-matches/:id`
pub async fn read(request: Request) -> Answered {
    let mut connection = request.state.db.pool().acquire().await?;
    Ok(Reply::ok(&settlement_match::read(&mut connection, request.param("id")).await?))
}

/// `POST /api/settlement-matches`
pub async fn make(request: Request) -> Answered {
    let new: New = request.json()?;
    let (mut keyed, writer) = begun_alone!(request);
    let match_id = writer.match_by_hand(&mut keyed.write, &new).await?;
    let view = settlement_match::read(&mut keyed.write, &match_id).await?;
    let details = json!({"match_id": match_id, "source_id": new.source_id, "gross": view.gross, "net": view.net,
        "reason": new.reason});
    let answer = Answer::created(format!("/api/settlement-matches/{match_id}"), &view);
    change::finish_audited(&request, keyed, ("settlement.match_made", details), answer).await
}

/// `POST /api/settlement-matches/:id/undo`
pub async fn undo(request: Request) -> Answered {
    let asked: Undo = request.json()?;
    let (mut keyed, writer) = begun_alone!(request);
    let id = request.param("id");
    writer.undo_match(&mut keyed.write, id, &asked.reason).await?;
    let view = settlement_match::read(&mut keyed.write, id).await?;
    let details =
        json!({"match_id": id, "source_id": view.source_id, "gross": view.gross, "reason": asked.reason});
    change::finish_audited(&request, keyed, ("settlement.match_undone", details), Answer::ok(&view)).await
}
