//! The tables: the migrations that make them, and the refusal of a database of another version.
//!
//! Changes of the schema by releases: `docs/decisions/0028-one-format-until-1.0.md`.

use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::{AnyPool, SqlSafeStr};
use std::borrow::Cow;

/// A migration: its version, its name, its statements.
pub type Step = (i64, &'static str, &'static str);

/// The migrations in order; one that was released is never edited. The first makes the whole schema.
pub const MIGRATIONS: [Step; 1] = [(1, "schema", include_str!("../../migrations/0001_schema.sql"))];

/// Reason why the tables can't be used.
#[derive(Debug, thiserror::Error)]
pub enum SchemaError {
    /// Another version of the program made them.
    #[error(
        "another version of this program created the tables (schema version {found}; this one reads version \
         {known}). Nothing was changed: start the program that created them, restore a backup of this program, \
         or start with a new database (`cloud-hub init`)"
    )]
    Other {
        /// The first version that this program does not know, or knows otherwise.
        found: i64,
        /// Version of this program.
        known: i64,
    },
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
