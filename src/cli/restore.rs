//! `restore DIR`: a backup becomes a store again, in an epoch of its own.

use super::commit::commit;
use super::progress::Bar;
use crate::config::Config;
use crate::exit::{Exit, FAILED, USAGE};
use crate::{folder, random};
use domain::model::base::event::fact;
use domain::model::hub::sync::local::{Change, LinkRow};
use domain::rules::hub::restored::{next_epoch, restored};
use edge::clock;
use edge::keys::SigningKey;
use std::path::Path;
use storage::{Backup, Restoring, Storage};

/// Restores into the empty data folder of the settings.
pub fn run(config: &Config, from: &Path) -> anyhow::Result<()> {
    let kept = Backup::load(from).map_err(folder::in_use)?.store_id;
    if kept.as_str() != config.store.id {
        let message =
            format!("store.id is \"{}\", but {} belongs to \"{kept}\"", config.store.id, from.display());
        return Err(Exit::new(USAGE, message).into());
    }
    let path = &config.storage.path;
    let mut bar = Bar::default();
    let copied = storage::restore(from, path, &mut |progress| bar.show(progress.into()));
    drop(bar);
    let restoring = copied.map_err(folder::in_use)?;
    let (epoch, interrupted, enrolled) = match start_again(config, &restoring) {
        Ok(begun) => begun,
        Err(error) => {
            restoring.discard().map_err(folder::in_use)?;
            return Err(error);
        }
    };
    let backup = restoring.finish().map_err(folder::in_use)?;
    println!("{} was restored as of {} (lsn {}), epoch {epoch}", path.display(), backup.made_at, backup.lsn);
    println!("everybody must log in again; receipts are numbered in a new series");
    if interrupted > 0 {
        println!(
            "{interrupted} shifts were open: they and their unpaid sales can be read, but not used to sell"
        );
    }
    if enrolled {
        println!(
            "at the next connection, the hub's records of earlier epochs are downloaded, and the records that \
             it lacks are sent"
        );
    }
    if !backup.keys {
        println!(
            "the backup has no keys: new ones were created; a store with a hub must be enrolled there again"
        );
    }
    Ok(())
}

/// Opens the store that was copied, in an epoch of its own and with keys. Gives the epoch, how many shifts were open, and
/// whether the store knows a hub.
fn start_again(config: &Config, restoring: &Restoring) -> anyhow::Result<(String, usize, bool)> {
    let storage = restoring.open(&folder::options(config)).map_err(folder::in_use)?;
    let enrolled = storage.sync().hub().map(|hub| hub.is_some()).map_err(folder::in_use);
    let begun = begin(&storage);
    let closed = folder::close(storage);
    let (epoch, interrupted) = begun?;
    closed?;
    if !restoring.backup.keys {
        folder::create_keys(config)?;
        for key in [folder::token_key(config), folder::sync_key(config)] {
            SigningKey::create(&key)?;
        }
    }
    Ok((epoch, interrupted, enrolled?))
}

/// The first commit after a restore: a new epoch, no open documents, no sessions.
fn begin(storage: &Storage) -> anyhow::Result<(String, usize)> {
    let lineage = storage.outbox().lineage().map_err(folder::in_use)?;
    let epochs = lineage.iter().map(|state| state.epoch.as_str());
    let epoch = next_epoch(epochs, random::epoch_part())
        .ok_or_else(|| Exit::new(FAILED, "the epochs of the backup have no numbers"))?;
    let shifts = storage.shifts().open_shifts().map_err(folder::in_use)?;
    let registers = storage.shifts().registers().map_err(folder::in_use)?;
    let counters = registers.iter().map(|register| storage.shifts().counters(&register.register_id));
    let counters = counters.collect::<Result<_, _>>().map_err(folder::in_use)?;
    let sessions = storage.users().sessions().map_err(folder::in_use)?;
    let interrupted = shifts.len();
    let mut events = vec![fact::EpochOpened { epoch: epoch.clone() }.into(), restored(shifts, counters)];
    if storage.sync().hub().map_err(folder::in_use)?.is_some() {
        // The hub may know of days that were sealed since, and of holds that were recalled.
        let before = storage.sync().standing().map_err(folder::in_use)?;
        let standing = LinkRow { recovering_at: Some(clock::now()), ..before };
        events.push(fact::SyncChanged { change: Change::Standing { standing } }.into());
    }
    events.extend(
        sessions.into_iter().map(|session| fact::SessionClosed { session_id: session.session_id }.into()),
    );
    commit(storage, events)?;
    Ok((epoch, interrupted))
}
