//! The database: one code path for SQLite and PostgreSQL through sqlx's `any` driver.

pub mod again;
pub mod array;
pub mod column;
pub mod document;
pub mod failure;
pub mod filter;
pub mod guarded;
pub mod insert;
pub mod outage;
mod place;
mod reserve;
pub mod schema;

use place::Place;
use reserve::Reserve;
use sqlx::any::{AnyPoolOptions, install_default_drivers};
use sqlx::{Any, AnyConnection, AnyPool, Connection, Executor, Transaction};
use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Longest wait for a server to take a first connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest wait of a request for a connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest wait of SQLite for another process's write lock, in milliseconds.
const BUSY_TIMEOUT_SQL: &str = "PRAGMA busy_timeout = 10000";
/// Longest transaction that changes what a list shows by the time of its change. Readers ask again from twice as long
/// before the last change that they have seen (docs/api.md#read-what-has-changed).
pub const CHANGE_MAX: Duration = Duration::from_secs(300);
/// FULL: a commit is on the disk before it is answered.
const DURABLE_SQL: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL";

/// Syncs the log and copies it into the database, as far as no reader needs it.
const CHECKPOINT_SQL: &str = "PRAGMA wal_checkpoint(PASSIVE)";
/// PostgreSQL reads each statement from a different state unless it gets this.
const ONE_STATE_SQL: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// A transaction of SQLite reads one state from its first statement on.
const READ_SQL: &str = "BEGIN";
/// PostgreSQL locks rows as they are written.
const WRITE_SQL: &str = "BEGIN";
/// SQLite gives the write lock at once or after waiting. A transaction that reads first would be refused instead
/// while an abandoned one is still being undone.
const WRITE_LOCK_SQL: &str = "BEGIN IMMEDIATE";

/// Database engine behind the `any` driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// Embedded, one writer at a time.
    Sqlite,
    /// A server, perhaps shared with other hubs.
    Postgres,
}

impl Engine {
    /// The engine of a database address.
    pub fn of(url: &str) -> Option<Self> {
        match url.split_once(':')?.0 {
            "sqlite" => Some(Self::Sqlite),
            "postgres" | "postgresql" => Some(Self::Postgres),
            _ => None,
        }
    }

    /// The engine at the other end of a connection.
    pub fn of_connection(connection: &AnyConnection) -> Self {
        match connection.backend_name() {
            "PostgreSQL" => Self::Postgres,
            _ => Self::Sqlite,
        }
    }

    /// The file of an embedded database's address.
    pub fn file(url: &str) -> Option<PathBuf> {
        let path = url.strip_prefix("sqlite:").filter(|path| !path.contains(":memory:"))?;
        let path = path.strip_prefix("//").unwrap_or(path);
        Some(PathBuf::from(path.split('?').next().unwrap_or_default()))
    }
}

/// The files of an embedded database: itself, its log and the log's index.
pub fn files(url: &str) -> Vec<PathBuf> {
    let beside = |file: &PathBuf, end: &str| {
        let mut name = file.as_os_str().to_owned();
        name.push(end);
        PathBuf::from(name)
    };
    let of = |file: PathBuf| ["", "-wal", "-shm"].map(|end| beside(&file, end));
    Engine::file(url).map(of).into_iter().flatten().collect()
}

/// A pool of connections.
#[derive(Clone)]
pub struct Db {
    pool: AnyPool,
    engine: Engine,
    /// Writers at once: SQLite has one, and waiting here is fairer than at its lock.
    writers: Arc<Semaphore>,
    /// Writers that have no connection yet.
    waiting: Arc<AtomicI64>,
    /// The file of an embedded database.
    place: Option<Arc<Place>>,
}

/// A transaction that writes; dropped without [`Write::commit`] it never was.
pub struct Write {
    tx: Transaction<'static, Any>,
    begun: Instant,
    _permit: OwnedSemaphorePermit,
}

impl Db {
    /// Opens the database with at most this many connections; a SQLite file is made if `create` says so.
    ///
    /// # Errors
    /// The database can't be reached or opened.
    pub async fn connect(url: &str, connections: u32, create: bool) -> Result<Self, sqlx::Error> {
        install_default_drivers();
        let engine = Engine::of(url).ok_or_else(|| {
            sqlx::Error::Configuration("database.url must begin with sqlite:// or postgres://".into())
        })?;
        let mut url = url.to_owned();
        if let Some(file) = Engine::file(&url).filter(|_| create) {
            // Made here for its owner alone; SQLite gives its other files the same mode.
            let mut new = OpenOptions::new();
            new.write(true).create(true).truncate(false).mode(0o600).open(file)?;
        }
        if engine == Engine::Sqlite && create && !url.contains("mode=") {
            url.push_str(if url.contains('?') { "&mode=rwc" } else { "?mode=rwc" });
        }
        let options = AnyPoolOptions::new().max_connections(connections).acquire_timeout(ACQUIRE_TIMEOUT);
        let options = options.after_connect(move |connection, _| {
            Box::pin(async move {
                if engine == Engine::Sqlite {
                    connection.execute(BUSY_TIMEOUT_SQL).await?;
                    connection.execute(DURABLE_SQL).await?;
                }
                Ok(())
            })
        });
        // SQLite undoes a transaction by itself when the disk is full, and sqlx still counts it: such a connection would
        // begin nothing any more.
        let options = options.after_release(move |connection, _| {
            Box::pin(async move {
                if engine == Engine::Sqlite {
                    // The answer comes after the thread has finished its rollback.
                    connection.ping().await?;
                }
                Ok(!connection.is_in_transaction())
            })
        });
        let writers = if engine == Engine::Sqlite { 1 } else { connections as usize };
        let reserve = Reserve::beside(&url);
        // A start needs a little room, for the log and its index; it was kept for that. Tried apart from the pool, which
        // tries again until its time is over.
        if let Some(reserve) = &reserve
            && let Err(error) = opens(&url).await
            && failure::is_full(&error)
        {
            reserve.give_up();
        }
        if engine == Engine::Postgres {
            // Outside of the pool, which only reports a timeout.
            reach(&url).await?;
        }
        let pool = options.connect(&url).await?;
        if let Some(reserve) = reserve {
            reserve.keep();
        }
        if engine == Engine::Sqlite {
            // Commits that a killed process wrote into the log and never synced count from here on: they are synced to
            // the disk before any answer depends on them.
            pool.execute(CHECKPOINT_SQL).await?;
        }
        let place = Place::of(&url).map(Arc::new);
        Ok(Self { pool, engine, writers: Arc::new(Semaphore::new(writers)), waiting: Arc::default(), place })
    }

    /// Brings the tables to this version; does nothing where they are.
    ///
    /// # Errors
    /// A migration fails, or another version of the program made the tables.
    pub async fn migrate(&self) -> Result<(), schema::SchemaError> {
        schema::migrate(&self.pool, &schema::MIGRATIONS).await
    }

    /// The connection pool, for reads.
    pub fn pool(&self) -> &AnyPool {
        &self.pool
    }

    /// Begins a transaction that reads one state of the database.
    ///
    /// # Errors
    /// No connection.
    pub async fn read(&self) -> Result<Transaction<'static, Any>, sqlx::Error> {
        let statement = match self.engine {
            Engine::Sqlite => READ_SQL,
            Engine::Postgres => ONE_STATE_SQL,
        };
        let pool = self.pool.clone();
        to_its_end(async move { pool.begin_with(statement).await }).await
    }

    /// Begins a transaction that writes.
    ///
    /// # Errors
    /// No connection; the file of an embedded database is gone.
    pub async fn write(&self) -> Result<Write, sqlx::Error> {
        let _waiting = Waiting::of(&self.waiting);
        let permit = Arc::clone(&self.writers).acquire_owned().await.map_err(|_| sqlx::Error::PoolClosed)?;
        if let Some(place) = &self.place {
            place.check()?;
        }
        let statement = match self.engine {
            Engine::Sqlite => WRITE_LOCK_SQL,
            Engine::Postgres => WRITE_SQL,
        };
        let pool = self.pool.clone();
        to_its_end(async move {
            let tx = pool.begin_with(statement).await?;
            Ok(Write { tx, begun: Instant::now(), _permit: permit })
        })
        .await
    }

    /// Writers that wait for their turn, or for a connection.
    pub fn waiting_writers(&self) -> i64 {
        self.waiting.load(Ordering::Relaxed)
    }

    pub async fn close(&self) {
        self.pool.close().await;
    }
}

/// Counts a writer for as long as it waits, also if it is given up meanwhile.
struct Waiting(Arc<AtomicI64>);

impl Waiting {
    fn of(count: &Arc<AtomicI64>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(count))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Connects to a server once.
async fn reach(url: &str) -> Result<(), sqlx::Error> {
    let connecting = tokio::time::timeout(CONNECT_TIMEOUT, AnyConnection::connect(url)).await;
    connecting.map_err(|_| sqlx::Error::Io(std::io::ErrorKind::TimedOut.into()))??.close().await
}

/// Opens an embedded database as the pool does, once.
async fn opens(url: &str) -> Result<(), sqlx::Error> {
    let mut connection = AnyConnection::connect(url).await?;
    connection.execute(DURABLE_SQL).await?;
    // This creates the index of the log.
    connection.execute("SELECT COUNT(*) FROM sqlite_master").await?;
    connection.close().await
}

/// Runs `begin` in a task of its own, because it must not be dropped between the `BEGIN` that was sent and its
/// answer: sqlx rolls back only what it knows to have begun, so the connection would go back to the pool inside a
/// transaction, and its next user would read an old state or fail to write. If the caller is dropped, the
/// task still ends, and its transaction is rolled back.
async fn to_its_end<T: Send + 'static>(
    begin: impl Future<Output = Result<T, sqlx::Error>> + Send + 'static,
) -> Result<T, sqlx::Error> {
    tokio::spawn(begin).await.map_err(|_| sqlx::Error::WorkerCrashed)?
}

impl Write {
    /// Makes it durable.
    ///
    /// # Errors
    /// Unknown outcome: the caller must not claim either.
    pub async fn commit(self) -> Result<(), sqlx::Error> {
        self.tx.commit().await
    }

    /// As [`Write::commit`], for a transaction that changes what a list shows by the time of its change. One that took
    /// longer than [`CHANGE_MAX`] is rolled back: readers would miss it.
    ///
    /// # Errors
    /// It took too long; as [`Write::commit`].
    pub async fn commit_change(self) -> Result<(), sqlx::Error> {
        in_time(self.begun.elapsed())?;
        self.commit().await
    }
}

fn in_time(taken: Duration) -> Result<(), sqlx::Error> {
    if taken <= CHANGE_MAX {
        return Ok(());
    }
    Err(sqlx::Error::Protocol(format!("a change took {} s, and was rolled back", taken.as_secs())))
}

impl std::ops::Deref for Write {
    type Target = Transaction<'static, Any>;
    fn deref(&self) -> &Self::Target {
        &self.tx
    }
}

impl std::ops::DerefMut for Write {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.tx
    }
}

/// A counter or sequence number as the database keeps it: a BIGINT.
pub fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_that_readers_would_miss_is_not_committed() {
        assert!(in_time(CHANGE_MAX).is_ok());
        assert!(in_time(CHANGE_MAX + Duration::from_millis(1)).is_err());
    }
}
