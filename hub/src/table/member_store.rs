//! `member_stores`: which stores have met which members.

use crate::config::Reach;
use sqlx::AnyConnection;

/// Whether a change `f` of the feed is for the store with this name in SQL.
pub fn reaches(store: &str) -> String {
    format!(
        "(f.kind NOT IN ('member', 'points') OR EXISTS (SELECT 1 FROM stores s WHERE s.store_id = {store} \
         AND s.members_reach = 'all') OR EXISTS (SELECT 1 FROM member_stores m WHERE m.store_id = {store} \
         AND m.member_id = f.id))"
    )
}

/// Whether a store is notified of every member.
pub async fn hears_all(connection: &mut AnyConnection, store_id: &str) -> Result<bool, sqlx::Error> {
    let sql = "SELECT members_reach FROM stores WHERE store_id = $1";
    let reach: Option<String> = sqlx::query_scalar(sql).bind(store_id).fetch_optional(connection).await?;
    Ok(reach.is_none_or(|reach| reach == Reach::All.name()))
}
