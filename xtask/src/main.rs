//! The project's own commands: `cargo xtask demo | replay | test | house | bench | fuzz | openapi`.

mod checks;
mod daemon;
mod demo;
mod fuzz;
mod house;
mod many_stores;
mod measure;
mod process;
mod progress;
mod prompt;
mod replay;
mod rest;
mod soak;
mod stage;
mod tools;
mod trade;
mod workspace;

use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;
use tokio::signal::unix::{SignalKind, signal};

/// The project's own commands.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Start a hub and a store on loopback, sell as a till would, sync, and show that all agree
    Demo {
        /// Keep the data in this folder (must be empty or absent)
        #[arg(long, value_name = "DIR")]
        keep: Option<PathBuf>,
        /// Stop after the first sync
        #[arg(long)]
        exit: bool,
    },
    /// Drive a fresh store and hub with a month of invoices, then compare every sum with the file
    Replay(replay::Options),
    /// Everything that the build server runs; with --fast what answers in minutes
    Test(checks::Options),
    /// How simple the sources are to hold in mind, beside what the plan aims at; fails when a figure got worse
    House(house::Options),
    /// The tests of the hub and of synchronisation on PostgreSQL: the one of HUB_TEST_POSTGRES, or a private one
    TestPostgres,
    /// Hold the answers of a fresh store and a fresh hub against their documents, with requests made by schemathesis
    Fuzz {
        /// Only this one
        #[arg(long, value_enum)]
        only: Option<fuzz::Target>,
        /// Requests for each operation and role
        #[arg(long, default_value_t = 100)]
        examples: u32,
    },
    /// What takes long: slow clients, a storm of everything at once, the model test, schemathesis with many requests, ten thousand stores, a month
    /// offline, the fuzz targets
    Soak(soak::Options),
    /// How soon news is at the other end of an online link, and what a large catalogue costs in memory
    Prompt(prompt::Options),
    /// Hold the dependencies against deny.toml and the database of known weaknesses
    Deny,
    /// Write what each program is made of, in CycloneDX, into a folder
    Sbom {
        /// Where to
        #[arg(default_value = "target/dist")]
        to: PathBuf,
    },
    /// Build what is shipped, with the list of its crates inside, bills of materials and checksums
    Release,
    /// Write docs/openapi/*.json from the tables of routes
    Openapi,
    /// Measure what selling, reading, starting and head office cost, beside PostgreSQL and the limits of this machine
    Bench(measure::Options),
}

async fn run(command: Command) -> anyhow::Result<bool> {
    match command {
        Command::Demo { keep, exit } => demo::run(keep, exit).await,
        Command::Replay(options) => replay::run(options).await,
        Command::Test(options) => checks::run(&options).await,
        Command::House(options) => house::run(&options),
        Command::TestPostgres => checks::postgres_alone().await,
        Command::Fuzz { only, examples } => {
            let both = [fuzz::Target::Store, fuzz::Target::Hub];
            fuzz::command(only.as_ref().map_or(&both, std::slice::from_ref), examples).await
        }
        Command::Soak(options) => soak::run(options).await,
        Command::Prompt(options) => prompt::run(options).await,
        Command::Deny => tools::supply::command().await,
        Command::Sbom { to } => tools::supply::sbom(&to).await,
        Command::Release => tools::supply::release().await,
        Command::Openapi => workspace::write_documents().await,
        Command::Bench(options) => measure::run(options).await,
    }
}

/// Resolves on Ctrl-C or a request to end.
async fn told_to_stop() {
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminate.recv() => {}
        },
        Err(_) => {
            let _ = tokio::signal::ctrl_c().await;
        }
    }
}

/// Dropping `run` ends every process that it started: each child is guarded by its `Daemon` or by
/// `kill_on_drop`.
#[tokio::main]
async fn main() -> ExitCode {
    let cli = Cli::parse();
    let outcome = tokio::select! {
        outcome = run(cli.command) => outcome,
        () = told_to_stop() => {
            eprintln!("stopped");
            return ExitCode::from(130);
        }
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("failed: {error:#}");
            ExitCode::FAILURE
        }
    }
}
