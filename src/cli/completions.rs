//! `completions SHELL`

use clap::CommandFactory;

/// Prints a completion script to standard output.
pub fn run(shell: clap_complete::Shell) -> anyhow::Result<()> {
    clap_complete::generate(shell, &mut super::Cli::command(), "store-router", &mut std::io::stdout());
    Ok(())
}
