//! The audit log.

use crate::http::Answered;
use crate::http::Request;
use crate::http::failure::stored;
use domain::model::base::ids::UserId;
use domain::model::base::settings::Rules;
use domain::model::people::audit::AuditEntry;
use edge::page::{Cursor, Limit, List, cursor};
use edge::{ApiError, Doc, Reply};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use storage::{AuditOf, Storage};

/// `GET /api/audit`
pub const LIST: Doc = Doc::of("Audit", "List audited actions, newest first")
    .query::<Query>()
    .answers::<List<EntryView>>(
        r#"{"items": [{"audit_id": "4711-0", "user_id": "usr_019a9f00a1b27c3d8e4f5a6b7c8d9e0f", "user_name": "Ani", "register_id": "till-1", "action": "drawer.opened", "at": "2026-11-20T02:06:34.739Z", "details": {"reason": "change"}}], "next_cursor": null}"#,
    );

/// Most entries that one request looks at; a page may be short, its cursor continues.
const LOOKED_AT_MAX: usize = 5_000;
/// Entries that are read at once.
const ROWS: usize = 250;

/// Audit entry with its ID and the names of the users.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "StoreAuditEntry")]
struct EntryView {
    /// ID of the entry.
    audit_id: String,
    /// Name of the user. Null for the operator of the machine, and for users whom this store does not know.
    user_name: Option<String>,
    /// Name of the user who approved the action. Omitted if no approval was needed, or for a user whom this store does
    /// not know.
    #[serde(skip_serializing_if = "Option::is_none")]
    approved_by_name: Option<String>,
    #[serde(flatten)]
    entry: AuditEntry,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    /// Only actions of this user.
    user_id: Option<UserId>,
    /// Only this action, for example `transaction.voided`.
    action: Option<String>,
    /// ID, code or number of the object of the action: only entries whose details contain exactly this value.
    object_id: Option<String>,
    /// First business date.
    from: Option<Date>,
    /// Last business date.
    to: Option<Date>,
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

impl Query {
    fn of(&self) -> AuditOf {
        match (&self.user_id, &self.action) {
            (Some(user), _) => AuditOf::User(user.clone()),
            (None, Some(action)) => AuditOf::Action(action.clone()),
            (None, None) => AuditOf::All,
        }
    }

    fn wants(&self, entry: &AuditEntry, rules: &Rules) -> bool {
        let date = rules.business_date(entry.at);
        self.action.as_ref().is_none_or(|action| entry.action == *action)
            && self.object_id.as_ref().is_none_or(|id| names(&entry.details, id))
            && self.from.is_none_or(|from| date >= from)
            && self.to.is_none_or(|to| date <= to)
    }
}

/// Whether a detail, or one of a list of them, is this text.
fn names(details: &Value, id: &str) -> bool {
    match details {
        Value::String(text) => text == id,
        Value::Array(list) => list.iter().any(|one| names(one, id)),
        Value::Object(fields) => fields.values().any(|one| names(one, id)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn named(storage: &Storage, audit_id: String, entry: AuditEntry) -> Result<EntryView, ApiError> {
    let name = |id: &UserId| {
        let known = storage.users().user(id).map_err(stored)?;
        Ok::<_, ApiError>(known.map(|user| user.name))
    };
    let user_name = name(&entry.user_id)?;
    let approved_by_name = entry.approved_by.as_ref().map(name).transpose()?.flatten();
    Ok(EntryView { audit_id, user_name, approved_by_name, entry })
}

/// `GET /api/audit`: a commit's entries stay on one page, which may be a few longer for it.
pub async fn list(request: Request) -> Answered {
    let query: Query = request.query()?;
    let mut before = query.cursor.as_ref().map(Cursor::read::<u64>).transpose()?;
    let store = &request.state.store;
    let (of, mut items, mut looked_at) = (query.of(), Vec::new(), 0);
    let more = loop {
        let rows = store.storage().log().audit(&of, before, ROWS).map_err(stored)?;
        if rows.is_empty() {
            break false;
        }
        let mut full = false;
        for (lsn, (place, entry)) in rows {
            if full && before != Some(lsn) {
                break;
            }
            before = Some(lsn);
            looked_at += 1;
            if query.wants(&entry, &store.rules()) {
                items.push(named(store.storage(), format!("{lsn}-{place}"), entry)?);
            }
            full = items.len() >= query.limit.0 || looked_at >= LOOKED_AT_MAX;
        }
        if full {
            break !store.storage().log().audit(&of, before, 1).map_err(stored)?.is_empty();
        }
    };
    let next_cursor = before.filter(|_| more).map(|before| cursor(&before));
    Ok(Reply::ok(&List { items, next_cursor }))
}
