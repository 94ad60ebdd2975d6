//! Head office's part of the month: orders, the supplier's bills, reports of the card provider and the bank, approvals.

use super::days::{ORDER, ORDERED, Orders, SENT_BACK, cost_of, goods};
use super::facts::{Facts, int, list, str_of};
use super::month_store::{MonthStore, bag_no};
use crate::rest::{Api, figure, text};
use crate::trade::month::Month;
use crate::trade::office::{half_up, sent_order};
use anyhow::{Context, ensure};
use jiff::civil::Date;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

pub mod settled;

/// Contents of the bank account and of each safe before the month.
const IN_BANK: i64 = 100_000_000;
const IN_SAFE: i64 = 900_000_000;
/// Excess of a bill's price for a piece over the order's.
const DEARER: i64 = 3;
const TAX_BP: i64 = 1_100;

/// Opens the books on the day before.
pub async fn opens(admin: &Api, stores: &mut BTreeMap<String, Facts>, first: Date) -> anyhow::Result<()> {
    let date = first.yesterday()?;
    let mut books: Vec<(String, &'static str, i64)> = vec![(String::new(), "1040", IN_BANK)];
    books.extend(stores.keys().map(|id| (id.clone(), "1020", IN_SAFE)));
    for (book, account, amount) in books {
        let lines = json!([{"account": account, "debit": amount, "credit": 0}]);
        let body = json!({"store_id": book, "date": date, "lines": lines});
        admin.post("/api/finance/opening", &format!("opening-{book}"), &body).await?;
        if let Some(facts) = stores.get_mut(&book) {
            facts.post(&book, &[(account, amount), ("3010", -amount)])?;
        }
    }
    Ok(())
}

/// A supplier and an order for each shop, sent.
pub async fn orders(
    admin: &Api,
    month: &Month,
    stores: &mut BTreeMap<String, Facts>,
) -> anyhow::Result<(String, Orders)> {
    let supplier = json!({"code": "MONTH", "name": "Wholesale", "payment_terms_days": 30});
    let supplier = text(&admin.post("/api/suppliers", "supplier", &supplier).await?, "supplier_id")?;
    let mut orders = Orders::new();
    let [qty, ..] = ORDER;
    for (store, facts) in stores {
        let some = || goods(month).take(ORDERED);
        let lines: Vec<Value> =
            some().map(|(sku, price)| json!({"sku": sku, "qty": qty, "unit_cost": cost_of(price)})).collect();
        let order = sent_order(admin, &supplier, store, &lines, store).await?;
        let id = text(&order, "po_id")?;
        for (sku, _) in some() {
            let groups = [
                ("purchases/supplier", supplier.as_str()),
                ("purchases/store", store),
                ("purchases/sku", sku),
            ];
            facts.add(&groups, &[("ordered", qty), ("open_qty", qty)]);
        }
        orders.insert(store.clone(), id);
    }
    Ok((supplier, orders))
}

/// The bill of a shop's receipt, above the ordered price, accepted, approved and paid on a day; returns the bank's
/// payment.
pub async fn billed(
    admin: &Api,
    supplier: &str,
    paid_on: Date,
    shop: &MonthStore,
    facts: &mut Facts,
) -> anyhow::Result<(Date, String, i64)> {
    let store = shop.id.as_str();
    let (date, receipt) = received(shop).context("nothing was received")?;
    let (mut lines, mut net, mut tax) = (Vec::new(), 0, 0);
    let mut rows = Vec::new();
    for line in list(receipt, "/receiving/lines") {
        let line_no = int(line, "/line_no")?;
        let sent_back = if line_no == 1 { SENT_BACK } else { 0 };
        let (qty, cost) = (int(line, "/qty")? - sent_back, int(line, "/unit_cost")?);
        let asked = cost + DEARER;
        net += qty * asked;
        tax += half_up(qty * asked, TAX_BP);
        rows.push((str_of(line, "/sku"), qty, qty * asked, int(line, "/cost")? - sent_back * cost));
        lines.push(
            json!({"receiving_id": receipt.pointer("/receiving/receiving_id"), "receiving_line_no": line_no,
            "qty": qty, "unit_cost": asked, "tax_rate_bp": TAX_BP}),
        );
    }
    let number = format!("BILL-{store}");
    let body = json!({"supplier_id": supplier, "invoice_no": number, "invoice_date": date, "lines": lines});
    let made = admin.post("/api/finance/invoices", &number, &body).await?;
    let total = figure(&made, "/total")?;
    ensure!(total == net + tax, "{number}: {total} is not {net} + {tax}");
    let path = format!("/api/finance/invoices/{}", text(&made, "invoice_id")?);
    let post = async |step: &str, key: &str, body: Value| {
        let key = format!("{number}-{key}");
        admin.post(&format!("{path}/{step}"), &key, &body).await
    };
    let disputed = post("match", "first", json!({})).await?;
    ensure!(text(&disputed, "state")? == "disputed", "{number} costs more and is not disputed");
    let accept: Vec<Value> = list(&disputed, "/exceptions")
        .iter()
        .map(|one| json!({"line_no": one.get("line_no"), "type": one.get("type"), "reason": "a new list of prices"}))
        .collect();
    let matched = post("match", "second", json!({"accept": accept})).await?;
    ensure!(text(&matched, "state")? == "matched", "{number}: {matched}");
    post("approve", "approve", json!({})).await?;
    let received: i64 = rows.iter().map(|(.., value)| value).sum();
    ensure!(facts.balance(store, "2020") == -received, "{number}: 2020 is not what was received");
    facts.post(store, &[("2010", -total), ("1310", tax), ("2020", received), ("5030", net - received)])?;
    for (sku, qty, net, value) in rows {
        let groups =
            [("purchases/supplier", supplier), ("purchases/store", store), ("purchases/sku", sku.as_str())];
        facts.add(&groups, &[("invoiced", qty), ("variance", net - value)]);
    }
    let body = json!({"supplier_id": supplier, "date": paid_on, "account": "1040", "amount": total,
        "reference": number, "allocations": [{"invoice_id": made.get("invoice_id"), "amount": total}]});
    admin.post("/api/finance/payments", &format!("{number}-pay"), &body).await?;
    facts.post(store, &[("2010", total), ("1040", -total)])?;
    Ok((paid_on, number, total))
}

fn received(shop: &MonthStore) -> Option<(Date, &Value)> {
    let of_day = |date: Date| {
        move |record: &&Value| (str_of(record, "/type") == "receiving.posted").then_some(date).is_some()
    };
    shop.days.iter().find_map(|day| {
        let found = day.records.iter().find(of_day(day.date))?;
        Some((day.date, found.get("payload")?))
    })
}

/// Days on which these shops were open.
pub fn dates(shops: &[MonthStore; 2]) -> BTreeSet<Date> {
    shops.iter().flat_map(|shop| shop.days.iter().map(|day| day.date)).collect()
}

/// The bags of a shop, by their days.
pub fn bags(shop: &MonthStore) -> Vec<(Date, String, i64)> {
    let mut found = Vec::new();
    for day in &shop.days {
        for record in day.records.iter().filter(|record| str_of(record, "/type") == "cash.deposited") {
            if let Ok(amount) = int(record, "/payload/deposit/amount") {
                found.push((day.date, bag_no(&shop.id, day.date), amount));
            }
        }
    }
    found
}
