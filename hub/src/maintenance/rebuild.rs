//! Rebuilds rollups from the records, store by store, also beside a running hub.

use crate::columns;
use crate::db::column::time_zone;
use crate::db::{Db, signed};
use crate::projection::envelope::{Incoming, ToPost, Understood};
use crate::projection::recompute;
use crate::table::record::text;
use crate::table::rollup;
use domain::wire::sync::PushEvent;
use sqlx::{AnyConnection, Error};

/// Records that are read at once.
const PAGE: i64 = 500;

/// Sums to rebuild.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Rebuild {
    /// The sums of reports, by the categories that lines have
    Rollups,
    /// The categories of lines, from those that products have today, and then the sums
    Categories,
}

/// Makes them again; `progress` receives each store.
///
/// # Errors
/// A database error; the reported stores are done.
pub async fn rebuild(db: &Db, what: Rebuild, progress: &mut dyn FnMut(&str)) -> Result<(), Error> {
    let sql = "SELECT store_id FROM stores ORDER BY store_id";
    let stores: Vec<String> = sqlx::query_scalar(sql).fetch_all(db.pool()).await?;
    for store_id in &stores {
        let mut write = db.write().await?;
        of_store(&mut write, store_id, what).await?;
        write.commit().await?;
        progress(store_id);
    }
    Ok(())
}

/// The store's row is locked as by a push: records that arrive meanwhile are applied afterwards.
async fn of_store(connection: &mut AnyConnection, store_id: &str, what: Rebuild) -> Result<(), Error> {
    let sql = "UPDATE stores SET contacted_at = contacted_at WHERE store_id = $1 RETURNING timezone";
    let zone: String = sqlx::query_scalar(sql).bind(store_id).fetch_one(&mut *connection).await?;
    let zone = time_zone(&zone)?;
    if what == Rebuild::Categories {
        categorise(connection, store_id).await?;
    }
    rollup::clear(connection, store_id).await?;
    let mut place = (String::new(), 0);
    loop {
        let sql = "SELECT epoch, seq, record, encoding FROM records WHERE store_id = $1 AND (epoch, seq) > ($2, $3) \
                   AND state = 'applied' ORDER BY epoch, seq LIMIT $4";
        let query = sqlx::query(sql).bind(store_id).bind(place.0.clone()).bind(signed(place.1)).bind(PAGE);
        let rows = query.fetch_all(&mut *connection).await?;
        if rows.is_empty() {
            return Ok(());
        }
        let mut applied: Vec<(String, Understood)> = Vec::new();
        for row in &rows {
            place = columns!(row => (epoch, seq));
            let event = PushEvent { seq: place.1, hash: String::new(), record: text(row)? };
            let event = Incoming::read(event, store_id);
            applied.extend(event.event_id.zip(event.understood.ok()));
        }
        let reported: Vec<ToPost<'_>> =
            applied.iter().map(|(event_id, event)| (event_id.as_str(), event)).collect();
        let sums = recompute::rollup_sums(connection, (store_id, &zone), &reported).await?;
        sums.write(connection).await?;
    }
}

/// Gives every line the category that its product has today.
async fn categorise(connection: &mut AnyConnection, store_id: &str) -> Result<(), Error> {
    for sql in [
        "UPDATE sale_lines SET category = COALESCE((SELECT p.category FROM products p \
         WHERE p.sku = sale_lines.sku), '') WHERE store_id = $1",
        "UPDATE return_lines SET category = COALESCE((SELECT p.category FROM products p \
         WHERE p.sku = return_lines.sku), '') WHERE store_id = $1",
    ] {
        sqlx::query(sql).bind(store_id).execute(&mut *connection).await?;
    }
    Ok(())
}
