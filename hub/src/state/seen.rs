//! The stores that were in contact recently, including those that only listen.

use crate::db::Db;
use domain::model::base::time::UtcMs;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Period between records of a store that only listens as heard, in milliseconds.
const SEEN_EVERY_MS: i64 = 60_000;

/// Time at which each store that only listens was last heard, and at which this process recorded it.
#[derive(Default)]
pub struct Seen(Mutex<HashMap<String, Heard>>);

#[derive(Default)]
struct Heard {
    at: i64,
    written: i64,
}

impl Seen {
    fn all(&self) -> MutexGuard<'_, HashMap<String, Heard>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers that a store was heard; [`Seen::write`] writes it down.
    pub fn note(&self, store_id: &str, now: UtcMs) {
        self.all().entry(store_id.to_owned()).or_default().at = now.0;
    }

    /// Writes down who was heard since the last time, in one transaction for all: an idle store only listens.
    ///
    /// # Errors
    /// A database error; the next write includes them.
    pub async fn write(&self, db: &Db) -> Result<(), sqlx::Error> {
        let late = |heard: &Heard| heard.at.saturating_sub(heard.written).abs() >= SEEN_EVERY_MS;
        let heard: BTreeMap<String, i64> = {
            let all = self.all();
            let late = all.iter().filter(|(_, heard)| late(heard));
            late.map(|(store_id, heard)| (store_id.clone(), heard.at)).collect()
        };
        if heard.is_empty() {
            return Ok(());
        }
        let mut write = db.write().await?;
        for (store_id, at) in &heard {
            let sql = "UPDATE stores SET last_seen_at = $2 WHERE store_id = $1";
            sqlx::query(sql).bind(store_id).bind(at).execute(&mut **write).await?;
        }
        write.commit().await?;
        let mut all = self.all();
        for (store_id, at) in heard {
            all.entry(store_id).or_default().written = at;
        }
        Ok(())
    }
}
