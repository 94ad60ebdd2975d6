//! Points that head office let expire: events of its own, under the store `''`. Only their entries are kept.

use crate::columns;
use crate::projection::envelope::Understood;
use domain::model::base::figures::{Money, Points};
use domain::model::base::ids::{MemberId, UserId};
use domain::model::base::time::UtcMs;
use domain::model::people::points::{PointsEntry, PointsReason};
use domain::wire::record::{AnyPayload, Effect, PointsAdjusted};
use jiff::civil::Date;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe};

/// User name for the expiry of points.
const SYSTEM: &str = "system";
const COLUMNS: &str = "event_id, member_id, business_date, moved_at, points";

/// Points of a member that expired, with their number and time. Negative if points came back.
#[derive(Debug, Clone)]
pub struct Expired {
    /// ID of the member.
    pub member_id: String,
    pub points: Points,
    /// Day of head office.
    pub day: Date,
    /// Time of the expiry.
    pub at: UtcMs,
    /// ID of the event.
    pub event_id: String,
}

impl Expired {
    /// The record that a store would have reported.
    pub fn understood(self) -> Understood {
        let Self { member_id, points, day, at, event_id } = self;
        let entry = PointsEntry {
            entry_id: format!("{event_id}:{}", PointsReason::Expire.name()),
            member_id: MemberId(member_id),
            points: points.saturating_neg(),
            reason: PointsReason::Expire,
            reference_id: event_id,
            balance_after: Points::ZERO,
            lots: Vec::new(),
            business_date: day,
            user_id: UserId::from(SYSTEM),
            at,
            worth: Money::ZERO,
        };
        let reason =
            if points > 0 { "past their date" } else { "redeemed in time, reported later" }.to_owned();
        let effect = Effect { points: vec![entry.clone()], ..Effect::default() };
        let payload =
            AnyPayload::PointsAdjusted(Box::new(PointsAdjusted { business_date: day, entry, reason }));
        Understood { payload, effect, business_date: Some(day), occurred_at: at }
    }
}

fn reported(row: &AnyRow) -> Result<(String, Understood), sqlx::Error> {
    let (event_id, points): (String, Points) = columns!(row => (event_id, points));
    let expired = columns!(row => Expired {
        member_id, day: "business_date", at: "moved_at";
        event_id = event_id.clone(), points = points.saturating_neg(),
    });
    Ok((event_id, expired.understood()))
}

/// One of head office's own events. `None` if there is no event with this ID.
pub async fn read(connection: &mut AnyConnection, event_id: &str) -> Result<Option<Understood>, sqlx::Error> {
    let sql = format!("SELECT {COLUMNS} FROM points_entries WHERE store_id = '' AND event_id = $1");
    let row = sqlx::query(AssertSqlSafe(sql)).bind(event_id.to_owned()).fetch_optional(connection).await?;
    row.map(|row| Ok(reported(&row)?.1)).transpose()
}

/// Head office's own events after one, ordered by ID, up to a limit.
pub async fn after(
    connection: &mut AnyConnection,
    event_id: &str,
    limit: i64,
) -> Result<Vec<(String, Understood)>, sqlx::Error> {
    let sql = format!(
        "SELECT {COLUMNS} FROM points_entries WHERE store_id = '' AND event_id > $1 ORDER BY event_id LIMIT $2"
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(event_id.to_owned()).bind(limit);
    query.fetch_all(connection).await?.iter().map(reported).collect()
}
