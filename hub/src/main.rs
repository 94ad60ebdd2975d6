//! `cloud-hub`: head office of all stores, and the commands around it.

use clap::Parser;
use cloud_hub::cli;
use std::process::ExitCode;
use tikv_jemallocator::Jemalloc;

/// Many threads allocate small pieces and free them on other threads; memory of log-ins is returned to the system
/// within a second. `.cargo/config.toml` has the settings.
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

fn main() -> ExitCode {
    edge::private::new_files_only_for_owner();
    edge::server::command::end_with_the_reader();
    match cli::run(cli::Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cloud-hub: {}", edge::server::command::words(error.as_ref()));
            ExitCode::from(cli::exit_code(&error))
        }
    }
}
