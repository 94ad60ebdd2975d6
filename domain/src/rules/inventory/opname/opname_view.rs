//! A count and its lines as the interface shows them.

use crate::model::base::figures::{Money, Quantity};
use crate::model::base::ids::{Sku, UserId};
use crate::model::base::time::UtcMs;
use crate::model::inventory::opname::{Opname, OpnameLine, ZoneCount};
use crate::model::inventory::stock::Stock;
use crate::model::people::user::Role;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;

/// A stock count with a page of its lines.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "OpnameDetail")]
pub struct OpnameView {
    /// The count.
    #[serde(flatten)]
    pub opname: Opname,
    /// Counted lines, in order of SKU.
    #[schemars(with = "Vec<OpnameLineView>")]
    pub lines: Vec<Value>,
    /// Cursor of the next lines. Null on the last page.
    pub next_cursor: Option<String>,
}

/// A counted line of a stock count.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "OpnameLine")]
pub struct OpnameLineView {
    /// SKU of the product.
    sku: Sku,
    /// Name of the product at that time.
    name: String,
    /// Pieces on hand at the latest count. Null while a blind count hides it.
    expected: Option<Quantity>,
    /// Pieces counted in all zones. Null if the product is to be counted again.
    counted: Option<Quantity>,
    /// Variance in pieces: `counted` − `expected`. Null while either is null.
    variance: Option<Quantity>,
    /// Value of the variance, in minor currency units. An estimate before posting. Null while `variance` is null.
    variance_value: Option<Money>,
    /// Counts by zone.
    zones: Vec<ZoneView>,
    /// Whether stock of the product moved between its first and its last count. Such a line must be counted again, or
    /// accepted.
    moved_between_counts: bool,
    /// User who last counted the product. Null if nobody did.
    counted_by: Option<UserId>,
    /// All users who counted the product.
    counters: BTreeSet<UserId>,
    /// When the product was last counted. Null if it never was.
    counted_at: Option<UtcMs>,
}

/// Quantity counted in one zone.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ZoneView {
    /// Name of the zone. Empty if none was named.
    zone: String,
    /// Counted pieces.
    qty: Quantity,
    /// User who last counted there.
    counted_by: UserId,
    /// All users who counted there.
    counters: BTreeSet<UserId>,
    /// When the zone was last counted.
    counted_at: UtcMs,
}

/// Line as `role` may see it: a blind count hides the expected quantity from counters.
pub fn line_view(opname: &Opname, line: &OpnameLine, stock: &Stock, role: Role) -> Value {
    let hidden = opname.hides_from(role);
    let counted = !line.zones.is_empty();
    let shown = counted && !hidden;
    let zones = line.zones.iter().map(|(zone, count)| ZoneView {
        zone: zone.clone(),
        qty: count.qty,
        counted_by: count.user_id.clone(),
        counters: count.counters(),
        counted_at: count.at,
    });
    let view = OpnameLineView {
        sku: line.sku.clone(),
        name: line.name.clone(),
        expected: (!hidden).then_some(line.expected),
        counted: counted.then(|| line.counted()),
        variance: shown.then(|| line.variance()),
        variance_value: shown.then(|| line.variance_value.unwrap_or_else(|| line.estimate(stock))),
        zones: zones.collect(),
        moved_between_counts: line.moved_between_counts(),
        counted_by: counted.then(|| line.counted_by.clone()),
        counters: line.zones.values().flat_map(ZoneCount::counters).collect(),
        counted_at: counted.then_some(line.counted_at),
    };
    serde_json::to_value(view).unwrap_or_default()
}
