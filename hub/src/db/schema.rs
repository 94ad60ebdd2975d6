//! The tables: the migrations that make them, and the refusal of a database of another version.
//!
//! How a release changes the schema: `docs/decisions/0028-one-format-until-1.0.md`.

use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::{AnyPool, SqlSafeStr};
use std::borrow::Cow;

/// A migration: its version, its name, its statements.
pub type Step = (i64, &'static str, &'static str);

/// The migrations in order; one that was released is never edited.
pub const MIGRATIONS: [Step; 24] = [
    (1, "initial", include_str!("../../migrations/0001_initial.sql")),
    (10, "sync", include_str!("../../migrations/0010_sync.sql")),
    (11, "generations", include_str!("../../migrations/0011_generations.sql")),
    (12, "records", include_str!("../../migrations/0012_records.sql")),
    (13, "returned", include_str!("../../migrations/0013_returned.sql")),
    (14, "reservations", include_str!("../../migrations/0014_reservations.sql")),
    (20, "identity", include_str!("../../migrations/0020_identity.sql")),
    (30, "compaction", include_str!("../../migrations/0030_compaction.sql")),
    (31, "returned elsewhere", include_str!("../../migrations/0031_returned_elsewhere.sql")),
    (32, "office", include_str!("../../migrations/0032_office.sql")),
    (33, "parked points", include_str!("../../migrations/0033_parked_points.sql")),
    (34, "compaction marks", include_str!("../../migrations/0034_compaction_marks.sql")),
    (40, "balances for all", include_str!("../../migrations/0040_balances_for_all.sql")),
    (50, "audit", include_str!("../../migrations/0050_audit.sql")),
    (60, "devices", include_str!("../../migrations/0060_devices.sql")),
    (70, "people", include_str!("../../migrations/0070_people.sql")),
    (80, "receipts", include_str!("../../migrations/0080_receipts.sql")),
    (90, "members", include_str!("../../migrations/0090_members.sql")),
    (91, "reach", include_str!("../../migrations/0091_reach.sql")),
    (100, "passwords", include_str!("../../migrations/0100_passwords.sql")),
    (110, "prices", include_str!("../../migrations/0110_prices.sql")),
    (120, "barcodes", include_str!("../../migrations/0120_barcodes.sql")),
    (130, "days", include_str!("../../migrations/0130_days.sql")),
    (140, "day start", include_str!("../../migrations/0140_day_start.sql")),
];

/// Why the tables can't be used.
#[derive(Debug, thiserror::Error)]
pub enum SchemaError {
    /// Another version of the program made them.
    #[error(
        "another version of this program made the tables (schema version {found}; this one reads version {known}), \
         and nothing was changed: start the program that made them, restore a backup that this one made, or begin \
         with a new database (`cloud-hub init`)"
    )]
    Other {
        /// The first version that this program does not know, or knows otherwise.
        found: i64,
        /// This program's.
        known: i64,
    },
    /// The database failed.
    #[error(transparent)]
    Failed(MigrateError),
}

/// The schema version that these migrations lead to.
pub fn version(steps: &[Step]) -> i64 {
    steps.last().map_or(0, |(version, ..)| *version)
}

/// Runs the migrations that a database lacks; one that has others is refused as it is.
///
/// # Errors
/// A migration fails, or another version of the program made the tables.
pub async fn migrate(pool: &AnyPool, steps: &[Step]) -> Result<(), SchemaError> {
    let migration = |(version, name, sql): &Step| {
        Migration::new(*version, Cow::Borrowed(name), MigrationType::Simple, sql.into_sql_str(), false)
    };
    let migrator = Migrator::with_migrations(steps.iter().map(migration).collect());
    migrator.run(pool).await.map_err(|error| match error {
        MigrateError::VersionMissing(found) | MigrateError::VersionMismatch(found) => {
            SchemaError::Other { found, known: version(steps) }
        }
        error => SchemaError::Failed(error),
    })
}
