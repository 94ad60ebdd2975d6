//! Members at head office: the same fields as the stores write, written as one more of their owners.

use crate::failure::Failure;
use crate::feed;
use crate::ingest::announce::Later;
use crate::ingest::fields::{self, MEMBER, Writer};
use crate::secret;
use domain::hlc::Clock;
use domain::member::{ChangeMember, MemberState, NewMember};
use domain::record::FieldWrite;
use domain::refusal::Refusal;
use domain::sync::lane;
use domain::time::UtcMs;
use edge::{ApiError, ids};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use sqlx::{AnyConnection, AnyPool, Row};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

pub mod merge;
pub mod met;
pub mod twice;

/// The country of numbers without one.
const COUNTRY_CODE: &str = "62";
/// Fields that name one member only.
pub const UNIQUE: [&str; 3] = ["phone", "email", "code"];

/// A member as head office sees it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "HubMember")]
pub struct View {
    /// `mbr_…`
    pub member_id: String,
    /// Card number or the like.
    pub code: Option<String>,
    /// Name.
    pub name: Option<String>,
    /// E.164.
    pub phone: Option<String>,
    /// Lower-cased.
    pub email: Option<String>,
    /// Birthday.
    pub birth_date: Option<Date>,
    /// Tier.
    pub tier: Option<String>,
    /// What may be done with it.
    pub state: Option<MemberState>,
    /// Σ of the entries of all stores.
    pub points_balance: i64,
    /// When it was registered, wherever that was.
    pub joined_at: UtcMs,
    /// When it was last changed.
    pub updated_at: UtcMs,
    /// Highest stamp of its fields.
    pub version: String,
}

/// One member; of one that goes on as another one, that one.
///
/// # Errors
/// 404.
pub async fn read(connection: &mut AnyConnection, id: &str) -> Result<View, Failure> {
    let living = merge::end(connection, id).await?;
    let id = living.as_str();
    let sql = "SELECT version, created_at FROM shared_records WHERE resource = 'member' AND id = $1";
    let row = sqlx::query(sql).bind(id).fetch_optional(&mut *connection).await?;
    let row = row.ok_or_else(|| ApiError::not_found("the member"))?;
    let known = fields::read(connection, MEMBER, id).await?;
    let (version, joined_at): (String, i64) = (row.try_get(0)?, row.try_get(1)?);
    let text = |name: &str| known.get(name)?.value.as_str().map(str::to_owned);
    let state = known.get("state").and_then(|field| serde_json::from_value(field.value.clone()).ok());
    Ok(View {
        member_id: id.to_owned(),
        code: text("code"),
        name: text("name"),
        phone: text("phone"),
        email: text("email"),
        birth_date: text("birth_date").and_then(|date| date.parse().ok()),
        tier: text("tier"),
        state,
        points_balance: merge::balance(connection, id).await?,
        joined_at: UtcMs(joined_at),
        updated_at: UtcMs(fields::at(&version).unwrap_or(joined_at)),
        version,
    })
}

/// Members after an id, by id; with `q` those of whom a field contains it.
///
/// # Errors
/// The database's.
pub async fn list(pool: &AnyPool, q: &str, after: &str, limit: i64) -> Result<Vec<View>, Failure> {
    let sql = "SELECT id FROM shared_records r WHERE resource = 'member' AND id > $1 \
               AND NOT EXISTS (SELECT 1 FROM member_merges g WHERE g.member_id = r.id) AND ($2 = '' OR EXISTS \
               (SELECT 1 FROM fields f LEFT JOIN member_merges g ON g.member_id = f.id \
               WHERE f.resource = 'member' AND COALESCE(g.merged_into, f.id) = r.id \
               AND f.field IN ('name', 'phone', 'email', 'code') AND LOWER(f.value) LIKE $3)) \
               ORDER BY id LIMIT $4";
    let pattern: String = q.to_lowercase().chars().filter(|c| !matches!(c, '%' | '_' | '\\')).collect();
    let query = sqlx::query_scalar(sql).bind(after).bind(q).bind(format!("%{pattern}%"));
    let found: Vec<String> = query.bind(limit).fetch_all(pool).await?;
    let mut connection = pool.acquire().await.map_err(Failure::from)?;
    let mut members = Vec::with_capacity(found.len());
    for id in found {
        members.push(read(&mut connection, &id).await?);
    }
    Ok(members)
}

/// Registers a member, known to every store.
///
/// # Errors
/// 422; 409 `duplicate` for a phone, e-mail or code that somebody has.
pub async fn create(
    connection: &mut AnyConnection,
    clock: &Mutex<Clock>,
    new: &NewMember,
    now: UtcMs,
) -> Result<View, Failure> {
    let written = new.written(COUNTRY_CODE).map_err(ApiError::from)?;
    let id = ids::new("mbr_");
    write(connection, clock, &id, written, now).await
}

/// Changes a member, on top of what is there.
///
/// # Errors
/// 404; 422; 409 `duplicate`.
pub async fn change(
    connection: &mut AnyConnection,
    clock: &Mutex<Clock>,
    id: &str,
    change: &ChangeMember,
    now: UtcMs,
) -> Result<View, Failure> {
    let written = change.written(COUNTRY_CODE).map_err(ApiError::from)?;
    let living = merge::end(connection, id).await?;
    let id = living.as_str();
    // The first statement locks the record.
    let sql = "UPDATE shared_records SET updated_at = updated_at WHERE resource = 'member' AND id = $1";
    if sqlx::query(sql).bind(id).execute(&mut *connection).await?.rows_affected() == 0 {
        return Err(ApiError::not_found("the member").into());
    }
    write(connection, clock, id, written, now).await
}

async fn write(
    connection: &mut AnyConnection,
    clock: &Mutex<Clock>,
    id: &str,
    written: BTreeMap<&'static str, Value>,
    now: UtcMs,
) -> Result<View, Failure> {
    let known = fields::read(connection, MEMBER, id).await?;
    let stamp = clock.lock().unwrap_or_else(PoisonError::into_inner).tick(now);
    let write = |(field, value): (&'static str, Value)| {
        let base = known.get(field).map(|now| now.by.clone()).unwrap_or_default();
        (field.to_owned(), FieldWrite { value, at: stamp.clone(), base })
    };
    let differing =
        written.into_iter().filter(|(field, value)| known.get(*field).is_none_or(|now| now.value != *value));
    let writes: BTreeMap<String, FieldWrite> = differing.map(write).collect();
    let by = format!("chg_{}", secret::mark());
    let writer = Writer { by: &by, stamp: &stamp, store_id: "", now };
    let mut later = Later::default();
    // The lane's lock before the look at the others: of two that take one phone, the second sees the first,
    // whichever process it is in. It comes after the member's own row, as in a push.
    feed::take(connection, lane::MEMBERS, 0, now).await?;
    unique(connection, id, &writes).await?;
    fields::write_member(connection, id, &writes, &writer, &mut later).await?;
    let view = read(connection, id).await?;
    later.announce(connection, now).await?;
    Ok(view)
}

/// Two members of one phone, e-mail or code are made by stores that do not know of one another, not here.
async fn unique(
    connection: &mut AnyConnection,
    id: &str,
    writes: &BTreeMap<String, FieldWrite>,
) -> Result<(), Failure> {
    for field in UNIQUE {
        let Some(write) = writes.get(field).filter(|write| !write.value.is_null()) else { continue };
        let other = merge::other(connection, id, field, &write.value).await?;
        if let Some(other) = other {
            return Err(ApiError::from(Refusal::Duplicate { what: "member", id: other }).into());
        }
    }
    Ok(())
}
