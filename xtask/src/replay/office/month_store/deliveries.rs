//! Goods of a shop that neither sells nor takes them back.

use super::MonthStore;
use crate::trade::stock_value::Coming;
use serde_json::json;

impl MonthStore {
    /// Opening stock on the shelves: sku, pieces, cost.
    pub fn starts_with(&mut self, goods: &[(String, i64, i64)]) -> anyhow::Result<()> {
        let date = self.date()?;
        let mut movements = Vec::new();
        for (place, (sku, qty, cost)) in goods.iter().enumerate() {
            self.stock(sku).come(*qty, Coming::Bought(*cost));
            movements.push(
                json!({"movement_id": format!("mov_{place}"), "sku": sku, "qty": qty, "cost": cost,
                "correction": 0, "balance_after": qty, "reason": "opening", "reference_type": "opening",
                "reference_id": "imp_1", "line_no": place + 1, "unit_cost": cost / qty, "user_id": "usr_1",
                "at": self.now, "negative": false}),
            );
        }
        let payload = json!({"store_id": self.id, "business_date": date, "part": 1, "parts": 1,
            "movements": movements});
        self.tell("stock.moved", self.about(0)?, payload)
    }

    /// Goods of an order: sku, accepted, rejected, cost of a piece. Returns the value of their lines.
    pub fn receives(
        &mut self,
        supplier: &str,
        order: &str,
        goods: &[(String, [i64; 3])],
    ) -> anyhow::Result<String> {
        let date = self.date()?;
        let id = format!("rcv_{}_{}", self.id, self.made);
        let (mut lines, mut effects, mut total) = (Vec::new(), Vec::new(), 0);
        for (place, (sku, [qty, rejected, unit_cost])) in goods.iter().enumerate() {
            let (cost, correction) = self.stock(sku).come(*qty, Coming::Bought(qty * unit_cost));
            let effect = self.effect(place + 1, sku, [*qty, cost, correction]);
            total += cost;
            lines.push(json!({"line_no": place + 1, "sku": sku, "name": "Thing", "qty": qty,
                "rejected_qty": rejected, "unit_cost": unit_cost, "cost": cost, "correction": correction,
                "balance_after": effect.get("balance_after"), "cost_missing": false, "note": null}));
            effects.push(effect);
        }
        let receiving = json!({"receiving_id": id, "state": "posted", "store_id": self.id, "po_id": order,
            "supplier_id": supplier, "delivery_note_no": format!("DN-{}", self.id), "reference": null,
            "lines": lines, "total_cost": total, "note": null, "business_date": date, "created_by": "usr_1",
            "created_at": self.now});
        let payload = json!({"business_date": date, "receiving": receiving, "lines": effects});
        self.tell("receiving.posted", self.about(total)?, payload)?;
        Ok(id)
    }

    /// Pieces that go back to their supplier, who takes them at this cost each.
    pub fn sends_back(&mut self, supplier: &str, sku: &str, [qty, claim]: [i64; 2]) -> anyhow::Result<()> {
        let date = self.date()?;
        let cost = self.stock(sku).leave(qty);
        let line = json!({"line_no": 1, "sku": sku, "name": "Thing", "qty": qty, "claim": qty * claim,
            "stock_cost": cost, "balance_after": self.stock(sku).qty});
        let document = json!({"supplier_return_id": format!("srt_{}_{}", self.id, self.made), "store_id": self.id,
            "supplier_id": supplier, "reference": null, "bucket": "on_hand", "lines": [line],
            "claim": qty * claim, "stock_cost": cost, "note": null, "business_date": date, "created_by": "usr_1",
            "created_at": self.now});
        let payload = json!({"business_date": date, "document": document});
        self.tell("supplier_return.posted", self.about(0)?, payload)
    }

    /// Pieces that are lost or broken, below zero, or found again.
    pub fn adjusts(&mut self, reason: &str, sku: &str, qty: i64) -> anyhow::Result<()> {
        let date = self.date()?;
        let cost = if qty < 0 {
            -self.stock(sku).leave(-qty)
        } else {
            self.stock(sku).come(qty, Coming::Unpriced).0
        };
        let effect = self.effect(1, sku, [qty, cost, 0]);
        let line = json!({"line_no": 1, "sku": sku, "name": "Thing", "qty": qty, "cost": cost, "correction": 0,
            "balance_after": effect.get("balance_after")});
        let adjustment = json!({"adjustment_id": format!("adj_{}_{}", self.id, self.made), "state": "posted",
            "store_id": self.id, "reason": reason, "bucket": "on_hand", "lines": [line], "value": cost,
            "note": null, "business_date": date, "created_by": "usr_1", "created_at": self.now,
            "decided_by": null, "decided_at": null});
        let payload = json!({"business_date": date, "adjustment": adjustment, "lines": [effect]});
        self.tell("adjustment.posted", self.about(0)?, payload)
    }
}
