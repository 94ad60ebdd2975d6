//! A member's points: the balance, the movements, and a manager's correction.

use super::meet::member;
use crate::http::Answered;
use crate::http::Request;
use crate::http::ask::run;
use crate::http::failure::stored;
use ::actors::commands;
use domain::model::base::figures::Points;
use domain::model::people::member::Member;
use domain::model::people::points::PointsEntry;
use domain::rules::people::points::{AdjustPoints, AdjustedPoints, EntryView, PointsView};
use edge::page::{Page, cursor};
use edge::{ApiError, Code, Doc, Reply};
use serde::{Deserialize, Serialize};
use storage::{Storage, StorageError};

/// Most entries of one commit. A cursor with a higher number is invalid.
const OF_COMMIT_MAX: usize = 1_000;

pub const POINTS: Doc = Doc::of("Members", "Retrieve a member's points and point movements, newest first")
    .query::<Page>()
    .answers::<PointsView>(concat!(
        r#"{"member_id": "mbr_019ab2c4d5e6", "balance": 120, "pending_sync": 22, "lifetime_earned": 320,
            "lifetime_redeemed": 200, "entries": ["#,
        include_str!("../examples/points_entry.json"),
        r#"], "next_cursor": null}"#
    ));
pub const ADJUST: Doc = Doc::of("Members", "Adjust a member's points manually")
    .body::<AdjustPoints>(r#"{"points": 50, "reason": "forgotten at the till"}"#)
    .answers::<AdjustedPoints>(concat!(
        r#"{"member_id": "mbr_019ab2c4d5e6", "balance": 120, "entry": "#,
        include_str!("../examples/points_entry.json"),
        "}"
    ))
    .refuses(&[Code::InvalidState]);

/// Position of a page: the commit of the last shown entry, and the number of its entries that were shown.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Shown {
    lsn: u64,
    of_commit: usize,
}

/// `GET /api/members/:id/points`
pub async fn points(request: Request) -> Answered {
    let query: Page = request.query()?;
    let shown = query.after::<Shown>()?.unwrap_or_default();
    if shown.of_commit > OF_COMMIT_MAX {
        return Err(ApiError::invalid_cursor());
    }
    let member = member(&request).await?;
    let storage = request.state.store.storage();
    let account = storage.members().points(&member.member_id).map_err(stored)?.unwrap_or_default();
    let (entries, next) = page(storage, &member, shown, query.limit.0).map_err(stored)?;
    Ok(Reply::ok(&PointsView {
        balance: account.balance(),
        pending_sync: pending(storage, &member).map_err(stored)?,
        lifetime_earned: account.lifetime_earned,
        lifetime_redeemed: account.lifetime_redeemed,
        entries,
        next_cursor: next.as_ref().map(cursor),
        member_id: member.member_id,
    }))
}

/// `POST /api/members/:id/points/adjust`
pub async fn adjust(request: Request) -> Answered {
    let command: AdjustPoints = request.json()?;
    command.check()?;
    let id = member(&request).await?.member_id;
    run(&request, commands::AdjustPoints(id, command)).await
}

/// One page of entries, and where the next one starts.
fn page(
    storage: &Storage,
    member: &Member,
    shown: Shown,
    limit: usize,
) -> Result<(Vec<EntryView>, Option<Shown>), StorageError> {
    // The commit that the last page ended in is read again, without its items that were already shown.
    let before = (shown.of_commit > 0).then(|| shown.lsn.saturating_add(1));
    let wanted = limit.saturating_add(1).saturating_add(shown.of_commit);
    let found = storage.members().points_entries_of(member, before, wanted)?;
    let mut place = Shown::default();
    let mut numbered = found.into_iter().map(|(lsn, entry): (u64, PointsEntry)| {
        let of_commit = if place.lsn == lsn { place.of_commit.saturating_add(1) } else { 1 };
        place = Shown { lsn, of_commit };
        (place, EntryView::from(&entry))
    });
    let kept: Vec<_> = numbered.by_ref().skip(shown.of_commit).take(limit.saturating_add(1)).collect();
    let next = kept.get(limit.saturating_sub(1)).map(|(place, _)| *place).filter(|_| kept.len() > limit);
    Ok((kept.into_iter().take(limit).map(|(_, entry)| entry).collect(), next))
}

/// Sum of the entries that head office has not acknowledged; 0 without a head office.
fn pending(storage: &Storage, member: &Member) -> Result<Points, StorageError> {
    if storage.sync().hub()?.is_none() {
        return Ok(Points::ZERO);
    }
    let mut sum = Points::ZERO;
    for id in member.family() {
        let pending = storage.members().pending_points(id)?;
        sum = sum.saturating_add(pending.iter().map(|entry| entry.points).sum());
    }
    Ok(sum)
}
