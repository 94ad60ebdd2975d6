//! Goods that come, go back to their supplier, are lost and found.

use super::{At, Facts, int, list, str_of};
use serde_json::Value;

impl Facts {
    /// Pieces and their value, on the shelf; counted under one name of what sold through.
    pub(super) fn moved(
        &mut self,
        store: &str,
        sku: &str,
        [qty, value]: [i64; 2],
        name: &'static str,
        count: i64,
    ) {
        self.add(&[("stock/store", store), ("stock/sku", sku)], &[("on_hand", qty), ("value", value)]);
        let through = [(name, count), ("closing_qty", qty)];
        self.add(&[("sell-through/store", store), ("sell-through/sku", sku)], &through);
    }

    fn corrected(&mut self, At { store, day }: At<'_>, sku: &str, correction: i64) {
        let groups = [("margin/day", day), ("margin/store", store), ("margin/sku", sku)];
        self.add(&groups, &[("correction", correction), ("margin", -correction)]);
    }

    /// M31.
    pub(super) fn first_stock(&mut self, store: &str, payload: &Value) -> anyhow::Result<()> {
        for movement in list(payload, "/movements") {
            let (qty, cost) = (int(movement, "/qty")?, int(movement, "/cost")?);
            self.moved(store, &str_of(movement, "/sku"), [qty, cost], "other_qty", qty);
            self.post(store, &[("1210", cost), ("3010", -cost)])?;
        }
        Ok(())
    }

    /// M29, M30.
    pub(super) fn receipt(&mut self, at: At<'_>, payload: &Value) -> anyhow::Result<()> {
        let store = at.store;
        let supplier = str_of(payload, "/receiving/supplier_id");
        let groups = [("purchases/supplier", supplier.as_str()), ("purchases/store", store)];
        self.add(&groups, &[("receipts", 1)]);
        for line in list(payload, "/receiving/lines") {
            let (sku, qty, cost) = (str_of(line, "/sku"), int(line, "/qty")?, int(line, "/cost")?);
            let (rejected, correction) = (int(line, "/rejected_qty")?, int(line, "/correction")?);
            self.moved(store, &sku, [qty, cost - correction], "received_qty", qty);
            self.corrected(at, &sku, correction);
            let figures = [("received", qty), ("rejected", rejected), ("open_qty", -qty)];
            self.add(
                &[("purchases/supplier", &supplier), ("purchases/store", store), ("purchases/sku", &sku)],
                &figures,
            );
            self.post(store, &[("1210", cost - correction), ("5020", correction), ("2020", -cost)])?;
        }
        Ok(())
    }

    /// M33.
    pub(super) fn sent_back(&mut self, At { store, .. }: At<'_>, payload: &Value) -> anyhow::Result<()> {
        let supplier = str_of(payload, "/document/supplier_id");
        for line in list(payload, "/document/lines") {
            let (sku, qty) = (str_of(line, "/sku"), int(line, "/qty")?);
            let (claim, cost) = (int(line, "/claim")?, int(line, "/stock_cost")?);
            self.moved(store, &sku, [-qty, -cost], "other_qty", -qty);
            let groups = [
                ("purchases/supplier", supplier.as_str()),
                ("purchases/store", store),
                ("purchases/sku", &sku),
            ];
            self.add(&groups, &[("returned", qty)]);
            self.post(store, &[("2020", claim), ("5030", cost - claim), ("1210", -cost)])?;
        }
        Ok(())
    }

    /// M45 to M50.
    pub(super) fn adjusted(&mut self, At { store, day }: At<'_>, payload: &Value) -> anyhow::Result<()> {
        let (name, account) = match str_of(payload, "/adjustment/reason").as_str() {
            "loss" => ("loss", "5110"),
            "damaged" => ("damaged", "5120"),
            _ => ("found", "5130"),
        };
        for line in list(payload, "/adjustment/lines") {
            let (sku, qty, cost) = (str_of(line, "/sku"), int(line, "/qty")?, int(line, "/cost")?);
            self.moved(store, &sku, [qty, cost], "other_qty", qty);
            let groups = [
                ("shrinkage/day", day),
                ("shrinkage/store", store),
                ("shrinkage/sku", &sku),
                ("shrinkage/reason", name),
            ];
            self.add(&groups, &[(name, -cost), ("total", -cost), ("pieces", -qty)]);
            self.post(store, &[("1210", cost), (account, -cost)])?;
        }
        Ok(())
    }
}
