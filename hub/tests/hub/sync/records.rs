//! Records as a store makes them, with the domain's own types and functions.

use domain::model::base::ids::EventId;
use domain::model::base::time::UtcMs;
use domain::model::books::shift::Shift;
use domain::model::hub::stamp::Stamp;
use domain::model::inventory::receiving::Receiving;
use domain::model::inventory::stock::{Movement, MovementReason};
use domain::model::selling::transaction::Transaction;
use domain::wire::record;
use serde_json::json;

/// 2023-11-20 09:06:34.739 in Jakarta.
pub const NOON: UtcMs = UtcMs(1_700_445_994_739);
pub const DAY: &str = "2023-11-20";

pub fn stamp(event_id: &str) -> Stamp {
    let at = format!("{:013}-00000-S001", NOON.0);
    Stamp { now: NOON, at, event_id: EventId(event_id.to_owned()) }
}

/// A sale of `qty` pieces of `sku` at 1,000 with 11 % tax, paid in cash.
pub struct Sale<'a> {
    pub store: &'a str,
    pub number: u64,
    pub shift: &'a str,
    pub sku: &'a str,
    pub qty: i64,
    pub price: i64,
}

impl Sale<'_> {
    pub fn tax(&self) -> i64 {
        self.qty * self.price * 11 / 100
    }

    pub fn total(&self) -> i64 {
        self.qty * self.price + self.tax()
    }

    pub fn transaction(&self) -> Transaction {
        let (gross, tax, total) = (self.qty * self.price, self.tax(), self.total());
        serde_json::from_value(json!({
            "transaction_id": format!("trx_{}_{}", self.store, self.number), "receipt_no": format!("{}-main-{:08}", self.store, self.number),
            "state": "paid", "business_date": DAY, "occurred_at": NOON, "store_id": self.store, "register_id": "main",
            "shift_id": self.shift, "cashier_id": "usr_1", "member_id": null,
            "items": [{"line_no": 1, "sku": self.sku, "name": "Thing", "qty": self.qty, "price": self.price,
                "list_price": self.price, "discounts": [], "discount": 0, "tax_rate_bp": 1100, "tax_code": null,
                "tax": tax, "total": total, "price_override": false, "returned_qty": 0, "track_stock": true, "cost": self.qty * 10}],
            "prices_include_tax": false, "subtotal": gross, "discount": 0, "tax": tax, "rounding": 0, "total": total,
            "points_earned": 0, "points_redeemed": 0, "scans": [], "earn_per": 0, "multiplier_bp": 0, "points_expire": null, "points_lots": [],
            "payments": [{"payment_id": format!("pay_{}", self.number), "method": "cash", "amount": total, "tendered": total,
                "change": 0, "rounding": 0, "reference": null, "state": "accepted", "origin": null, "paid_at": NOON}],
            "amount_paid": total, "amount_due": 0, "cash_due": 0, "change": 0, "refunded": 0, "flags": [],
            "created_at": NOON, "paid_at": NOON, "voided_at": null, "void_reason": null, "note": null,
        }))
        .unwrap()
    }

    pub fn record(&self, event_id: &str) -> String {
        let movement = Movement {
            movement_id: "mov_1".into(),
            sku: self.sku.into(),
            qty: (-self.qty).into(),
            cost: (-self.qty * 10).into(),
            correction: 0.into(),
            balance_after: 0.into(),
            reason: MovementReason::Sale,
            reference_type: "transaction".to_owned(),
            reference_id: "trx".to_owned(),
            line_no: 1,
            unit_cost: 10.into(),
            user_id: "usr_1".into(),
            at: NOON,
            negative: false,
        };
        record::transaction_paid(&stamp(event_id), &self.transaction(), &[movement], &[])
    }
}

pub fn shift_closed(store: &str, shift: &str, event_id: &str) -> String {
    let shift: Shift = serde_json::from_value(json!({
        "shift_id": shift, "store_id": store, "register_id": "main", "business_date": DAY, "state": "closed",
        "opened_by": "usr_1", "opened_at": NOON, "opening_float": 50_000, "closed_by": "usr_1", "closed_at": NOON,
        "counted_cash": 51_000, "expected_cash": 51_110, "variance": -110, "counts": {}, "z_no": 1, "note": null,
        "denominations": [], "ended_at": null, "approved_by": null, "recounts": [], "reversed": [],
        "totals": domain::model::books::shift::ShiftTotals::default(),
    }))
    .unwrap();
    record::shift_closed(&stamp(event_id), &shift)
}

pub fn receiving(store: &str, sku: &str, qty: i64, event_id: &str) -> String {
    let receiving: Receiving = serde_json::from_value(json!({
        "receiving_id": format!("rcv_{event_id}"), "state": "posted", "store_id": store, "po_id": null,
        "supplier_id": null, "delivery_note_no": null, "reference": null,
        "lines": [{"line_no": 1, "sku": sku, "name": "Thing", "qty": qty, "rejected_qty": 0, "unit_cost": 10,
            "cost": qty * 10, "correction": 0, "balance_after": qty, "cost_missing": false, "note": null}],
        "total_cost": qty * 10, "note": null, "business_date": DAY, "created_by": "usr_1", "created_at": NOON,
    }))
    .unwrap();
    record::receiving_posted(&stamp(event_id), &receiving)
}
