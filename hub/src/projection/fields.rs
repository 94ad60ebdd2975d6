//! Records that both stores and head office write. Which write wins is decided here for each field; a value that loses
//! is kept in the conflict log (docs/protocol.md#last-write-wins).

use crate::db::column::Columns;
use crate::db::filter::folded;
use crate::feed::Entry;
use crate::projection::announce::{FeedUpdates, Named};
use crate::projection::members::member_reach;
use crate::table::member::{self, UNIQUE};
use crate::table::{conflict, hub, store};
use crate::{columns, secret};
use domain::model::base::time::UtcMs;
use domain::model::hub::hlc;
use domain::model::hub::sync::ConflictDown;
use domain::model::people::member::MemberState;
pub use domain::model::people::member::STATE;
use domain::rules::hub::sync::settle;
use domain::rules::hub::sync::settle::{Lost, Settled};
use domain::wire::feed::{FieldDown, Kind, MemberDown, RecordVersion, SettingDown};
use domain::wire::record::FieldWrite;
use edge::clock;
use serde_json::Value;
use sqlx::AnyConnection;
use std::borrow::Cow;
use std::collections::BTreeMap;

pub const MEMBER: &str = "member";
/// Fields of a product that each store has for itself; the ID is `<store>:<sku>`.
pub const PRODUCT_SETTINGS: &str = "product_settings";

/// Origin of a write.
pub struct Writer<'a> {
    /// ID of the store's event, or of the change at head office.
    pub by: &'a str,
    /// Stamp of the write. One that is ahead of the hub's clock was replaced.
    pub stamp: &'a str,
    /// Store that writes. Empty for head office.
    pub store_id: &'a str,
    /// Time of the write.
    pub now: UtcMs,
}

/// Result of a write.
pub struct Written {
    /// The record's new version.
    pub version: String,
    /// Whether any field has changed.
    pub changed: bool,
}

/// Writes fields. Values that lose, and values that are replaced by a writer who had not seen them, go to the conflict
/// log.
pub async fn write(
    connection: &mut AnyConnection,
    resource: &'static str,
    id: &str,
    fields: &BTreeMap<String, FieldWrite>,
    writer: &Writer<'_>,
    conflicts: &mut Vec<ConflictDown>,
) -> Result<Written, sqlx::Error> {
    // The record's row is the lock for its fields.
    let sql = "INSERT INTO shared_records (resource, id, version, created_at, updated_at, made_by, made_on) \
               VALUES ($1, $2, '', $3, $5, $4, '') \
               ON CONFLICT (resource, id) DO UPDATE SET updated_at = excluded.updated_at RETURNING version";
    let query =
        sqlx::query_scalar(sql).bind(resource).bind(id).bind(at(writer.stamp).unwrap_or(writer.now.0));
    let query = query.bind(writer.store_id).bind(clock::now().0);
    let before: String = query.fetch_one(&mut *connection).await?;
    if before.is_empty() {
        note_day(connection, (resource, id), writer).await?;
    }
    let known = read(connection, resource, id).await?;
    let who = settle::Writer { by: writer.by, stamp: writer.stamp, now: writer.now };
    let settle = if resource == MEMBER { settle::settle_member } else { settle::settle };
    let Settled { fields, lost, version } = settle(&before, &known, fields, &who);
    let erased = resource == MEMBER && is_erased(fields.get(STATE).or(known.get(STATE)));
    for lost in lost {
        // No value of an erased member is kept, not even one that lost.
        let lost = if erased { Lost { lost: Value::Null, kept: Value::Null, ..lost } } else { lost };
        let conflict = conflict_of(resource, id, &lost, writer);
        log(connection, &conflict, &lost, writer).await?;
        conflicts.push(conflict);
    }
    for (field, now) in &fields {
        put(connection, (resource, id, field), now, writer.store_id).await?;
    }
    if erased && !fields.is_empty() {
        conflict::forget(connection, resource, id).await?;
    }
    let changed = version != before;
    let sql = "UPDATE shared_records SET version = $3 WHERE resource = $1 AND id = $2";
    sqlx::query(sql).bind(resource).bind(id).bind(&version).execute(connection).await?;
    Ok(Written { version, changed })
}

/// Stores the day on which a record was made, by the clock of the store or of head office.
async fn note_day(
    connection: &mut AnyConnection,
    (resource, id): (&str, &str),
    writer: &Writer<'_>,
) -> Result<(), sqlx::Error> {
    let zone = match writer.store_id {
        "" => hub::zone(connection).await?,
        store_id => store::zone(connection, store_id).await?,
    };
    let at = UtcMs(at(writer.stamp).unwrap_or(writer.now.0));
    let day = at.timestamp().to_zoned(zone).date().to_string();
    let sql = "UPDATE shared_records SET made_on = $3 WHERE resource = $1 AND id = $2";
    sqlx::query(sql).bind(resource).bind(id).bind(day).execute(connection).await.map(drop)
}

/// Whether this is the state of a member whose data was erased.
pub fn is_erased(state: Option<&FieldDown>) -> bool {
    state.is_some_and(|state| state.value == MemberState::Erased.name())
}

async fn put(
    connection: &mut AnyConnection,
    (resource, id, field): (&str, &str, &str),
    now: &FieldDown,
    written_in: &str,
) -> Result<(), sqlx::Error> {
    let sql = "INSERT INTO fields (resource, id, field, value, stamp, written_by, folded, written_in) \
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (resource, id, field) DO UPDATE \
               SET value = excluded.value, stamp = excluded.stamp, written_by = excluded.written_by, \
               written_in = excluded.written_in, folded = excluded.folded";
    let query = sqlx::query(sql).bind(resource).bind(id).bind(field).bind(now.value.to_string());
    let folded = folded(&[&plain(&now.value)]);
    query.bind(&now.at).bind(&now.by).bind(folded).bind(written_in).execute(connection).await?;
    Ok(())
}

/// A value as a user enters it; a missing value is empty.
fn plain(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Null => Cow::from(""),
        Value::String(text) => Cow::from(text.as_str()),
        other => other.to_string().into(),
    }
}

/// The conflict, as it is sent to the store.
fn conflict_of(resource: &str, id: &str, lost: &Lost, writer: &Writer<'_>) -> ConflictDown {
    ConflictDown {
        conflict_id: format!("cfl_{}", secret::mark()),
        resource: resource.to_owned(),
        id: id.to_owned(),
        winner: lost.winner.to_owned(),
        lost_fields: BTreeMap::from([(lost.field.clone(), lost.lost.clone())]),
        kept_fields: BTreeMap::from([(lost.field.clone(), lost.kept.clone())]),
        resolved_at: writer.now,
    }
}

/// Adds a conflict to the log.
async fn log(
    connection: &mut AnyConnection,
    conflict: &ConflictDown,
    lost: &Lost,
    writer: &Writer<'_>,
) -> Result<(), sqlx::Error> {
    // If the value that lost is another store's, that store is informed too. At this point the value is still the
    // present one.
    let sql = "INSERT INTO conflicts (conflict_id, resource, id, field, winner, lost_value, lost_stamp, lost_by, \
               kept_value, store_id, resolved_at, folded, lost_in) \
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, COALESCE((SELECT written_in FROM fields \
               WHERE resource = $2 AND id = $3 AND field = $4 AND written_by = $8 AND written_in <> $10), ''))";
    let query = sqlx::query(sql).bind(&conflict.conflict_id).bind(&conflict.resource).bind(&conflict.id);
    let query = query.bind(&lost.field).bind(&conflict.winner).bind(lost.lost.to_string());
    let query = query.bind(&lost.lost_at).bind(&lost.lost_by).bind(lost.kept.to_string());
    let folded = folded(&[&lost.field, &plain(&lost.lost), &plain(&lost.kept)]);
    query.bind(writer.store_id).bind(writer.now.0).bind(folded).execute(connection).await?;
    Ok(())
}

/// A record's present fields.
pub async fn read(
    connection: &mut AnyConnection,
    resource: &str,
    id: &str,
) -> Result<BTreeMap<String, FieldDown>, sqlx::Error> {
    let sql = "SELECT field, value, stamp, written_by FROM fields WHERE resource = $1 AND id = $2";
    let rows = sqlx::query(sql).bind(resource).bind(id).fetch_all(connection).await?;
    let one = |row: &sqlx::any::AnyRow| {
        let (field, at, by) = columns!(row => (field, stamp, written_by));
        Ok((field, FieldDown { value: row.json("value")?, at, by }))
    };
    rows.iter().map(one).collect()
}

/// Milliseconds of a stamp. `None` if it is not a stamp.
pub fn at(stamp: &str) -> Option<i64> {
    hlc::parts(stamp).map(|(ms, _)| ms)
}

/// The feed's entry of a member, for every store. `None` if the hub does not know the member.
pub async fn member_entry(
    connection: &mut AnyConnection,
    member_id: &str,
) -> Result<Option<Entry>, sqlx::Error> {
    let sql = "SELECT version, created_at FROM shared_records WHERE resource = $1 AND id = $2";
    let query = sqlx::query(sql).bind(MEMBER).bind(member_id);
    let Some(row) = query.fetch_optional(&mut *connection).await? else { return Ok(None) };
    let (version, joined_at): (String, UtcMs) = columns!(row => (version, created_at));
    let down = MemberDown {
        member_id: member_id.to_owned(),
        joined_at: Some(joined_at),
        merged_into: member::into(connection, member_id).await?,
        merged: member::merged(connection, member_id).await?,
        fields: read(connection, MEMBER, member_id).await?,
    };
    let payload = serde_json::to_string(&down).map_err(|error| sqlx::Error::Encode(error.into()))?;
    let entry = Entry::for_all(Kind::Member, member_id, payload);
    Ok(Some(Entry { version: Some(version), ..entry }))
}

/// Writes to a member and sends it to every store.
pub async fn write_member(
    connection: &mut AnyConnection,
    id: &str,
    fields: &BTreeMap<String, FieldWrite>,
    writer: &Writer<'_>,
    later: &mut FeedUpdates,
) -> Result<(), sqlx::Error> {
    let written = write(connection, MEMBER, id, fields, writer, &mut later.conflicts).await?;
    if written.changed {
        later.members.insert(id.to_owned());
    }
    if !writer.store_id.is_empty() {
        member_reach::meet(connection, writer.store_id, id, later).await?;
    }
    if !writer.store_id.is_empty() && UNIQUE.iter().any(|field| fields.contains_key(*field)) {
        let (store_id, event_id) = (writer.store_id.to_owned(), writer.by.to_owned());
        later.named.push(Named { member_id: id.to_owned(), store_id, event_id });
    }
    let (kind, id) = (Kind::Member.name().to_owned(), id.to_owned());
    later.versions.push(RecordVersion { kind, id, version: written.version });
    Ok(())
}

/// Writes to a store's settings of a product, and sends the store the values that won.
pub async fn write_settings(
    connection: &mut AnyConnection,
    sku: &str,
    fields: &BTreeMap<String, FieldWrite>,
    writer: &Writer<'_>,
    later: &mut FeedUpdates,
) -> Result<(), sqlx::Error> {
    let id = format!("{}:{sku}", writer.store_id);
    let written = write(connection, PRODUCT_SETTINGS, &id, fields, writer, &mut later.conflicts).await?;
    for (field, now) in read(connection, PRODUCT_SETTINGS, &id).await? {
        // A value is sent even if the write lost: the store waits for the version in its answer.
        if fields.contains_key(&field) {
            let name = format!("product:{sku}:{field}");
            let down = SettingDown { name: name.clone(), value: now.value, at: now.at, by: now.by };
            let payload = serde_json::to_string(&down).map_err(|error| sqlx::Error::Encode(error.into()))?;
            let entry = Entry::for_store(Kind::Settings, &name, writer.store_id, payload);
            later.entries.push(Entry { version: Some(written.version.clone()), ..entry });
        }
    }
    let (kind, id) = (Kind::Settings.name().to_owned(), format!("product:{sku}"));
    later.versions.push(RecordVersion { kind, id, version: written.version });
    Ok(())
}
