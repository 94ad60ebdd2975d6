//! The store's own account: the shifts' summaries, its lists, its stock and its members.

use crate::rest::{Api, figure, text};
use crate::trade::figures::{Account, Figures};
use crate::trade::members::{self, Members};
use anyhow::Context;
use serde_json::Value;
use std::collections::BTreeMap;

/// Figures of the store.
#[derive(Default)]
pub struct StoreSide {
    /// Sums of the shifts' summaries; figures that these lack come from the lists.
    pub whole: Account,
    /// Each shift's own summary.
    pub shifts: BTreeMap<String, Shift>,
    /// Sum of the expected cash of the shifts.
    pub expected_cash: i64,
    /// Sum of the variance of the shifts.
    pub variance: i64,
    /// Paid transactions and posted returns listed by the store: id and receipt number.
    pub receipts: BTreeMap<String, String>,
    /// On hand by sku.
    pub stock: BTreeMap<String, i64>,
    /// Its value by sku.
    pub value: BTreeMap<String, i64>,
    /// Points by customer.
    pub points: BTreeMap<String, i64>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shift {
    pub account: Account,
    /// Expected cash in it at the end.
    pub expected_cash: i64,
}

impl StoreSide {
    /// Adds a closed shift's summary.
    pub fn add_summary(&mut self, shift_id: &str, summary: &Value) -> anyhow::Result<()> {
        let tax = figure(summary, "/tax")?;
        let figures = Figures {
            sales: figure(summary, "/sales_count")?,
            pieces: figure(summary, "/items_count")?,
            subtotal: figure(summary, "/gross_sales")?,
            discount: figure(summary, "/discounts")?,
            tax,
            total: figure(summary, "/net_sales")? + tax,
            overrides: figure(summary, "/price_overrides")?,
            returns: figure(summary, "/returns_count")?,
            refunds: figure(summary, "/returns_total")?,
            tax_back: figure(summary, "/returns_tax")?,
            ..Figures::default()
        };
        let mut account = Account { figures, ..Account::default() };
        let methods = summary.get("by_method").and_then(Value::as_array);
        for sums in methods.context("the summary has no methods")? {
            let method = text(sums, "method")?;
            account.came(&method, figure(sums, "/sales")?);
            account.went(&method, figure(sums, "/refunds")?);
        }
        let expected_cash = figure(summary, "/cash/expected")?;
        self.whole.add(&account);
        self.expected_cash += expected_cash;
        self.variance += figure(summary, "/shift/variance")?;
        self.shifts.insert(shift_id.to_owned(), Shift { account, expected_cash });
        Ok(())
    }

    /// Reads every sale and return of the shifts, the stock of every product, the points of every member.
    pub async fn read(&mut self, manager: &Api, shifts: &[&str], members: &Members) -> anyhow::Result<()> {
        for shift in shifts {
            let path = format!("/api/pos/transactions?shift_id={shift}&state=paid");
            for sale in manager.list(&path).await.context("the store's list of sales")? {
                self.whole.figures.lines += items(&sale).len() as i64;
                self.whole.figures.earned += figure(&sale, "/points_earned")?;
                self.whole.figures.redeemed += figure(&sale, "/points_redeemed")?;
                self.receipts.insert(text(&sale, "transaction_id")?, text(&sale, "receipt_no")?);
            }
            let path = format!("/api/pos/returns?shift_id={shift}");
            for back in manager.list(&path).await.context("the store's list of returns")? {
                self.whole.figures.lines_back += items(&back).len() as i64;
                for item in items(&back) {
                    self.whole.figures.pieces_back += figure(item, "/qty")?;
                }
                self.whole.figures.reversed += figure(&back, "/points_reversed")?;
                self.whole.figures.given_back += figure(&back, "/points_back")?;
                self.receipts.insert(text(&back, "return_id")?, text(&back, "receipt_no")?);
            }
        }
        for row in manager.list("/api/stock").await.context("the store's stock")? {
            let sku = text(&row, "sku")?;
            self.value.insert(sku.clone(), figure(&row, "/value")?);
            self.stock.insert(sku, figure(&row, "/on_hand")?);
        }
        self.points = members::at_store(manager, members).await?;
        Ok(())
    }
}

fn items(document: &Value) -> &[Value] {
    document.get("items").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
