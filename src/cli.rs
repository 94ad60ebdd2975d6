//! The command line: names are contract (docs/store.md#commands).

use crate::config::load::load;
use clap::{Args, CommandFactory, Parser, Subcommand};
use edge::settings::load::environment;
use edge::sheet::Encoding;
use std::path::{Path, PathBuf};

pub mod backup;
pub mod carry_out;
pub mod commit;
pub mod completions;
pub mod config_check;
pub mod config_show;
pub mod devices;
pub mod doctor;
pub mod drill;
pub mod enrol;
pub mod import;
pub mod init;
pub mod members_csv;
pub mod points_csv;
pub mod progress;
pub mod rebuild_index;
pub mod rejoin;
pub mod restore;
pub mod rotate_keys;
pub mod secret;
pub mod serve;
pub mod status;
pub mod users;
pub mod verify;

/// A file without a line.
const EMPTY: &str = "/dev/null";

/// The Store Router: the server of one shop.
#[derive(Debug, Parser)]
#[command(name = "store-router", version = edge::VERSION, propagate_version = false, arg_required_else_help = true)]
pub struct Cli {
    /// Settings file [default: ./config.toml, then /etc/store-router/config.toml]
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Create the data folder, its keys and the first administrator
    Init {
        /// Login name of the first administrator
        #[arg(long, value_name = "NAME", default_value = "admin")]
        admin: String,
        /// Read the password from standard input instead of generating one
        #[arg(long)]
        password_stdin: bool,
        /// Settings of the new store, written to its settings file; without any of them, `init` asks for them at a terminal
        #[command(flatten)]
        answers: init::Answers,
    },
    /// Run the daemon
    Serve,
    /// Add, list and revoke users
    User(UserArgs),
    /// Import a CSV file; if it has bad rows, they are listed and nothing is imported
    Import(ImportArgs),
    /// Enrol this store at its hub
    Enrol {
        /// Address of the hub
        #[arg(long, value_name = "URL")]
        hub: String,
        /// One-time enrolment token that the hub created for this store
        #[arg(long, value_name = "TOKEN", allow_hyphen_values = true)]
        token: String,
    },
    /// Make this copy of the store the active one: it can sell again, in a new epoch, and downloads the hub's records
    Rejoin,
    /// Show the state of the store on one screen
    Status,
    /// Check everything around the store: settings, data, disk, daemon, backup, head office, clock, printers
    Doctor,
    /// Copy the store into a new or empty folder; the store may be running
    Backup {
        /// The folder [default: a new folder in `backups` of the data folder; the newest `backup.keep` are kept]
        #[arg(value_name = "DIR")]
        folder: Option<PathBuf>,
        /// Omit the store's keys
        #[arg(long)]
        without_keys: bool,
    },
    /// Restore the newest backup in `backups` of the data folder into a scratch folder, verify it, and remove the copy
    Drill,
    /// Restore a backup into the data folder of the settings, which must be empty
    Restore {
        /// The backup
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Check the data folder, print its problems, and exit with code 1 if it has any
    Verify {
        /// Accepted for scripts but without effect: index, rows, ledger and shift sums are always compared with the
        /// journal
        #[arg(long)]
        deep: bool,
    },
    /// Rebuild the index from the journal
    RebuildIndex,
    /// Sign tokens with a new key; tokens of the old key stay valid until they expire
    RotateKeys {
        /// Invalidate the tokens of the old key at the next reload, for a key that somebody else may have
        #[arg(long)]
        at_once: bool,
        /// Make a key because its file is missing; everybody must log in again
        #[arg(long, conflicts_with = "at_once")]
        new: bool,
    },
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
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}

#[derive(Debug, Args)]
struct UserArgs {
    #[command(subcommand)]
    command: UserCommand,
}

#[derive(Debug, Subcommand)]
enum UserCommand {
    /// Add a user
    Add {
        /// Login name
        #[arg(long, value_name = "U")]
        username: String,
        /// Display name
        #[arg(long, value_name = "N")]
        name: String,
        /// admin, store_manager, cashier or warehouse_staff
        #[arg(long, value_name = "R")]
        role: String,
        /// Read the password from standard input instead of generating one
        #[arg(long)]
        password_stdin: bool,
    },
    /// List users
    List,
    /// Revoke all tokens of a user and remove all their devices, at once
    Revoke {
        /// Login name
        #[arg(value_name = "U")]
        username: String,
    },
    /// Give a user a new password; all of the user's tokens are revoked and all devices are removed
    ResetPassword {
        /// Login name
        #[arg(value_name = "U")]
        username: String,
        /// Read the password from standard input instead of generating one
        #[arg(long)]
        password_stdin: bool,
    },
    /// List the devices that a user logs in with
    Devices {
        /// Login name
        #[arg(value_name = "U")]
        username: String,
    },
    /// Remove a device of a user
    RemoveDevice {
        /// Login name
        #[arg(value_name = "U")]
        username: String,
        /// ID of the device, as `user devices` lists it
        #[arg(value_name = "ID", allow_hyphen_values = true)]
        id: String,
    },
}

#[derive(Debug, Args)]
struct ImportArgs {
    /// The encoding of a file without a byte order mark: utf-8, utf-16, windows-1252 or iso-8859-1
    #[arg(long, global = true, value_parser = edge::sheet::encoding, default_value = "utf-8")]
    encoding: Encoding,
    #[command(subcommand)]
    command: ImportCommand,
}

#[derive(Debug, Subcommand)]
enum ImportCommand {
    /// Import products. Header: `sku,name,price[,category,barcode,reorder_level,tax_rate_bp,cost,pack_barcode,pack_qty]`
    Products {
        /// The file
        #[arg(value_name = "FILE.csv")]
        file: PathBuf,
    },
    /// Import members. Header: `name,phone,email,code,birth_date`
    Members {
        /// The file
        #[arg(value_name = "FILE.csv")]
        file: PathBuf,
    },
    /// Import opening points of members. Header: `points` with `phone`, `email` or `code`
    Points {
        /// The file
        #[arg(value_name = "FILE.csv")]
        file: PathBuf,
    },
    /// Import the opening stock. Header: `sku,qty,unit_cost`, or `line_total` for the cost of all pieces
    Stock {
        /// Allow products that were sold already; the file then has the stock from before the first sale
        #[arg(long)]
        opening: bool,
        /// The file
        #[arg(value_name = "FILE.csv")]
        file: PathBuf,
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
pub fn run(cli: Cli) -> anyhow::Result<()> {
    match cli.command {
        Command::Completions { shell } => return completions::run(shell),
        Command::Man { folder } => return Ok(clap_mangen::generate_to(Cli::command(), folder)?),
        _ => {}
    }
    // A settings file that is still to be made is read as an empty one.
    let new = matches!(cli.command, Command::Init { .. });
    let explicit =
        cli.config.as_deref().map(|path| if new && !path.exists() { Path::new(EMPTY) } else { path });
    let loaded = load(explicit, environment())?;
    let config = &loaded.config;
    match cli.command {
        Command::Init { admin, password_stdin, answers } => {
            init::run(&loaded, cli.config.as_deref(), &answers, &admin, password_stdin)
        }
        Command::Serve => serve::run(&loaded),
        Command::User(UserArgs { command }) => match command {
            UserCommand::Add { username, name, role, password_stdin } => {
                users::add(config, &username, &name, &role, password_stdin)
            }
            UserCommand::List => users::list(config),
            UserCommand::Revoke { username } => users::revoke(config, &username),
            UserCommand::ResetPassword { username, password_stdin } => {
                users::reset_password(config, &username, password_stdin)
            }
            UserCommand::Devices { username } => devices::list(config, &username),
            UserCommand::RemoveDevice { username, id } => devices::remove(config, &username, &id),
        },
        Command::Import(ImportArgs { encoding, command }) => match command {
            ImportCommand::Products { file } => import::products(config, &file, encoding),
            ImportCommand::Members { file } => import::members(config, &file, encoding),
            ImportCommand::Points { file } => import::points(config, &file, encoding),
            ImportCommand::Stock { file, opening } => import::stock(config, &file, encoding, opening),
        },
        Command::Rejoin => rejoin::run(config),
        Command::Status => status::run(config),
        Command::Doctor => doctor::run(&loaded),
        Command::Backup { folder, without_keys } => backup::run(config, folder.as_deref(), !without_keys),
        Command::Drill => drill::run(config),
        Command::Restore { folder } => restore::run(config, &folder),
        Command::Verify { deep: _ } => verify::run(config),
        Command::RebuildIndex => rebuild_index::run(config),
        Command::RotateKeys { new: true, .. } => rotate_keys::make(config),
        Command::RotateKeys { at_once, .. } => rotate_keys::run(config, at_once),
        Command::Enrol { hub, token } => enrol::run(config, &hub, &token),
        Command::Config(ConfigArgs { command: ConfigCommand::Show }) => config_show::run(&loaded),
        Command::Config(ConfigArgs { command: ConfigCommand::Check }) => config_check::run(&loaded),
        Command::Completions { .. } | Command::Man { .. } => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_those_of_the_contract() {
        Cli::command().debug_assert();
        for line in [
            "init --admin boss --password-stdin",
            "init --store-id S1 --prices-include-tax true --tax-rate 11 --currency IDR --timezone UTC",
            "init --discount-limit 10 --refund-limit 500000 --adjustment-limit 100000",
            "serve",
            "user add --username u --name n --role cashier --password-stdin",
            "user list",
            "user revoke u",
            "user reset-password u --password-stdin",
            "user devices u",
            "user remove-device u -id",
            "import products file.csv",
            "import members file.csv",
            "import points file.csv",
            "import stock --opening file.csv --encoding windows-1252",
            "status",
            "doctor",
            "backup dir --without-keys",
            "backup",
            "drill",
            "restore dir",
            "enrol --hub http://hub --token t",
            "verify --deep",
            "rebuild-index",
            "rotate-keys --at-once",
            "rotate-keys --new",
            "config show",
            "config check",
            "completions bash",
            "--config other.toml serve",
            "serve --config other.toml",
        ] {
            let words = ["store-router"].into_iter().chain(line.split(' '));
            assert!(Cli::try_parse_from(words).is_ok(), "{line}");
        }
        for line in [
            "",
            "sing",
            "user add --username u",
            "import products",
            "import products f.csv --encoding x",
            "serve --port 1",
        ] {
            let words = ["store-router"].into_iter().chain(line.split_whitespace());
            assert!(Cli::try_parse_from(words).is_err_and(|error| error.exit_code() == 2), "{line}");
        }
    }
}
