//! `settlements`: where the settlement of each day of a store stands. Written under the store's book.

use crate::db::column::Columns;
use crate::secret;
use crate::table::notice::{self, Kind};
use domain::model::base::time::UtcMs;
use jiff::civil::Date;
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

/// Where a settlement stands by its items and exceptions.
const STATE: &str = "CASE WHEN EXISTS (SELECT 1 FROM settlement_exceptions e WHERE e.store_id = settlements.store_id \
                     AND e.business_date = settlements.business_date AND e.state = 'open') THEN 'discrepant' \
                     WHEN EXISTS (SELECT 1 FROM settlement_items i WHERE i.store_id = settlements.store_id \
                     AND i.settlement_date = settlements.business_date AND i.state = 'open' \
                     AND i.kind IN ('payment', 'refund') AND i.carried_until IS NULL) THEN 'open' ELSE 'reconciled' END";

/// Sets where a settlement stands by its items and exceptions ([`domain::rules::books::settlement::state::State`]); an
/// approved one stays so.
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
