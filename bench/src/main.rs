//! The load generator behind `cargo xtask bench`: each command prints one line of JSON.

mod apply;
mod bare;
mod disk;
mod http;
mod latency;
mod reply;
mod sell;
mod thin;

use clap::{Parser, Subcommand};
use std::net::SocketAddr;
use std::path::PathBuf;

/// Load generator; `cargo xtask bench` runs it.
#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measure how fast this disk makes records durable
    Disk {
        /// A folder on the disk
        dir: PathBuf,
        /// Seconds for single writes, and again for grouped writes
        #[arg(long, default_value_t = 2)]
        seconds: u64,
    },
    /// Serve a minimal JSON reply with warp; prints the address, runs until killed
    Bare,
    /// Load the minimal JSON reply, or the read requests of a store
    Reply {
        /// Address of the server
        #[arg(long)]
        address: SocketAddr,
        /// Number of simultaneous clients
        #[arg(long)]
        connections: usize,
        /// Seconds
        #[arg(long)]
        seconds: u64,
        /// JSON file with the requests, instead of the minimal reply: {"paths": ["/api/…"], "token"}
        #[arg(long)]
        reads: Option<PathBuf>,
    },
    /// Serve the sales of a PostgreSQL function; prints the address, runs until killed
    Thin(thin::Options),
    /// Sell at a store with open shifts
    Sell(sell::Options),
    /// Apply a hub's records again, with and without entries, items and sums of reports
    Apply(apply::Options),
}

fn main() -> anyhow::Result<()> {
    let cli = Cli::parse();
    let measured = match cli.command {
        Command::Disk { dir, seconds } => disk::measure(&dir, seconds)?,
        other => tokio::runtime::Runtime::new()?.block_on(over_http(other))?,
    };
    println!("{}", serde_json::to_string(&measured)?);
    Ok(())
}

async fn over_http(command: Command) -> anyhow::Result<serde_json::Value> {
    match command {
        Command::Reply { address, connections, seconds, reads } => {
            let reads = reads.map(std::fs::read).transpose()?;
            let reads = reads.map(|bytes| serde_json::from_slice(&bytes)).transpose()?;
            reply::measure(address, connections, seconds, reads).await
        }
        Command::Thin(options) => thin::serve(options).await,
        Command::Sell(options) => sell::measure(options).await,
        Command::Apply(options) => apply::measure(options).await,
        Command::Bare | Command::Disk { .. } => bare::serve().await,
    }
}
