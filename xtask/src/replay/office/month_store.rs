//! A store that is made up day by day: what it sells, takes back, receives and counts, as the records that a store
//! sends. The cost of goods is worked out here, independently of the product.

use crate::trade::books::priced;
use crate::trade::books::sold::Sold;
use crate::trade::figures::EARN_PER;
use crate::trade::plan::{Back, BackLine, Sale};
use crate::trade::stock_value::{Coming, StockValue};
use anyhow::Context;
use jiff::civil::{Date, DateTime};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};

mod deliveries;

const ZONE: &str = "Asia/Jakarta";
/// Each shift begins with it.
pub const FLOAT: i64 = 30_000_000;
pub const REGISTER: &str = "main";
/// Of each return with several lines the first is damaged.
const LINES_OF_A_DAMAGED_RETURN: usize = 3;

/// Cost of a sale's line, and its returned pieces.
struct LineCost {
    qty: i64,
    cost: i64,
    back: i64,
}

/// A sale that may come back.
struct Ticket {
    id: String,
    sold: Sold,
    costs: Vec<LineCost>,
}

/// The records of a day.
pub struct DayRecords {
    pub date: Date,
    pub records: Vec<Value>,
}

/// A store of its own making.
pub struct MonthStore {
    pub id: String,
    pub days: Vec<DayRecords>,
    stock: BTreeMap<String, StockValue>,
    tickets: HashMap<usize, Ticket>,
    made: u64,
    receipts: u64,
    /// Of the last record.
    now: String,
    cash: i64,
    shift_id: String,
    methods: BTreeMap<String, [i64; 4]>,
}

fn instant(at: DateTime) -> anyhow::Result<String> {
    let there = at.in_tz(ZONE)?.timestamp();
    Ok(there.strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string())
}

impl MonthStore {
    pub fn new(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            days: Vec::new(),
            stock: BTreeMap::new(),
            tickets: HashMap::new(),
            made: 0,
            receipts: 0,
            now: String::new(),
            cash: 0,
            shift_id: String::new(),
            methods: BTreeMap::new(),
        }
    }

    /// Value of its goods.
    pub fn worth(&self) -> i64 {
        self.stock.values().map(|stock| stock.value).sum()
    }

    fn date(&self) -> anyhow::Result<Date> {
        Ok(self.days.last().context("no day has begun")?.date)
    }

    fn tell(&mut self, kind: &str, about: Value, payload: Value) -> anyhow::Result<()> {
        self.made += 1;
        let stamp = format!("{:013}-{:05}-{}", 1_700_000_000_000_u64 + self.made, 0, self.id);
        let record = json!({"event_id": format!("evt_{}_{}", self.id, self.made), "type": kind, "schema": 1,
            "at": stamp, "occurred_at": self.now, "about": about, "payload": payload});
        self.days.last_mut().context("no day has begun")?.records.push(record);
        Ok(())
    }

    fn about(&self, amount: i64) -> anyhow::Result<Value> {
        Ok(json!({"business_date": self.date()?, "amount": amount}))
    }

    fn counts(&mut self, method: &str, back: bool, amount: i64) {
        let row = self.methods.entry(method.to_owned()).or_default();
        let [sales, refunds, sales_count, refunds_count] = row;
        let (sum, count) = if back { (refunds, refunds_count) } else { (sales, sales_count) };
        *sum += amount;
        *count += 1;
        if method == "cash" {
            self.cash += if back { -amount } else { amount };
        }
    }

    pub fn opens(&mut self, date: Date) -> anyhow::Result<()> {
        self.days.push(DayRecords { date, records: Vec::new() });
        self.now = instant(date.at(7, 0, 0, 0))?;
        self.shift_id = format!("shf_{}_{date}", self.id);
        (self.cash, self.methods) = (FLOAT, BTreeMap::new());
        let shift = self.shift("open", None)?;
        self.tell("shift.opened", self.about(0)?, shift)
    }

    fn shift(&self, state: &str, counted: Option<i64>) -> anyhow::Result<Value> {
        let date = self.date()?;
        let at = counted.map(|_| &self.now);
        let method = |(name, [sales, refunds, sales_count, refunds_count]): (&String, &[i64; 4])| {
            let sums = json!({"sales": sales, "refunds": refunds, "sales_count": sales_count,
                "refunds_count": refunds_count});
            (name.clone(), sums)
        };
        let methods: serde_json::Map<String, Value> = self.methods.iter().map(method).collect();
        let totals = json!({"sales_count": 0, "items_count": 0, "gross_sales": 0, "discounts": 0, "tax": 0, "total": 0,
            "rounding": 0, "returns_count": 0, "returns_total": 0, "returns_tax": 0, "returns_rounding": 0,
            "voids_count": 0, "voids_total": 0, "price_overrides": 0, "by_method": methods, "by_tax": [], "pay_in": 0, "pay_out": 0, "drops": 0, "first_receipt": null, "last_receipt": null});
        let shift = json!({"shift_id": self.shift_id, "store_id": self.id, "register_id": REGISTER,
            "business_date": date, "state": state, "opened_by": "usr_1", "opened_at": self.now,
            "opening_float": FLOAT, "closed_by": at.map(|_| "usr_1"), "closed_at": at, "counted_cash": counted,
            "expected_cash": counted.map(|_| self.cash), "variance": counted.map(|counted| counted - self.cash),
            "counts": {}, "z_no": at.map(|_| 1), "note": null, "denominations": [], "ended_at": null,
            "approved_by": null, "recounts": [], "reversed": [], "totals": totals});
        Ok(json!({"business_date": date, "shift": shift}))
    }

    /// Closes with this difference of cash in the drawer; a deposit goes to the bank.
    pub fn closes(&mut self, variance: i64, bag: i64) -> anyhow::Result<()> {
        let date = self.date()?;
        self.now = instant(date.at(22, 0, 0, 0))?;
        let shift = self.shift("closed", Some(self.cash + variance))?;
        self.tell("shift.closed", self.about(self.cash)?, shift)?;
        let deposit = json!({"deposit_id": format!("dep_{}_{date}", self.id), "amount": bag, "reverses": null,
            "reason": null, "bag_no": bag_no(&self.id, date), "bank_account": "x", "deposited_at": self.now,
            "business_date": date, "user_id": "usr_1", "at": self.now});
        let payload = json!({"business_date": date, "deposit": deposit});
        self.tell("cash.deposited", self.about(bag)?, payload)?;
        let seal = json!({"business_date": date, "shift_ids": [self.shift_id], "sealed_by": null,
            "sealed_at": self.now, "reason": null});
        self.tell("day.sealed", self.about(0)?, seal)
    }

    /// Cash that leaves the drawer.
    pub fn pays_out(&mut self, kind: &str, amount: i64) -> anyhow::Result<()> {
        let date = self.date()?;
        self.cash -= amount;
        let movement = json!({"cash_id": format!("csh_{}_{}", self.id, self.made), "shift_id": self.shift_id,
            "register_id": REGISTER, "business_date": date, "type": kind, "amount": amount, "reason": "parking",
            "reason_code": null, "bag_no": null, "user_id": "usr_1", "at": self.now});
        self.tell("cash.moved", self.about(amount)?, json!({"business_date": date, "movement": movement}))
    }

    fn effect(&self, line_no: usize, sku: &str, [qty, cost, correction]: [i64; 3]) -> Value {
        let balance_after = self.stock.get(sku).map_or(0, |stock| stock.qty);
        json!({"line_no": line_no, "balance_after": balance_after, "cost": cost, "correction": correction,
            "qty": qty})
    }

    fn stock(&mut self, sku: &str) -> &mut StockValue {
        self.stock.entry(sku.to_owned()).or_default()
    }

    /// A sale of the file, at its time of day.
    pub fn sells(&mut self, step: usize, sale: &Sale, at: DateTime) -> anyhow::Result<()> {
        let date = self.date()?;
        self.now = instant(at)?;
        self.receipts += 1;
        let (id, sold) = (format!("trx_{}_{step}", self.id), Sold::of(sale));
        let (mut items, mut effects, mut costs) = (Vec::new(), Vec::new(), Vec::new());
        let (mut subtotal, mut tax_sum) = (0, 0);
        for (place, line) in sale.lines.iter().enumerate() {
            let (gross, tax) = priced(line);
            let cost = self.stock(&line.sku).leave(line.qty);
            subtotal += gross;
            tax_sum += tax;
            costs.push(LineCost { qty: line.qty, cost, back: 0 });
            effects.push(self.effect(place + 1, &line.sku, [-line.qty, -cost, 0]));
            items.push(json!({"line_no": place + 1, "sku": line.sku, "name": "Thing", "qty": line.qty,
                "price": line.price, "list_price": line.price, "discounts": [], "discount": 0,
                "tax_rate_bp": 1_100, "tax_code": null, "tax": tax, "total": gross + tax, "price_override": false,
                "returned_qty": 0, "track_stock": true, "cost": cost}));
        }
        let mut payments = Vec::new();
        for (place, payment) in sale.payments(sold.total).into_iter().enumerate() {
            self.counts(payment.method, false, payment.amount);
            let reference = (payment.method == "card").then(|| format!("C-{}-{step}", self.id));
            payments.push(json!({"payment_id": format!("pay_{}_{step}_{place}", self.id),
                "method": payment.method, "amount": payment.amount, "tendered": payment.tendered,
                "change": payment.tendered - payment.amount, "rounding": 0, "reference": reference,
                "state": "accepted", "origin": null, "paid_at": self.now}));
        }
        let member = sale.customer.as_ref().map(|customer| format!("mbr_{customer}"));
        let transaction = json!({"transaction_id": id, "receipt_no": format!("{}-{REGISTER}-{:08}", self.id, self.receipts),
            "state": "paid", "business_date": date, "occurred_at": self.now, "store_id": self.id,
            "register_id": REGISTER, "shift_id": self.shift_id, "cashier_id": "usr_1", "member_id": member,
            "items": items, "prices_include_tax": false, "subtotal": subtotal, "discount": 0, "tax": tax_sum,
            "rounding": 0, "total": sold.total, "points_earned": sold.earned, "points_redeemed": 0, "scans": [],
            "earn_per": EARN_PER, "multiplier_bp": 10_000, "points_expire": null, "points_lots": [],
            "payments": payments, "amount_paid": sold.total, "amount_due": 0, "cash_due": 0, "change": 0,
            "refunded": 0, "flags": [], "created_at": self.now, "paid_at": self.now, "voided_at": null,
            "void_reason": null, "note": null});
        let about = json!({"aggregate": format!("transaction:{id}"), "members": member.iter().collect::<Vec<_>>(),
            "business_date": date, "amount": sold.total});
        let points = self.points(member.as_deref(), sold.earned, "earn", &id)?;
        self.tickets.insert(step, Ticket { id, sold, costs });
        let payload =
            json!({"business_date": date, "transaction": transaction, "lines": effects, "points": points});
        self.tell("transaction.paid", about, payload)
    }

    fn points(&self, member: Option<&str>, points: i64, reason: &str, of: &str) -> anyhow::Result<Value> {
        let Some(member) = member.filter(|_| points != 0) else { return Ok(json!([])) };
        Ok(
            json!([{"entry_id": format!("{of}:{reason}"), "member_id": member, "points": points, "reason": reason,
            "reference_id": of, "balance_after": 0, "lots": [], "business_date": self.date()?, "user_id": "usr_1",
            "at": self.now}]),
        )
    }

    /// A return of the file.
    pub fn takes_back(&mut self, step: usize, back: &Back, at: DateTime) -> anyhow::Result<()> {
        let date = self.date()?;
        self.now = instant(at)?;
        self.receipts += 1;
        let id = format!("ret_{}_{step}", self.id);
        let mut ticket = back.sale.and_then(|sale| self.tickets.remove(&sale));
        let (mut items, mut effects, mut tax_sum, mut refund_sum) = (Vec::new(), Vec::new(), 0, 0);
        for (place, part) in back.lines.iter().enumerate() {
            let damaged = place == 0 && back.lines.len() >= LINES_OF_A_DAMAGED_RETURN && ticket.is_some();
            let (gross, tax, [cost, correction]) = self.comes_back(ticket.as_mut(), part, damaged);
            let sku = &part.line.sku;
            let effect = self.effect(place + 1, sku, [part.line.qty, cost, correction]);
            tax_sum += tax;
            refund_sum += gross + tax;
            items.push(json!({"line_no": place + 1, "sold_line_no": part.sold_line, "pieces": [], "sku": sku,
                "name": "Thing", "qty": part.line.qty, "price": part.line.price, "gross": gross, "discount": 0,
                "tax_rate_bp": 1_100, "tax": tax, "refund": gross + tax, "cost": cost, "correction": correction,
                "disposition": if damaged { "damaged" } else { "restock" }, "reason": null, "track_stock": true,
                "balance_after": effect.get("balance_after")}));
            if !damaged {
                effects.push(effect);
            }
        }
        let parts = ticket
            .as_mut()
            .map_or_else(|| vec![("cash", refund_sum)], |ticket| ticket.sold.refund(refund_sum));
        let mut refunds = Vec::new();
        for (method, amount) in parts.into_iter().filter(|(_, amount)| *amount != 0) {
            self.counts(method, true, amount);
            let reference = (method == "card").then(|| format!("R-{}-{step}", self.id));
            refunds.push(json!({"method": method, "amount": amount, "rounding": 0, "origin": null,
                "transaction_id": null, "reference": reference}));
        }
        let lost = ticket.as_mut().map_or(0, |ticket| ticket.sold.reverse());
        let member = ticket.as_ref().and_then(|ticket| ticket.sold.customer.as_ref());
        let member = member.map(|customer| format!("mbr_{customer}"));
        let sale_id = ticket.as_ref().map(|ticket| ticket.id.clone());
        let document = json!({"return_id": id, "receipt_no": format!("{}-{REGISTER}-{:08}", self.id, self.receipts),
            "state": "posted", "transaction_id": sale_id, "origin_receipt_no": null, "verification": null,
            "store_id": self.id, "register_id": REGISTER, "shift_id": self.shift_id, "cashier_id": "usr_1",
            "approved_by": null, "member_id": member, "business_date": date, "prices_include_tax": false,
            "items": items, "refund_total": refund_sum, "rounding": 0, "tax": tax_sum, "refunds": refunds,
            "points_reversed": lost, "points_back": 0, "note": null, "created_at": self.now, "voided_at": null,
            "void_reason": null});
        let of = sale_id.unwrap_or_else(|| id.clone());
        let about = json!({"aggregate": format!("transaction:{of}"),
            "members": member.iter().filter(|_| lost != 0).collect::<Vec<_>>(), "business_date": date,
            "amount": refund_sum});
        let points = self.points(member.as_deref(), -lost, "reverse", &id)?;
        if let (Some(sale), Some(ticket)) = (back.sale, ticket) {
            self.tickets.insert(sale, ticket);
        }
        let payload =
            json!({"business_date": date, "document": document, "lines": effects, "points": points});
        self.tell("return.posted", about, payload)
    }

    /// Gross, tax, and cost with correction of returned pieces; damaged ones do not return to the shelf.
    fn comes_back(
        &mut self,
        ticket: Option<&mut Ticket>,
        part: &BackLine,
        damaged: bool,
    ) -> (i64, i64, [i64; 2]) {
        let qty = part.line.qty;
        let Some((ticket, sold_line)) = ticket.zip(part.sold_line) else {
            let (gross, tax) = priced(&part.line);
            let (cost, correction) = self.stock(&part.line.sku).come(qty, Coming::Unpriced);
            return (gross, tax, [cost, correction]);
        };
        let (gross, tax) = ticket.sold.part(sold_line, qty);
        let cost = ticket.costs.get_mut(sold_line.saturating_sub(1)).map_or(0, |line| {
            let so_far =
                |pieces: i64| (i128::from(line.cost) * i128::from(pieces) / i128::from(line.qty)) as i64;
            let cost = so_far(line.back + qty) - so_far(line.back);
            line.back += qty;
            cost
        });
        if damaged {
            return (gross, tax, [cost, 0]);
        }
        let (cost, correction) = self.stock(&part.line.sku).come(qty, Coming::Back(cost));
        (gross, tax, [cost, correction])
    }
}

/// The number of a day's bag.
pub fn bag_no(store: &str, date: Date) -> String {
    format!("B-{store}-{}", date.strftime("%m%d"))
}
