//! The peer: a PostgreSQL function that makes a whole sale durable, under pgbench and behind a thin HTTP server. Its
//! cluster is fresh, is on the same disk as the stores and is tuned as for this work; nothing durable is switched off.

use super::load::{Load, Server, add_costs, sell};
use super::results::percentiles;
use super::shop::{Size, price, sku};
use crate::process::{family_cpu_us, family_pss_kib};
use crate::stage::WorkFolder;
use crate::tools::postgres::Private;
use crate::workspace::Binaries;
use anyhow::{Context, ensure};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tempfile::TempDir;
use testkit::hub::database::programs;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// A server prints its address within this time.
const START: Duration = Duration::from_secs(10);
const DATABASE: &str = "postgres";
/// Durable to the last commit. Checkpoints as far apart as the log's size allows, else its pages are written whole
/// again and again.
const SETTINGS: [&str; 7] = [
    "fsync=on",
    "synchronous_commit=on",
    "full_page_writes=on",
    "max_connections=200",
    "shared_buffers=512MB",
    "max_wal_size=8GB",
    "checkpoint_timeout=30min",
];
const SCHEMA: &str = include_str!("peer/schema.sql");
const SCRIPT: &str = include_str!("peer/sale.pgbench");

/// A server of the load generator; it first reports its address.
pub struct Helper {
    child: Child,
    pub address: SocketAddr,
}

impl Helper {
    pub async fn start(binaries: &Binaries, args: &[&str]) -> anyhow::Result<Self> {
        let mut command = Command::new(&binaries.bench);
        command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().context("starting the load generator's server")?;
        let mut lines = BufReader::new(child.stdout.take().context("no output")?).lines();
        let line = tokio::time::timeout(START, lines.next_line()).await??;
        let address = line.context("the server printed no address")?.parse()?;
        Ok(Self { child, address })
    }
}

/// PostgreSQL with the function, and the thin server before it.
pub struct Peer<'a> {
    binaries: &'a Binaries,
    place: &'a WorkFolder,
    thin: Server,
    products: String,
    members: String,
    /// Before the server that it uses.
    _thin: Helper,
    pub postgres: Private,
}

/// A server of its own that keeps what it has confirmed.
pub fn postgres(place: &WorkFolder) -> anyhow::Result<Private> {
    let programs = programs().context("PostgreSQL is not installed (initdb, postgres, psql)")?;
    Private::start(programs, beside(place.path())?, &SETTINGS)
}

impl<'a> Peer<'a> {
    /// Creates it; `None` if PostgreSQL is not installed.
    pub async fn start(
        binaries: &'a Binaries,
        place: &'a WorkFolder,
        Size { products, members, tills }: Size,
        connections: u32,
    ) -> anyhow::Result<Option<Self>> {
        let Some(programs) = programs().filter(|folder| folder.join("pgbench").is_file()) else {
            eprintln!(
                "PostgreSQL is not installed (initdb, postgres, psql, pgbench): its rows are omitted. On Debian: \
                 apt-get install postgresql postgresql-contrib"
            );
            return Ok(None);
        };
        let postgres = Private::start(programs, beside(place.path())?, &SETTINGS)?;
        let (script, schema) = (place.file("sale.pgbench"), place.file("schema.sql"));
        std::fs::write(&script, SCRIPT)?;
        std::fs::write(&schema, SCHEMA)?;
        let mut psql = postgres.client("psql", DATABASE);
        psql.args(["-q", "-v", "ON_ERROR_STOP=1", "-v", &format!("products={products}")]);
        psql.args(["-v", &format!("members={members}"), "-f"]).arg(&schema);
        ensure!(psql.status().await?.success(), "the tables of the peer");
        let (url, shared) = (postgres.local_url(DATABASE), connections.to_string());
        let helper = Helper::start(binaries, &["thin", "--database", &url, "--connections", &shared]).await?;
        let processes = vec![postgres.pid(), helper.child.id().context("the thin server has ended")?];
        let thin = Server { address: helper.address, stage: place.file("peer-tills.json"), processes };
        let till = |n: usize| json!({"register": format!("till-{n}"), "token": "none"});
        let goods = |n: usize| json!({"sku": sku(n), "price": price(n)});
        let stage = json!({
            "tills": (1..=tills).map(till).collect::<Vec<_>>(),
            "products": (0..products).map(goods).collect::<Vec<_>>(),
            "members": (1..=members).map(|n| n.to_string()).collect::<Vec<_>>(),
        });
        std::fs::write(&thin.stage, serde_json::to_vec(&stage)?)?;
        let [products, members] = [products, members].map(|n| n.to_string());
        Ok(Some(Self { binaries, place, thin, products, members, _thin: helper, postgres }))
    }

    pub async fn sell(&self, run: &str, load: Load) -> anyhow::Result<Value> {
        sell(self.binaries, &self.thin, run, load).await
    }

    /// The function alone, called over the socket.
    pub async fn pgbench(&self, tills: usize, seconds: u64) -> anyhow::Result<Value> {
        let folder = TempDir::with_prefix_in("pgbench-", self.place.path())?;
        let processes = [self.postgres.pid()];
        let mut command = self.postgres.client("pgbench", DATABASE);
        command.current_dir(folder.path()).args(["-n", "-M", "prepared", "--log"]);
        command.args(["-c", &tills.to_string(), "-j", &tills.min(2).to_string(), "-T", &seconds.to_string()]);
        command.args(["-D", &format!("products={}", self.products)]);
        command.args(["-D", &format!("members={}", self.members), "-f"]).arg(self.place.file("sale.pgbench"));
        let before = family_cpu_us(&processes);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        // Looked at while its connections are there: each is a process.
        tokio::time::sleep(Duration::from_millis(900)).await;
        let memory = family_pss_kib(&processes);
        let output = child.wait_with_output().await?;
        let reported = String::from_utf8_lossy(&output.stdout);
        ensure!(output.status.success(), "pgbench: {}: {reported}", output.status);
        let spent = family_cpu_us(&processes).saturating_sub(before);
        let rate = reported.lines().find_map(|line| line.strip_prefix("tps = ")?.split(' ').next());
        let rate: f64 = rate.context("pgbench printed no rate")?.parse()?;
        let (sales, whole) = logged(folder.path())?;
        let mut figures = json!({"sales": sales, "sales_per_s": rate, "whole": whole});
        add_costs(&mut figures, spent, sales, memory);
        Ok(figures)
    }
}

/// A folder on the same disk that the server's own user can get to.
pub(super) fn beside(place: &Path) -> anyhow::Result<TempDir> {
    std::fs::set_permissions(place, std::fs::Permissions::from_mode(0o755))?;
    TempDir::with_prefix_in("postgres-", place).context("a folder for the cluster")
}

/// Number of transactions that pgbench logged, and their durations: the third word of a line, in microseconds.
fn logged(folder: &Path) -> anyhow::Result<(u64, Value)> {
    let mut times: Vec<u64> = Vec::new();
    for file in std::fs::read_dir(folder)? {
        let text = std::fs::read_to_string(file?.path())?;
        times.extend(text.lines().filter_map(|line| line.split(' ').nth(2)?.parse::<u64>().ok()));
    }
    Ok((times.len() as u64, percentiles(times)))
}
