//! Why something failed: a refusal for the client, or an error of the database.

use super::outage;
use super::place::Gone;
use edge::ApiError;

/// A refusal or a failure of the machine.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// A refusal that is sent to the client; nothing was changed.
    #[error("{}", .0.message)]
    Refused(ApiError),
    #[error("database: {0}")]
    Sql(#[from] sqlx::Error),
}

/// Seconds after which a database that did not answer is worth another try.
const RETRY_AFTER_S: u64 = 2;

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Self::Refused(error)
    }
}

impl From<Failure> for ApiError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Refused(error) => error,
            Failure::Sql(error) if is_full(&error) => Self::storage_full(FULL),
            Failure::Sql(error) if is_gone(&error) => {
                tracing::error!(%error, "the database's file was moved or removed");
                Self::unavailable(GONE, RETRY_AFTER_S)
            }
            Failure::Sql(error) if is_unopened(&error) => {
                tracing::error!(%error, "the database's file can't be opened");
                Self::unavailable(UNOPENED, RETRY_AFTER_S)
            }
            Failure::Sql(error) if outage::note(&error) => {
                Self::unavailable("the database is not available", RETRY_AFTER_S)
            }
            Failure::Sql(error) if is_passing(&error) => {
                tracing::warn!(%error, "the database can't do it now");
                Self::unavailable("the database is not available", RETRY_AFTER_S)
            }
            Failure::Sql(error) if is_overflow(&error) => too_large(),
            Failure::Sql(error) => Self::internal(error),
        }
    }
}

/// Message while the disk of the database is full.
const FULL: &str =
    "the disk of the database is full: free some space. Reading still works, and nothing was changed";

/// Message while the file of an embedded database is not at its place.
const GONE: &str = "the file of the database was moved or removed: put it back, or stop the hub and restore a backup. \
                    Nothing was changed";

/// Message while no new connection to an embedded database can be opened.
const UNOPENED: &str = "the file of the database can't be opened: it was moved or removed, or the hub may open no more \
                        files. Put it back, or raise LimitNOFILE of the unit. Nothing was changed";

/// SQLite: `SQLITE_CANTOPEN`.
const UNOPENED_CODE: u32 = 14;

/// Whether a new connection found no file, while the open ones still read.
fn is_unopened(error: &sqlx::Error) -> bool {
    let sqlx::Error::Database(error) = error else { return false };
    error
        .code()
        .and_then(|code| code.parse::<u32>().ok())
        .is_some_and(|code| code & 0xff == UNOPENED_CODE && code < 10_000)
}

fn is_gone(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::Io(error) if error.get_ref().is_some_and(|error| error.is::<Gone>()))
}

/// Whether the database has no room to write: a full disk, at either engine.
pub fn is_full(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(error) => error.kind() == std::io::ErrorKind::StorageFull,
        sqlx::Error::Database(error) => error.code().is_some_and(|code| FULL_CODES.contains(&&*code)),
        _ => false,
    }
}

/// SQLite: `SQLITE_FULL`, and no room for its log's index (`SQLITE_IOERR_SHMSIZE`). PostgreSQL: `disk_full`.
const FULL_CODES: [&str; 3] = ["13", "4874", "53100"];

/// PostgreSQL: connection, a server that only reads (it is no primary any more), rollback of the transaction,
/// resources, lock timeout, shutdown.
const PASSING_CODES: [&str; 6] = ["08", "25006", "40", "53", "55P03", "57"];
/// PostgreSQL: a statement that took longer than it may.
const TOO_LONG_CODE: &str = "57014";
/// SQLite, without their extensions: no memory, read-only, interrupted, input and output, a damaged file, a file that
/// can't be opened or is no database.
const MACHINE_CODES: [u32; 7] = [7, 8, 9, 10, 11, 14, 26];

/// Whether a statement failed, and not the machine or the connection: then one record is at fault, and the others are
/// fine.
pub fn is_of_statement(error: &sqlx::Error) -> bool {
    use sqlx::Error;
    match error {
        Error::Database(database) => {
            let code = database.code().unwrap_or_default();
            // PostgreSQL's codes have letters or are larger.
            let sqlite = code.parse::<u32>().ok().filter(|code| *code < 10_000).map(|code| code & 0xff);
            let machine = sqlite.is_some_and(|code| MACHINE_CODES.contains(&code));
            code == TOO_LONG_CODE || !(machine || is_full(error) || is_passing(error))
        }
        // The answer or a parameter has the wrong type.
        Error::RowNotFound
        | Error::TypeNotFound { .. }
        | Error::ColumnIndexOutOfBounds { .. }
        | Error::ColumnNotFound(_)
        | Error::ColumnDecode { .. }
        | Error::Encode(_)
        | Error::Decode(_)
        | Error::AnyDriverError(_) => true,
        _ => false,
    }
}

/// PostgreSQL: no connection; a server that ends, starts or has no room for a connection; one that only reads, so that it
/// is no primary.
const AWAY_CODES: [&str; 4] = ["08", "57P", "53300", "25006"];

/// Whether the database can't be reached for now; a refused password and similar errors do not count.
pub fn is_away(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) => !is_full(error) && !is_gone(error),
        sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed | sqlx::Error::WorkerCrashed => true,
        sqlx::Error::Database(error) => {
            let code = error.code().unwrap_or_default();
            AWAY_CODES.iter().any(|class| code.starts_with(class)) && code.len() == 5
        }
        _ => false,
    }
}

/// PostgreSQL: a prepared statement that exists already, or does not.
const PREPARED_CODES: [&str; 2] = ["42P05", "26000"];

/// Whether a pooler in front of the database gives each transaction another connection: prepared statements get mixed
/// up then.
pub fn is_of_pooler(error: &sqlx::Error) -> bool {
    let sqlx::Error::Database(error) = error else { return false };
    error.code().is_some_and(|code| PREPARED_CODES.contains(&&*code))
}

/// Whether the same statement may work later: no connection, locks, a restart of the database.
fn is_passing(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed | sqlx::Error::Tls(_) => {
            true
        }
        sqlx::Error::Database(error) => error.code().is_some_and(|code| {
            // SQLite: busy and locked with their extensions.
            let sqlite_busy =
                code.parse::<u32>().is_ok_and(|code| code < 10_000 && matches!(code & 0xff, 5 | 6));
            sqlite_busy || PASSING_CODES.iter().any(|class| code.starts_with(class))
        }),
        _ => false,
    }
}

/// Whether a sum exceeds the database's integers; SQLite has no error code of its own for it.
pub fn is_overflow(error: &sqlx::Error) -> bool {
    let sqlx::Error::Database(error) = error else { return false };
    error.code().as_deref() == Some("22003") || error.message().contains("integer overflow")
}

/// 422 for a sum above the largest figure.
pub fn too_large() -> ApiError {
    ApiError::field(
        "figures",
        "must not be above the largest possible value: choose fewer days, one store or one book",
    )
}

/// Whether a value was out of the bounds of its table.
pub fn is_data(error: &sqlx::Error) -> bool {
    let sqlx::Error::Database(error) = error else { return false };
    let constraint = !matches!(error.kind(), sqlx::error::ErrorKind::Other);
    constraint
        || error.code().is_some_and(|code| {
            let sqlite =
                code.parse::<u32>().is_ok_and(|code| code < 10_000 && matches!(code & 0xff, 18..=20));
            let postgres = code.len() == 5 && (code.starts_with("22") || code.starts_with("23"));
            sqlite || postgres
        })
}
