//! The store that is measured: many tills with open shifts, no hub.

use super::TILLS;
use super::process::{cpu_us, status_kib};
use crate::daemon::Daemon;
use crate::rest::Api;
use crate::stage::{Installation, Person, Place, admin};
use crate::till::Till;
use crate::workspace::{Binaries, load_generator};
use anyhow::Context;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

const PRODUCTS: usize = 1_000;

/// A store with its people.
pub struct Shop<'a> {
    binaries: &'a Binaries,
    place: &'a Place,
    setup: Installation,
    daemon: Option<Daemon>,
    cashiers: Vec<Person>,
    runs: usize,
}

fn sku(number: usize) -> String {
    format!("B{number:05}")
}

fn price(number: usize) -> i64 {
    1_000 + (number as i64 % 97) * 100
}

fn write_catalogue(path: &Path) -> anyhow::Result<()> {
    let mut writer = csv::Writer::from_path(path)?;
    writer.write_record(["sku", "name", "price", "category", "barcode", "reorder_level"])?;
    for number in 0..PRODUCTS {
        let name = format!("Product {number}");
        writer.write_record([&sku(number), &name, &price(number).to_string(), "", "", ""])?;
    }
    writer.flush().context("writing the catalogue")
}

impl<'a> Shop<'a> {
    /// Sets it up: products, a cashier and an open shift per till.
    pub async fn open(binaries: &'a Binaries, place: &'a Place) -> anyhow::Result<Self> {
        let setup = Installation::store(binaries, place, None)?;
        setup.init(&admin()).await?;
        let catalogue = place.file("catalogue.csv");
        write_catalogue(&catalogue)?;
        setup.command(&["import", "products", &catalogue.display().to_string()], None).await?;
        let most = TILLS.into_iter().max().unwrap_or(1);
        let cashiers: Vec<Person> =
            (1..=most).map(|n| Person::new(&format!("cashier-{n}"), "cashier")).collect();
        for cashier in &cashiers {
            setup.add_user(cashier).await?;
        }
        let daemon = Some(setup.serve().await?);
        let shop = Self { binaries, place, setup, daemon, cashiers, runs: 0 };
        for (index, api) in shop.log_in().await?.into_iter().enumerate() {
            Till::open(api, 0).await.with_context(|| format!("till {}", index + 1))?;
        }
        Ok(shop)
    }

    async fn log_in(&self) -> anyhow::Result<Vec<Api>> {
        let retries = Arc::new(AtomicU64::new(0));
        let mut apis = Vec::new();
        for (index, cashier) in self.cashiers.iter().enumerate() {
            apis.push(self.setup.login(cashier, &retries).await?.at(&register(index)));
        }
        Ok(apis)
    }

    /// Sells at `tills` tills for a time or up to a count; the load generator's figures.
    pub async fn sell(&mut self, tills: usize, seconds: u64, sales: Option<u64>) -> anyhow::Result<Value> {
        let apis = self.log_in().await?;
        let till = |(index, api): (usize, &Api)| json!({"register": register(index), "token": api.token()});
        let tokens: Vec<Value> = apis.iter().enumerate().map(till).collect();
        let products: Vec<Value> = (0..PRODUCTS).map(|n| json!({"sku": sku(n), "price": price(n)})).collect();
        let stage = self.place.file("tills.json");
        std::fs::write(&stage, serde_json::to_vec(&json!({"tills": tokens, "products": products}))?)?;
        self.runs += 1;
        let daemon = self.daemon.as_ref().context("the store is not running")?;
        let (address, run) = (daemon.address().to_string(), format!("run{}", self.runs));
        let [tills, seconds, sales] =
            [tills as u64, seconds, sales.unwrap_or(u64::MAX)].map(|n| n.to_string());
        let stage = stage.display().to_string();
        let mut args = vec!["sell", "--address", &address, "--stage", &stage, "--run", &run];
        args.extend(["--tills", &tills, "--seconds", &seconds, "--sales", &sales]);
        let before = cpu_us(daemon)?;
        let mut told = load_generator(self.binaries, &args).await?;
        let spent = cpu_us(daemon)?.saturating_sub(before);
        if let Some(told) = told.as_object_mut() {
            let sold = told.get("sales").and_then(Value::as_u64).unwrap_or(0).max(1);
            told.insert("cpu_us_per_sale".to_owned(), json!(spent / sold));
        }
        Ok(told)
    }

    /// SIGKILL, then the time from start to ready.
    pub async fn kill_and_start(&mut self) -> anyhow::Result<Duration> {
        if let Some(mut daemon) = self.daemon.take() {
            daemon.kill();
        }
        self.start().await
    }

    /// A clean end, then the time from start to ready.
    pub async fn stop_and_start(&mut self) -> anyhow::Result<Duration> {
        self.stop().await?;
        self.start().await
    }

    async fn start(&mut self) -> anyhow::Result<Duration> {
        let (daemon, took) = self.setup.launch().start().await?;
        self.daemon = Some(daemon);
        Ok(took)
    }

    /// Where it listens.
    pub fn address(&self) -> anyhow::Result<SocketAddr> {
        let daemon = self.daemon.as_ref().context("the store is not running")?;
        daemon.address().to_string().parse().context("the address of the store")
    }

    /// Ends it cleanly.
    pub async fn stop(&mut self) -> anyhow::Result<()> {
        if let Some(daemon) = self.daemon.take() {
            daemon.stop().await?;
        }
        Ok(())
    }

    /// Resident memory now and at its highest, in KiB.
    pub fn memory_kib(&self) -> anyhow::Result<(u64, u64)> {
        let daemon = self.daemon.as_ref().context("the store is not running")?;
        Ok((status_kib(daemon, "VmRSS")?, status_kib(daemon, "VmHWM")?))
    }

    /// Bytes that its data folder occupies.
    pub fn disk_bytes(&self) -> anyhow::Result<u64> {
        occupied(&self.place.file("store"))
    }
}

fn register(index: usize) -> String {
    format!("till-{}", index + 1)
}

fn occupied(folder: &Path) -> anyhow::Result<u64> {
    use std::os::unix::fs::MetadataExt;
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let meta = entry.metadata()?;
        bytes += if meta.is_dir() { occupied(&entry.path())? } else { meta.blocks() * 512 };
    }
    Ok(bytes)
}
