//! How long a basket is as JSON at most, without writing it.

use crate::model::people::points::LotPart;
use crate::model::selling::transaction::{Line, LineDiscount, Payment, PriceReason, Scan, Transaction};

/// Names and figures of an object in a list: a line has most of them, some 400 bytes.
const OBJECT_BYTES: usize = 512;
/// Bytes beside a line: its number, and at most one more figure.
const BESIDE_LINE_BYTES: usize = 128;
/// Names and figures of the basket itself.
const BASKET_BYTES: usize = 2 * 1024;
/// Most bytes that a byte of a text takes: `\u0001`.
const ESCAPED_BYTES: usize = 6;

/// Upper bound of the bytes of a basket as JSON.
pub fn of_basket(basket: &Transaction) -> usize {
    let ids = [
        basket.transaction_id.as_str(),
        basket.store_id.as_str(),
        basket.register_id.as_str(),
        basket.shift_id.as_str(),
        basket.cashier_id.as_str(),
        basket.member_id.as_ref().map_or("", |id| id.as_str()),
    ];
    let texts = [&basket.receipt_no, &basket.void_reason, &basket.note];
    let own = length(ids).saturating_add(length(texts.map(some)));
    [
        BASKET_BYTES,
        own.saturating_mul(ESCAPED_BYTES),
        sum(basket.items.iter().map(line)),
        sum(basket.scans.iter().map(|Scan { code, .. }| beside_line(code))),
        sum(basket.price_reasons.iter().map(|PriceReason { reason, .. }| beside_line(reason))),
        sum(basket.payments.iter().map(payment)),
        sum(basket.points_lots.iter().map(|LotPart { lot_id, .. }| object([lot_id.as_str()]))),
        sum(basket.flags.iter().map(|flag| object([flag.as_str()]))),
    ]
    .into_iter()
    .fold(0, usize::saturating_add)
}

fn line(line: &Line) -> usize {
    let discount = |it: &LineDiscount| object([some(&it.promotion_id), some(&it.reason)]);
    let own = object([line.sku.as_str(), &line.name, some(&line.tax_code)]);
    own.saturating_add(sum(line.discounts.iter().map(discount)))
}

fn payment(payment: &Payment) -> usize {
    let Payment { payment_id, method, reference, origin, .. } = payment;
    object([payment_id.as_str(), method, some(reference), some(origin)])
}

/// Upper bound of the bytes that are stored beside a line, with this text.
fn beside_line(text: &str) -> usize {
    text.len().saturating_mul(ESCAPED_BYTES).saturating_add(BESIDE_LINE_BYTES)
}

/// An object with these texts.
fn object<const N: usize>(texts: [&str; N]) -> usize {
    length(texts).saturating_mul(ESCAPED_BYTES).saturating_add(OBJECT_BYTES)
}

fn length<const N: usize>(texts: [&str; N]) -> usize {
    sum(texts.into_iter().map(str::len))
}

fn sum(parts: impl Iterator<Item = usize>) -> usize {
    parts.fold(0, usize::saturating_add)
}

fn some(text: &Option<String>) -> &str {
    text.as_deref().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use serde_json::json;

    #[test]
    fn no_basket_is_longer_as_json_than_is_reckoned() {
        let (bad, most, at) = ("\u{1}".repeat(300), i64::MIN, "9999-12-30T00:00:00.000Z");
        let id = "x".repeat(64);
        let discount = json!({"source": "promotion", "promotion_id": bad, "amount": most, "reason": bad});
        let line = json!({"line_no": u32::MAX, "sku": bad, "name": bad, "qty": most, "price": most, "list_price": most,
            "discounts": [discount, discount], "discount": most, "tax_rate_bp": u32::MAX, "tax_code": bad, "tax": most,
            "total": most, "price_override": false, "returned_qty": most, "track_stock": false, "cost": most});
        let payment = json!({"payment_id": id, "method": bad, "amount": most, "tendered": most, "change": most,
            "rounding": most, "reference": bad, "state": "accepted", "origin": bad, "paid_at": at});
        let scan = json!({"line_no": u32::MAX, "code": bad, "pack_qty": most});
        let reason = json!({"line_no": u32::MAX, "reason": bad});
        let lot = json!({"lot_id": bad, "points": most, "expires": "9999-12-31"});
        for count in [0, 1, 40] {
            let basket = json!({"transaction_id": id, "receipt_no": bad, "state": "partially_paid",
                "business_date": "9999-12-31", "occurred_at": at, "store_id": id, "register_id": id, "shift_id": id,
                "cashier_id": id, "member_id": id, "items": vec![line.clone(); count], "scans": vec![scan.clone(); count],
                "price_reasons": vec![reason.clone(); count],
                "prices_include_tax": false, "subtotal": most, "discount": most, "tax": most, "rounding": most,
                "total": most, "points_earned": most, "points_redeemed": most, "earn_per": most, "multiplier_bp": most,
                "points_expire": "9999-12-31", "points_lots": vec![lot.clone(); count],
                "payments": vec![payment.clone(); count], "amount_paid": most, "amount_due": most, "cash_due": most,
                "change": most, "refunded": most, "flags": vec![bad.clone(); count], "created_at": at, "paid_at": at,
                "voided_at": at, "void_reason": bad, "note": bad});
            let basket: Transaction = serde_json::from_value(basket).unwrap();
            let written = serde_json::to_string(&basket).unwrap().len();
            let reckoned = of_basket(&basket);
            assert!(
                (written..written + 4_096 + count * 3_000).contains(&reckoned),
                "{reckoned} for {written}"
            );
        }
    }
}
