//! PostgreSQL for the tests: the named server, or a private one, installed if missing.

use crate::tools::apt;
use anyhow::{Context, anyhow, ensure};
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tempfile::TempDir;
use testkit::hub::database::{self, programs};
use testkit::hub::postgres;
use tokio::process::Command;

/// Names a server that is there already: `postgres://user@host`.
pub const GIVEN: &str = database::SERVER;
/// Installs it without the cluster that the package would make and start.
const INSTALL: &str = "apt-get install -y -qq --no-install-recommends postgresql-common; \
    mkdir -p /etc/postgresql-common/createcluster.d; \
    echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.d/no-main.conf; \
    apt-get install -y -qq --no-install-recommends postgresql";
/// The tests' data may be lost with the machine; many hubs with a pool each run at once.
const SETTINGS: [&str; 8] = [
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "max_connections=500",
    "shared_buffers=64MB",
    "max_wal_size=256MB",
    "autovacuum=off",
    "jit=off",
];

/// A folder of Linux that is kept in memory.
const MEMORY: &str = "/dev/shm";
/// Free bytes that the tests' data needs there, with room to spare.
const MEMORY_NEEDED: u64 = 2 << 30;

/// The folder in memory, if it has room. On a disk, creating and removing the thousand files of each test's database
/// costs the file system more than the tests cost the server.
fn roomy_memory() -> Option<&'static Path> {
    let about = rustix::fs::statvfs(MEMORY).ok()?;
    (about.f_bavail.saturating_mul(about.f_frsize) >= MEMORY_NEEDED).then_some(Path::new(MEMORY))
}

/// A server for the tests.
pub enum Postgres {
    /// An existing one; its address.
    Given(String),
    /// Our own one; dropping it ends it.
    Private(Private),
}

impl Postgres {
    /// The given one, or a private one, installed if need be.
    pub async fn start() -> anyhow::Result<Self> {
        if let Some(server) = std::env::var_os(GIVEN) {
            let server = server.into_string().ok().with_context(|| format!("{GIVEN} is no text"))?;
            return Ok(Self::Given(server));
        }
        if programs().is_none() {
            let hint = "PostgreSQL is not installed and could not be installed with apt-get: install it, or name a \
                server in HUB_TEST_POSTGRES=postgres://user@host";
            apt::run("postgresql", INSTALL, hint).await?;
        }
        let programs = programs().context("PostgreSQL is not complete (initdb, postgres, pg_isready)")?;
        let folder = roomy_memory().map_or_else(tempfile::tempdir, tempfile::tempdir_in)?;
        Private::start(programs, folder, &SETTINGS).map(Self::Private)
    }

    /// `postgres://user@host:port`
    pub fn address(&self) -> String {
        match self {
            Self::Given(server) => server.clone(),
            Self::Private(private) => private.server(),
        }
    }
}

/// A server that this command started.
pub struct Private(postgres::Postgres);

impl Private {
    /// Makes a cluster in a folder, which is removed with it, and serves it.
    pub fn start(programs: PathBuf, folder: TempDir, settings: &[&str]) -> anyhow::Result<Self> {
        // A failure in the testkit is a panic. A command reports an error and runs its other steps.
        let started =
            catch_unwind(AssertUnwindSafe(|| postgres::Postgres::start_with(programs, folder, settings)));
        started.map(Self).map_err(|_| anyhow!("PostgreSQL did not start: see above"))
    }

    /// One of PostgreSQL's programs, set up to use a database of this server.
    pub fn client(&self, program: &str, database: &str) -> Command {
        let mut command = Command::from(self.0.client(program, database));
        command.stdin(Stdio::null()).kill_on_drop(true);
        command
    }

    pub async fn create_database(&self, name: &str) -> anyhow::Result<()> {
        let status = self.client("createdb", "postgres").arg(name).status().await?;
        ensure!(status.success(), "createdb: {status}");
        Ok(())
    }
}

impl Deref for Private {
    type Target = postgres::Postgres;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}
