//! Reads the audit log: head office's own entries and those of all stores, the latest first.

use crate::columns;
use crate::db::document::decode;
use crate::table::audit::{Chained, object};
use crate::table::origin::Origin;
use crate::table::record::text;
use domain::model::people::audit::AuditEntry;
use domain::wire::record::{AuditRecorded, Record};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::any::AnyRow;
use sqlx::{AnyPool, AssertSqlSafe};
use std::fmt::Write;

/// An entry of the audit log, of head office or of a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "HubAuditEntry")]
pub struct View {
    /// ID of the entry, `evt_…`.
    pub audit_id: String,
    /// Where the entry was written.
    #[schemars(with = "Origin")]
    pub origin: &'static str,
    /// Store that the entry is about. Empty if there is none.
    pub store_id: String,
    /// Name of the user; null for the operator of the machine or an unknown user.
    pub user_name: Option<String>,
    /// Type of the object of the action, for example `invoice`. Null if the object has no ID.
    pub object_type: Option<&'static str>,
    /// ID of the object of the action. Null if it has none.
    pub object_id: Option<String>,
    /// The entry itself: action, user and time.
    #[serde(flatten)]
    pub entry: AuditEntry,
}

/// Filters of the audit log.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Only actions of this user.
    pub user_id: Option<String>,
    pub action: Option<String>,
    /// Only actions at this store, or about it.
    pub store_id: Option<String>,
    /// Only actions on this object.
    pub object_id: Option<String>,
    /// Only actions whose names begin so. `None` for all.
    pub areas: Option<&'static [&'static str]>,
    /// From this day on: a store's business day, and the day in UTC at head office.
    pub from: Option<Date>,
    /// Until this day.
    pub to: Option<Date>,
}

/// Position of a page: the moment, entry and store of the last item before it.
pub type Bookmark = (i64, String, String);

/// The place of an entry.
pub fn place(item: &View) -> Bookmark {
    (item.entry.at.0, item.audit_id.clone(), item.store_id.clone())
}

impl Filter {
    /// The conditions from parameter 5 on, with their parameters.
    fn conditions(&self) -> (String, Vec<String>) {
        let (mut sql, mut bound) = (String::new(), Vec::new());
        let conditions = [
            ("user_id =", self.user_id.clone()),
            ("action =", self.action.clone()),
            ("store_id =", self.store_id.clone()),
            ("object_id =", self.object_id.clone()),
            ("day >=", self.from.map(|day| day.to_string())),
            ("day <=", self.to.map(|day| day.to_string())),
        ];
        for (condition, value) in conditions {
            let Some(value) = value else { continue };
            bound.push(value);
            // Writing to a String can't fail.
            let _ = write!(sql, " AND a.{condition} ${}", bound.len().saturating_add(4));
        }
        if let Some(areas) = self.areas {
            let of = |area: &&str| format!("a.action LIKE '{area}.%'");
            let _ = write!(sql, " AND ({})", areas.iter().map(of).collect::<Vec<_>>().join(" OR "));
        }
        (sql, bound)
    }
}

/// A page after a bookmark. Without one, the latest entries.
pub async fn list(
    pool: &AnyPool,
    filter: &Filter,
    before: Option<Bookmark>,
    limit: i64,
) -> Result<Vec<View>, sqlx::Error> {
    let (conditions, bound) = filter.conditions();
    // Each half by its own index, with as many rows as a page has; the database puts them in one order.
    let half = |id: &str, columns: &str, tables: &str| {
        format!(
            "SELECT * FROM (SELECT a.at AS at, a.{id} AS id, a.store_id AS store_id, \
             COALESCE((SELECT u.name FROM users u WHERE u.user_id = a.user_id), \
             (SELECT s.name FROM staff s WHERE s.user_id = a.user_id)) AS user_name, {columns} FROM {tables} \
             WHERE a.at <= $1 AND (a.at < $1 OR (a.{id}, a.store_id) > ($2, $3)){conditions} \
             ORDER BY a.at DESC, a.{id}, a.store_id LIMIT $4) {id}_of"
        )
    };
    let own = half(
        "audit_id",
        "a.record AS record, CAST(0 AS BIGINT) AS encoding, CAST(0 AS BIGINT) AS reported",
        "own_audit a",
    );
    let tables = "store_audit a JOIN events e ON e.store_id = a.store_id AND e.event_id = a.event_id \
                  JOIN records r ON r.store_id = e.store_id AND r.epoch = e.epoch AND r.seq = e.seq";
    let reported =
        half("event_id", "r.record AS record, r.encoding AS encoding, CAST(1 AS BIGINT) AS reported", tables);
    let sql = format!("{own} UNION ALL {reported} ORDER BY 1 DESC, 2, 3 LIMIT $4");
    let (at, id, store_id) = before.unwrap_or((i64::MAX, String::new(), String::new()));
    let mut query = sqlx::query(AssertSqlSafe(sql)).persistent(false).bind(at).bind(id).bind(store_id);
    query = query.bind(limit);
    for value in bound {
        query = query.bind(value);
    }
    query.fetch_all(pool).await?.iter().map(view).collect()
}

fn view(row: &AnyRow) -> Result<View, sqlx::Error> {
    let (store_id, reported, user_name): (String, bool, Option<String>) =
        columns!(row => (store_id, reported, user_name));
    let record = text(row)?;
    let (audit_id, origin, entry) = if reported {
        let reported: Record<AuditRecorded> = decode(&record)?;
        (reported.event_id, "store", reported.payload.entry)
    } else {
        let Chained { audit_id, entry, .. } = decode(&record)?;
        (audit_id, "hub", entry)
    };
    let (object_type, object_id) = object(&entry.details).map(|(kind, id)| (kind, id.to_owned())).unzip();
    Ok(View { audit_id, origin, store_id, user_name, object_type, object_id, entry })
}
