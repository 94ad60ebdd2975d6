//! Reports of providers about the month's payments, and their sums for each store and day.

use super::super::facts::{Facts, int, list, str_of};
use super::super::month_store::MonthStore;
use super::{bags, dates};
use crate::rest::{Api, figure, text};
use crate::trade::office::{CARD_BP, QRIS_BP, fee, sources};
use anyhow::{Context, ensure};
use jiff::ToSpan;
use jiff::civil::Date;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Days that a line of the bank pays out at once.
const RUN: usize = 3;
/// Number of settlements of each store that are approved, from the first day on.
const APPROVED: usize = 8;

/// A payment that others settle, or a refund below zero.
struct Item {
    store: String,
    date: Date,
    method: String,
    amount: i64,
    reference: String,
}

/// A store's day in a report: gross, fee.
type Slices = BTreeMap<(String, Date), [i64; 2]>;

/// Everything that others settle, in the order of days.
fn items(shops: &[MonthStore; 2]) -> anyhow::Result<Vec<Item>> {
    let mut items = Vec::new();
    for shop in shops {
        for day in &shop.days {
            for record in &day.records {
                let kind = str_of(record, "/type");
                let (place, sign) = match kind.as_str() {
                    "transaction.paid" => ("/payload/transaction/payments", 1),
                    "return.posted" => ("/payload/document/refunds", -1),
                    _ => continue,
                };
                for part in list(record, place) {
                    let (method, amount) = (str_of(part, "/method"), sign * int(part, "/amount")?);
                    if method != "cash" {
                        let (store, reference) = (shop.id.clone(), str_of(part, "/reference"));
                        items.push(Item { store, date: day.date, method, amount, reference });
                    }
                }
            }
        }
    }
    items.sort_by_key(|item| item.date);
    Ok(items)
}

/// Shares of `whole` in proportion to these, largest remainders first, the first of equal ones.
fn spread(whole: i64, over: &[i64]) -> Vec<i64> {
    let sum: i128 = over.iter().map(|part| i128::from(part.abs())).sum();
    let exact = |part: &i64| i128::from(whole) * i128::from(part.abs());
    let mut shares: Vec<i64> = over.iter().map(|part| (exact(part) / sum.max(1)) as i64).collect();
    let mut order: Vec<usize> = (0..over.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(over.get(*at).map_or(0, |part| exact(part) % sum.max(1))));
    let left = whole - shares.iter().sum::<i64>();
    for at in order.into_iter().take(usize::try_from(left).unwrap_or(0)) {
        if let Some(share) = shares.get_mut(at) {
            *share += 1;
        }
    }
    shares
}

/// Reports every payment by card but the first of each store, a batch a week; gives the batches' nets.
async fn cards(admin: &Api, items: &[Item], slices: &mut Slices) -> anyhow::Result<Vec<(Date, String, i64)>> {
    let source = sources(admin).await?.cards;
    let mut missing = BTreeSet::new();
    let mut weeks: BTreeMap<Date, Vec<&Item>> = BTreeMap::new();
    for item in items.iter().filter(|item| item.method == "card") {
        if item.amount > 0 && missing.insert(&item.store) {
            continue;
        }
        let monday = item.date.checked_sub(i32::from(item.date.weekday().to_monday_zero_offset()).days())?;
        weeks.entry(monday).or_default().push(item);
    }
    let mut batches = Vec::new();
    for (number, items) in weeks.into_values().enumerate() {
        let paid_on = items.last().context("a week without a payment")?.date.tomorrow()?;
        let (batch, mut net, mut lines) = (format!("W{:03}", number + 1), 0, Vec::new());
        for item in items {
            let cost = fee(item.amount, CARD_BP);
            net += item.amount - cost;
            let slice = slices.entry((item.store.clone(), item.date)).or_default();
            *slice = [slice[0] + item.amount, slice[1] + cost];
            lines.push(
                json!({"date": item.date.tomorrow()?, "reference": item.reference, "gross": item.amount,
                "fee": cost, "batch": batch}),
            );
        }
        let count = lines.len() as i64;
        let body = json!({"source_id": source, "lines": lines});
        let read = admin.post("/api/statements", &format!("cards-{batch}"), &body).await?;
        ensure!(figure(&read, "/matched")? == count, "of {count} lines not all are matched: {read}");
        batches.push((paid_on, batch, net));
    }
    Ok(batches)
}

/// The bank's lines for payments that no provider reports: a net for both stores and three days.
fn nets(items: &[Item], days: &BTreeSet<Date>, slices: &mut Slices) -> anyhow::Result<Vec<Value>> {
    let days: Vec<Date> = days.iter().copied().collect();
    let mut lines = Vec::new();
    for run in days.chunks(RUN) {
        let of_run = |item: &&Item| item.method == "qris" && run.contains(&item.date);
        let mut parts: BTreeMap<(String, Date), [i64; 2]> = BTreeMap::new();
        for item in items.iter().filter(of_run) {
            let part = parts.entry((item.store.clone(), item.date)).or_default();
            *part = [part[0] + item.amount, part[1] + fee(item.amount, QRIS_BP)];
        }
        let (gross, fees) =
            parts.values().fold((0, 0), |(gross, fees), part| (gross + part[0], fees + part[1]));
        let over: Vec<i64> = parts.values().map(|part| part[0]).collect();
        for ((key, part), share) in parts.into_iter().zip(spread(fees, &over)) {
            let slice = slices.entry(key).or_default();
            *slice = [slice[0] + part[0], slice[1] + share];
        }
        let date = run.last().context("a run of no day")?.tomorrow()?;
        lines.push(json!({"date": date, "reference": format!("QR {date}"), "amount": gross - fees}));
    }
    Ok(lines)
}

/// Reports everything to the hub, resolves differences, approves the first days and posts the bank's lines.
pub async fn settle(
    admin: &Api,
    shops: &[MonthStore; 2],
    stores: &mut BTreeMap<String, Facts>,
    paid: &[(Date, String, i64)],
) -> anyhow::Result<()> {
    let (items, mut slices) = (items(shops)?, Slices::new());
    let batches = cards(admin, &items, &mut slices).await?;
    let mut lines = nets(&items, &dates(shops), &mut slices)?;
    let line = |(date, what, amount): (&Date, String, i64)| json!({"date": date, "reference": what, "amount": amount});
    lines.extend(batches.iter().map(|(date, batch, net)| line((date, format!("PAYOUT {batch}"), *net))));
    lines.extend(paid.iter().map(|(date, number, amount)| line((date, number.clone(), -amount))));
    for (shop, facts) in shops.iter().zip(stores.values_mut()) {
        for (day, bag, amount) in bags(shop) {
            lines.push(line((&day.tomorrow()?, format!("SETOR {bag}"), amount)));
            facts.add(&[("cash/store", &shop.id), ("cash/day", &day.to_string())], &[("banked", amount)]);
            facts.post(&shop.id, &[("1040", amount), ("1030", -amount)])?;
        }
    }
    lines.sort_by_key(|line| line.get("date").and_then(Value::as_str).map(str::to_owned));
    let bank = sources(admin).await?.bank;
    let count = lines.len() as i64;
    let read =
        admin.post("/api/statements", "bank-file", &json!({"source_id": bank, "lines": lines})).await?;
    ensure!(figure(&read, "/matched")? == count, "of {count} lines of the bank not all are matched: {read}");
    carried(admin, stores.keys()).await?;
    let path = format!("/api/statements/{}/approve", text(&read, "statement_id")?);
    admin.post(&path, "bank-approve", &json!({})).await?;
    approved(admin, &items, &slices, stores).await
}

/// Payments without a report stay open.
async fn carried(admin: &Api, stores: impl Iterator<Item = &String>) -> anyhow::Result<()> {
    for store in stores {
        let path = format!("/api/settlement-exceptions?state=open&store_id={store}");
        let open = admin.list(&path).await?;
        ensure!(open.len() == 1, "{store} has other differences than its first payment by card: {open:?}");
        for one in open {
            let id = text(&one, "exception_id")?;
            let body = json!({"resolution": "carry", "reason": "the terminal was offline"});
            admin.post(&format!("/api/settlement-exceptions/{id}/resolve"), &id, &body).await?;
        }
    }
    Ok(())
}

/// Approves the first days of each store; M57 of each.
async fn approved(
    admin: &Api,
    items: &[Item],
    slices: &Slices,
    stores: &mut BTreeMap<String, Facts>,
) -> anyhow::Result<()> {
    for (store, facts) in stores {
        let mut listed = admin.list(&format!("/api/settlements?store_id={store}")).await?;
        listed.reverse();
        let mut done = BTreeSet::new();
        for one in listed.iter().take(APPROVED) {
            let id = text(one, "settlement_id")?;
            admin.post(&format!("/api/settlements/{id}/approve"), &id, &json!({})).await?;
            done.insert(text(one, "business_date")?);
            facts.add(&[("settlements/store", store)], &[("approved", 1)]);
        }
        let group = [("settlements/store", store.as_str())];
        let payments = [("payments/store", store.as_str())];
        for ((_, date), [gross, fee]) in slices.iter().filter(|((of, _), _)| of == store) {
            facts.add(&group, &[("matched", *gross), ("fee", *fee), ("net", gross - fee)]);
            if done.contains(&date.to_string()) {
                facts.add(&payments, &[("settled", *gross), ("fees", *fee)]);
                facts.post(store, &[("1040", gross - fee), ("6030", *fee), ("1110", 0), ("1119", -gross)])?;
            }
        }
        let mut missing = true;
        for item in items.iter().filter(|item| item.store == *store) {
            let left_out = item.method == "card" && item.amount > 0 && std::mem::take(&mut missing);
            let settled = !left_out && done.contains(&item.date.to_string());
            if left_out {
                facts.add(&group, &[("open", item.amount), ("carried", item.amount)]);
            }
            if settled {
                let account = if item.method == "card" { "1110" } else { "1120" };
                facts.post(store, &[("1119", item.amount), (account, -item.amount)])?;
            } else {
                facts.add(&payments, &[("open", item.amount)]);
            }
        }
    }
    Ok(())
}
