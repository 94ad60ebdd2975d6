//! `rebuild-index`: rebuilds everything that is derived from the journal.

use super::progress::Bar;
use crate::config::Config;
use crate::control;
use crate::folder;

/// Rebuilds indexes and current rows of the stopped store.
pub fn run(config: &Config) -> anyhow::Result<()> {
    control::running(config, "rebuild-index")?;
    edge::private::check_folder(&config.storage.path)?;
    let mut bar = Bar::default();
    storage::rebuild_index(&config.storage.path, &mut |progress| bar.show(progress.into()))
        .map_err(folder::in_use)?;
    drop(bar);
    println!("the index was rebuilt from the journal");
    Ok(())
}
