//! `verify [--deep]`: exit code 1 with what is wrong.

use super::progress::Bar;
use crate::config::Config;
use crate::exit::{Exit, FAILED};
use crate::folder;

/// Checks the stopped store's folder, all of it, and says what it found.
pub fn run(config: &Config) -> anyhow::Result<()> {
    let mut bar = Bar::default();
    let report =
        storage::verify(&config.storage.path, &mut |progress| bar.show(progress)).map_err(folder::in_use)?;
    drop(bar);
    for problem in &report.problems {
        eprintln!("{problem}");
    }
    println!(
        "{} segments, {} commits, {} records, {} sales, {} rows, lsn {}",
        report.segments, report.commits, report.records, report.sales, report.rows, report.head_lsn
    );
    match report.problems.len() {
        0 => Ok(()),
        1 => Err(Exit::new(FAILED, "1 problem").into()),
        count => Err(Exit::new(FAILED, format!("{count} problems")).into()),
    }
}
