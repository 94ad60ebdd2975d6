//! Commits of commands that run while the store is stopped.

use anyhow::Context;
use domain::model::base::event::{Event, fact};
use domain::model::base::ids::EventId;
use domain::model::hub::hlc::Clock;
use domain::model::hub::stamp::Stamp;
use domain::model::people::user::User;
use domain::wire::record;
use edge::{clock, ids};
use storage::{Commit, Storage};

/// Commits events that are not reported to head office, and waits until they are on the disk.
pub fn commit(storage: &Storage, events: Vec<Event>) -> anyhow::Result<()> {
    write(storage, Commit { events, records: Vec::new(), keyed: None, at: clock::now(), hlc: None })
}

/// The first commit of a store: its first user, which is also reported to a head office that is linked later.
pub fn first(storage: &Storage, user: User) -> anyhow::Result<()> {
    let now = clock::now();
    let at = Clock::after(storage.store_id().as_str(), None).now(now);
    let stamp = Stamp { now, at, event_id: EventId(ids::new("evt_")) };
    let records = vec![record::user_changed(&stamp, &user)];
    let events = vec![fact::UserChanged { user }.into()];
    write(storage, Commit { events, records, keyed: None, at: now, hlc: Some(stamp.at) })
}

fn write(storage: &Storage, commit: Commit) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime
        .block_on(async {
            tokio::select! {
                // The cause of a failure is looked at first: it says more than "closed".
                biased;
                done = storage.commit(commit) => match done {
                    Ok(_) => Ok(()),
                    Err(_) => Err(crate::folder::in_use(storage.failed().await)),
                },
                error = storage.failed() => Err(crate::folder::in_use(error)),
            }
        })
        .context("the change may not be stored: the next start shows it")
}
