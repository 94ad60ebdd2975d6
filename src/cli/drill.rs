//! `drill`: restores the newest backup into a scratch folder, verifies it, and removes the copy.

use super::progress::Bar;
use crate::config::Config;
use crate::exit::{Exit, FAILED};
use crate::folder;
use crate::upkeep::drill;

/// Runs a drill and prints its result.
///
/// # Errors
/// Exit code 1 if the backup can't be restored.
pub fn run(config: &Config) -> anyhow::Result<()> {
    folder::has_store(config)?;
    let mut bar = Bar::default();
    let result = drill::run(config, &mut |step| bar.show(step));
    drop(bar);
    let result = result?;
    match (result.problem, result.backup_made_at) {
        (Some(problem), Some(at)) => {
            return Err(Exit::new(FAILED, format!("the backup of {at} can't be restored: {problem}")).into());
        }
        (Some(problem), None) => return Err(Exit::new(FAILED, problem).into()),
        (None, at) => {
            let (at, seconds) = (at.unwrap_or_default(), result.duration_ms.div_ceil(1000));
            let records = result.records_count;
            println!("the backup of {at} was restored and verified: {records} records in {seconds} s");
        }
    }
    Ok(())
}
