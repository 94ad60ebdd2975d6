//! `settlements`: the state of the settlement of each day of a store. Written while the store's book is locked.

use crate::db::column::Columns;
use crate::db::{Engine, array, insert};
use crate::table::notice::{self, Kind};
use crate::{row, secret};
use domain::model::base::figures::Money;
use domain::model::base::time::UtcMs;
use domain::rules::books::settlement::exception::ExceptionKind;
use jiff::civil::Date;
use serde_json::json;
use sqlx::{AnyConnection, Error};
use std::collections::BTreeSet;

/// Makes the settlement of a day; one that is there stays as it is. Says whether it was made.
pub async fn make(
    connection: &mut AnyConnection,
    (store_id, day): (&str, Date),
    forced: bool,
    now: UtcMs,
) -> Result<bool, Error> {
    let sql = "INSERT INTO settlements (store_id, business_date, settlement_id, state, forced, made_at) \
               VALUES ($1, $2, $3, 'open', $4, $5) ON CONFLICT (store_id, business_date) DO NOTHING";
    let id = format!("stl_{}", secret::mark());
    let query = sqlx::query(sql).bind(store_id).bind(day.to_string()).bind(&id);
    let done = query.bind(i64::from(forced)).bind(now.0).execute(&mut *connection).await?;
    let made = done.rows_affected() > 0;
    if made {
        notice::tell(connection, Kind::Settlement, (&id, store_id)).await?;
    }
    evaluate(connection, store_id, day).await?;
    Ok(made)
}

/// State of a settlement by its items and exceptions.
const STATE: &str = "CASE WHEN EXISTS (SELECT 1 FROM settlement_exceptions e WHERE e.store_id = settlements.store_id \
                     AND e.business_date = settlements.business_date AND e.state = 'open') THEN 'discrepant' \
                     WHEN EXISTS (SELECT 1 FROM settlement_items i WHERE i.store_id = settlements.store_id \
                     AND i.settlement_date = settlements.business_date AND i.state = 'open' \
                     AND i.kind IN ('payment', 'refund') AND i.carried_until IS NULL) THEN 'open' ELSE 'reconciled' END";

/// Sets a settlement's state from its items and exceptions
/// ([`domain::rules::books::settlement::state::SettlementState`]); an approved one stays so.
pub async fn evaluate(connection: &mut AnyConnection, store_id: &str, day: Date) -> Result<(), Error> {
    let sql = format!(
        "UPDATE settlements SET state = {STATE} WHERE store_id = $1 AND business_date = $2 AND state <> 'approved' \
         AND state <> {STATE} RETURNING settlement_id"
    );
    let query = sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).bind(store_id).bind(day.to_string());
    let moved: Option<String> = query.fetch_optional(&mut *connection).await?;
    if let Some(id) = moved {
        notice::tell(connection, Kind::Settlement, (&id, store_id)).await?;
    }
    Ok(())
}

/// The approved days of a store from one on.
pub async fn approved(
    connection: &mut AnyConnection,
    store_id: &str,
    from: Date,
) -> Result<BTreeSet<Date>, Error> {
    let sql = "SELECT business_date FROM settlements WHERE store_id = $1 AND business_date >= $2 \
               AND state = 'approved'";
    let rows = sqlx::query(sql).bind(store_id).bind(from.to_string()).fetch_all(connection).await?;
    rows.iter().map(|row| row.cell("business_date")).collect()
}

/// The first day from one on whose settlement is not approved.
pub fn first_waiting(approved: &BTreeSet<Date>, from: Date) -> Date {
    let mut day = from;
    while approved.contains(&day) {
        let Ok(next) = day.tomorrow() else { break };
        day = next;
    }
    day
}

/// The ID of an exception: the same for the same thing, so that it is noted once.
pub fn exception_id(kind: ExceptionKind, about: &str) -> String {
    let digest = secret::digest(&format!("{} {about}", kind.name()));
    format!("sxc_{}", digest.get(..32).unwrap_or(&digest))
}

/// An item of a day that was approved before it came.
pub struct Late {
    /// Its ID in its store.
    pub item_id: String,
    pub method: String,
    /// The day that has it now.
    pub day: Date,
    /// Amount of the item.
    pub amount: Money,
}

/// Notes the day of each late item: it is reported, and needs no action.
pub async fn note_late(
    connection: &mut AnyConnection,
    store_id: &str,
    late: Vec<Late>,
    now: UtcMs,
) -> Result<(), Error> {
    let kind = ExceptionKind::Late;
    let row = |Late { item_id, method, day, amount }: Late| {
        row! {
            exception_id: late_id(store_id, &item_id), kind: kind.name(), store_id,
            business_date: day.to_string(), method, amount, items: json!([[store_id, item_id]]).to_string(),
            lines: "[]", candidates: "[]", state: "resolved", resolved_at: now.0, found_at: now.0,
        }
    };
    let rows = late.into_iter().map(row).collect();
    insert::rows(connection, "settlement_exceptions", "ON CONFLICT (exception_id) DO NOTHING", rows).await
}

/// Late items moved to another day: their report names that day.
pub async fn late_went_on(
    connection: &mut AnyConnection,
    store_id: &str,
    item_ids: &[String],
    day: Date,
) -> Result<(), Error> {
    let engine = Engine::of_connection(connection);
    let ids: Vec<String> = item_ids.iter().map(|item_id| late_id(store_id, item_id)).collect();
    let among = array::among(engine, "exception_id", 1);
    let sql = format!("UPDATE settlement_exceptions SET business_date = $2 WHERE {among}");
    let query = sqlx::query(sqlx::AssertSqlSafe(sql)).persistent(false);
    let query = query.bind(array::texts(engine, ids.iter().map(String::as_str))?).bind(day.to_string());
    query.execute(connection).await.map(drop)
}

fn late_id(store_id: &str, item_id: &str) -> String {
    exception_id(ExceptionKind::Late, &format!("{store_id} {item_id}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn an_item_waits_for_the_first_day_that_is_not_approved() {
        let approved = BTreeSet::from([date(2026, 11, 18), date(2026, 11, 19), date(2026, 11, 21)]);
        for (day, waits) in [(17, 17), (18, 20), (19, 20), (20, 20), (21, 22)] {
            assert_eq!(first_waiting(&approved, date(2026, 11, day)), date(2026, 11, waits), "{day}");
        }
    }
}
