//! Requirements for an account before the money of a method gathers on it, and the reasons why a mapping can't be
//! changed.

use crate::columns;
use crate::db::failure::Failure;
use crate::office::finance::mapping::View;
use domain::model::base::refusal::Refusal;
use domain::rules::books::posting::MappingOf;
use edge::ApiError;
use serde_json::json;
use sqlx::AnyConnection;

/// The proof of an account of a method counts all entries on it, except those by hand: nothing else may have been
/// posted there, or be mapped to it.
///
/// # Errors
/// 422.
pub async fn check_nothing_else(connection: &mut AnyConnection, account: &str) -> Result<(), Failure> {
    let sql = "SELECT kind, mapped_key FROM mappings WHERE account = $1 AND kind <> 'method' LIMIT 1";
    if let Some(row) = sqlx::query(sql).bind(account).fetch_optional(&mut *connection).await? {
        let (kind, key): (String, String) = columns!(row => (kind, mapped_key));
        let problem =
            format!("is used by the mapping of {kind} {key}: remove that mapping, or name another account");
        return Err(ApiError::field("account", problem).into());
    }
    let sql = "SELECT name FROM statement_sources WHERE account = $1 LIMIT 1";
    let source: Option<String> =
        sqlx::query_scalar(sql).bind(account).fetch_optional(&mut *connection).await?;
    if let Some(name) = source {
        let problem = format!("is used by statement source {name}: name another account");
        return Err(ApiError::field("account", problem).into());
    }
    let sql = "SELECT j.entry_id FROM ledger_days d \
               JOIN journal j ON j.store_id = d.store_id AND j.entry_date = d.entry_date \
               JOIN journal_lines l ON l.store_id = j.store_id AND l.entry_no = j.entry_no AND l.account = d.account \
               WHERE d.account = $1 AND j.kind <> 'manual' AND NOT (j.kind = 'reversal' AND EXISTS (\
               SELECT 1 FROM journal r WHERE r.store_id = j.store_id AND r.entry_id = j.reverses AND r.kind = 'manual')) \
               LIMIT 1";
    let entry: Option<String> = sqlx::query_scalar(sql).bind(account).fetch_optional(connection).await?;
    match entry {
        None => Ok(()),
        Some(entry_id) => {
            let problem = format!("has automatic entries, such as {entry_id}: name another account");
            Err(ApiError::field("account", problem).into())
        }
    }
}

/// 409 for a mapping that an entry or the match of a bank's line has used.
///
/// # Errors
/// `invalid_state`.
pub async fn check_unused(connection: &mut AnyConnection, mapping: &View) -> Result<(), Failure> {
    let used = match mapping.of {
        MappingOf::BankText => text_matched(connection, mapping).await?,
        _ => posted_by(connection, mapping).await? || opened_by(connection, mapping).await?,
    };
    if !used {
        return Ok(());
    }
    let (state, allowed) = ("used".to_owned(), Vec::new());
    Err(ApiError::from(Refusal::InvalidState { state, allowed }).into())
}

/// Whether an event was posted by it: the context of its entry has the mappings that it used.
async fn posted_by(connection: &mut AnyConnection, mapping: &View) -> Result<bool, sqlx::Error> {
    let named = json!({format!("{} {}", mapping.of.name(), mapping.key): mapping.account}).to_string();
    let named = named.trim_start_matches('{').trim_end_matches('}');
    // Both engines have REPLACE, and neither treats the texts of others as a pattern.
    let sql = "SELECT 1 FROM ledger_days d \
               JOIN journal j ON j.store_id = d.store_id AND j.entry_date = d.entry_date AND j.kind = 'event' \
               JOIN posting_contexts c ON c.store_id = j.store_id AND c.event_id = j.event_id \
               WHERE d.account = $1 AND d.entry_date >= $2 AND REPLACE(c.context, $3, '') <> c.context LIMIT 1";
    let query = sqlx::query(sql).bind(&mapping.account).bind(mapping.from.to_string()).bind(named);
    Ok(query.fetch_optional(connection).await?.is_some())
}

/// Whether a book began with payments of the method on its account.
async fn opened_by(connection: &mut AnyConnection, mapping: &View) -> Result<bool, sqlx::Error> {
    if mapping.of != MappingOf::Method {
        return Ok(false);
    }
    let sql = "SELECT 1 FROM journal j JOIN settlement_items i ON i.document_id = j.entry_id AND i.store_id = j.store_id \
               WHERE j.kind = 'opening' AND j.kind <> 'event' AND j.entry_date >= $3 AND i.method = $1 \
               AND i.account = $2 LIMIT 1";
    let query = sqlx::query(sql).bind(&mapping.key).bind(&mapping.account).bind(mapping.from.to_string());
    Ok(query.fetch_optional(connection).await?.is_some())
}

/// Whether a line was matched by it that is posted, or will be with its statement.
async fn text_matched(connection: &mut AnyConnection, mapping: &View) -> Result<bool, sqlx::Error> {
    let sql = "SELECT 1 FROM settlement_matches WHERE rule = 'text' AND account = $1 AND line_date >= $2 \
               AND state <> 'undone' LIMIT 1";
    let query = sqlx::query(sql).bind(&mapping.account).bind(mapping.from.to_string());
    Ok(query.fetch_optional(connection).await?.is_some())
}
