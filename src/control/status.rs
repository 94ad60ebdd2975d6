//! State of the store as one value: for `status` and for pages.

use super::wire::Trouble;
use crate::folder;
use crate::start::Standing;
use actors::StoreHandle;
use serde_json::{Value, json};
use storage::Storage;

/// The store as it is now.
///
/// # Errors
/// Its rows can't be read.
pub fn of(store: &StoreHandle, serving: bool) -> Result<Value, Trouble> {
    let storage = store.storage();
    let (running, restarting) = store.actor_counts();
    let sync = store.sync_status()?;
    let actors = serving.then(|| json!({"running": running, "restarting": restarting, "tree": store.tree()}));
    let hub = match storage.sync().hub().map_err(folder::in_use)? {
        Some(hub) => json!({"hub_id": hub.hub_id, "url": hub.url, "link": sync.get("hub")}),
        None => Value::Null,
    };
    let stats = storage.stats();
    Ok(json!({
        "store_id": store.rules().store_id,
        "version": edge::VERSION,
        "serving": serving,
        "actors": actors,
        "problems": sync.get("problems"),
        "outbox": sync.get("outbox"),
        "hub": hub,
        "standing": Standing::of(storage)?,
        "disk": {
            "free_bytes": stats.free_bytes,
            "problem": storage.writable().err().map(|why| why.to_string()),
            "commits": stats.lsn,
            "segments": stats.segments,
        },
        "shifts": shifts(storage)?,
    }))
}

fn shifts(storage: &Storage) -> Result<Vec<Value>, Trouble> {
    let open = storage.shifts().open_shifts().map_err(folder::in_use)?;
    let view = |shift: domain::model::books::shift::Shift| {
        let user = storage.users().user(&shift.opened_by).map_err(folder::in_use)?;
        Ok(json!({
            "shift_id": shift.shift_id,
            "register_ids": shift.registers(),
            "state": shift.state,
            "opened_by": user.map_or(shift.opened_by.0, |user| user.username),
            "opened_at": shift.opened_at,
            "business_date": shift.business_date,
            "sales": shift.totals.sales_count,
            "total": shift.totals.total,
        }))
    };
    open.into_iter().map(view).collect::<anyhow::Result<_>>().map_err(Trouble::from)
}
