//! Writing from a command, on a stopped store.

use anyhow::Context;
use domain::event::Event;
use edge::clock;
use storage::{Commit, Storage};

/// Commits events that head office is not told of, and waits until they are on the disk.
pub fn commit(storage: &Storage, events: Vec<Event>) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let commit = Commit { events, records: Vec::new(), keyed: None, at: clock::now(), hlc: None };
    runtime
        .block_on(async {
            tokio::select! {
                // The cause is worth more than "closed".
                biased;
                done = storage.commit(commit) => match done {
                    Ok(_) => Ok(()),
                    Err(_) => Err(crate::folder::in_use(storage.failed().await)),
                },
                error = storage.failed() => Err(crate::folder::in_use(error)),
            }
        })
        .context("nothing was changed, or the next start finds it")
}
