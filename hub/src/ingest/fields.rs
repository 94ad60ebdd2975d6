//! Records that both sides write: decided here, field by field, with nothing lost (docs/protocol.md#last-write-wins).

use super::announce::{Later, Named};
use crate::feed::Entry;
use crate::member::{UNIQUE, merge, met};
use crate::secret;
use domain::hlc;
use domain::record::FieldWrite;
use domain::sync::settle::{self, Lost, Settled};
use domain::sync::{ConflictDown, FieldDown, Kind, MemberDown, RecordVersion, SettingDown};
use domain::time::UtcMs;
use sqlx::{AnyConnection, Row};
use std::collections::BTreeMap;

/// Members' fields.
pub const MEMBER: &str = "member";
/// Fields of a product that are a store's own; the id is `<store>:<sku>`.
pub const PRODUCT_SETTINGS: &str = "product_settings";

/// Who writes.
pub struct Writer<'a> {
    /// The event, or the hub's change.
    pub by: &'a str,
    /// The stamp that counts for it, in place of one that lies ahead of the hub.
    pub stamp: &'a str,
    /// The store; empty: head office.
    pub store_id: &'a str,
    /// When.
    pub now: UtcMs,
}

/// What a write came to.
pub struct Written {
    /// The record's version now.
    pub version: String,
    /// Whether any field is another one now.
    pub changed: bool,
}

/// Writes fields; values that lose, or are beaten without having been seen, go to the conflict log.
///
/// # Errors
/// The database's.
pub async fn write(
    connection: &mut AnyConnection,
    resource: &'static str,
    id: &str,
    fields: &BTreeMap<String, FieldWrite>,
    writer: &Writer<'_>,
    conflicts: &mut Vec<ConflictDown>,
) -> Result<Written, sqlx::Error> {
    // The record's row is the lock for its fields.
    let sql = "INSERT INTO shared_records (resource, id, version, created_at, updated_at) VALUES ($1, $2, '', $3, $3) \
               ON CONFLICT (resource, id) DO UPDATE SET updated_at = excluded.updated_at RETURNING version";
    let query =
        sqlx::query_scalar(sql).bind(resource).bind(id).bind(at(writer.stamp).unwrap_or(writer.now.0));
    let before: String = query.fetch_one(&mut *connection).await?;
    let known = read(connection, resource, id).await?;
    let who = settle::Writer { by: writer.by, stamp: writer.stamp, now: writer.now };
    let Settled { fields, lost, version } = settle::settle(&before, &known, fields, &who);
    for lost in &lost {
        let conflict = conflict(resource, id, lost, writer);
        log(connection, &conflict, lost, writer).await?;
        conflicts.push(conflict);
    }
    for (field, now) in &fields {
        put(connection, resource, id, field, now).await?;
    }
    let changed = version != before;
    let sql = "UPDATE shared_records SET version = $3 WHERE resource = $1 AND id = $2";
    sqlx::query(sql).bind(resource).bind(id).bind(&version).execute(connection).await?;
    Ok(Written { version, changed })
}

async fn put(
    connection: &mut AnyConnection,
    resource: &str,
    id: &str,
    field: &str,
    now: &FieldDown,
) -> Result<(), sqlx::Error> {
    let sql = "INSERT INTO fields (resource, id, field, value, stamp, written_by) VALUES ($1, $2, $3, $4, $5, $6) \
               ON CONFLICT (resource, id, field) DO UPDATE SET value = excluded.value, stamp = excluded.stamp, \
               written_by = excluded.written_by";
    let query = sqlx::query(sql).bind(resource).bind(id).bind(field).bind(now.value.to_string());
    query.bind(&now.at).bind(&now.by).execute(connection).await?;
    Ok(())
}

fn conflict(resource: &str, id: &str, lost: &Lost, writer: &Writer<'_>) -> ConflictDown {
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

async fn log(
    connection: &mut AnyConnection,
    conflict: &ConflictDown,
    lost: &Lost,
    writer: &Writer<'_>,
) -> Result<(), sqlx::Error> {
    let sql = "INSERT INTO conflicts (conflict_id, resource, id, field, winner, lost_value, lost_stamp, lost_by, \
               kept_value, store_id, resolved_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    let query = sqlx::query(sql).bind(&conflict.conflict_id).bind(&conflict.resource).bind(&conflict.id);
    let query = query.bind(&lost.field).bind(&conflict.winner).bind(lost.lost.to_string());
    let query = query.bind(&lost.lost_at).bind(&lost.lost_by).bind(lost.kept.to_string());
    query.bind(writer.store_id).bind(writer.now.0).execute(connection).await?;
    Ok(())
}

/// A record's fields as they count now.
///
/// # Errors
/// The database's.
pub async fn read(
    connection: &mut AnyConnection,
    resource: &str,
    id: &str,
) -> Result<BTreeMap<String, FieldDown>, sqlx::Error> {
    let sql = "SELECT field, value, stamp, written_by FROM fields WHERE resource = $1 AND id = $2";
    let rows = sqlx::query(sql).bind(resource).bind(id).fetch_all(connection).await?;
    let one = |row: &sqlx::any::AnyRow| {
        let value =
            serde_json::from_str(row.try_get(1)?).map_err(|error| sqlx::Error::Decode(error.into()))?;
        Ok((row.try_get(0)?, FieldDown { value, at: row.try_get(2)?, by: row.try_get(3)? }))
    };
    rows.iter().map(one).collect()
}

/// The milliseconds of a stamp.
pub fn at(stamp: &str) -> Option<i64> {
    hlc::parts(stamp).map(|(ms, _)| ms)
}

/// A member for every store; none: the hub has no field of it.
///
/// # Errors
/// The database's.
pub async fn member_entry(
    connection: &mut AnyConnection,
    member_id: &str,
) -> Result<Option<Entry>, sqlx::Error> {
    let sql = "SELECT version, created_at FROM shared_records WHERE resource = $1 AND id = $2";
    let query = sqlx::query(sql).bind(MEMBER).bind(member_id);
    let Some(row) = query.fetch_optional(&mut *connection).await? else { return Ok(None) };
    let (version, joined_at): (String, i64) = (row.try_get(0)?, row.try_get(1)?);
    let down = MemberDown {
        member_id: member_id.to_owned(),
        joined_at: Some(UtcMs(joined_at)),
        merged_into: merge::into(connection, member_id).await?,
        merged: merge::merged(connection, member_id).await?,
        fields: read(connection, MEMBER, member_id).await?,
    };
    let payload = serde_json::to_string(&down).map_err(|error| sqlx::Error::Encode(error.into()))?;
    let entry = Entry::for_all(Kind::Member, member_id, payload);
    Ok(Some(Entry { version: Some(version), ..entry }))
}

/// Writes to a member and tells every store.
///
/// # Errors
/// The database's.
pub async fn write_member(
    connection: &mut AnyConnection,
    id: &str,
    fields: &BTreeMap<String, FieldWrite>,
    writer: &Writer<'_>,
    later: &mut Later,
) -> Result<(), sqlx::Error> {
    let written = write(connection, MEMBER, id, fields, writer, &mut later.conflicts).await?;
    if written.changed {
        later.members.insert(id.to_owned());
    }
    if !writer.store_id.is_empty() {
        met::meet(connection, writer.store_id, id, later).await?;
    }
    if !writer.store_id.is_empty() && UNIQUE.iter().any(|field| fields.contains_key(*field)) {
        let (store_id, event_id) = (writer.store_id.to_owned(), writer.by.to_owned());
        later.named.push(Named { member_id: id.to_owned(), store_id, event_id });
    }
    let (kind, id) = (Kind::Member.name().to_owned(), id.to_owned());
    later.versions.push(RecordVersion { kind, id, version: written.version });
    Ok(())
}

/// Writes to a store's settings of a product, and tells the store what counts.
///
/// # Errors
/// The database's.
pub async fn write_settings(
    connection: &mut AnyConnection,
    sku: &str,
    fields: &BTreeMap<String, FieldWrite>,
    writer: &Writer<'_>,
    later: &mut Later,
) -> Result<(), sqlx::Error> {
    let id = format!("{}:{sku}", writer.store_id);
    let written = write(connection, PRODUCT_SETTINGS, &id, fields, writer, &mut later.conflicts).await?;
    for (field, now) in read(connection, PRODUCT_SETTINGS, &id).await? {
        // Also where the write lost: the store waits for the version that it was answered.
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
