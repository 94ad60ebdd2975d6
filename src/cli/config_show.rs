//! `config show`

use crate::config::{load::Loaded, show};

/// Prints every setting in force with its source.
pub fn run(loaded: &Loaded) -> anyhow::Result<()> {
    print!("{}", show::show(loaded)?);
    Ok(())
}
