//! Voids, returns and holds.

use super::book::{Basket, Book, Shift};
use super::drive::{SALES, Shop, same, text};
use serde_json::{Value, json};
use testkit::counter::approved;

const HOLDS: &str = "/api/pos/holds";
const RETURNS: &str = "/api/pos/returns";

/// Returns an index below `count`, or `None` if `count` is 0.
pub(super) fn nth(n: usize, count: usize) -> Option<usize> {
    (count > 0).then(|| n % count)
}

impl Shop {
    pub(super) fn void_basket(&mut self, n: usize) {
        let Some(place) = nth(n, self.book.baskets.len()) else { return };
        let basket = self.book.baskets.remove(place);
        let path = format!("{SALES}/{}/void", basket.id);
        let voided = self.manager.post(&path, &json!({"reason": "model"})).data(200);
        same(&voided, &[("/state", json!("voided")), ("/receipt_no", json!(null))]);
        let back: i64 = voided["refunds"].as_array().unwrap().iter().map(amount).sum();
        assert_eq!(back, basket.paid, "the whole payment is refunded: {voided}");
        self.book.void_basket(&basket);
    }

    pub(super) fn void_sale(&mut self, n: usize) {
        let Some(place) = nth(n, self.book.sales.len()) else { return };
        let sale = &self.book.sales[place];
        let path = format!("{SALES}/{}/void", sale.basket.id);
        let reply = self.manager.post(&path, &json!({"reason": "model"}));
        if sale.voided || !sale.untouched() || !self.book.is_open(sale.basket.till, &sale.shift) {
            reply.refused(409, "invalid_state");
            return;
        }
        same(&reply.data(200), &[("/state", json!("voided"))]);
        self.book.void(place);
    }

    /// Brings back a percentage of the lines whose bits are set, at least one piece of each.
    pub(super) fn bring_back(&mut self, n: usize, till: usize, lines: i64, percent: i64) {
        let Some(place) = nth(n, self.book.sales.len()) else { return };
        let sale = &self.book.sales[place];
        let some = (0..sale.lines.len()).any(|line| lines >> line & 1 == 1);
        let asked: Vec<(usize, i64)> = (0..sale.lines.len())
            .filter(|line| !some || lines >> line & 1 == 1)
            .map(|line| (line, (sale.lines[line].qty * percent / 100).max(1)))
            .collect();
        let item = |&(line, qty): &(usize, i64)| json!({"sku": sale.lines[line].sku, "qty": qty, "line_no": line + 1, "reason": "model"});
        let items: Vec<Value> = asked.iter().map(item).collect();
        let body = json!({"transaction_id": sale.basket.id, "items": items});
        let reply = self.tills[till].post(RETURNS, &body);
        if self.book.tills[till].shift.is_none() {
            reply.refused(409, "no_open_shift");
            return;
        }
        if sale.voided {
            reply.refused(409, "invalid_state");
            return;
        }
        let Some(pieces) = sale.pieces(&asked) else {
            reply.refused(422, "return_exceeds_sold");
            return;
        };
        let drawer = |book: &Book| book.tills[till].shift.as_ref().map_or(0, Shift::expected);
        let before = drawer(&self.book);
        let (receipt, mut back) = self.book.bring_back(place, till, pieces);
        let left = drawer(&self.book);
        let returned = if left < 0 && left < before {
            // By its books the drawer does not have enough cash.
            reply.refused(403, "approval_required");
            self.tills[till].post(RETURNS, &approved(body)).data(201)
        } else {
            reply.data(201)
        };
        let parts = returned["refunds"].as_array().unwrap().iter();
        let parts: Vec<Value> = parts.map(|part| json!([part["method"], part["amount"]])).collect();
        assert_eq!(json!(parts), json!(back.tenders), "{returned}");
        same(
            &returned,
            &[
                ("/receipt_no", json!(receipt)),
                ("/refund_total", json!(back.total)),
                ("/points_reversed", json!(back.reversed)),
            ],
        );
        back.id = text(&returned, "return_id");
        self.book.backs.push(back);
        let sale = &self.book.sales[place];
        let shown = self.manager.get(&format!("{SALES}/{}", sale.basket.id)).data(200);
        same(&shown, &[("/refunded", json!(sale.refunded))]);
    }

    pub(super) fn void_back(&mut self, n: usize) {
        let Some(place) = nth(n, self.book.backs.len()) else { return };
        let back = &self.book.backs[place];
        let path = format!("{RETURNS}/{}/void", back.id);
        let reply = self.manager.post(&path, &json!({"reason": "model"}));
        if back.voided || !self.book.is_open(back.till, &back.shift) {
            reply.refused(409, "invalid_state");
            return;
        }
        let member = self.book.sales[back.sale].basket.member;
        if back.given > 0 && member.is_some_and(|member| self.book.members[member].points < back.given) {
            // The returned points have been spent.
            reply.refused(409, "insufficient_points");
            return;
        }
        same(&reply.data(200), &[("/state", json!("voided"))]);
        self.book.void_back(place);
    }

    pub(super) fn hold(&mut self, n: usize) {
        let Some(place) = nth(n, self.book.baskets.len()) else { return };
        let Basket { id, till, paid, total, .. } = self.book.baskets[place].clone();
        let reply = self.tills[till].post(HOLDS, &json!({"transaction_id": id}));
        if paid > 0 {
            reply.refused(409, "invalid_state");
            return;
        }
        let hold = reply.data(201);
        same(&hold, &[("/state", json!("active")), ("/total", json!(total))]);
        let basket = self.book.baskets.remove(place);
        self.book.holds.push((text(&hold, "hold_id"), basket));
    }

    pub(super) fn recall(&mut self, n: usize, till: usize) {
        let Some(place) = nth(n, self.book.holds.len()) else { return };
        let path = format!("{HOLDS}/{}/recall", self.book.holds[place].0);
        let reply = self.tills[till].post(&path, &json!({}));
        let Some(shift) = &self.book.tills[till].shift else {
            reply.refused(409, "no_open_shift");
            return;
        };
        let taken = reply.data(200);
        let (_, mut basket) = self.book.holds.remove(place);
        same(
            &taken,
            &[
                ("/state", json!("open")),
                ("/shift_id", json!(shift.id)),
                ("/total", json!(basket.total)),
                ("/changes", json!([])),
            ],
        );
        basket.till = till;
        basket.earns = self.book.active(basket.member);
        assert_eq!(taken["points_earned"], json!(basket.earning(0)), "the current terms apply: {taken}");
        self.book.baskets.push(basket);
        // The basket is no longer held.
        self.tills[till].post(&path, &json!({})).refused(409, "invalid_state");
    }
}

fn amount(refund: &Value) -> i64 {
    refund["amount"].as_i64().unwrap()
}
