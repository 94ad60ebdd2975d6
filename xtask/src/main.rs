//! The project's own commands: `cargo xtask demo | replay | test | house | texts | bench | fuzz | openapi`.

mod checks;
mod clients;
mod daemon;
mod demo;
mod documents;
mod fuzz;
mod house;
mod many_stores;
mod measure;
mod process;
mod replay;
mod rest;
mod soak;
mod stage;
mod texts;
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
    /// Start a hub and a store on loopback, sell like a till, synchronise, and check that all figures agree
    Demo {
        /// Keep the data in this folder, which must be empty or not exist
        #[arg(long, value_name = "DIR")]
        keep: Option<PathBuf>,
        /// Exit after the first synchronisation
        #[arg(long)]
        exit: bool,
    },
    /// Replay a month of invoices on a new store and hub, then compare every sum with the file
    Replay(replay::Options),
    /// Run everything that the build server runs; with --fast only what takes minutes
    Test(checks::Options),
    /// Check the structure of the sources: import cycles, size of folders
    House(house::Options),
    /// Print every public sentence with its place: texts of the OpenAPI documents, of refusals and of commands
    Texts,
    /// Run the tests of the hub and of synchronisation on PostgreSQL: the server of HUB_TEST_POSTGRES, or a private one
    TestPostgres,
    /// Check the answers of a new store and a new hub against their OpenAPI documents, with requests from schemathesis
    Fuzz {
        /// Check only this program
        #[arg(long, value_enum)]
        only: Option<fuzz::Target>,
        /// Requests for each operation and role
        #[arg(long, default_value_t = 100)]
        examples: u32,
        /// Instead follow the links of the documents through the data of the demo, this many seconds at each program
        #[arg(long, value_name = "SECONDS", conflicts_with_all = ["only", "examples"])]
        links: Option<u32>,
    },
    /// Generate the clients of clients/ from docs/openapi/, check their types, and use them at a new store and a new hub
    Clients,
    /// Check the OpenAPI documents that a new store and a new hub serve with Redocly and Spectral
    LintOpenapi,
    /// Run the long tests: slow clients, a storm of requests, the model test, schemathesis with many requests,
    /// ten thousand stores, a month offline, the fuzz targets
    Soak(soak::Options),
    /// Check the dependencies against deny.toml and the advisory database
    Deny,
    /// Write a bill of materials of each program (CycloneDX) into a folder
    Sbom {
        /// The folder
        #[arg(default_value = "target/dist")]
        to: PathBuf,
    },
    /// Build the release files: programs with their list of crates inside, Debian packages, bills of materials and checksums
    Release,
    /// Write docs/openapi/*.json from the tables of routes
    Openapi,
    /// Measure the speed of selling, reading, starting and head office, next to PostgreSQL and the limits of this machine
    Bench(measure::Options),
}

async fn run(command: Command) -> anyhow::Result<bool> {
    match command {
        Command::Demo { keep, exit } => demo::run(keep, exit).await,
        Command::Replay(options) => replay::run(options).await,
        Command::Test(options) => checks::run(&options).await,
        Command::House(options) => house::run(&options),
        Command::Texts => texts::run(),
        Command::TestPostgres => checks::postgres_alone().await,
        Command::Fuzz { only, examples, links } => {
            let both = [fuzz::Target::Store, fuzz::Target::Hub];
            fuzz::command(only.as_ref().map_or(&both, std::slice::from_ref), examples, links).await
        }
        Command::Clients => clients::command().await,
        Command::LintOpenapi => documents::command().await,
        Command::Soak(options) => soak::run(options).await,
        Command::Deny => tools::supply::command().await,
        Command::Sbom { to } => tools::supply::sbom(&to).await,
        Command::Release => tools::supply::release().await,
        Command::Openapi => workspace::write_documents().await,
        Command::Bench(options) => measure::run(options).await,
    }
}

/// Resolves on Ctrl-C or a request to end.
async fn asked_to_stop() {
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
        () = asked_to_stop() => {
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
