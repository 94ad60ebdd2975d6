//! What head office knows: everything pushed, and its sales report.

use crate::figures::Figures;
use crate::rest::{Api, figure};
use crate::stage::STORE_ID;
use anyhow::{Context, bail};
use serde_json::{Value, json};
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

/// The hub's sales report over the given days (first and last included).
pub async fn sales(finance: &Api, from: &str, to: &str) -> anyhow::Result<Figures> {
    let path = format!("/api/reports/sales?from={from}&to={to}&store_id={STORE_ID}&group_by=store");
    let report = finance.get(&path).await.context("the hub's sales report")?;
    let items = report.get("items").and_then(Value::as_array).context("the report has no items")?;
    let mut sum = Figures::default();
    for item in items {
        sum.add(&Figures {
            sales: figure(item, "/sales_count")?,
            pieces: figure(item, "/items_count")?,
            subtotal: figure(item, "/gross_sales")?,
            discount: figure(item, "/discounts")?,
            tax: figure(item, "/tax")?,
            total: figure(item, "/total")?,
            ..Figures::default()
        });
    }
    Ok(sum)
}
