//! Data of head office: all pushed records, its sales report, and the points of its members.

use crate::rest::{Api, figure, text, until};
use crate::stage::STORE_ID;
use crate::trade::books::OfSku;
use crate::trade::figures::{Account, Figures};
use crate::trade::members;
use anyhow::{Context, bail};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// Longest wait until every record is acknowledged.
const CATCH_UP: Duration = Duration::from_secs(300);
/// Longest wait until the catalogue has arrived.
const CATALOGUE: Duration = Duration::from_secs(120);
const PAUSE: Duration = Duration::from_millis(200);

/// Forces syncs until nothing waits at the store; returns the last status.
pub async fn sync_all(manager: &Api) -> anyhow::Result<Value> {
    let mut round = 0_u32;
    until("every record is acknowledged", CATCH_UP, PAUSE, async || {
        round += 1;
        let forced = manager.post("/api/sync/force", &format!("force-{round}"), &json!({})).await?;
        let status = manager.get("/api/sync/status").await?;
        let is_level = forced.get("completed") == Some(&Value::Bool(true));
        Ok((figure(&status, "/outbox/pending")? == 0 && is_level).then_some(status))
    })
    .await
}

/// Waits until the store has `count` products from the hub.
pub async fn wait_for_catalogue(manager: &Api, count: usize) -> anyhow::Result<()> {
    let mut round = 0_u32;
    until("the catalogue is at the store", CATALOGUE, PAUSE, async || {
        round += 1;
        manager.post("/api/sync/force", &format!("catalogue-{round}"), &json!({})).await?;
        Ok((manager.list("/api/stock").await?.len() >= count).then_some(()))
    })
    .await
}

/// Figures of head office.
pub struct HubSide {
    /// Totals of the store: its sales report, and its returns.
    pub whole: Account,
    /// By sku: pieces, gross, tax, total and refunds.
    pub by_sku: BTreeMap<String, OfSku>,
    /// Points by customer.
    pub points: BTreeMap<String, i64>,
}

/// Rows of the hub's sales report over the given days (first and last included).
async fn report(finance: &Api, from: &str, to: &str, group: &str) -> anyhow::Result<Vec<Value>> {
    let path = format!("/api/reports/sales?from={from}&to={to}&store_id={STORE_ID}&group_by={group}");
    let mut report = finance.get(&path).await.context("the hub's sales report")?;
    match report.get_mut("items").map(Value::take) {
        Some(Value::Array(items)) => Ok(items),
        _ => bail!("the report has no items"),
    }
}

/// Asks for everything: the reports as `finance`, the rest as `admin`.
pub async fn ask(finance: &Api, admin: &Api, from: &str, to: &str) -> anyhow::Result<HubSide> {
    let mut whole = Account::default();
    for item in report(finance, from, to, "store").await? {
        whole.figures.add(&Figures {
            sales: figure(&item, "/sales_count")?,
            pieces: figure(&item, "/items_count")?,
            subtotal: figure(&item, "/gross_sales")?,
            discount: figure(&item, "/discounts")?,
            tax: figure(&item, "/tax")?,
            total: figure(&item, "/total")?,
            returns: figure(&item, "/returns_count")?,
            refunds: figure(&item, "/returns_total")?,
            ..Figures::default()
        });
    }
    let status = admin.get(&format!("/api/stores/{STORE_ID}/status")).await.context("the store's status")?;
    whole.figures.tax_back = figure(&status, "/sums/returns_tax")?;
    for item in report(finance, from, to, "method").await? {
        let method = text(&item, "method")?;
        whole.came(&method, figure(&item, "/total")?);
        whole.went(&method, figure(&item, "/returns_total")?);
    }
    let mut by_sku = BTreeMap::new();
    for item in report(finance, from, to, "sku").await? {
        let figures = ["/items_count", "/gross_sales", "/tax", "/total", "/returns_total"];
        let [pieces, gross, tax, total, refunds] = figures.map(|at| figure(&item, at));
        by_sku.insert(text(&item, "sku")?, [pieces?, gross?, tax?, total?, refunds?]);
    }
    Ok(HubSide { whole, by_sku, points: members::at_hub(admin).await? })
}
