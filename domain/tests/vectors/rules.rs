//! One function per rule of the vectors: arguments in, result out, both as JSON.

use super::{books, goods, returns, settlement};
use domain::model::base::business_date::business_date;
use domain::model::base::figures::{BasisPoints, Money, Quantity};
use domain::model::base::money;
use domain::model::base::refusal::Refusal;
use domain::model::base::settings::{RoundingMode, Rules};
use domain::model::base::time::UtcMs;
use domain::model::books::register::{Counters, Register};
use domain::model::books::shift::Cash;
use domain::model::inventory::stock::Stock;
use domain::model::people::authorization::Authorization;
use domain::model::people::points;
use domain::model::people::points::PointsAccount;
use domain::model::selling::payment::Paid;
use domain::model::selling::transaction::{Payment, PaymentState, Transaction};
use domain::rules::books::shift;
use domain::rules::books::shift::{CloseShift, overdue};
use domain::rules::inventory::receiving::{OrderLine, OrderLineState};
use domain::rules::inventory::stock::Incoming;
use domain::rules::selling::basket;
use domain::rules::selling::basket::BasketLine;
use domain::rules::selling::payment::NewPayment;
use domain::rules::selling::payment::{Direction, cash_rounding};
use domain::rules::selling::refund::cash_back;
use domain::rules::selling::sale::PaySale;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use testkit::shop::{NOW, Shop, ani, product, rules};

/// Returns the rule with that name, if it exists.
pub fn rule(name: &str) -> Option<fn(&Value) -> Value> {
    Some(match name {
        "half_up" => half_up,
        "spread" => spread,
        "basket" => price,
        "pay" => pay,
        "cash_round" => cash_round,
        "cash_refunds" => cash_refunds,
        "shift" => close,
        "numbers" => numbers,
        "points" => earned,
        "stock" => stock,
        "receive_limit" => receive_limit,
        "business_date" => date,
        "shift_date" => shift_date,
        "refund_parts" => returns::refund_parts,
        "refund_tenders" => returns::refund_tenders,
        "cost_back" => returns::cost_parts,
        "lots" => returns::lots,
        "defer" => returns::defer,
        "pool" => returns::pool,
        "opname" => goods::opname,
        "transfer" => goods::transfer,
        "promo" => goods::promo,
        "posting" => books::posting,
        "entry_date" => books::entry_date,
        "ledger" => books::ledger,
        "net_match" => settlement::net_match,
        "reference_match" => settlement::reference_match,
        "import" => settlement::import,
        _ => return None,
    })
}

pub fn int(given: &Value, field: &str) -> i64 {
    given[field].as_i64().unwrap_or_else(|| panic!("{field} is missing in {given}"))
}

pub fn int_or(given: &Value, field: &str, default: i64) -> i64 {
    given[field].as_i64().unwrap_or(default)
}

pub fn list<'a>(given: &'a Value, field: &str) -> &'a [Value] {
    given[field].as_array().map_or(&[], |items| items.as_slice())
}

pub fn text<'a>(given: &'a Value, field: &str) -> &'a str {
    given[field].as_str().unwrap_or_else(|| panic!("{field} is missing in {given}"))
}

fn mode(given: &Value) -> RoundingMode {
    serde_json::from_value(given["mode"].clone()).unwrap_or_default()
}

pub fn refused(refusal: &Refusal) -> Value {
    json!({"error": refusal.code()})
}

fn half_up(given: &Value) -> Value {
    let result = money::half_up(int(given, "a").into(), int(given, "b").into());
    json!({"result": i64::try_from(result).unwrap()})
}

fn spread(given: &Value) -> Value {
    let weights: Vec<i64> = list(given, "weights").iter().map(|w| w.as_i64().unwrap()).collect();
    json!({"result": money::spread(int(given, "amount"), &weights)})
}

fn price(given: &Value) -> Value {
    let lines: Vec<BasketLine> = list(given, "lines")
        .iter()
        .map(|line| BasketLine {
            qty: int(line, "qty").into(),
            price: Money::new(int(line, "price")),
            discount: Money::new(int_or(line, "discount", 0)),
            rate_bp: u32::try_from(int(line, "rate_bp")).unwrap(),
        })
        .collect();
    match basket::price(&lines, Money::new(int_or(given, "discount", 0)), given["tax"] == "contained") {
        Err(refusal) => refused(&refusal),
        Ok(basket) => json!({
            "lines": basket.lines.iter().map(|line| json!({
                "gross": line.gross, "discount": line.discount, "net": line.net,
                "tax": line.tax, "total": line.total,
            })).collect::<Vec<_>>(),
            "subtotal": basket.subtotal, "discount": basket.discount,
            "tax": basket.tax, "total": basket.total,
        }),
    }
}

fn shown(payment: &Payment) -> Value {
    json!({
        "method": payment.method, "amount": payment.amount, "rounding": payment.rounding,
        "tendered": payment.tendered, "change": payment.change,
    })
}

/// Runs `pay` and `settle` completely: a sale of that total in a shift.
fn pay(given: &Value) -> Value {
    let rules = Rules {
        cash_rounding: Money::new(int(given, "step")),
        cash_rounding_mode: mode(given),
        redeem_value: Money::new(int_or(given, "redeem_value", 1)),
        ..rules()
    };
    let total = int(given, "total");
    let mut shop = Shop::open(rules, [product("1", 0)]);
    let id = shop.create(&testkit::shop::basket(vec![testkit::shop::item("1", 1, 0)])).unwrap();
    let sale = shop.shift.open.get_mut(&id).unwrap();
    (sale.subtotal, sale.total, sale.amount_due) = (total.into(), total.into(), total.into());
    // The member exists and has enough points, so that points may be tendered.
    sale.member_id = Some("mbr_1".into());
    let mut account = PointsAccount::new("mbr_1".into());
    account.lots.earn("gift", 1_000_000.into(), None);
    shop.ledger.points.insert("mbr_1".into(), account);
    shop.members.members.insert("mbr_1".into(), testkit::shop::member("mbr_1"));
    let mut last: Transaction = shop.shift.open[&id].clone();
    let steps: Vec<Value> = list(given, "requests")
        .iter()
        .map(|request| {
            let payments: Vec<NewPayment> = serde_json::from_value(request.clone()).unwrap();
            let before = last.payments.len();
            match shop.pay(&id, &PaySale { payments }) {
                Err(refusal) => return refused(&refusal),
                Ok(Some(paid)) => last = paid,
                Ok(None) => last = shop.shift.open[&id].clone(),
            }
            json!({
                "state": last.state, "amount_paid": last.amount_paid, "amount_due": last.amount_due,
                "payments": last.payments[before..].iter().map(shown).collect::<Vec<_>>(),
            })
        })
        .collect();
    let drawer = Cash::of(&shop.shift.shift).sales;
    json!({"steps": steps, "rounding": last.rounding, "change": last.change, "drawer": drawer})
}

fn cash_round(given: &Value) -> Value {
    let direction = if given["direction"] == "refund" { Direction::Refund } else { Direction::Sale };
    let amount = int(given, "amount");
    let rounding = cash_rounding(Money::new(amount), Money::new(int(given, "step")), mode(given), direction);
    let rounding = i64::try_from(rounding).unwrap();
    json!({"rounding": rounding, "cash": amount + rounding})
}

fn cash_refunds(given: &Value) -> Value {
    let (amount, step, mode) = (int(given, "amount"), int(given, "step"), mode(given));
    let whole = |rounding: i128| i64::try_from(rounding).unwrap();
    let rounding = whole(cash_rounding(Money::new(amount), Money::new(step), mode, Direction::Sale));
    let mut cash = Paid {
        amount: Money::new(amount),
        rounding: Money::new(rounding),
        ..Paid::nothing("cash".to_owned())
    };
    let paid_out: Vec<i64> = list(given, "refunds")
        .iter()
        .map(|part| {
            let part = part.as_i64().unwrap();
            let rounding =
                whole(cash_back(std::slice::from_ref(&cash), Money::new(part), Money::new(step), mode));
            (cash.refunded, cash.refunded_rounding) = (
                cash.refunded.saturating_add(part.into()),
                cash.refunded_rounding.saturating_add(rounding.into()),
            );
            part + rounding
        })
        .collect();
    json!({"brought": amount + rounding, "paid_out": paid_out})
}

fn cash(given: &Value) -> Payment {
    let (amount, rounding) = (int(given, "amount"), int_or(given, "rounding", 0));
    Payment {
        payment_id: "pay_1".into(),
        method: "cash".to_owned(),
        amount: Money::new(amount),
        tendered: Money::new(amount + rounding),
        change: Money::ZERO,
        rounding: Money::new(rounding),
        origin_rounding: Money::ZERO,
        reference: None,
        state: if given["voided"] == true { PaymentState::Reversed } else { PaymentState::Accepted },
        origin: None,
        paid_at: NOW,
    }
}

/// Sets the sums of the shift; `close` computes the rest. Refunds and cash movements are tested by later rules.
fn close(given: &Value) -> Value {
    let mut shop = Shop::open(rules(), []);
    let shift = &mut shop.shift.shift;
    shift.opening_float = Money::new(int(given, "opening_float"));
    shift.totals.take(&list(given, "sales").iter().map(cash).collect::<Vec<_>>()).unwrap();
    let refunds = list(given, "refunds").iter().map(|r| int(r, "amount") + int_or(r, "rounding", 0));
    shift.totals.by_method.entry("cash".to_owned()).or_default().refunds = refunds.map(Money::new).sum();
    for movement in list(given, "movements") {
        let sum = match text(movement, "type") {
            "pay_in" => &mut shift.totals.pay_in,
            "pay_out" => &mut shift.totals.pay_out,
            "drop" => &mut shift.totals.drops,
            other => panic!("no cash movement is called {other}"),
        };
        *sum = sum.saturating_add(int(movement, "amount").into());
    }
    let cmd = CloseShift { counted_cash: Money::new(int(given, "counted")), ..CloseShift::default() };
    match shift::close(&cmd, NOW, &Authorization::unapproved(&ani()), &shop.rules, &shop.shift) {
        Err(refusal) => refused(&refusal),
        Ok(closed) => {
            let shift = closed.fact.shift;
            json!({"cash": Cash::of(&shift), "variance": shift.variance})
        }
    }
}

fn numbers(given: &Value) -> Value {
    let store = text(given, "store").into();
    let mut tills: BTreeMap<&str, (Counters, Register)> = BTreeMap::new();
    let numbers: Vec<Value> = list(given, "events")
        .iter()
        .map(|event| {
            let id = text(event, "register");
            let new = || (Counters::new(id.into()), Register::new(id.into(), id.to_owned()));
            let (counters, register) = tills.entry(id).or_insert_with(new);
            match text(event, "do") {
                "sale_paid" | "return" => json!(counters.next_receipt(&store, "")),
                "close" => json!(register.next_z()),
                "sale_voided_unpaid" | "void_paid" => Value::Null,
                other => panic!("nothing is called {other}"),
            }
        })
        .collect();
    json!({"numbers": numbers})
}

fn earned(given: &Value) -> Value {
    let (total, by_points) = (int(given, "total"), int(given, "points_paid"));
    let (earn_per, multiplier) = (int(given, "earn_per"), BasisPoints::new(int(given, "multiplier_bp")));
    let earned = points::earned(Money::new(total - by_points), Money::new(earn_per), multiplier);
    let (mut kept, mut refunded, mut reversed) = (earned, 0, Vec::new());
    for refund in list(given, "refunds") {
        refunded += refund.as_i64().unwrap();
        let rest = points::kept(
            Money::new(total),
            Money::new(by_points),
            Money::new(refunded),
            Money::new(earn_per),
            multiplier,
        );
        reversed.push(kept.saturating_sub(rest));
        kept = rest;
    }
    json!({"earned": earned, "reversed": reversed, "kept": kept})
}

fn stock(given: &Value) -> Value {
    let start = &given["start"];
    let mut row = Stock {
        sku: "1".into(),
        qty: int(start, "qty").into(),
        value: Money::new(int(start, "value")),
        last_cost: Money::new(int(start, "last_cost")),
        ..Stock::default()
    };
    let moves: Vec<Value> = list(given, "moves")
        .iter()
        .map(|step| {
            let qty = Quantity::new(int(step, "qty"));
            let moved = match (step["cost"].as_i64(), step["purchase"] == true) {
                _ if qty < 0 => row.take_out(qty.saturating_neg()),
                (Some(cost), true) => row.take_in(qty, Incoming::Priced(Money::new(cost))),
                (Some(cost), false) => row.take_in(qty, Incoming::Back(Money::new(cost))),
                (None, _) => row.take_in(qty, Incoming::Found),
            };
            match moved {
                Err(refusal) => refused(&refusal),
                Ok(moved) => json!({
                    "cost": moved.cost, "correction": moved.correction, "qty": row.qty,
                    "value": row.value, "average_cost": row.last_cost,
                }),
            }
        })
        .collect();
    json!({"moves": moves})
}

fn receive_limit(given: &Value) -> Value {
    let tolerance = BasisPoints::new(int(given, "tolerance_bp"));
    let mut line = OrderLine {
        ordered: int(given, "ordered").into(),
        received: Quantity::ZERO,
        rejected: Quantity::ZERO,
    };
    let limit = line.limit(tolerance);
    let steps: Vec<Value> = list(given, "receipts")
        .iter()
        .map(|receipt| {
            match line.receive(
                int(receipt, "qty").into(),
                int_or(receipt, "rejected_qty", 0).into(),
                tolerance,
            ) {
                Err(refusal) => {
                    let reported = refusal.details();
                    let (limit, received) = (&reported["limit"], &reported["received_qty"]);
                    return json!({"error": refusal.code(), "limit": limit, "received": received});
                }
                Ok(after) => line = after,
            }
            let state = match line.state() {
                OrderLineState::Open => "open",
                OrderLineState::Partial => "partial",
                OrderLineState::Received => "received",
            };
            json!({
                "received": line.received, "rejected": line.rejected, "open": line.open(),
                "line_state": state,
            })
        })
        .collect();
    json!({"limit": limit, "steps": steps})
}

fn at(given: &Value, field: &str) -> UtcMs {
    UtcMs::parse(text(given, field)).unwrap()
}

fn clock(given: &Value) -> Rules {
    Rules {
        timezone: jiff::tz::TimeZone::get(text(given, "timezone")).unwrap(),
        day_start: format!("{}:00", text(given, "day_start")).parse().unwrap(),
        ..rules()
    }
}

fn date(given: &Value) -> Value {
    let rules = clock(given);
    json!({"business_date": business_date(at(given, "at"), &rules.timezone, rules.day_start)})
}

fn shift_date(given: &Value) -> Value {
    let rules = clock(given);
    let mut shift = Shop::open(rules.clone(), []).shift.shift;
    shift.business_date = business_date(at(given, "opened_at"), &rules.timezone, rules.day_start);
    json!({
        "business_date": shift.business_date,
        "overdue": overdue(&shift, at(given, "at"), &rules),
    })
}
