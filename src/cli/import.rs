//! `import products|members|stock FILE.csv`: every bad row named, nothing imported unless all are good.

use super::carry_out::carry_out;
use super::{members_csv, stock_csv};
use crate::config::Config;
use crate::control::Order;
use crate::exit::{Exit, FAILED};
use anyhow::Context;
use edge::clock;
use edge::product_csv::{self, RowProblem};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// Imports a catalogue.
pub fn products(config: &Config, file: &Path) -> anyhow::Result<()> {
    let products = good(file, product_csv::read(open(file)?, clock::now()))?;
    let count = products.len();
    carry_out(config, Order::ImportProducts(products))?;
    println!("{count} products imported");
    Ok(())
}

/// Imports members.
pub fn members(config: &Config, file: &Path) -> anyhow::Result<()> {
    let rows = good(file, members_csv::read(open(file)?))?;
    let count = rows.len();
    carry_out(config, Order::ImportMembers(rows))?;
    println!("{count} members imported");
    Ok(())
}

/// Imports the first stock.
pub fn stock(config: &Config, file: &Path) -> anyhow::Result<()> {
    let rows = good(file, stock_csv::read(open(file)?))?;
    let count = rows.len();
    carry_out(config, Order::ImportStock(rows))?;
    println!("opening stock of {count} products imported");
    Ok(())
}

fn open(file: &Path) -> anyhow::Result<BufReader<File>> {
    let input = File::open(file).with_context(|| format!("can't read {}", file.display()))?;
    Ok(BufReader::new(input))
}

/// Everything of the file, or every bad row of it.
fn good<T>(file: &Path, read: Result<T, Vec<RowProblem>>) -> anyhow::Result<T> {
    read.map_err(|problems| {
        for problem in &problems {
            eprintln!("{}: {problem}", file.display());
        }
        let rows = if problems.len() == 1 { "row" } else { "rows" };
        Exit::new(FAILED, format!("{} bad {rows}: nothing was imported", problems.len())).into()
    })
}
