//! `rejoin`: a person decides that this copy of the store is the shop.

use super::carry_out::carry_out;
use crate::config::Config;
use crate::control::Order;

/// Opens a new epoch, through the daemon or on the stopped store.
pub fn run(config: &Config) -> anyhow::Result<()> {
    let done = carry_out(config, Order::Rejoin)?;
    let epoch = done.get("epoch").and_then(serde_json::Value::as_str).unwrap_or_default();
    println!("this copy is now the store, in epoch {epoch}");
    println!("open shifts were interrupted; receipts are numbered in a new series");
    println!(
        "the hub's records of this store are downloaded at the next connection: `status` shows the progress"
    );
    Ok(())
}
