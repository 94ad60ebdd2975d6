//! `import products|members|points|stock FILE.csv`: names every bad row, and imports nothing unless all rows are good.

use super::carry_out::carry_out;
use super::{members_csv, points_csv};
use crate::config::Config;
use crate::control::Order;
use crate::exit::{Exit, FAILED};
use crate::stock_csv;
use anyhow::{Context, bail};
use edge::clock;
use edge::product_csv::{self, Catalogue, ROWS_MAX};
use edge::sheet::{Encoding, Problems};
use serde_json::Value;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The largest file (256 MiB).
const FILE_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// Imports products, and prints the warnings of the file and of the store.
pub fn products(config: &Config, file: &Path, encoding: Encoding) -> anyhow::Result<()> {
    let currency = config.store.money();
    let read = product_csv::read(&bytes(file)?, encoding, None, (ROWS_MAX, currency), clock::now());
    let read = read.and_then(|read| read.check_currency(currency.code()).map(|()| read));
    let Catalogue { rows, warnings, .. } = all_good(file, read)?;
    let count = rows.len();
    let done = carry_out(config, Order::ImportProducts(rows))?;
    let of_store = done.get("warnings").and_then(Value::as_array).into_iter().flatten();
    let of_store = of_store.filter_map(Value::as_str);
    for warning in warnings.iter().map(ToString::to_string).chain(of_store.map(str::to_owned)) {
        eprintln!("{}: {warning}", file.display());
    }
    println!("{count} products imported");
    Ok(())
}

/// Imports members.
pub fn members(config: &Config, file: &Path, encoding: Encoding) -> anyhow::Result<()> {
    let rows = all_good(file, members_csv::read(&bytes(file)?, encoding))?;
    let count = rows.len();
    carry_out(config, Order::ImportMembers(rows))?;
    println!("{count} members imported");
    Ok(())
}

/// Gives members their opening points.
pub fn points(config: &Config, file: &Path, encoding: Encoding) -> anyhow::Result<()> {
    let rows = all_good(file, points_csv::read(&bytes(file)?, encoding))?;
    let count = rows.len();
    carry_out(config, Order::ImportPoints(rows))?;
    println!("opening points of {count} members imported");
    Ok(())
}

/// Imports the opening stock. `late`: the products may have moved already.
pub fn stock(config: &Config, file: &Path, encoding: Encoding, late: bool) -> anyhow::Result<()> {
    let terms = (late, config.store.money());
    let rows = all_good(file, stock_csv::read(&bytes(file)?, encoding, None, terms))?;
    let count = rows.len();
    carry_out(config, Order::ImportStock(rows))?;
    println!("opening stock of {count} products imported");
    Ok(())
}

/// Reads the file.
fn bytes(file: &Path) -> anyhow::Result<Vec<u8>> {
    let name = || format!("can't read {}", file.display());
    let mut bytes = Vec::new();
    File::open(file)
        .with_context(name)?
        .take(FILE_BYTES_MAX + 1)
        .read_to_end(&mut bytes)
        .with_context(name)?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        bail!("{} is larger than 256 MiB: split it", file.display());
    }
    Ok(bytes)
}

/// Returns the rows if all are good. Otherwise prints every bad row.
fn all_good<T>(file: &Path, read: Result<T, Problems>) -> anyhow::Result<T> {
    read.map_err(|problems| {
        for problem in &problems.named {
            eprintln!("{}: {problem}", file.display());
        }
        let rows = if problems.count == 1 { "row" } else { "rows" };
        Exit::new(FAILED, format!("{} bad {rows}: nothing was imported", problems.count)).into()
    })
}
