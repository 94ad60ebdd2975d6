//! The identity of this hub: its ID, and the generation of its database.

use crate::db::column::time_zone;
use crate::{columns, secret};
use domain::model::base::currency::Currency;
use domain::model::base::time::UtcMs;
use jiff::tz::TimeZone;
use sqlx::AnyConnection;

/// The hub's own row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The value in every token: `cloud-hub:<hub_id>`.
    pub hub_id: String,
    /// Changes with every restore: what stores remember of an older one no longer counts.
    pub generation: String,
    /// Number of the generation, from 1.
    pub number: u64,
}

impl Identity {
    /// Makes the row; false if there is one already.
    pub async fn create(connection: &mut AnyConnection, id: &str, now: UtcMs) -> Result<bool, sqlx::Error> {
        let hub_id = if id.is_empty() { format!("hub-{}", secret::mark()) } else { id.to_owned() };
        let sql = "INSERT INTO hub (singleton, hub_id, generation, created_at) VALUES (1, $1, $2, $3) \
                   ON CONFLICT (singleton) DO NOTHING";
        let query = sqlx::query(sql).bind(hub_id).bind(secret::mark()).bind(now.0);
        Ok(query.execute(connection).await?.rows_affected() == 1)
    }

    /// Reads the row; `None` before `init`.
    pub async fn load(pool: &sqlx::AnyPool) -> Result<Option<Self>, sqlx::Error> {
        let row =
            sqlx::query("SELECT hub_id, generation, generation_n FROM hub").fetch_optional(pool).await?;
        row.map(|row| Ok(columns!(row => Self { hub_id, generation, number: "generation_n" }))).transpose()
    }
}

/// Head office's time zone.
pub async fn zone(connection: &mut AnyConnection) -> Result<TimeZone, sqlx::Error> {
    let name: String = sqlx::query_scalar("SELECT timezone FROM hub").fetch_one(connection).await?;
    time_zone(&name)
}

/// Notes head office's time zone, if it has changed.
pub async fn set_zone(connection: &mut AnyConnection, name: &str) -> Result<(), sqlx::Error> {
    let sql = "UPDATE hub SET timezone = $1 WHERE timezone <> $1";
    sqlx::query(sql).bind(name).execute(connection).await.map(drop)
}

/// Currency of all amounts.
pub async fn currency(connection: &mut AnyConnection) -> Result<Currency, sqlx::Error> {
    let code: String = sqlx::query_scalar("SELECT currency FROM hub").fetch_one(connection).await?;
    Currency::of(&code).ok_or_else(|| sqlx::Error::Decode(format!("{code} is not a currency").into()))
}

/// Notes the currency of all amounts, as the settings say. The currency that the amounts are in, if that is another
/// one: it can't change any more.
pub async fn adopt_currency(
    connection: &mut AnyConnection,
    code: &str,
) -> Result<Option<Currency>, sqlx::Error> {
    let sql = "UPDATE hub SET currency = $1 WHERE currency <> $1 \
               AND NOT EXISTS (SELECT 1 FROM products) AND NOT EXISTS (SELECT 1 FROM records) \
               AND NOT EXISTS (SELECT 1 FROM journal) AND NOT EXISTS (SELECT 1 FROM statements)";
    sqlx::query(sql).bind(code).execute(&mut *connection).await?;
    Ok(Some(currency(connection).await?).filter(|kept| kept.code() != code))
}
