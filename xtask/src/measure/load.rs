//! Tills that sell at any server that takes sales, and the server's cost.

use crate::process::{family_cpu_us, family_pss_kib};
use crate::workspace::{Binaries, load_generator};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::PathBuf;

/// The server of the sales.
pub struct Server {
    pub address: SocketAddr,
    /// The load generator's file of tills and products.
    pub stage: PathBuf,
    /// Its processes; those below them count as well.
    pub processes: Vec<u32>,
}

/// Parameters of the load.
#[derive(Clone, Copy)]
pub struct Load {
    pub tills: usize,
    /// Until this time …
    pub seconds: u64,
    /// … or until this many sales are made.
    pub sales: Option<u64>,
    /// Sales a second, begun whether answers came or not.
    pub rate: Option<f64>,
    pub one_call: bool,
}

impl Load {
    /// As fast as answers come.
    pub fn closed(tills: usize, seconds: u64) -> Self {
        Self { tills, seconds, sales: None, rate: None, one_call: false }
    }
}

/// Sells; the load generator's figures, with `cpu_us_per_sale`, `cpu_s_per_1000` and `pss_kib` of the server.
pub async fn sell(binaries: &Binaries, server: &Server, run: &str, load: Load) -> anyhow::Result<Value> {
    let (address, stage) = (server.address.to_string(), server.stage.display().to_string());
    let mut args = vec!["sell", "--address", &address, "--stage", &stage, "--run", run];
    let [tills, seconds, sales] =
        [load.tills as u64, load.seconds, load.sales.unwrap_or(u64::MAX)].map(|n| n.to_string());
    args.extend(["--tills", &tills, "--seconds", &seconds, "--sales", &sales]);
    let rate = load.rate.map(|rate| rate.to_string());
    args.extend(rate.iter().flat_map(|rate| ["--rate", rate]));
    args.extend(load.one_call.then_some("--one-call"));
    let before = family_cpu_us(&server.processes);
    let mut figures = load_generator(binaries, &args).await?;
    let spent = family_cpu_us(&server.processes).saturating_sub(before);
    let sold = figures.get("sales").and_then(Value::as_u64).unwrap_or(0).max(1);
    add_costs(&mut figures, spent, sold, family_pss_kib(&server.processes));
    Ok(figures)
}

/// Adds the cost of the sales: processor time and memory of the processes that made them.
pub fn add_costs(figures: &mut Value, cpu_us: u64, sales: u64, pss_kib: u64) {
    if let Some(figures) = figures.as_object_mut() {
        figures.insert("cpu_us_per_sale".to_owned(), json!(cpu_us / sales.max(1)));
        figures.insert("cpu_s_per_1000".to_owned(), json!(cpu_us as f64 / sales.max(1) as f64 / 1_000.0));
        figures.insert("pss_kib".to_owned(), json!(pss_kib));
    }
}
