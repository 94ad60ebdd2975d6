//! Steps other than selling: goods, cash that moves without a sale, members.

use super::book::Member;
use super::counter::nth;
use super::drive::{Shop, same, text};
use super::step::CASH_KINDS;
use serde_json::json;
use testkit::store::PRODUCTS;

impl Shop {
    pub(super) fn receive(&mut self, product: usize, qty: i64) {
        let (sku, price) = PRODUCTS[product % PRODUCTS.len()];
        let body = json!({"lines": [{"sku": sku, "qty": qty, "unit_cost": price / 2}]});
        self.manager.post("/api/receiving", &body).data(201);
        *self.book.stock.entry(sku).or_default() += qty;
    }

    /// Adjusts the stock: pieces are found or missing.
    pub(super) fn correct(&mut self, product: usize, qty: i64) {
        let (sku, _) = PRODUCTS[product % PRODUCTS.len()];
        let reason = if qty > 0 { "found" } else { "loss" };
        let body = json!({"reason": reason, "lines": [{"sku": sku, "qty": qty}]});
        let reply = self.manager.post("/api/adjustments", &body);
        if qty == 0 {
            reply.invalid_field("lines[0].qty");
            return;
        }
        let now = self.book.stock.entry(sku).or_default();
        if qty < 0 && *now + qty < 0 {
            reply.refused(409, "insufficient_stock");
            return;
        }
        *now += qty;
        same(&reply.data(201), &[("/lines/0/balance_after", json!(now))]);
    }

    pub(super) fn cash(&mut self, till: usize, kind: usize, amount: i64) {
        let Some(shift) = &mut self.book.tills[till].shift else { return };
        let kind = CASH_KINDS[kind % CASH_KINDS.len()];
        let amount = if kind == "no_sale" { 0 } else { amount };
        let path = format!("/api/shifts/{}/cash-movements", shift.id);
        let moved = self.tills[till].post(&path, &json!({"type": kind, "amount": amount, "reason": "model"}));
        if matches!(kind, "pay_out" | "drop") && amount > shift.expected() {
            moved.invalid_field("amount");
            return;
        }
        moved.data(201);
        *shift.moved.entry(kind).or_default() += amount;
    }

    pub(super) fn join(&mut self) {
        let n = self.book.members.len();
        let body = json!({"name": format!("Member {n}"), "phone": format!("0812{n:08}")});
        let id = text(&self.tills[0].post("/api/members", &body).data(201), "member_id");
        let details = self.tills[1].post("/api/members", &body).refused(409, "duplicate");
        assert_eq!(details["member_id"], json!(id));
        self.book.members.push(Member { id, points: 0, blocked: false });
    }

    pub(super) fn adjust(&mut self, member: usize, points: i64) {
        let Some(place) = nth(member, self.book.members.len()).filter(|_| points != 0) else { return };
        let member = &mut self.book.members[place];
        member.points += points;
        let path = format!("/api/members/{}/points/adjust", member.id);
        let done = self.manager.post(&path, &json!({"points": points, "reason": "model"})).data(200);
        assert_eq!(done["balance"], json!(member.points), "{done}");
    }

    /// Blocks or unblocks a member.
    pub(super) fn block(&mut self, member: usize) {
        let Some(place) = nth(member, self.book.members.len()) else { return };
        let member = &mut self.book.members[place];
        member.blocked = !member.blocked;
        let state = if member.blocked { "blocked" } else { "active" };
        let (path, body) = (format!("/api/members/{}", member.id), json!({"state": state}).to_string());
        let shown = self.manager.send("PATCH", &path, &[], body.as_bytes()).data(200);
        same(&shown, &[("/state", json!(state))]);
    }
}
