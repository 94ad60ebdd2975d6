//! Records of a store about its days, with every figure given by the test.

use domain::model::base::time::UtcMs;
use jiff::civil::Date;
use serde_json::{Map, Value, json};
use testkit::simulated::Reported;

/// Hour of the shift's first event. Each next event is a minute later.
const NOON: i8 = 12;
const ZONE: &str = "Asia/Jakarta";

/// One day of a store that is being built.
pub struct Day {
    store: &'static str,
    date: Date,
    /// Whether the store's prices contain the tax.
    contained: bool,
    reported: Vec<Reported>,
    /// Payments and refunds of the shift so far, by method.
    methods: Map<String, Value>,
    /// Stock after each document so far.
    on_hand: i64,
}

/// A line of a sale or a return, with its figures from the page: what is in it.
pub struct Line {
    pub sku: &'static str,
    pub qty: i64,
    /// Amount before discounts, including the tax where prices contain it.
    pub gross: i64,
    pub discount: i64,
    pub tax: i64,
    pub cost: i64,
}

/// A payment, with the number of its slip and the cash rounding.
pub struct Paid {
    pub method: &'static str,
    pub amount: i64,
    pub rounding: i64,
    pub reference: Option<String>,
}

pub fn cash(amount: i64, rounding: i64) -> Paid {
    Paid { method: "cash", amount, rounding, reference: None }
}

pub fn by(method: &'static str, amount: i64, reference: impl Into<String>) -> Paid {
    Paid { method, amount, rounding: 0, reference: Some(reference.into()) }
}

impl Day {
    pub fn of(store: &'static str, day: i8, on_hand: i64) -> Self {
        let date = jiff::civil::date(2026, 11, day);
        Self { store, date, contained: store == "S002", reported: Vec::new(), methods: Map::new(), on_hand }
    }

    fn now(&self) -> UtcMs {
        let minute = i8::try_from(self.reported.len()).unwrap();
        let at = self.date.at(NOON, minute, 0, 0).in_tz(ZONE).unwrap();
        UtcMs(at.timestamp().as_millisecond())
    }

    fn shift_id(&self) -> String {
        format!("shf_{}_{}", self.store, self.date.day())
    }

    fn tells(mut self, kind: &'static str, id: &str, payload: Value) -> Self {
        let event_id = format!("evt_{}_{}_{id}", self.store, self.date.day());
        let at = self.now();
        self.reported.push(Reported { kind, event_id, at, payload });
        self
    }

    fn effect(&mut self, qty: i64, cost: i64) -> Value {
        self.on_hand += qty;
        json!([{"line_no": 1, "balance_after": self.on_hand, "cost": cost, "correction": 0, "qty": qty}])
    }

    fn counts(&mut self, method: &str, side: &str, amount: i64) {
        let none = json!({"sales": 0, "refunds": 0, "sales_count": 0, "refunds_count": 0});
        let row = self.methods.entry(method).or_insert(none);
        row[side] = json!(row[side].as_i64().unwrap() + amount);
        let count = format!("{side}_count");
        row[&count] = json!(row[&count].as_i64().unwrap() + 1);
    }

    /// Records the stock that existed before the hub knew of the store.
    pub fn first_stock(self, sku: &str, qty: i64, cost: i64) -> Self {
        let movement = json!({"movement_id": "mov_1", "sku": sku, "qty": qty, "cost": cost, "correction": 0,
            "balance_after": qty, "reason": "opening", "reference_type": "opening", "reference_id": "imp_1",
            "line_no": 1, "unit_cost": cost / qty, "user_id": "usr_1", "at": self.now(), "negative": false});
        let payload = json!({"store_id": self.store, "business_date": self.date, "part": 1, "parts": 1,
            "movements": [movement]});
        self.tells("stock.moved", "opening", payload)
    }

    /// Records a receipt against an order: accepted pieces, and pieces refused at the door.
    pub fn receives(
        mut self,
        id: &str,
        (supplier, order): (&str, &str),
        [qty, rejected, unit_cost]: [i64; 3],
    ) -> Self {
        let cost = qty * unit_cost;
        self.on_hand += qty;
        let line = json!({"line_no": 1, "sku": "A", "name": "Tea", "qty": qty, "rejected_qty": rejected,
            "unit_cost": unit_cost, "cost": cost, "correction": 0, "balance_after": self.on_hand,
            "cost_missing": false, "note": null});
        let receiving = json!({"receiving_id": id, "state": "posted", "store_id": self.store, "po_id": order,
            "supplier_id": supplier, "delivery_note_no": "DN-1", "reference": null, "lines": [line],
            "total_cost": cost, "note": null, "business_date": self.date, "created_by": "usr_1",
            "created_at": self.now()});
        let lines =
            json!([{"line_no": 1, "balance_after": self.on_hand, "cost": cost, "correction": 0, "qty": qty}]);
        let payload = json!({"business_date": self.date, "receiving": receiving, "lines": lines});
        self.tells("receiving.posted", "receipt", payload)
    }

    /// Opens a shift with a float of 200,000.
    pub fn opens(self) -> Self {
        let shift = self
            .shift(&json!({"state": "open", "closed_by": null, "closed_at": null, "counted_cash": null,
            "expected_cash": null, "variance": null, "z_no": null}));
        self.tells("shift.opened", "open", shift)
    }

    pub fn closes(self, expected: i64, counted: i64) -> Self {
        let shift = self.shift(&json!({"state": "closed", "closed_by": "usr_1", "closed_at": self.now(),
            "counted_cash": counted, "expected_cash": expected, "variance": counted - expected, "z_no": 1}));
        self.tells("shift.closed", "z", shift)
    }

    fn shift(&self, state: &Value) -> Value {
        let mut shift = json!({"shift_id": self.shift_id(), "store_id": self.store, "register_id": "main",
            "business_date": self.date, "opened_by": "usr_1", "opened_at": self.now(), "opening_float": 200_000,
            "counts": {}, "note": null, "denominations": [], "ended_at": null, "approved_by": null, "recounts": [],
            "reversed": []});
        let mut totals = json!(domain::model::books::shift::ShiftTotals::default());
        totals["by_method"] = json!(self.methods);
        shift["totals"] = totals;
        for (name, value) in state.as_object().unwrap() {
            shift[name] = value.clone();
        }
        json!({"business_date": self.date, "shift": shift})
    }

    /// Records the sale T`number`.
    pub fn sells(mut self, number: u32, line: &Line, paid: &Paid) -> Self {
        let now = self.now();
        self.counts(paid.method, "sales", paid.amount + paid.rounding);
        let lines = self.effect(-line.qty, -line.cost);
        let total = line.gross - line.discount + if self.contained { 0 } else { line.tax };
        let item = json!({"line_no": 1, "sku": line.sku, "name": "Thing", "qty": line.qty,
            "price": line.gross / line.qty, "list_price": line.gross / line.qty, "discounts": [],
            "discount": line.discount, "tax_rate_bp": 1_100, "tax_code": null, "tax": line.tax, "total": total,
            "price_override": false, "returned_qty": 0, "track_stock": true, "cost": line.cost});
        let payment = json!({"payment_id": format!("pay_T{number}"), "method": paid.method, "amount": paid.amount,
            "tendered": paid.amount + paid.rounding, "change": 0, "rounding": paid.rounding,
            "reference": paid.reference, "state": "accepted", "origin": null, "paid_at": now});
        let transaction = json!({"transaction_id": format!("trx_T{number}"),
            "receipt_no": format!("{}-main-{number:08}", self.store), "state": "paid", "business_date": self.date,
            "occurred_at": now, "store_id": self.store, "register_id": "main", "shift_id": self.shift_id(),
            "cashier_id": "usr_1", "member_id": null, "items": [item], "prices_include_tax": self.contained,
            "subtotal": line.gross, "discount": line.discount, "tax": line.tax, "rounding": paid.rounding,
            "total": total, "points_earned": 0, "points_redeemed": 0, "scans": [], "earn_per": 0,
            "multiplier_bp": 0, "points_expire": null, "points_lots": [], "payments": [payment],
            "amount_paid": total, "amount_due": 0, "cash_due": 0, "change": 0, "refunded": 0, "flags": [],
            "created_at": now, "paid_at": now, "voided_at": null, "void_reason": null, "note": null});
        let payload =
            json!({"business_date": self.date, "transaction": transaction, "lines": lines, "points": []});
        self.tells("transaction.paid", &format!("T{number}"), payload)
    }

    /// Records the return R`number` of a line of T`of`. Damaged pieces are not put back on the shelf.
    pub fn takes_back(
        mut self,
        (number, of): (u32, u32),
        disposition: &str,
        line: &Line,
        paid: &Paid,
    ) -> Self {
        let now = self.now();
        self.counts(paid.method, "refunds", paid.amount);
        let lines = if disposition == "restock" { self.effect(line.qty, line.cost) } else { json!([]) };
        let item = json!({"line_no": 1, "sold_line_no": 1, "pieces": [], "sku": line.sku, "name": "Thing",
            "qty": line.qty, "price": line.gross / line.qty, "gross": line.gross, "discount": line.discount,
            "tax_rate_bp": 1_100, "tax": line.tax, "refund": paid.amount, "cost": line.cost, "correction": 0,
            "disposition": disposition, "reason": null, "track_stock": true, "balance_after": self.on_hand});
        let refund = json!({"method": paid.method, "amount": paid.amount, "rounding": 0, "origin": null,
            "transaction_id": null, "reference": paid.reference});
        let document = json!({"return_id": format!("ret_R{number}"),
            "receipt_no": format!("{}-main-{:08}", self.store, 100 + number), "state": "posted",
            "transaction_id": format!("trx_T{of}"), "origin_receipt_no": null, "verification": null,
            "store_id": self.store, "register_id": "main", "shift_id": self.shift_id(), "cashier_id": "usr_1",
            "approved_by": null, "member_id": null, "business_date": self.date,
            "prices_include_tax": self.contained, "items": [item], "refund_total": paid.amount, "rounding": 0,
            "tax": line.tax, "refunds": [refund], "points_reversed": 0, "points_back": 0, "note": null,
            "created_at": now, "voided_at": null, "void_reason": null});
        let payload = json!({"business_date": self.date, "document": document, "lines": lines, "points": []});
        self.tells("return.posted", &format!("R{number}"), payload)
    }

    pub fn moves_cash(self, kind: &str, amount: i64, reason: &str) -> Self {
        let movement = json!({"cash_id": format!("csh_{kind}"), "shift_id": self.shift_id(), "register_id": "main",
            "business_date": self.date, "type": kind, "amount": amount, "reason": reason, "reason_code": null,
            "bag_no": null, "user_id": "usr_1", "at": self.now()});
        let payload = json!({"business_date": self.date, "movement": movement});
        self.tells("cash.moved", kind, payload)
    }

    pub fn banks(self, bag_no: &str, amount: i64) -> Self {
        let deposit = json!({"deposit_id": "dep_1", "amount": amount, "reverses": null, "reason": null,
            "bag_no": bag_no, "bank_account": "x", "deposited_at": self.now(), "business_date": self.date,
            "user_id": "usr_1", "at": self.now()});
        let payload = json!({"business_date": self.date, "deposit": deposit});
        self.tells("cash.deposited", "bag", payload)
    }

    /// Seals the day and returns its records.
    pub fn seals(self) -> Vec<Reported> {
        let seal = json!({"business_date": self.date, "shift_ids": [self.shift_id()], "sealed_by": null,
            "sealed_at": self.now(), "reason": null});
        self.tells("day.sealed", "seal", seal).reported
    }
}
