//! `import products FILE.csv`: every bad row named, nothing imported unless all are good.

use super::commit::commit;
use crate::config::Config;
use crate::exit::{Exit, FAILED};
use crate::folder;
use anyhow::Context;
use domain::event::Event;
use domain::product::Product;
use edge::{clock, product_csv};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// The most event bytes of one commit: well below what a frame takes.
const COMMIT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Imports a catalogue into the stopped store.
pub fn products(config: &Config, file: &Path) -> anyhow::Result<()> {
    let products = read(file)?;
    let count = products.len();
    let storage = folder::open(config)?;
    for events in commits(products)? {
        commit(&storage, events)?;
    }
    folder::close(storage)?;
    println!("{count} products imported");
    Ok(())
}

/// Every product of the file, or every bad row of it.
fn read(file: &Path) -> anyhow::Result<Vec<Product>> {
    let input = File::open(file).with_context(|| format!("can't read {}", file.display()))?;
    product_csv::read(BufReader::new(input), clock::now()).map_err(|problems| {
        for problem in &problems {
            eprintln!("{}: {problem}", file.display());
        }
        let rows = if problems.len() == 1 { "row" } else { "rows" };
        Exit::new(FAILED, format!("{} bad {rows}: nothing was imported", problems.len())).into()
    })
}

/// One commit where they fit. A larger catalogue takes several: rows are good on their own, and
/// importing again after a crash between two of them completes it.
fn commits(products: Vec<Product>) -> anyhow::Result<Vec<Vec<Event>>> {
    let (mut commits, mut events, mut bytes) = (Vec::new(), Vec::new(), 0_usize);
    for product in products {
        let event = Event::ProductChanged { product };
        let size = serde_json::to_vec(&event)?.len();
        if bytes + size > COMMIT_BYTES_MAX {
            commits.push(std::mem::take(&mut events));
            bytes = 0;
        }
        bytes += size;
        events.push(event);
    }
    if !events.is_empty() {
        commits.push(events);
    }
    Ok(commits)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;

    #[test]
    fn commits_stay_small_and_nothing_is_left_out() {
        let mut text = "sku,name,price,category,barcode,reorder_level\n".to_owned();
        for row in 0..100_000 {
            text.push_str(&format!("SKU{row},{},{row},,,\n", "n".repeat(128)));
        }
        let products = product_csv::read(text.as_bytes(), clock::now()).unwrap();
        let commits = commits(products).unwrap();
        assert_eq!(commits.iter().map(Vec::len).sum::<usize>(), 100_000);
        for events in commits {
            let bytes: usize = events.iter().map(|event| serde_json::to_vec(event).unwrap().len()).sum();
            assert!(bytes <= COMMIT_BYTES_MAX, "{bytes}");
        }
    }
}
