//! The command line: names are contract (docs/hub.md#commands).

mod backup;
mod devices;
mod doctor;
mod import;
mod init;
mod rotate_keys;
mod serve;
mod status;
mod stores;
mod users;

use crate::config::Config;
use crate::db::failure;
use crate::maintenance::rebuild::Rebuild;
use clap::{Args, CommandFactory, Parser, Subcommand};
use edge::server::certificate;
use edge::settings::{error::SettingsError, load};
use std::path::PathBuf;

type Loaded = load::Loaded<Config>;

const FAILED: u8 = 1;
/// Wrong usage or settings.
const USAGE: u8 = 2;

/// The Cloud Hub: head office of all stores.
#[derive(Debug, Parser)]
#[command(name = "cloud-hub", version = edge::VERSION, propagate_version = false, arg_required_else_help = true)]
pub struct Cli {
    /// Settings file [default: ./hub.toml, then /etc/cloud-hub/hub.toml]
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Create the data folder, keys, tables and the first administrator; an existing hub is not changed
    Init(init::InitArgs),
    /// Serve until SIGTERM or SIGINT
    Serve,
    /// Migrate the tables to this version
    Migrate,
    /// Add, list and revoke users of head office
    #[command(subcommand)]
    User(users::UserCommand),
    /// Add, list, disable and enable stores
    #[command(subcommand)]
    Store(stores::StoreCommand),
    /// Import data from a file; if it has bad rows, nothing is imported
    #[command(subcommand)]
    Import(import::ImportCommand),
    /// Create a verified backup in a new folder; the hub may be running
    Backup {
        /// Folder in which the backup's folder is created
        dir: PathBuf,
    },
    /// Restore the newest backup into a place of its own, verify it, and remove the copy; the hub may be running
    Drill,
    /// Restore a backup where no hub exists yet; the hub then has a new generation
    Restore {
        /// The folder of the backup
        dir: PathBuf,
    },
    /// Compare the tables with the records: chains, acknowledged records, every sum
    Verify {
        /// Rebuild the sums of reports first
        #[arg(long, value_enum, value_name = "WHAT")]
        rebuild: Option<Rebuild>,
    },
    /// Partition the tables that grow with the stores into 16 parts by store (PostgreSQL only); stop the hub first
    ///
    /// Each table is moved in its own transaction, which needs disk space for a second copy of its rows. A table that is
    /// already partitioned is not changed, so an interrupted run can be repeated. Only for a large head office: see
    /// docs/scaling.md.
    Partition,
    /// Sign tokens with a new key; tokens of the old key stay valid until they expire
    RotateKeys {
        /// Invalidate the tokens of the old key at the next reload, for a key that somebody else may have
        #[arg(long)]
        at_once: bool,
        /// Make a key because its file is missing; everybody must log in again
        #[arg(long, conflicts_with = "at_once")]
        new: bool,
    },
    /// Show the state of the hub and its stores on one screen
    Status,
    /// Check everything around the hub: settings, data, server, database, backup, stores
    Doctor,
    /// Show or check the settings
    Config(ConfigArgs),
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write the manual pages of all commands into a folder
    Man {
        /// The folder
        dir: PathBuf,
    },
}

#[derive(Debug, Args)]
struct ConfigArgs {
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Print every setting in effect with its source; secrets are masked
    Show,
    /// Check the settings and the files that they name; exit with code 2 if they are wrong
    Check,
}

/// Runs one command to its end.
///
/// # Errors
/// The failure; [`exit_code`] gives the exit code of the process.
pub fn run(cli: Cli) -> anyhow::Result<()> {
    match cli.command {
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Cli::command(), "cloud-hub", &mut std::io::stdout());
            return Ok(());
        }
        Command::Man { dir } => return Ok(clap_mangen::generate_to(Cli::command(), dir)?),
        _ => {}
    }
    let loaded: Loaded = load::load(cli.config.as_deref(), load::environment())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let done: anyhow::Result<()> = runtime.block_on(async {
        match cli.command {
            Command::Init(args) => init::run(&loaded.config, args).await,
            Command::Serve => serve::run(&loaded).await,
            Command::Migrate => serve::migrate(&loaded.config).await,
            Command::User(command) => users::run(&loaded.config, command).await,
            Command::Store(command) => stores::run(&loaded.config, command).await,
            Command::Import(command) => import::run(&loaded.config, command).await,
            Command::Backup { dir } => backup::make(&loaded.config, &dir).await,
            Command::Drill => backup::drill(&loaded.config).await,
            Command::Restore { dir } => backup::restore(&loaded.config, &dir).await,
            Command::Verify { rebuild } => backup::check(&loaded.config, rebuild).await,
            Command::Partition => backup::split(&loaded.config).await,
            Command::RotateKeys { new: true, .. } => rotate_keys::make(&loaded.config).await,
            Command::RotateKeys { at_once, .. } => rotate_keys::run(&loaded.config, at_once).await,
            Command::Status => status::run(&loaded.config).await,
            Command::Doctor => doctor::run(&loaded).await,
            Command::Config(ConfigArgs { command: ConfigCommand::Show }) => {
                print!("{}", edge::settings::show::show(&loaded)?);
                Ok(())
            }
            Command::Config(ConfigArgs { command: ConfigCommand::Check }) => {
                loaded.config.http.tls()?;
                let named = [loaded.config.http.certificate()];
                for line in certificate::check(&named, edge::clock::now().timestamp())? {
                    println!("{line}");
                }
                println!("{}", loaded.confirmation());
                Ok(())
            }
            Command::Completions { .. } | Command::Man { .. } => Ok(()),
        }
    });
    done.map_err(|error| if is_of_pooler(&error) { error.context(POOLER) } else { error })
}

/// Message about a pooler that mixes up prepared statements.
const POOLER: &str = "the pooler in front of the database gives each transaction another connection: set it to one \
                      connection for each client (pgbouncer: pool_mode = session), or connect without it";

fn is_of_pooler(error: &anyhow::Error) -> bool {
    error.chain().filter_map(|cause| cause.downcast_ref()).any(failure::is_of_pooler)
}

/// The exit code of a failed command.
pub fn exit_code(error: &anyhow::Error) -> u8 {
    let of_settings = |cause: &(dyn std::error::Error + 'static)| {
        cause.is::<SettingsError>() || cause.is::<edge::server::tls::TlsError>()
    };
    if error.chain().any(of_settings) { USAGE } else { FAILED }
}

/// The first line of standard input.
fn line_from_stdin() -> anyhow::Result<String> {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}
