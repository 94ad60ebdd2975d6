//! The command line: names are contract (running.md).

use crate::config::load::{Loaded, load};
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

pub mod completions;
pub mod config_show;

/// The Store Router: the daemon that keeps one shop selling.
#[derive(Debug, Parser)]
#[command(name = "store-router", version, propagate_version = false, arg_required_else_help = true)]
pub struct Cli {
    /// Settings file [default: ./config.toml, then /etc/store-router/config.toml]
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Look at the settings
    Config(ConfigArgs),
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

#[derive(Debug, Args)]
struct ConfigArgs {
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Print every setting in force with its source; secrets are masked
    Show,
}

/// Runs one command to its end.
pub fn run(cli: Cli) -> anyhow::Result<()> {
    let settings = || settings(cli.config.as_deref());
    match cli.command {
        Command::Config(ConfigArgs { command: ConfigCommand::Show }) => config_show::run(&settings()?),
        Command::Completions { shell } => completions::run(shell),
    }
}

/// The settings in force; exit code 2 when they are wrong.
fn settings(file: Option<&std::path::Path>) -> anyhow::Result<Loaded> {
    let environment = std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
    // A value that is no text stays in, made visible, so that it is refused instead of ignored.
    let environment = environment.map(|(name, value)| (name, value.to_string_lossy().into_owned())).collect();
    Ok(load(file, environment)?)
}
