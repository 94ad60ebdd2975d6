//! Head office's work for a day, in short: a received order, its bill, the settled day, and the books.

use crate::rest::{Api, figure, text, until};
use crate::stage::STORE_ID;
use crate::trade::hubside::sync_all;
use crate::trade::month::Month;
use crate::trade::office::{CARD_BP, QRIS_BP, Sources, fee, half_up, sent_order, sources};
use crate::trade::table;
use anyhow::{Context, ensure};
use serde_json::{Value, json};
use std::time::Duration;

/// The supplier's discount for an early payment.
const DISCOUNT_BP: i64 = 200;
const PIECES: i64 = 50;
/// Longest wait until the store knows an order.
const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(100);

pub struct Actors<'a> {
    /// Client signed in at head office.
    pub admin: &'a Api,
    /// Client signed in at the store.
    pub manager: &'a Api,
    pub warehouse: &'a Api,
}

/// Runs it; `day` is the store's business date.
pub async fn run(actors: &Actors<'_>, month: &Month, day: &str) -> anyhow::Result<()> {
    let (supplier, orders) = ordered(actors.admin, month).await?;
    let [order, next] = orders.as_slice() else { anyhow::bail!("two orders") };
    let receipt = received(actors, order).await?;
    let invoice = billed(actors.admin, &supplier, &receipt, day).await?;
    println!(
        "\n6. {} came, {} is on its way; its bill {} is paid",
        text(order, "po_no")?,
        text(next, "po_no")?,
        text(&invoice, "doc_no")?
    );
    let path = format!("/api/days/{day}/seal");
    actors.manager.post(&path, "demo-seal", &json!({"force": true, "reason": "the demo ends here"})).await?;
    sync_all(actors.manager).await?;
    let settled = settled(actors.admin, day).await?;
    println!(
        "7. {STORE_ID}'s {day} agrees with what provider and bank reported, to be approved once it is over: {} expected, {} fees, {} to the bank\n",
        figure(&settled, "/expected")?,
        figure(&settled, "/fee")?,
        figure(&settled, "/net")?
    );
    balance(actors.admin, day).await
}

/// A supplier with prices, and two orders that were sent.
async fn ordered(admin: &Api, month: &Month) -> anyhow::Result<(String, Vec<Value>)> {
    let new = json!({"code": "GIFT", "name": "Gift wholesale", "payment_terms_days": 30, "discount_days": 10,
        "discount_bp": DISCOUNT_BP});
    let supplier = text(&admin.post("/api/suppliers", "demo-supplier", &new).await?, "supplier_id")?;
    let mut orders = Vec::new();
    for (number, product) in month.products.iter().filter(|product| product.price > 1).take(2).enumerate() {
        let price = json!({"sku": product.sku, "unit_cost": product.price / 2});
        let path = format!("/api/suppliers/{supplier}/products");
        admin.post(&path, &format!("demo-price-{number}"), &price).await?;
        let lines = [json!({"sku": product.sku, "qty": PIECES})];
        orders.push(sent_order(admin, &supplier, STORE_ID, &lines, &format!("demo-{number}")).await?);
    }
    Ok((supplier, orders))
}

/// The store receives all of an order, once it knows it.
async fn received(actors: &Actors<'_>, order: &Value) -> anyhow::Result<Value> {
    let line = order.pointer("/lines/0").context("an order without a line")?;
    let body = json!({"po_id": order.get("po_id"), "delivery_note_no": "DN-3",
        "lines": [{"sku": line.get("sku"), "qty": line.get("qty")}]});
    until("the order is at the store", PATIENCE, PAUSE, async || {
        let orders = actors.manager.list("/api/purchase-orders").await?;
        Ok(orders.iter().any(|one| one.get("po_id") == order.get("po_id")).then_some(()))
    })
    .await?;
    let receipt = actors.warehouse.post("/api/receiving", "demo-receipt", &body).await?;
    sync_all(actors.manager).await?;
    Ok(receipt)
}

/// The bill of a receipt, matched, approved and paid early.
async fn billed(admin: &Api, supplier: &str, receipt: &Value, day: &str) -> anyhow::Result<Value> {
    let line = receipt.pointer("/lines/0").context("a receipt without a line")?;
    let new = json!({"supplier_id": supplier, "invoice_no": "GIFT-1", "invoice_date": day,
        "lines": [{"receiving_id": receipt.get("receiving_id"), "receiving_line_no": 1, "qty": line.get("qty"),
            "unit_cost": line.get("unit_cost"), "tax_rate_bp": 1_100}]});
    let made = admin.post("/api/finance/invoices", "demo-bill", &new).await?;
    let path = format!("/api/finance/invoices/{}", text(&made, "invoice_id")?);
    for step in ["match", "approve"] {
        admin.post(&format!("{path}/{step}"), &format!("demo-bill-{step}"), &json!({})).await?;
    }
    let total = figure(&made, "/total")?;
    let discount = half_up(total, DISCOUNT_BP);
    let pay = json!({"supplier_id": supplier, "date": day, "account": "1040", "amount": total - discount,
        "reference": "GIFT-1",
        "allocations": [{"invoice_id": made.get("invoice_id"), "amount": total, "discount": discount}]});
    admin.post("/api/finance/payments", "demo-pay", &pay).await?;
    Ok(made)
}

/// The card provider and the bank report the day; its settlement is approved, which locks the day, once the day is over.
async fn settled(admin: &Api, day: &str) -> anyhow::Result<Value> {
    let items = admin.list(&format!("/api/settlement-items?store_id={STORE_ID}")).await?;
    let (mut lines, mut net) = (Vec::new(), 0);
    for item in &items {
        let (amount, card) = (figure(item, "/amount")?, text(item, "method")? == "card");
        let fee = fee(amount, if card { CARD_BP } else { QRIS_BP });
        if card {
            let reference = format!("SLIP-{}", lines.len() + 1);
            lines.push(json!({"date": day, "reference": reference, "gross": amount, "fee": fee}));
        } else {
            net += amount - fee;
        }
    }
    let net = vec![json!({"date": day, "reference": "QRIS", "amount": net})];
    let Sources { cards, bank } = sources(admin).await?;
    for (name, source, lines) in [("cards", cards, lines), ("bank", bank, net)] {
        let statement = json!({"source_id": source, "lines": lines});
        if !lines.is_empty() {
            admin.post("/api/statements", &format!("demo-{name}"), &statement).await?;
        }
    }
    let path = format!("/api/settlements?store_id={STORE_ID}&from={day}&to={day}");
    let listed = admin.list(&path).await?;
    ensure!(!listed.is_empty(), "the day has no settlement");
    let path = format!("/api/reports/settlements?from={day}&to={day}&group_by=store&store_id={STORE_ID}");
    let report = admin.get(&path).await?;
    report.pointer("/items/0").cloned().context("the report of settlements is empty")
}

async fn balance(admin: &Api, day: &str) -> anyhow::Result<()> {
    let reported = admin.get(&format!("/api/finance/trial-balance?date={day}")).await?;
    let mut rows = Vec::new();
    for row in reported.get("items").and_then(Value::as_array).context("no accounts")? {
        let name = format!("{} {}", text(row, "account")?, text(row, "name")?);
        rows.push(vec![name, figure(row, "/debit")?.to_string(), figure(row, "/credit")?.to_string()]);
    }
    let sides = ["/total_debit", "/total_credit"].map(|side| figure(&reported, side));
    let [debit, credit] = sides;
    rows.push(vec!["all".to_owned(), debit?.to_string(), credit?.to_string()]);
    println!("8. trial balance of {day}");
    table::print(&["account", "debit", "credit"], &rows);
    Ok(())
}
