//! Hellos that no store would send: somebody with the store's key invented their epochs.

use crate::db::Write;
use crate::ingest::lock::Locked;
use crate::table::alarm;
use crate::table::epoch::{Cursor, number, take_overs};
use domain::model::base::time::UtcMs;
use domain::rules::hub::sync::rules;
use domain::rules::hub::sync::rules::EpochVerdict;
use domain::wire::sync::{Hello, LINEAGE_MAX};
use edge::ApiError;
use std::collections::{BTreeMap, BTreeSet};

/// Most unknown epochs of a hello, after a store's first: a restore or a rejoin creates one.
const UNKNOWN_MAX: usize = 16;
/// Most epochs that take over within a day.
const TAKE_OVERS_A_DAY: i64 = 20;
const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// Action for an administrator after a hello that no store would send.
const NEW_KEY: &str = "Find the copy that uses this store's key, and give the store a new key (New token, then \
    enrol the store and restart it): epochs without records are deleted then";
/// Reason for the refusal of a hello that no store would send, and its alarm.
pub async fn refused(
    write: &mut Write,
    store: &Locked,
    hello: &Hello,
    known: &BTreeMap<String, Cursor>,
    now: UtcMs,
) -> Result<Option<(&'static str, ApiError)>, sqlx::Error> {
    if let Some(refused) = far_ahead(hello, store.current_n) {
        return Ok(Some((alarm::EPOCH_AHEAD, refused)));
    }
    if let Some(refused) = invented(hello, known) {
        return Ok(Some((alarm::LINEAGE, refused)));
    }
    let heard = known.contains_key(&hello.epoch);
    if rules::epoch_verdict(store.current_epoch.as_deref(), &hello.epoch, heard) != EpochVerdict::TakesOver {
        return Ok(None);
    }
    let since = UtcMs(now.0.saturating_sub(DAY_MS));
    if take_overs(write, &store.store_id, since).await? < TAKE_OVERS_A_DAY {
        return Ok(None);
    }
    let message = format!(
        "epoch {} is refused: {TAKE_OVERS_A_DAY} epochs of this store took over within a day. {NEW_KEY}",
        hello.epoch
    );
    Ok(Some((
        alarm::TAKE_OVERS,
        wrong("epoch", "must not take over more often: the limit of a day is reached", message),
    )))
}

/// Refuses a lineage with more unknown epochs than restores and rejoins create.
fn invented(hello: &Hello, known: &BTreeMap<String, Cursor>) -> Option<ApiError> {
    let named = hello.lineage.iter().map(|state| &state.epoch).chain([&hello.epoch]);
    let unknown = named.filter(|epoch| !known.contains_key(*epoch)).collect::<BTreeSet<_>>().len();
    // A store that is new to this hub sends its whole lineage at once.
    let most = if known.is_empty() { LINEAGE_MAX } else { UNKNOWN_MAX };
    let all = known.len().saturating_add(unknown);
    if unknown == 0 || (unknown <= most && all <= LINEAGE_MAX) {
        return None;
    }
    let message = format!(
        "a hello is refused: it names {unknown} epochs that are not known here, and {} known ones; at most \
         {most} new ones at once and {LINEAGE_MAX} in total are accepted. {NEW_KEY}",
        known.len()
    );
    Some(wrong("lineage", "has too many epochs that the hub does not know", message))
}

fn wrong(path: &str, problem: &str, message: String) -> ApiError {
    let mut refused = ApiError::field(path, problem);
    refused.message = message;
    refused
}

/// Refuses a number that no store reaches: every later epoch would need a higher one.
fn far_ahead(hello: &Hello, current_n: u64) -> Option<ApiError> {
    let lineage = hello.lineage.iter().enumerate();
    let lineage = lineage.map(|(at, state)| (format!("lineage[{at}].epoch"), &state.epoch));
    let mut named = std::iter::once(("epoch".to_owned(), &hello.epoch)).chain(lineage);
    let far = |epoch: &str| number(epoch).is_some_and(|n| rules::too_far_ahead(n, current_n));
    let (path, epoch) = named.find(|(_, epoch)| far(epoch))?;
    let message = format!(
        "epoch {epoch} is refused: it is more than {} above the current one, {current_n}. Find the copy that \
         uses this store's key",
        rules::EPOCHS_AHEAD_MAX
    );
    let problem =
        format!("must be at most {} above the number of the current epoch", rules::EPOCHS_AHEAD_MAX);
    Some(wrong(&path, &problem, message))
}
