//! The cash of a store's day: shifts have settled it with the safe, no statement has to.

use crate::columns;
use domain::model::base::figures::Money;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

/// Cash in a shift's drawer.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SettlementShift")]
pub struct ShiftCash {
    /// ID of the shift.
    shift_id: String,
    /// Register of the shift.
    register_id: String,
    /// Expected cash, in minor currency units. Null while the shift is not closed.
    expected: Option<Money>,
    /// Counted cash of the last count, in minor currency units. Null while the shift is not closed.
    counted: Option<Money>,
    /// `counted` − `expected`, in minor currency units. Null while the shift is not closed.
    variance: Option<Money>,
}

/// Cash of a day. `expected`, `counted` and `variance` are sums of the closed shifts; the other sums are of all shifts.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SettlementCash")]
pub struct Cash {
    /// Shifts of the day.
    shifts: Vec<ShiftCash>,
    /// Sum of the expected cash, in minor currency units.
    expected: Money,
    /// Sum of the counted cash, in minor currency units.
    counted: Money,
    /// `counted` − `expected`, in minor currency units.
    variance: Money,
    /// Cash paid into the drawers, in minor currency units.
    pay_in: Money,
    /// Cash paid out of the drawers, in minor currency units.
    pay_out: Money,
    /// Cash moved from the drawer to the safe, in minor currency units.
    drops: Money,
    /// Bank deposits of this day, in minor currency units.
    deposits: Money,
}

/// Drawers of a store's day.
pub async fn of(connection: &mut AnyConnection, store_id: &str, day: Date) -> Result<Cash, sqlx::Error> {
    let sql = "SELECT shift_id, register_id, expected_cash, COALESCE(last_counted, counted_cash) AS counted \
               FROM shifts WHERE store_id = $1 AND business_date = $2 ORDER BY opened_at, shift_id";
    let query = sqlx::query(sql).bind(store_id).bind(day.to_string());
    let shift = |row: &AnyRow| -> Result<ShiftCash, sqlx::Error> {
        let (expected, counted): (Option<Money>, Option<Money>) = columns!(row => (expected_cash, counted));
        let variance = counted.zip(expected).map(|(counted, expected)| counted.saturating_sub(expected));
        Ok(columns!(row => ShiftCash {
            shift_id, register_id; expected = expected, counted = counted, variance = variance,
        }))
    };
    let rows = query.fetch_all(&mut *connection).await?;
    let shifts: Vec<ShiftCash> = rows.iter().map(shift).collect::<Result<_, _>>()?;
    let sum = |of: fn(&ShiftCash) -> Option<Money>| shifts.iter().filter_map(of).sum::<Money>();
    let sql = "SELECT CAST(COALESCE(SUM(c.pay_in), 0) AS BIGINT) AS pay_in, \
               CAST(COALESCE(SUM(c.pay_out), 0) AS BIGINT) AS pay_out, \
               CAST(COALESCE(SUM(c.drops), 0) AS BIGINT) AS drops, \
               (SELECT CAST(COALESCE(SUM(d.amount), 0) AS BIGINT) FROM deposits d WHERE d.store_id = $1 \
               AND d.business_date = $2) AS deposits FROM shift_cash c JOIN shifts s ON s.store_id = c.store_id \
               AND s.shift_id = c.shift_id WHERE c.store_id = $1 AND s.business_date = $2";
    let row = sqlx::query(sql).bind(store_id).bind(day.to_string()).fetch_one(connection).await?;
    let (expected, counted, variance) =
        (sum(|shift| shift.expected), sum(|shift| shift.counted), sum(|shift| shift.variance));
    Ok(columns!(row => Cash {
        pay_in, pay_out, drops, deposits; shifts = shifts, expected = expected, counted = counted, variance = variance,
    }))
}
