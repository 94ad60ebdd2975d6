//! What goes back and what waits: voids, returns, holds.

use super::book::{Basket, SaleState};
use super::drive::{SALES, Shop, same, text};
use serde_json::{Value, json};

const HOLDS: &str = "/api/pos/holds";

impl Shop {
    /// The place of one of so many.
    fn nth(n: usize, count: usize) -> Option<usize> {
        (count > 0).then(|| n % count)
    }

    pub(super) fn void_basket(&mut self, n: usize) {
        let Some(place) = Self::nth(n, self.book.baskets.len()) else { return };
        let basket = self.book.baskets.remove(place);
        let path = format!("{SALES}/{}/void", basket.id);
        let voided = self.manager.post(&path, &json!({"reason": "model"})).data(200);
        same(&voided, &[("/state", json!("voided")), ("/receipt_no", json!(null))]);
        let back: i64 = voided["refunds"].as_array().unwrap().iter().map(amount).sum();
        assert_eq!(back, basket.paid, "all that was paid goes back: {voided}");
        self.book.untake(&basket);
    }

    pub(super) fn void_sale(&mut self, n: usize) {
        let Some(place) = Self::nth(n, self.book.sales.len()) else { return };
        let sale = &self.book.sales[place];
        let path = format!("{SALES}/{}/void", sale.basket.id);
        let reply = self.manager.post(&path, &json!({"reason": "model"}));
        let open = self.book.tills[sale.basket.till].shift.as_ref();
        if sale.state != SaleState::Paid || open.is_none_or(|shift| shift.id != sale.shift) {
            reply.refused(409, "invalid_state");
            return;
        }
        same(&reply.data(200), &[("/state", json!("voided"))]);
        self.book.void(place);
    }

    pub(super) fn bring_back(&mut self, n: usize, till: usize) {
        let Some(place) = Self::nth(n, self.book.sales.len()) else { return };
        let (state, basket) = (self.book.sales[place].state, self.book.sales[place].basket.clone());
        let lines = basket.lines.iter().zip(1..);
        let items: Vec<Value> = lines
            .map(|((sku, qty), line)| json!({"sku": sku, "qty": qty, "line_no": line, "reason": "model"}))
            .collect();
        let body = json!({"transaction_id": basket.id, "items": items});
        let reply = self.tills[till].post("/api/pos/returns", &body);
        if self.book.tills[till].shift.is_none() {
            reply.refused(409, "no_open_shift");
            return;
        }
        match state {
            SaleState::Voided => drop(reply.refused(409, "invalid_state")),
            SaleState::Returned => drop(reply.refused(422, "return_exceeds_sold")),
            SaleState::Paid => {
                let returned = reply.data(201);
                let receipt = self.book.bring_back(place, till);
                let figures = [("/receipt_no", json!(receipt)), ("/refund_total", json!(basket.total))];
                same(&returned, &figures);
                let back: i64 = returned["refunds"].as_array().unwrap().iter().map(amount).sum();
                assert_eq!(back, basket.total, "exactly what was paid: {returned}");
            }
        }
    }

    pub(super) fn hold(&mut self, n: usize) {
        let Some(place) = Self::nth(n, self.book.baskets.len()) else { return };
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
        let Some(place) = Self::nth(n, self.book.holds.len()) else { return };
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
        self.book.baskets.push(basket);
        // It waits for nobody any more.
        self.tills[till].post(&path, &json!({})).refused(409, "invalid_state");
    }
}

fn amount(refund: &Value) -> i64 {
    refund["amount"].as_i64().unwrap()
}
