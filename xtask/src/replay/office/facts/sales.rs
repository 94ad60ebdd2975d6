//! Sales, returns, shifts and cash.

use super::{At, Facts, int, list, str_of};
use anyhow::Context;
use serde_json::Value;

/// Account of a method's money until it is settled.
pub fn account(method: &str) -> &'static str {
    match method {
        "cash" => "1010",
        "card" => "1110",
        _ => "1120",
    }
}

/// The hour in which something was, as clocks in Jakarta show it.
fn hour(at: &str) -> anyhow::Result<String> {
    let at: jiff::Timestamp = at.parse()?;
    Ok(at.in_tz("Asia/Jakarta")?.strftime("%Y-%m-%dT%H:00").to_string())
}

/// The rows that a document counts in as a whole.
fn of_whole<'a>(
    At { store, day }: At<'a>,
    hour: &'a str,
    place: &'a str,
    cashier: &'a str,
) -> [(&'static str, &'a str); 5] {
    [
        ("sales/day", day),
        ("sales/hour", hour),
        ("sales/store", store),
        ("sales/register", place),
        ("sales/cashier", cashier),
    ]
}

impl Facts {
    /// M1, M3, M8.
    pub(super) fn sale(&mut self, At { store, day }: At<'_>, payload: &Value) -> anyhow::Result<()> {
        let sale = payload.pointer("/transaction").unwrap_or(payload);
        let (id, till) = (str_of(sale, "/transaction_id"), str_of(sale, "/register_id"));
        let (cashier, hour) = (str_of(sale, "/cashier_id"), hour(&str_of(sale, "/paid_at"))?);
        let (total, tax) = (int(sale, "/total")?, int(sale, "/tax")?);
        let place = format!("{store} {till}");
        let whole = of_whole(At { store, day }, &hour, &place, &cashier);
        let mut pieces = 0;
        let mut cost_sum = 0;
        for item in list(sale, "/items") {
            let (sku, qty, cost) = (str_of(item, "/sku"), int(item, "/qty")?, int(item, "/cost")?);
            let (line_total, line_tax) = (int(item, "/total")?, int(item, "/tax")?);
            pieces += qty;
            cost_sum += cost;
            let line = [
                ("items_count", qty),
                ("gross_sales", qty * int(item, "/price")?),
                ("tax", line_tax),
                ("total", line_total),
                ("net_total", line_total),
            ];
            self.add(&[("sales/sku", &sku), ("sales/category", "")], &line);
            self.count("sales/sku", &sku, "sales_count", &id);
            self.count("sales/category", "", "sales_count", &id);
            self.add(&[("sales/tax", "1100")], &[("base", line_total - line_tax), ("tax", line_tax)]);
            let sold = [
                ("net_sales", line_total - line_tax),
                ("cost", cost),
                ("margin", line_total - line_tax - cost),
            ];
            self.add(&[("margin/day", day), ("margin/store", store), ("margin/sku", &sku)], &sold);
            self.moved(store, &sku, [-qty, -cost], "sold_qty", qty);
        }
        self.add(
            &whole,
            &[
                ("sales_count", 1),
                ("items_count", pieces),
                ("gross_sales", int(sale, "/subtotal")?),
                ("tax", tax),
                ("total", total),
                ("net_total", total),
            ],
        );
        let member = str_of(sale, "/member_id");
        let earned = int(sale, "/points_earned")?;
        let mut figures = vec![("sales_count", 1), ("total", total)];
        if !member.is_empty() {
            figures.extend([("member_sales_count", 1), ("member_total", total), ("points_earned", earned)]);
        }
        self.add(&[("members/day", day), ("members/store", store)], &figures);
        self.points(day, [earned, 0])?;
        let mut lines = vec![
            ("4010", tax - total),
            ("2030", -tax),
            ("5010", cost_sum),
            ("1210", -cost_sum),
            ("6040", earned),
            ("2040", -earned),
        ];
        for payment in list(sale, "/payments") {
            let (method, amount) = (str_of(payment, "/method"), int(payment, "/amount")?);
            lines.push((account(&method), amount));
            self.money(At { store, day }, &method, amount, &id);
        }
        self.post(store, &lines)
    }

    /// Points earned and used on a day, each worth 1, in its month.
    fn points(&mut self, day: &str, [earned, reversed]: [i64; 2]) -> anyhow::Result<()> {
        let left = earned - reversed;
        let figures = [("earned", earned), ("reversed", reversed), ("points", left), ("value", left)];
        let month = day.get(..7).context("a day without a month")?;
        self.add(&[("points-liability/month", month)], &figures);
        Ok(())
    }

    fn money(&mut self, At { store, day }: At<'_>, method: &str, amount: i64, document: &str) {
        let groups = [("payments/day", day), ("payments/store", store), ("payments/method", method)];
        self.add(&groups, &[("payments_count", 1), ("sales", amount), ("net", amount)]);
        self.add(&[("sales/method", method)], &[("total", amount), ("net_total", amount)]);
        self.count("sales/method", method, "sales_count", document);
        if method == "cash" {
            self.add(&[("cash/store", store), ("cash/day", day)], &[("sales", amount)]);
        } else {
            self.add(
                &[("settlements/store", store), ("settlements/method", method)],
                &[("expected", amount)],
            );
        }
    }

    /// M12, M14, M16, with the points that a return takes.
    pub(super) fn came_back(&mut self, At { store, day }: At<'_>, payload: &Value) -> anyhow::Result<()> {
        let back = payload.pointer("/document").unwrap_or(payload);
        let (id, till) = (str_of(back, "/return_id"), str_of(back, "/register_id"));
        let (cashier, hour) = (str_of(back, "/cashier_id"), hour(&str_of(back, "/created_at"))?);
        let (refund, tax) = (int(back, "/refund_total")?, int(back, "/tax")?);
        let place = format!("{store} {till}");
        let whole = of_whole(At { store, day }, &hour, &place, &cashier);
        self.add(&whole, &[("returns_count", 1), ("returns_total", refund), ("net_total", -refund)]);
        let mut lines = vec![("4030", refund - tax), ("2030", tax)];
        for item in list(back, "/items") {
            let (sku, qty, cost) = (str_of(item, "/sku"), int(item, "/qty")?, int(item, "/cost")?);
            let (line, line_tax, correction) =
                (int(item, "/refund")?, int(item, "/tax")?, int(item, "/correction")?);
            self.add(
                &[("sales/sku", &sku), ("sales/category", "")],
                &[("returns_total", line), ("net_total", -line)],
            );
            self.count("sales/sku", &sku, "returns_count", &id);
            self.count("sales/category", "", "returns_count", &id);
            self.add(
                &[("sales/tax", "1100")],
                &[("returns_base", line - line_tax), ("returns_tax", line_tax)],
            );
            let sold = [
                ("net_sales", line_tax - line),
                ("cost", -cost),
                ("correction", correction),
                ("margin", line_tax - line + cost - correction),
            ];
            self.add(&[("margin/day", day), ("margin/store", store), ("margin/sku", &sku)], &sold);
            lines.push(("5010", -cost));
            if str_of(item, "/disposition") == "damaged" {
                lines.push(("1230", cost));
                self.add(
                    &[("stock/store", store), ("stock/sku", &sku)],
                    &[("damaged", qty), ("damaged_value", cost)],
                );
            } else {
                lines.extend([("1210", cost - correction), ("5020", correction)]);
                self.moved(store, &sku, [qty, cost - correction], "returned_qty", qty);
            }
        }
        let lost = int(back, "/points_reversed")?;
        self.add(&[("members/day", day), ("members/store", store)], &[("points_reversed", lost)]);
        self.points(day, [0, lost])?;
        lines.extend([("2040", lost), ("6040", -lost)]);
        for part in list(back, "/refunds") {
            let (method, amount) = (str_of(part, "/method"), int(part, "/amount")?);
            lines.push((account(&method), -amount));
            let groups =
                [("payments/day", day), ("payments/store", store), ("payments/method", method.as_str())];
            self.add(&groups, &[("refunds", amount), ("net", -amount)]);
            self.add(&[("sales/method", &method)], &[("returns_total", amount), ("net_total", -amount)]);
            self.count("sales/method", &method, "returns_count", &id);
            if method == "cash" {
                self.add(&[("cash/store", store), ("cash/day", day)], &[("refunds", amount)]);
            } else {
                self.add(
                    &[("settlements/store", store), ("settlements/method", &method)],
                    &[("expected", -amount)],
                );
            }
        }
        self.post(store, &lines)
    }

    /// M20.
    pub(super) fn shift_opened(&mut self, At { store, day }: At<'_>, payload: &Value) -> anyhow::Result<()> {
        let float = int(payload, "/shift/opening_float")?;
        self.add(&[("cash/store", store), ("cash/day", day)], &[("opening_float", float)]);
        self.post(store, &[("1010", float), ("1020", -float)])
    }

    /// M21, M22.
    pub(super) fn shift_closed(&mut self, At { store, day }: At<'_>, payload: &Value) -> anyhow::Result<()> {
        let (expected, counted) =
            (int(payload, "/shift/expected_cash")?, int(payload, "/shift/counted_cash")?);
        let figures =
            [("shifts", 1), ("expected", expected), ("counted", counted), ("variance", counted - expected)];
        self.add(&[("cash/store", store), ("cash/day", day)], &figures);
        self.post(store, &[("1020", counted), ("6010", expected - counted), ("1010", -expected)])
    }

    /// M25, M26.
    pub(super) fn cash(&mut self, At { store, day }: At<'_>, payload: &Value) -> anyhow::Result<()> {
        let amount = int(payload, "/movement/amount")?;
        let drop = str_of(payload, "/movement/type") == "drop";
        let (figure, account) = if drop { ("drops", "1020") } else { ("pay_out", "6050") };
        self.add(&[("cash/store", store), ("cash/day", day)], &[(figure, amount)]);
        self.post(store, &[(account, amount), ("1010", -amount)])
    }
}
