//! Frequent requests of a shop: a product by its code, its stock, products that begin with the typed text.

use super::shop::{barcode, sku, word};
use crate::rest::Api;
use crate::stage::WorkFolder;
use crate::workspace::{Binaries, load_generator};
use anyhow::Context;
use serde_json::{Value, json};
use std::net::SocketAddr;

/// Clients that scan; and fewer that type.
pub const SCANNING: usize = 64;
/// Search is measured by its time, not by its rate.
pub const TYPING: usize = 4;
/// Different requests of a kind.
const PATHS: usize = 4_000;

/// A kind of question.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Read {
    /// Product by barcode.
    Barcode,
    /// Stock by sku.
    Stock,
    /// Products by the beginning of a word.
    Products,
    /// Members by the beginning of a word.
    Members,
}

impl Read {
    /// Its name among the results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Barcode => "product by barcode",
            Self::Stock => "stock by sku",
            Self::Products => "product search",
            Self::Members => "member search",
        }
    }

    /// Number of concurrent clients.
    pub fn clients(self) -> usize {
        if matches!(self, Self::Barcode | Self::Stock) { SCANNING } else { TYPING }
    }

    fn path(self, number: usize, products: usize) -> String {
        let spread = number * 7_919 % products.max(1);
        let typed = |letters: usize| word(number).chars().take(letters).collect::<String>();
        match self {
            Self::Barcode => format!("/api/pos/products?barcode={}", barcode(spread)),
            Self::Stock => format!("/api/stock/{}", sku(spread)),
            // From two letters on: what is asked while somebody types.
            Self::Products => format!("/api/pos/products?limit=20&q={}", typed(2 + number % 5)),
            Self::Members => format!("/api/members/search?limit=20&q={}", typed(2 + number % 5)),
        }
    }
}

/// Requests of the load generator.
pub struct Reads<'a> {
    pub binaries: &'a Binaries,
    /// Where its file is written.
    pub place: &'a WorkFolder,
    pub address: SocketAddr,
}

impl Reads<'_> {
    /// Asks in a way until the time is over.
    pub async fn ask(&self, api: &Api, read: Read, products: usize, seconds: u64) -> anyhow::Result<Value> {
        let paths: Vec<String> = (0..PATHS).map(|number| read.path(number, products)).collect();
        self.load(&json!({"paths": paths, "token": api.token()}), read.clients(), seconds).await
    }

    /// Prints receipts, each for the first time, one after the other.
    pub async fn print(&self, api: &Api, receipts: &[String]) -> anyhow::Result<Value> {
        let path = |number: &String| format!("/api/pos/receipts/{number}");
        let paths: Vec<String> = receipts.iter().map(path).collect();
        let reads = json!({"paths": paths, "token": api.token(), "accept": "text/plain", "once": true});
        self.load(&reads, 1, 60).await
    }

    pub async fn load(&self, reads: &Value, clients: usize, seconds: u64) -> anyhow::Result<Value> {
        let file = self.place.file("reads.json");
        std::fs::write(&file, serde_json::to_vec(reads)?).context("writing what is asked for")?;
        let (file, address) = (file.display().to_string(), self.address.to_string());
        let [clients, seconds] = [clients.to_string(), seconds.to_string()];
        let args = ["reply", "--address", &address, "--connections", &clients, "--seconds", &seconds];
        load_generator(self.binaries, &[&args[..], &["--reads", &file]].concat()).await
    }
}
