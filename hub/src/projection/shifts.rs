//! Shifts as their records report them. Two copies of a store may each have counted one: both counts are kept, and the
//! books get the difference.

use crate::db::insert::{self, NewRow};
use crate::db::signed;
use crate::table::exception;
use crate::{columns, row};
use domain::model::base::figures::Money;
use domain::model::base::time::UtcMs;
use domain::model::books::shift::{MethodTotals, Shift, ShiftState};
use domain::rules::books::posting::Counted;
use domain::rules::books::shift::CountedShift;
use edge::clock;
use jiff::civil::Date;
use serde_json::json;
use sqlx::AnyConnection;
use std::collections::{BTreeMap, BTreeSet};

/// A record of a shift.
pub(crate) struct ShiftRecord<'a> {
    pub event_id: &'a str,
    /// Whether it was counted once more.
    pub recounted: bool,
    pub shift: &'a Shift,
}

/// The days of the shifts that report their sums.
pub(crate) fn closed_days(reported: &[ShiftRecord<'_>]) -> BTreeSet<Date> {
    let closed = reported.iter().filter(|reported| reported.shift.state == ShiftState::Closed);
    closed.map(|reported| reported.shift.business_date).collect()
}

/// Writes the present state of the shifts; returns the difference of each count to its shift in the books, by event.
pub(crate) async fn write(
    connection: &mut AnyConnection,
    store_id: &str,
    reported: Vec<ShiftRecord<'_>>,
    now: UtcMs,
) -> Result<BTreeMap<String, Counted>, sqlx::Error> {
    let closes = !closed_days(&reported).is_empty();
    let mut known = counted_before(connection, store_id, &reported).await?;
    let (mut rows, mut news) = (BTreeMap::new(), BTreeMap::new());
    for ShiftRecord { event_id, recounted, shift } in reported {
        let (before, known_by) = known.remove(shift.shift_id.as_str()).unzip();
        let now = CountedShift::from_record(shift, recounted).filter(|_| shift.state != ShiftState::Open);
        // The shown document is the one of the count that closed the shift.
        let first = match (&before, &now) {
            (Some(before), Some(now)) => now.is_first(before),
            (before, _) => before.is_none(),
        };
        let told_by = known_by.filter(|_| !first).unwrap_or_else(|| event_id.to_owned());
        let after = match (&before, now) {
            (Some(before), Some(now)) => Some(before.clone().with(now)),
            (before, now) => now.or_else(|| before.clone()),
        };
        if let Some(after) = &after {
            let of = |shift: &CountedShift| (shift.expected_cash, shift.last_counted);
            let (expected, counted) = before.as_ref().map_or((Money::ZERO, Money::ZERO), of);
            let added = Counted {
                expected: after.expected_cash.saturating_sub(expected),
                counted: after.last_counted.saturating_sub(counted),
            };
            news.insert(event_id.to_owned(), added);
            known.insert(shift.shift_id.0.clone(), (after.clone(), told_by.clone()));
        }
        // A counted shift stays counted: its opening may be reported again afterwards.
        if shift.state != ShiftState::Open || after.is_none() {
            rows.insert(shift.shift_id.0.clone(), cells((store_id, told_by.as_str()), shift, after.as_ref()));
        }
    }
    let rows: Vec<NewRow> = rows.into_values().collect();
    let tail = "ON CONFLICT (store_id, shift_id) DO UPDATE SET event_id = excluded.event_id, state = excluded.state, \
                closed_by = excluded.closed_by, closed_at = excluded.closed_at, \
                counted_cash = excluded.counted_cash, expected_cash = excluded.expected_cash, \
                variance = excluded.variance, z_no = excluded.z_no, last_counted = excluded.last_counted, \
                last_counted_at = excluded.last_counted_at, updated_at = excluded.updated_at, \
                methods = COALESCE(excluded.methods, shifts.methods)";
    insert::rows(connection, "shifts", tail, rows).await?;
    if closes {
        exception::close_interrupted(connection, store_id, now).await?;
    }
    Ok(news)
}

fn cells((store_id, event_id): (&str, &str), shift: &Shift, counted: Option<&CountedShift>) -> NewRow {
    let state = match shift.state {
        _ if counted.is_some() => "closed",
        ShiftState::Open => "open",
        ShiftState::Ended => "ended",
        ShiftState::Closed => "closed",
        ShiftState::Interrupted => "interrupted",
    };
    row! {
        store_id, shift_id: shift.shift_id.0.as_str(), event_id, register_id: shift.register_id.0.as_str(),
        business_date: shift.business_date.to_string(), state, opened_by: shift.opened_by.0.as_str(),
        opened_at: shift.opened_at.0, opening_float: shift.opening_float,
        closed_by: counted.and_then(|shift| shift.closed_by.as_ref()).map(|by| by.0.clone()),
        closed_at: counted.and_then(|shift| shift.closed_at).map(|at| at.0),
        counted_cash: counted.map(|shift| shift.counted_cash),
        expected_cash: counted.map(|shift| shift.expected_cash),
        variance: counted.map(|shift| shift.counted_cash.saturating_sub(shift.expected_cash)),
        z_no: counted.and_then(|shift| shift.z_no).map(signed),
        last_counted: counted.map(|shift| shift.last_counted),
        last_counted_at: counted.map(|shift| shift.last_counted_at.0),
        methods: methods(shift).map(|methods| json!(methods).to_string()), updated_at: clock::now().0,
    }
}

/// Amount that a shift took in less what it gave back, by method. `None` if it was not reported.
fn methods(shift: &Shift) -> Option<BTreeMap<&str, Money>> {
    let net = |(method, of): (_, &MethodTotals)| (method, of.sales.saturating_sub(of.refunds));
    let reported = shift.totals.by_method.iter().map(|(method, of)| net((method.as_str(), of)));
    (shift.state == ShiftState::Closed).then(|| reported.collect())
}

/// The shifts of a batch that were counted before it, by ID, each with the event that reported the first count.
async fn counted_before(
    connection: &mut AnyConnection,
    store_id: &str,
    reported: &[ShiftRecord<'_>],
) -> Result<BTreeMap<String, (CountedShift, String)>, sqlx::Error> {
    let mut known = BTreeMap::new();
    if reported.is_empty() {
        return Ok(known);
    }
    let list = insert::list(2, reported.len());
    let sql = format!(
        "SELECT shift_id, event_id, z_no, closed_at, closed_by, counted_cash, expected_cash, last_counted, last_counted_at \
         FROM shifts WHERE store_id = $1 AND last_counted IS NOT NULL AND shift_id IN ({list})"
    );
    let mut query = sqlx::query(sqlx::AssertSqlSafe(sql)).persistent(false).bind(store_id.to_owned());
    for shift in reported {
        query = query.bind(shift.shift.shift_id.0.clone());
    }
    for row in query.fetch_all(connection).await? {
        let (shift_id, event_id, z_no, closed_by): (String, String, Option<i64>, Option<String>) =
            columns!(row => (shift_id, event_id, z_no, closed_by));
        let shift = columns!(row => CountedShift {
            closed_at, counted_cash, expected_cash, last_counted, last_counted_at;
            z_no = z_no.map(i64::unsigned_abs), closed_by = closed_by.map(Into::into),
        });
        known.insert(shift_id, (shift, event_id));
    }
    Ok(known)
}
