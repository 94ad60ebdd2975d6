//! `import products FILE.csv`

use crate::config::Config;
use crate::office::lists::category;
use crate::office::products::product;
use crate::state::hub;
use crate::state::office_settings::OfficeSettings;
use crate::table::{audit, hub as hub_row};
use anyhow::{Context, bail};
use clap::Subcommand;
use domain::model::base::ids::UserId;
use edge::clock;
use edge::product_csv::{self, Catalogue, ROWS_MAX};
use edge::sheet::Encoding;
use serde_json::json;
use std::io::Read;
use std::path::PathBuf;

/// The largest file (256 MiB).
const FILE_BYTES_MAX: u64 = 256 * 1024 * 1024;

#[derive(Debug, Subcommand)]
pub enum ImportCommand {
    /// Import a catalogue. Header: `sku,name,price[,category,barcode,reorder_level,tax_rate_bp,cost,pack_barcode,pack_qty]`
    Products {
        /// The file
        file: PathBuf,
        /// The encoding of a file without a byte order mark: utf-8, utf-16, windows-1252 or iso-8859-1
        #[arg(long, value_parser = edge::sheet::encoding, default_value = "utf-8")]
        encoding: Encoding,
    },
}

/// Imports everything, or names every bad row and imports nothing.
pub async fn run(config: &Config, command: ImportCommand) -> anyhow::Result<()> {
    let ImportCommand::Products { file, encoding } = command;
    let name = || file.display().to_string();
    let mut bytes = Vec::new();
    let opened = std::fs::File::open(&file).with_context(name)?;
    opened.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes).with_context(name)?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        bail!("{} is larger than 256 MiB", name());
    }
    let now = clock::now();
    let (db, _) = hub::open_db(config).await?;
    // The hub may never have been started with these settings.
    hub::adopt_currency(&db, &OfficeSettings::of(config)).await?;
    let mut write = db.write().await?;
    let currency = hub_row::currency(&mut write).await?;
    let read = product_csv::read(&bytes, encoding, None, (ROWS_MAX, currency), now);
    let read = read.and_then(|read| read.check_currency(currency.code()).map(|()| read));
    let Catalogue { rows: products, warnings, .. } = match read {
        Ok(file) => file,
        Err(problems) => {
            for row in &problems.named {
                eprintln!("{}: {row}", name());
            }
            bail!("{} rows are wrong: nothing was imported", problems.count);
        }
    };
    let beside = product::doubts_beside_stored(&mut write, &products).await?;
    for warning in warnings.iter().chain(&beside) {
        eprintln!("{}: {warning}", name());
    }
    if config.catalogue.closed_categories {
        let named = products.iter().filter_map(|row| row.product.category.clone());
        category::check_known(&mut write, named.collect()).await?;
    }
    let now = clock::now();
    let imported = product::import(&mut write, products, now).await?;
    audit::append(&mut write, &UserId::default(), "products.imported", &json!(imported), now).await?;
    write.commit_change().await?;
    db.close().await;
    println!("{} products read, {} new or changed", imported.rows, imported.changed);
    Ok(())
}
