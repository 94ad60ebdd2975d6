//! Steps of head office that the demo and the month have in common.

use crate::rest::{Api, text};
use serde_json::{Value, json};

/// Fee of the card provider; the bank's for QRIS follows.
pub const CARD_BP: i64 = 150;
pub const QRIS_BP: i64 = 70;

/// `amount` × `rate_bp` / 10,000, half up, for amounts that are not negative (docs/arithmetic.md#rounding-and-range).
pub fn half_up(amount: i64, rate_bp: i64) -> i64 {
    (2 * amount * rate_bp + 10_000) / 20_000
}

/// The fee of a payment; a refund has no fee.
pub fn fee(amount: i64, rate_bp: i64) -> i64 {
    if amount > 0 { half_up(amount, rate_bp) } else { 0 }
}

/// Makes an order, approves it and sends it.
pub async fn sent_order(
    admin: &Api,
    supplier: &str,
    store: &str,
    lines: &[Value],
    key: &str,
) -> anyhow::Result<Value> {
    let body = json!({"supplier_id": supplier, "store_id": store, "lines": lines});
    let order = admin.post("/api/purchase-orders", &format!("order-{key}"), &body).await?;
    let path = format!("/api/purchase-orders/{}", text(&order, "po_id")?);
    for step in ["approve", "send"] {
        admin.post(&format!("{path}/{step}"), &format!("{step}-{key}"), &json!({})).await?;
    }
    Ok(order)
}

/// The IDs of the statement sources.
pub struct Sources {
    pub cards: String,
    pub bank: String,
}

/// Makes the sources for cards and for QRIS; once more, it gives the same.
pub async fn sources(admin: &Api) -> anyhow::Result<Sources> {
    let cards = json!({"name": "Cards", "kind": "provider", "methods": ["card"], "fee_rate_bp": CARD_BP});
    let cards = admin.post("/api/statement-sources", "cards", &cards).await?;
    let bank = json!({"name": "Bank", "kind": "bank", "methods": ["qris"], "fee_rate_bp": QRIS_BP});
    let bank = admin.post("/api/statement-sources", "bank", &bank).await?;
    Ok(Sources { cards: text(&cards, "source_id")?, bank: text(&bank, "source_id")? })
}
