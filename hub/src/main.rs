//! `cloud-hub`: head office of all stores, and the commands around it.

use clap::Parser;
use cloud_hub::cli;
use std::process::ExitCode;

fn main() -> ExitCode {
    edge::private::new_files_only_for_owner();
    match cli::run(cli::Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cloud-hub: {error:#}");
            ExitCode::from(cli::exit_code(&error))
        }
    }
}
