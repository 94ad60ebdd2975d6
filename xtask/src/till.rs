//! A till: logs in, opens its shift, sells through REST, closes, and remembers what it saw.

use crate::figures::Figures;
use crate::month::Sale;
use crate::rest::{Api, CallError, figure, text};
use anyhow::Context;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// How the customers pay.
#[derive(Clone, Copy)]
pub enum Tender {
    /// The whole total in cash.
    Cash,
    /// Cards and cash by turns, and cash above its amount.
    Mixed,
}

/// What came of a sale.
pub enum Sold {
    /// Paid, with its receipt.
    Paid,
    /// The store refused it: status, code, message.
    Refused(String),
}

/// A till with its open shift.
pub struct Till {
    api: Api,
    /// Its shift.
    pub shift_id: String,
    /// The day that its sales count for.
    pub business_date: String,
    tender: Tender,
    /// Sums of the answers.
    pub seen: Figures,
    /// Cash in the drawer.
    pub drawer: i64,
    /// Receipt numbers by transaction.
    pub receipts: BTreeMap<String, String>,
}

impl Till {
    /// Opens the shift of `api`'s register.
    pub async fn open(api: Api, opening_float: i64, tender: Tender) -> anyhow::Result<Self> {
        let body = json!({"opening_float": opening_float});
        let shift = api.post("/api/shifts/open", "open-shift", &body).await.context("opening a shift")?;
        Ok(Self {
            api,
            shift_id: text(&shift, "shift_id")?,
            business_date: text(&shift, "business_date")?,
            tender,
            seen: Figures::default(),
            drawer: opening_float,
            receipts: BTreeMap::new(),
        })
    }

    /// Rings a sale up and takes the money.
    pub async fn sell(&mut self, sale: &Sale) -> anyhow::Result<Sold> {
        let items: Vec<Value> = sale
            .lines
            .iter()
            .map(|line| json!({"sku": line.sku, "qty": line.qty, "price": line.price}))
            .collect();
        let key = format!("{}-create", sale.name);
        let basket = match self.api.post("/api/pos/transactions", &key, &json!({"items": items})).await {
            Ok(basket) => basket,
            Err(CallError::Refused { status, code, message }) if status < 500 => {
                return Ok(Sold::Refused(format!("{status} {code}: {message}")));
            }
            Err(error) => return Err(error).with_context(|| format!("sale {}", sale.name)),
        };
        let id = text(&basket, "transaction_id")?;
        let payments = self.payments(figure(&basket, "/total")?);
        let path = format!("/api/pos/transactions/{id}/pay");
        let paid = self.api.post(&path, &format!("{}-pay", sale.name), &payments).await;
        let paid = paid.with_context(|| format!("paying sale {}", sale.name))?;
        self.remember(&id, &paid).with_context(|| format!("sale {}", sale.name))?;
        Ok(Sold::Paid)
    }

    fn payments(&self, total: i64) -> Value {
        match self.tender {
            _ if total == 0 => json!({"payments": []}),
            Tender::Cash => json!({"payments": [{"method": "cash", "amount": total, "tendered": total}]}),
            Tender::Mixed if self.seen.sales % 3 == 0 => {
                json!({"payments": [{"method": "cash", "amount": total, "tendered": total + 100}]})
            }
            Tender::Mixed if self.seen.sales % 3 == 1 || total == 1 => {
                json!({"method": "card", "amount": total, "reference": "slip"})
            }
            Tender::Mixed => json!({"payments": [
                {"method": "qris", "amount": total / 2},
                {"method": "cash", "amount": total - total / 2, "tendered": total},
            ]}),
        }
    }

    fn remember(&mut self, id: &str, paid: &Value) -> anyhow::Result<()> {
        anyhow::ensure!(text(paid, "state")? == "paid", "the sale is not paid");
        let lines = paid.get("items").and_then(Value::as_array).context("the sale has no lines")?;
        let pieces = lines.iter().map(|line| figure(line, "/qty")).sum::<anyhow::Result<i64>>()?;
        let overrides = lines.iter().filter(|line| line.get("price_override") == Some(&Value::Bool(true)));
        self.seen.add(&Figures {
            sales: 1,
            lines: lines.len() as i64,
            pieces,
            subtotal: figure(paid, "/subtotal")?,
            discount: figure(paid, "/discount")?,
            tax: figure(paid, "/tax")?,
            total: figure(paid, "/total")?,
            overrides: overrides.count() as i64,
        });
        self.drawer += cash_kept(paid)?;
        self.receipts.insert(id.to_owned(), text(paid, "receipt_no")?);
        Ok(())
    }

    /// Closes with what is in the drawer; gives back the shift's summary.
    pub async fn close(&self) -> anyhow::Result<Value> {
        let path = format!("/api/shifts/{}/close", self.shift_id);
        let summary = self.api.post(&path, "close-shift", &json!({"counted_cash": self.drawer})).await;
        summary.context("closing a shift")
    }
}

/// What stays in the drawer: tendered less change, of every cash payment.
fn cash_kept(paid: &Value) -> anyhow::Result<i64> {
    let payments = paid.get("payments").and_then(Value::as_array).context("the sale has no payments")?;
    let cash = payments.iter().filter(|payment| payment.get("method").is_some_and(|m| m == "cash"));
    cash.map(|payment| Ok(figure(payment, "/tendered")? - figure(payment, "/change")?)).sum()
}
