//! A member's points, entry by entry: the reports of all stores about it and about those merged into it, and head
//! office's expiries.

use crate::columns;
use crate::db::column::Columns;
use crate::db::failure::Failure;
use crate::db::filter::{Bound, Conditions};
use crate::office::members::member;
use crate::table;
use domain::model::base::figures::Points;
use domain::model::base::time::UtcMs;
use domain::model::people::points::PointsReason;
use edge::page::{Cursor, Limit};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;

/// Query parameters of the list.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PointsQuery {
    /// Items on a page.
    #[serde(default)]
    pub limit: Limit,
    /// `next_cursor` of the previous page; omitted for the first page.
    pub cursor: Option<Cursor>,
}

/// A change of a member's points.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "HubPointsEntry")]
pub struct View {
    /// ID of the member. Members that were merged into this one are listed with it.
    member_id: String,
    /// Store that reported the entry. Null if head office let the points expire.
    store_id: Option<String>,
    /// ID of the event.
    event_id: String,
    /// Business day of the entry.
    business_date: Date,
    /// Time of the entry, by the store's clock.
    at: UtcMs,
    /// Number of points, signed.
    points: Points,
    /// Reason for the entry.
    #[schemars(with = "PointsReason")]
    reason: String,
    /// ID of the document.
    reference_id: String,
    /// Last day on which the earned points can be used, as the store reported it. Null if they never expire, or if the
    /// entry earned none.
    expires: Option<Date>,
    /// Points of the member after the entry, as far as all stores have reported.
    balance_after: Points,
    #[serde(skip)]
    position: i64,
}

/// Position of a page: the day, moment, store, event and place of the last item before it.
pub type Bookmark = (Date, i64, String, String, i64);

/// The place of an entry.
pub fn place(item: &View) -> Bookmark {
    let View { business_date, at, store_id, event_id, position, .. } = item;
    (*business_date, at.0, store_id.clone().unwrap_or_default(), event_id.clone(), *position)
}

const ORDER: [&str; 5] = ["business_date", "moved_at", "store_id", "event_id", "position"];

/// The newest first, after a place.
///
/// # Errors
/// 404; the database's.
pub async fn list(
    connection: &mut AnyConnection,
    member_id: &str,
    before: Option<Bookmark>,
    limit: i64,
) -> Result<Vec<View>, Failure> {
    let id = member::read(&mut *connection, member_id).await?.member_id;
    let mut ids = table::member::merged(&mut *connection, &id).await?;
    ids.push(id);
    let below = before.map(|(date, at, store_id, event_id, position)| {
        let [date, store_id, event_id] =
            [date.to_string(), store_id, event_id].map(|text| Bound::from(text.as_str()));
        [date, at.into(), store_id, event_id, position.into()]
    });
    let conditions = Conditions::default().among("member_id", Some(&ids)).below(ORDER, below);
    // The balance after the first of these, and so after each one before it.
    let sql = "SELECT CAST(COALESCE(SUM(points), 0) AS BIGINT) AS points FROM points_entries WHERE {}";
    let mut left: Points = conditions.query(sql).fetch_one(&mut *connection).await?.cell("points")?;
    let order = ORDER.map(|column| format!("{column} DESC")).join(", ");
    let sql = format!("SELECT * FROM points_entries WHERE {{}} ORDER BY {order} LIMIT {limit}");
    let mut items = Vec::new();
    for row in conditions.query(&sql).fetch_all(&mut *connection).await? {
        let (store_id, points): (String, Points) = columns!(row => (store_id, points));
        items.push(columns!(row => View {
            member_id, event_id, business_date, at: "moved_at", reason, reference_id, expires, position;
            store_id = Some(store_id).filter(|id| !id.is_empty()), points = points, balance_after = left,
        }));
        left = left.saturating_sub(points);
    }
    Ok(items)
}
