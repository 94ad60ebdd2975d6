//! `config show`

use super::carry_out::carry_out;
use crate::config::{load::Loaded, show};
use crate::control::Order;
use serde_json::Value;
use std::collections::BTreeMap;

/// Prints every setting in force with its source.
pub fn run(loaded: &Loaded) -> anyhow::Result<()> {
    print!("{}", show::show_with_hub(loaded, &of_hub(loaded))?);
    Ok(())
}

/// Settings of head office; empty before there is a store.
fn of_hub(loaded: &Loaded) -> BTreeMap<String, Value> {
    if !loaded.config.storage.path.exists() {
        return BTreeMap::new();
    }
    match carry_out(&loaded.config, Order::HubSettings) {
        Ok(set) => serde_json::from_value(set).unwrap_or_default(),
        Err(error) => {
            eprintln!("the settings from head office can't be read: {error:#}");
            BTreeMap::new()
        }
    }
}
