//! What head office knows: everything pushed, and its sales report.

use crate::figures::Figures;
use crate::rest::{Api, figure, text};
use crate::stage::STORE_ID;
use anyhow::{Context, bail};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Until every record is acknowledged.
const CATCH_UP: Duration = Duration::from_secs(300);
/// Until the catalogue is down.
const CATALOGUE: Duration = Duration::from_secs(120);
const PAUSE: Duration = Duration::from_millis(200);

/// Forces syncs until nothing waits at the store; gives back the last status.
pub async fn sync_all(manager: &Api) -> anyhow::Result<Value> {
    let since = Instant::now();
    for round in 0_u32.. {
        let forced = manager.post("/api/sync/force", &format!("force-{round}"), &json!({})).await?;
        let status = manager.get("/api/sync/status").await?;
        let pending = figure(&status, "/outbox/pending")?;
        if pending == 0 && forced.get("completed") == Some(&Value::Bool(true)) {
            return Ok(status);
        }
        if since.elapsed() > CATCH_UP {
            bail!("after {} s {pending} records still wait: {forced}", CATCH_UP.as_secs());
        }
        tokio::time::sleep(PAUSE).await;
    }
    bail!("never in sync")
}

/// Waits until the store has `count` products from the hub.
pub async fn wait_for_catalogue(manager: &Api, count: usize) -> anyhow::Result<()> {
    let since = Instant::now();
    for round in 0_u32.. {
        manager.post("/api/sync/force", &format!("catalogue-{round}"), &json!({})).await?;
        let present = manager.list("/api/stock").await?.len();
        if present >= count {
            return Ok(());
        }
        if since.elapsed() > CATALOGUE {
            bail!("after {} s the store has {present} of {count} products", CATALOGUE.as_secs());
        }
        tokio::time::sleep(PAUSE).await;
    }
    bail!("no catalogue")
}

/// What the hub's sales report says.
pub struct HubSide {
    /// Of the store.
    pub sums: Figures,
    /// By sku: pieces, gross, tax and total.
    pub by_sku: BTreeMap<String, [i64; 4]>,
}

/// The hub's sales report over the given days (first and last included).
pub async fn sales(finance: &Api, from: &str, to: &str) -> anyhow::Result<HubSide> {
    let report = async |group: &str| {
        let path = format!("/api/reports/sales?from={from}&to={to}&store_id={STORE_ID}&group_by={group}");
        let mut report = finance.get(&path).await.context("the hub's sales report")?;
        match report.get_mut("items").map(Value::take) {
            Some(Value::Array(items)) => Ok(items),
            _ => bail!("the report has no items"),
        }
    };
    let mut sums = Figures::default();
    for item in report("store").await? {
        sums.add(&Figures {
            sales: figure(&item, "/sales_count")?,
            pieces: figure(&item, "/items_count")?,
            subtotal: figure(&item, "/gross_sales")?,
            discount: figure(&item, "/discounts")?,
            tax: figure(&item, "/tax")?,
            total: figure(&item, "/total")?,
            ..Figures::default()
        });
    }
    let mut by_sku = BTreeMap::new();
    for item in report("sku").await? {
        let [pieces, gross, tax, total] =
            ["/items_count", "/gross_sales", "/tax", "/total"].map(|at| figure(&item, at));
        by_sku.insert(text(&item, "sku")?, [pieces?, gross?, tax?, total?]);
    }
    Ok(HubSide { sums, by_sku })
}
