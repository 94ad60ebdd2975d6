//! Records of days that stores still have to send before these days are locked.

use crate::columns;
use crate::db::column::Columns;
use domain::model::base::business_date::{day_end, day_start};
use domain::model::base::refusal::{NotReady, NotReadyCode};
use domain::model::base::time::UtcMs;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Row};

/// A store, as far as it matters to its days.
pub struct Teller {
    /// ID of the store.
    pub store_id: String,
    zone: TimeZone,
    day_start: jiff::civil::Time,
    disabled_at: Option<i64>,
    enrolled: bool,
    last_seen_at: Option<i64>,
    pending: Option<i64>,
    /// Records of the day that are set aside.
    pub parked: i64,
    holes: i64,
}

const SQL: &str = "SELECT store_id, timezone, day_start, disabled, disabled_at, enrolled_at, pending, \
                   CASE WHEN kind = 'warehouse' THEN 9007199254740991 ELSE last_seen_at END AS last_seen_at, \
                   (SELECT COUNT(*) FROM holes WHERE holes.store_id = stores.store_id) AS holes, \
                   (SELECT COUNT(*) FROM parked WHERE parked.store_id = stores.store_id) AS parked \
                   FROM stores ORDER BY store_id";

/// Every store, by its ID.
pub async fn tellers(connection: &mut AnyConnection) -> Result<Vec<Teller>, sqlx::Error> {
    sqlx::query(SQL).fetch_all(connection).await?.iter().map(teller).collect()
}

fn teller(row: &AnyRow) -> Result<Teller, sqlx::Error> {
    let (zone, start): (TimeZone, Option<String>) = columns!(row => (timezone, day_start));
    let disabled: bool = row.cell("disabled")?;
    let (disabled_at, enrolled_at): (Option<i64>, Option<i64>) = columns!(row => (disabled_at, enrolled_at));
    Ok(Teller {
        store_id: row.try_get("store_id")?,
        zone,
        day_start: start.as_deref().and_then(day_start).unwrap_or_default(),
        disabled_at: disabled_at.filter(|_| disabled),
        enrolled: enrolled_at.is_some(),
        last_seen_at: row.try_get("last_seen_at")?,
        pending: row.try_get("pending")?,
        parked: row.try_get("parked")?,
        holes: row.try_get("holes")?,
    })
}

impl Teller {
    /// Whether a day is over there.
    pub fn is_over(&self, day: Date, now: UtcMs) -> bool {
        day_end(day, &self.zone, self.day_start).0 <= now.0
    }

    /// Records that the store has not reported for the days until this one. A store that was never enrolled
    /// has nothing to report, and one that is disabled reports nothing after that.
    pub fn problems(&self, day: Date) -> Vec<NotReady> {
        if !self.enrolled {
            return Vec::new();
        }
        let end = day_end(day, &self.zone, self.day_start).0;
        let heard_by = self.disabled_at.map_or(end, |at| end.min(at));
        let disabled = self.disabled_at.is_some_and(|at| at < end);
        let heard = disabled || self.last_seen_at.is_some_and(|at| at >= heard_by);
        let count = |count: i64, what: &str| format!("{}: {count} {what}", self.store_id);
        let pending = self.pending.unwrap_or(0);
        [
            (
                !heard,
                NotReadyCode::StoreNotHeard,
                format!("{} has not connected since {day} ended", self.store_id),
            ),
            (pending > 0, NotReadyCode::RecordsPending, count(pending, "records have not arrived yet")),
            (self.parked > 0, NotReadyCode::Parked, count(self.parked, "records are parked")),
            (self.holes > 0, NotReadyCode::Hole, count(self.holes, "gaps in its records")),
        ]
        .into_iter()
        .filter(|(holds, ..)| *holds)
        .map(|(_, code, message)| self.problem(code, None, message))
        .collect()
    }

    fn problem(&self, code: NotReadyCode, date: Option<Date>, message: String) -> NotReady {
        NotReady { code, store_id: self.store_id.clone(), date, id: None, message }
    }

    /// Notes that a day was not sealed.
    pub fn not_sealed(&self, day: Date) -> NotReady {
        let message = format!("{} has not sealed {day}", self.store_id);
        self.problem(NotReadyCode::DayNotSealed, Some(day), message)
    }
}

/// Days of a store with sales or counts that are not sealed: at most a year of them.
pub async fn unsealed(
    connection: &mut AnyConnection,
    store_id: &str,
    (from, until): (Date, Date),
) -> Result<Vec<Date>, sqlx::Error> {
    // Every day with a document is among the store's days.
    let sql = "SELECT d.business_date FROM store_days d WHERE d.store_id = $1 AND d.business_date >= $2 \
               AND d.business_date <= $3 AND d.sealed = 0 \
               AND (EXISTS (SELECT 1 FROM shifts s WHERE s.store_id = d.store_id AND s.business_date = d.business_date) \
               OR EXISTS (SELECT 1 FROM sales s WHERE s.store_id = d.store_id AND s.business_date = d.business_date) \
               OR EXISTS (SELECT 1 FROM returns r WHERE r.store_id = d.store_id \
               AND r.business_date = d.business_date)) ORDER BY d.business_date LIMIT 366";
    let query = sqlx::query(sql).bind(store_id).bind(from.to_string()).bind(until.to_string());
    query.fetch_all(connection).await?.iter().map(|row| row.cell("business_date")).collect()
}

/// Settlements of days until one that are not approved, the first `most` of one store or of all.
pub async fn unsettled(
    connection: &mut AnyConnection,
    store_id: Option<&str>,
    (through, most): (Date, usize),
) -> Result<Vec<NotReady>, sqlx::Error> {
    let of_store = if store_id.is_some() { "store_id = $3 AND" } else { "" };
    let sql = format!(
        "SELECT store_id, business_date, settlement_id, state FROM settlements WHERE {of_store} state <> 'approved' \
         AND business_date <= $1 ORDER BY store_id, business_date LIMIT $2"
    );
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let mut query = sqlx::query(AssertSqlSafe(sql)).bind(through.to_string()).bind(most);
    if let Some(store_id) = store_id {
        query = query.bind(store_id.to_owned());
    }
    query.fetch_all(connection).await?.iter().map(open_settlement).collect()
}

fn open_settlement(row: &AnyRow) -> Result<NotReady, sqlx::Error> {
    let (store_id, id, state): (String, String, String) = columns!(row => (store_id, settlement_id, state));
    let date: Date = row.cell("business_date")?;
    let message = format!("the settlement of {date} in {store_id} is {state}");
    Ok(NotReady { code: NotReadyCode::SettlementOpen, store_id, date: Some(date), id: Some(id), message })
}
