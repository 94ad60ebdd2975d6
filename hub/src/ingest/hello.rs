//! Hello: determines which epoch may push, and how far the hub is (docs/protocol.md#hello-and-epochs).

use crate::db::failure::Failure;
use crate::db::{Db, Write, signed};
use crate::ingest::condition;
use crate::ingest::currency::expect_currency;
use crate::ingest::invented::refused;
use crate::ingest::lock::{Locked, SKEW_MS_MAX, lock};
use crate::ingest::park;
use crate::table::epoch::{Cursor, cursors, number};
use crate::table::hub::Identity;
use crate::table::record::hash_at;
use crate::table::{alarm, conflict};
use domain::model::base::business_date::day_start;
use domain::model::base::time::UtcMs;
use domain::model::hub::chain::{GENESIS, HASH_BYTES_MAX};
use domain::rules::hub::sync::rules;
use domain::rules::hub::sync::rules::EpochVerdict;
use domain::wire::sync::{
    ChainHead, Directive, EpochState, FEED_CURSOR_BYTES_MAX, Hello, HelloAnswer, LINEAGE_MAX, Limits,
    VERSION_BYTES_MAX, ZONE_BYTES_MAX,
};
use edge::ApiError;
use jiff::tz::TimeZone;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

/// The lowest schema of feed records that this hub still writes.
const SCHEMA_MIN: u32 = 1;

/// The sender of a hello.
#[derive(Clone, Copy)]
pub struct Sender<'a> {
    /// Store of the token.
    pub store_id: &'a str,
    /// Network address of the caller.
    pub peer: IpAddr,
}

/// Answers a hello; a takeover is durable before the answer.
///
/// # Errors
/// 422 for a malformed hello, 403 `store_disabled`.
pub async fn hello(
    db: &Db,
    identity: &Identity,
    from: Sender<'_>,
    hello: &Hello,
    now: UtcMs,
) -> Result<HelloAnswer, Failure> {
    let store_id = from.store_id;
    let n = check(hello, store_id)?;
    let mut write = db.write().await?;
    let mut store = lock(&mut write, identity, store_id, now).await?;
    if let Err(refused) = expect_currency(store_id, &hello.currency, &store.currency) {
        alarm::raise(&mut write, store_id, alarm::CURRENCY, &refused.message, now).await?;
        write.commit().await?;
        return Err(refused.into());
    }
    alarm::clear(&mut write, store_id, alarm::CURRENCY).await?;
    let mut known = cursors(&mut write, store_id).await?;
    if let Some((code, refused)) = refused(&mut write, &store, hello, &known, now).await? {
        alarm::raise(&mut write, store_id, code, &refused.message, now).await?;
        write.commit().await?;
        return Err(refused.into());
    }
    let heard = known.contains_key(&hello.epoch);
    let directive = if hello.schema_max < SCHEMA_MIN {
        Directive::UpgradeRequired
    } else {
        match rules::epoch_verdict(store.current_epoch.as_deref(), &hello.epoch, heard) {
            EpochVerdict::Fenced => {
                let what = format!("a copy that writes epoch {} connected", hello.epoch);
                report_copy(&mut write, &store, &what, from.peer, now).await?;
                Directive::Fenced
            }
            EpochVerdict::NewEpoch => Directive::NewEpoch,
            EpochVerdict::TakesOver => {
                take_over(&mut write, &mut store, hello, n, now).await?;
                greeted(&mut write, &store, (hello, from.peer), &mut known, now).await?
            }
            EpochVerdict::Current => greeted(&mut write, &store, (hello, from.peer), &mut known, now).await?,
        }
    };
    let parked = park::named(&mut write, store_id).await?;
    let conflicts = conflict::latest(&mut write, store_id).await?;
    write.commit().await?;
    let current_n = store.current_n;
    Ok(HelloAnswer {
        directive,
        n: if directive == Directive::NewEpoch { current_n.saturating_add(1) } else { current_n },
        heads: heads(known, hello, store.current_epoch.as_deref()),
        hub_generation: identity.generation.clone(),
        hub_time: now,
        limits: Limits::default(),
        parked,
        conflicts,
    })
}

/// Raises the alarm that a copy of the store connected, with details that help to find it.
async fn report_copy(
    write: &mut Write,
    store: &Locked,
    what: &str,
    peer: IpAddr,
    now: UtcMs,
) -> Result<(), sqlx::Error> {
    let known = store.peer.as_deref().unwrap_or("an unknown address");
    let message = format!("{what}: it is at {peer} and was fenced, the store itself was last at {known}");
    alarm::raise(write, &store.store_id, alarm::FENCED, &message, now).await
}

/// Checks the shape of a hello; returns the number of its epoch.
fn check(hello: &Hello, store_id: &str) -> Result<u64, ApiError> {
    if hello.store_id != store_id {
        return Err(ApiError::field("store_id", "is not the store of the token"));
    }
    if hello.lineage.len() > LINEAGE_MAX {
        return Err(ApiError::field("lineage", format!("has more than {LINEAGE_MAX} epochs")));
    }
    if let Some(wrong) = hello.lineage.iter().position(|state| number(&state.epoch).is_none()) {
        return Err(ApiError::field(format!("lineage[{wrong}].epoch"), "must be <n>-<16 hex>"));
    }
    let has_long_hash =
        |state: &EpochState| state.head_hash.len().max(state.acked_hash.len()) > HASH_BYTES_MAX;
    if let Some(wrong) = hello.lineage.iter().position(has_long_hash) {
        let problem = format!("must have hashes of at most {HASH_BYTES_MAX} bytes");
        return Err(ApiError::field(format!("lineage[{wrong}]"), problem));
    }
    if hello.version.len() > VERSION_BYTES_MAX {
        return Err(ApiError::field("version", "must have at most 64 bytes"));
    }
    if hello.cursor.as_ref().is_some_and(|cursor| cursor.len() > FEED_CURSOR_BYTES_MAX) {
        return Err(ApiError::field("cursor", "must have at most 256 bytes"));
    }
    if day_start(&hello.day_start).is_none() {
        return Err(ApiError::field("day_start", "must be HH:MM"));
    }
    if hello.timezone.as_ref().is_some_and(|zone| zone.len() > ZONE_BYTES_MAX) {
        return Err(ApiError::field("timezone", "must have at most 64 bytes"));
    }
    number(&hello.epoch).ok_or_else(|| ApiError::field("epoch", "must be <n>-<16 hex>"))
}

async fn take_over(
    write: &mut Write,
    store: &mut Locked,
    hello: &Hello,
    n: u64,
    now: UtcMs,
) -> Result<(), sqlx::Error> {
    let sql = "UPDATE epochs SET closed_at = $2 WHERE store_id = $1 AND closed_at IS NULL";
    sqlx::query(sql).bind(&store.store_id).bind(now.0).execute(&mut ***write).await?;
    let sql = "UPDATE stores SET current_epoch = $2, current_n = $3 WHERE store_id = $1";
    let query = sqlx::query(sql).bind(&store.store_id).bind(&hello.epoch).bind(signed(n));
    query.execute(&mut ***write).await?;
    (store.current_epoch, store.current_n) = (Some(hello.epoch.clone()), n);
    tracing::info!(store_id = store.store_id, epoch = hello.epoch, "an epoch takes over");
    Ok(())
}

/// Handles a hello of the current epoch: records its lineage, compares its chain, keeps its status.
async fn greeted(
    write: &mut Write,
    store: &Locked,
    (hello, peer): (&Hello, IpAddr),
    known: &mut BTreeMap<String, Cursor>,
    now: UtcMs,
) -> Result<Directive, sqlx::Error> {
    let is_first = known.is_empty();
    let named = hello.lineage.iter().map(|state| &state.epoch).chain([&hello.epoch]);
    for epoch in named {
        if !known.contains_key(epoch) {
            let cursor = Cursor { seq: 0, hash: GENESIS.to_owned(), stable_seq: 0, resume_seq: 0 };
            // An epoch that takes over is still unknown; the very first one takes over from no other.
            let is_own = *epoch == hello.epoch;
            let closed_at = (!is_own).then_some(now.0);
            let took_over_at = (is_own && !is_first).then_some(now.0);
            let sql = "INSERT INTO epochs (store_id, epoch, seq, hash, stable_seq, opened_at, closed_at, took_over_at) \
                       VALUES ($1, $2, 0, $3, 0, $4, $5, $6)";
            let query = sqlx::query(sql).bind(&store.store_id).bind(epoch).bind(&cursor.hash);
            query.bind(now.0).bind(closed_at).bind(took_over_at).execute(&mut ***write).await?;
            known.insert(epoch.clone(), cursor);
        }
    }
    let own = hello.lineage.iter().find(|state| state.epoch == hello.epoch);
    let cursor = known.get(&hello.epoch);
    if !hello.apart && is_behind_again(write, store, own, cursor).await? == Some(false) {
        // Possibly only a push of an earlier session overtook this hello: the store sends it again with a later
        // position.
        return Ok(rules::directive(true, false));
    }
    if hello.apart || is_diverged(write, store, own, cursor).await? {
        let what =
            format!("a copy of epoch {} lacks records that the hub has, or has different ones", hello.epoch);
        report_copy(write, store, &what, peer, now).await?;
        return Ok(rules::directive(true, false));
    }
    let has_records = known.values().any(|cursor| cursor.seq > 0);
    zoned(write, store, hello, has_records, now).await?;
    seen(write, store, (hello, peer), known, now).await?;
    resume(write, store, hello, known, now).await
}

/// Directive for a store that has forgotten records that the hub lacks: it may continue after the gap. The push that
/// does so carries the hash before it, and creates the hole.
async fn resume(
    write: &mut Write,
    store: &Locked,
    hello: &Hello,
    known: &BTreeMap<String, Cursor>,
    now: UtcMs,
) -> Result<Directive, sqlx::Error> {
    let mut lacks = false;
    for state in &hello.lineage {
        let Some(cursor) = known.get(&state.epoch) else { continue };
        let forgotten = rules::forgotten(state, cursor.seq);
        let resume_seq = if forgotten { state.min_kept_seq } else { 0 };
        if forgotten {
            lacks = true;
            let message = format!(
                "records {} to {} of epoch {} were deleted at the store and never received by the hub",
                cursor.seq.saturating_add(1),
                state.min_kept_seq.saturating_sub(1),
                state.epoch
            );
            alarm::raise(write, &store.store_id, alarm::HOLE, &message, now).await?;
        }
        if resume_seq != cursor.resume_seq {
            let sql = "UPDATE epochs SET resume_seq = $3 WHERE store_id = $1 AND epoch = $2";
            let query = sqlx::query(sql).bind(&store.store_id).bind(&state.epoch).bind(signed(resume_seq));
            query.execute(&mut ***write).await?;
        }
    }
    Ok(rules::directive(false, lacks))
}

/// Whether a copy that is behind on the hub's own chain was behind at that place before. `None` if it is not
/// behind there.
async fn is_behind_again(
    write: &mut Write,
    store: &Locked,
    own: Option<&EpochState>,
    cursor: Option<&Cursor>,
) -> Result<Option<bool>, sqlx::Error> {
    let Some((own, _)) =
        own.zip(cursor).filter(|(own, cursor)| 0 < own.head_seq && own.head_seq < cursor.seq)
    else {
        return Ok(None);
    };
    if hash_at(write, &store.store_id, &own.epoch, own.head_seq).await?.as_deref()
        != Some(own.head_hash.as_str())
    {
        return Ok(None);
    }
    let sql = "UPDATE epochs SET behind_seq = $3 WHERE store_id = $1 AND epoch = $2 \
               AND (behind_seq IS NULL OR behind_seq <> $3)";
    let query = sqlx::query(sql).bind(&store.store_id).bind(&own.epoch).bind(signed(own.head_seq));
    Ok(Some(query.execute(&mut ***write).await?.rows_affected() == 0))
}

/// Whether the sender's copy of its own epoch is behind the hub's, or of another history.
async fn is_diverged(
    write: &mut Write,
    store: &Locked,
    own: Option<&EpochState>,
    cursor: Option<&Cursor>,
) -> Result<bool, sqlx::Error> {
    let (Some(own), Some(cursor)) = (own, cursor) else {
        return Ok(cursor.is_some_and(|cursor| cursor.seq > 0));
    };
    let stored = hash_at(write, &store.store_id, &own.epoch, own.acked_seq).await?;
    let head = ChainHead {
        epoch: own.epoch.clone(),
        seq: cursor.seq,
        hash: cursor.hash.clone(),
        stable_seq: cursor.stable_seq,
    };
    Ok(rules::is_diverged(own, &head, stored.as_deref()))
}

/// Keeps the time zone that the store reported before its first record: another one would move its business days.
async fn zoned(
    write: &mut Write,
    store: &Locked,
    hello: &Hello,
    has_records: bool,
    now: UtcMs,
) -> Result<(), sqlx::Error> {
    // A zone that this machine's list lacks, from a newer list, is ignored in favour of the one that a person set.
    let reported = hello.timezone.as_ref().filter(|zone| TimeZone::get(zone).is_ok());
    match reported {
        Some(zone) if *zone == store.timezone => alarm::clear(write, &store.store_id, alarm::TIMEZONE).await,
        Some(zone) if has_records => {
            let message = format!(
                "it reports the time zone {zone}; its records are dated by {}, which reports continue to use. \
                 Set store.timezone back in its config.toml",
                store.timezone
            );
            alarm::raise(write, &store.store_id, alarm::TIMEZONE, &message, now).await
        }
        Some(zone) => {
            let sql = "UPDATE stores SET timezone = $2 WHERE store_id = $1";
            sqlx::query(sql).bind(&store.store_id).bind(zone).execute(&mut ***write).await.map(drop)
        }
        None => Ok(()),
    }
}

/// Keeps the status that the store reported. A push that arrived before this hello has already set the backlog: its
/// records are subtracted from the backlog of the hello.
async fn seen(
    write: &mut Write,
    store: &Locked,
    (hello, peer): (&Hello, IpAddr),
    known: &BTreeMap<String, Cursor>,
    now: UtcMs,
) -> Result<(), sqlx::Error> {
    let unheard = |state: &EpochState| {
        known.get(&state.epoch).map_or(0, |cursor| rules::stored_unheard(state, cursor.seq))
    };
    let stored: u64 = hello.lineage.iter().map(unheard).fold(0, u64::saturating_add);
    let pending = hello.backlog.pending.saturating_sub(stored);
    let oldest = hello.backlog.oldest_pending_at.filter(|_| pending > 0);
    let ahead_ms = hello.wall_clock.0.saturating_sub(now.0);
    if ahead_ms.abs() > SKEW_MS_MAX {
        let message = format!("its clock differs by {} s", ahead_ms.div_euclid(1000));
        alarm::raise(write, &store.store_id, alarm::SKEW, &message, now).await?;
    } else {
        alarm::clear(write, &store.store_id, alarm::SKEW).await?;
    }
    let sql = "UPDATE stores SET last_seen_at = $2, version = $3, schema_max = $4, feed_cursor = $5, \
               clock_skew_ms = $6, pending = $7, oldest_pending_at = $8, day_start = $9, \
               peer = $10 WHERE store_id = $1";
    let query = sqlx::query(sql).bind(&store.store_id).bind(now.0).bind(&hello.version);
    let query = query.bind(i64::from(hello.schema_max)).bind(hello.cursor.clone());
    let query = query.bind(ahead_ms).bind(signed(pending));
    let query = query.bind(oldest.map(|at| at.0)).bind(&hello.day_start);
    let query = query.bind(peer.to_string());
    query.execute(&mut ***write).await?;
    condition::keep(write, &store.store_id, hello, now).await
}

/// Oldest epoch first, in the order of completion: the epochs that the store named itself, and those whose records it
/// may lack.
fn heads(known: BTreeMap<String, Cursor>, hello: &Hello, current: Option<&str>) -> Vec<ChainHead> {
    let named: BTreeSet<&String> =
        hello.lineage.iter().map(|state| &state.epoch).chain([&hello.epoch]).collect();
    let is_told = |(epoch, cursor): &(String, Cursor)| {
        cursor.seq > 0 || current == Some(epoch.as_str()) || named.contains(epoch)
    };
    let head = |(epoch, cursor): (String, Cursor)| ChainHead {
        epoch,
        seq: cursor.seq,
        hash: cursor.hash,
        stable_seq: cursor.stable_seq,
    };
    let mut heads: Vec<ChainHead> = known.into_iter().filter(is_told).map(head).collect();
    heads.sort_by_key(|head| number(&head.epoch));
    heads
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epochs_compare_by_number_and_have_one_form() {
        assert_eq!(number("12-0123456789abcdef"), Some(12));
        for wrong in [
            "",
            "1",
            "1-",
            "01-0123456789abcdef",
            "1-0123456789abcdeF",
            "1-0123456789abcde",
            "-0123456789abcdef",
        ] {
            assert_eq!(number(wrong), None, "{wrong}");
        }
    }
}
