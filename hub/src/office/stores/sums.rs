//! The hub's sums of one store's records, for a comparison with the store's own books.

use crate::db::column::Columns;
use domain::model::base::figures::{Money, Points, Quantity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::any::AnyRow;
use sqlx::{AnyPool, Row};

/// Kind of sums.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Of {
    /// Pieces and value by SKU.
    Stock,
    /// Points that this store's entries added and removed, by member.
    Points,
    /// Expected cash in the drawer of each shift.
    Cash,
}

/// A sum of a store.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StoreSum")]
#[serde(untagged)]
pub enum Sum {
    /// Stock of a product.
    Stock {
        /// Product code (SKU).
        sku: String,
        /// Number of pieces.
        on_hand: Quantity,
        /// Value of the pieces, in minor currency units.
        value: Money,
    },
    /// Points of a member.
    Points {
        /// ID of the member.
        member_id: String,
        /// Points earned less points spent at this store.
        points: Points,
    },
    /// Cash of a shift.
    Cash {
        /// ID of the shift.
        shift_id: String,
        /// Cash in the drawer at the opening, in minor currency units.
        opening_float: Money,
        /// Cash taken for sales less cash refunds, in minor currency units.
        net: Money,
        /// Cash paid into the drawer, in minor currency units.
        pay_in: Money,
        /// Cash paid out of the drawer, in minor currency units.
        pay_out: Money,
        /// Cash moved to the safe, in minor currency units.
        drops: Money,
        /// Expected cash in the drawer, in minor currency units.
        expected: Money,
    },
}

impl Sum {
    /// Key that the list is ordered by.
    pub fn key(&self) -> &str {
        match self {
            Self::Stock { sku: key, .. }
            | Self::Points { member_id: key, .. }
            | Self::Cash { shift_id: key, .. } => key,
        }
    }
}

const STOCK: &str =
    "SELECT sku, qty, value FROM stock WHERE store_id = $1 AND sku > $2 ORDER BY sku LIMIT $3";
const POINTS: &str = "SELECT member_id, points FROM store_points WHERE store_id = $1 AND member_id > $2 \
                      ORDER BY member_id LIMIT $3";
/// A shift may be known by its sales only: its opening may be parked.
const CASH: &str = "SELECT k.shift_id AS shift_id, COALESCE(s.opening_float, 0) AS opening_float, \
                    COALESCE(m.amount, 0) AS net_sales, \
                    COALESCE(c.pay_in, 0) AS pay_in, COALESCE(c.pay_out, 0) AS pay_out, COALESCE(c.drops, 0) AS drops \
                    FROM (SELECT shift_id FROM shifts WHERE store_id = $1 \
                    UNION SELECT shift_id FROM shift_methods WHERE store_id = $1 \
                    UNION SELECT shift_id FROM shift_cash WHERE store_id = $1) k \
                    LEFT JOIN shifts s ON s.store_id = $1 AND s.shift_id = k.shift_id \
                    LEFT JOIN shift_methods m ON m.store_id = $1 AND m.shift_id = k.shift_id AND m.method = 'cash' \
                    LEFT JOIN shift_cash c ON c.store_id = $1 AND c.shift_id = k.shift_id \
                    WHERE k.shift_id > $2 ORDER BY k.shift_id LIMIT $3";

/// The sums after `after`, in the order of their keys; empty for a store without reports.
pub async fn list(
    pool: &AnyPool,
    store_id: &str,
    of: Of,
    after: &str,
    limit: i64,
) -> Result<Vec<Sum>, sqlx::Error> {
    let sql = match of {
        Of::Stock => STOCK,
        Of::Points => POINTS,
        Of::Cash => CASH,
    };
    let rows = sqlx::query(sql).bind(store_id).bind(after).bind(limit).fetch_all(pool).await?;
    rows.iter().map(|row| sum(of, row)).collect()
}

fn sum(of: Of, row: &AnyRow) -> Result<Sum, sqlx::Error> {
    let figure = |column: &str| row.cell::<Money>(column);
    Ok(match of {
        Of::Stock => {
            Sum::Stock { sku: row.try_get("sku")?, on_hand: row.cell("qty")?, value: figure("value")? }
        }
        Of::Points => Sum::Points { member_id: row.try_get("member_id")?, points: row.cell("points")? },
        Of::Cash => {
            let (opening_float, net) = (figure("opening_float")?, figure("net_sales")?);
            let (pay_in, pay_out, drops) = (figure("pay_in")?, figure("pay_out")?, figure("drops")?);
            let inside = opening_float.saturating_add(net).saturating_add(pay_in);
            let expected = inside.saturating_sub(pay_out).saturating_sub(drops);
            Sum::Cash {
                shift_id: row.try_get("shift_id")?,
                opening_float,
                net,
                pay_in,
                pay_out,
                drops,
                expected,
            }
        }
    })
}
