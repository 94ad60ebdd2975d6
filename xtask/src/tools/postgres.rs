//! A private PostgreSQL for the tests: installed where it is missing, in a folder of its own, and ended
//! with this command whatever ends it.

use crate::daemon::free_address;
use anyhow::{Context, bail, ensure};
use std::fs::{File, Permissions};
use std::net::SocketAddr;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::process::Command;

/// Names a server that is there already: `postgres://user@host`.
pub const GIVEN: &str = "HUB_TEST_POSTGRES";
/// Where Debian and its children keep the programs of each version.
const VERSIONS: &str = "/usr/lib/postgresql";
/// Without the cluster that the package would make and start.
const INSTALL_SCRIPT: &str = "set -e; export DEBIAN_FRONTEND=noninteractive; apt-get update -qq; \
    apt-get install -y -qq --no-install-recommends postgresql-common; \
    mkdir -p /etc/postgresql-common/createcluster.d; \
    echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.d/no-main.conf; \
    apt-get install -y -qq --no-install-recommends postgresql";
/// Installing takes at most this long.
const INSTALL: Duration = Duration::from_secs(600);
/// From start to the first connection.
const READY: Duration = Duration::from_secs(60);
/// From the request to end to the end.
const STOP: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(20);
/// The file in its folder that it writes what it tells into.
const LOG: &str = "log";
/// The tests' data may be lost with the machine; many hubs with a pool each run at once.
const SETTINGS: [&str; 7] = [
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "max_connections=500",
    "shared_buffers=64MB",
    "max_wal_size=256MB",
    "autovacuum=off",
];

/// A server for the tests.
pub enum Postgres {
    /// It was there; its address.
    Given(String),
    /// It is ours; dropping it ends it.
    Private(Private),
}

/// A server that this command started.
pub struct Private {
    child: Child,
    address: SocketAddr,
    programs: PathBuf,
    folder: TempDir,
}

impl Postgres {
    /// The given one, or a private one, installed if need be.
    pub async fn start() -> anyhow::Result<Self> {
        if let Some(server) = std::env::var_os(GIVEN) {
            let server = server.into_string().ok().with_context(|| format!("{GIVEN} is no text"))?;
            return Ok(Self::Given(server));
        }
        let folder = tempfile::tempdir()?;
        Private::start(programs().await?, folder, &SETTINGS).await.map(Self::Private)
    }

    /// `postgres://user@host:port`
    pub fn address(&self) -> String {
        match self {
            Self::Given(server) => server.clone(),
            Self::Private(private) => format!("postgres://postgres@{}", private.address),
        }
    }
}

impl Private {
    /// Makes a cluster in a folder, which goes with it, and serves it.
    pub async fn start(programs: PathBuf, folder: TempDir, settings: &[&str]) -> anyhow::Result<Self> {
        let user = unprivileged().await?;
        let data = folder.path().join("data");
        if let Some(user) = &user {
            // The other user has to get through, and owns what is inside.
            std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755))?;
            std::fs::create_dir(&data)?;
            run(Command::new("chown").arg(user).arg(&data)).await?;
        }
        let mut init = Command::from(as_user(user.as_deref(), &programs.join("initdb")));
        init.args(["--auth=trust", "--username=postgres", "--encoding=UTF8", "--no-sync", "-D"]).arg(&data);
        run(init.stdout(Stdio::null())).await.context("initdb")?;
        let log = folder.path().join(LOG);
        let address = free_address()?;
        let mut serve = as_user(user.as_deref(), &programs.join("postgres"));
        serve.arg("-D").arg(&data).args(["-h", "127.0.0.1", "-p", &address.port().to_string(), "-k"]);
        serve.arg(&data).args(settings.iter().flat_map(|setting| ["-c", setting]));
        let output = File::create(&log)?;
        let child = serve.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output).spawn();
        let child = child.context("postgres does not start")?;
        let mut server = Self { child, address, programs, folder };
        server.wait_ready(&log).await?;
        Ok(server)
    }

    /// The process that all others of the server are children of.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn log(&self) -> PathBuf {
        self.folder.path().join(LOG)
    }

    /// A database of it, over TCP.
    pub fn url(&self, name: &str) -> String {
        format!("postgres://postgres@{}/{name}", self.address)
    }

    /// The same by its socket, which costs less.
    pub fn local_url(&self, name: &str) -> String {
        let socket = self.folder.path().join("data");
        format!("postgres://postgres@localhost:{}/{name}?host={}", self.address.port(), socket.display())
    }

    /// One of PostgreSQL's programs, set up to use a database of this server.
    pub fn client(&self, program: &str, database: &str) -> Command {
        let mut command = Command::new(self.programs.join(program));
        command.env("PGHOST", self.folder.path().join("data")).env("PGUSER", "postgres");
        command.env("PGPORT", self.address.port().to_string()).env("PGDATABASE", database);
        command.stdin(Stdio::null()).kill_on_drop(true);
        command
    }

    async fn wait_ready(&mut self, log: &Path) -> anyhow::Result<()> {
        let since = Instant::now();
        loop {
            let told = || std::fs::read_to_string(log).unwrap_or_default();
            if let Some(status) = self.child.try_wait()? {
                bail!("postgres ended before it was ready ({status}):\n{}", told());
            }
            let mut probe = Command::new(self.programs.join("pg_isready"));
            probe.args(["-q", "-h", "127.0.0.1", "-p", &self.address.port().to_string()]);
            if probe.status().await?.success() {
                return Ok(());
            }
            ensure!(since.elapsed() < READY, "postgres not ready after {} s:\n{}", READY.as_secs(), told());
            tokio::time::sleep(POLL).await;
        }
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        // Immediate shutdown: the server ends its own children, which a kill of it would leave.
        let pid = self.child.id().to_string();
        let _ = std::process::Command::new("kill").args(["-QUIT", &pid]).status();
        let since = Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) && since.elapsed() < STOP {
            std::thread::sleep(POLL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A program run as that user; it ends when this command does, also when that is killed.
fn as_user(user: Option<&str>, program: &Path) -> std::process::Command {
    let mut command = std::process::Command::new("setpriv");
    command.args(["--pdeathsig", "QUIT"]);
    if let Some(user) = user {
        command.args(["--reuid", user, "--regid", user, "--init-groups"]);
    }
    command.arg(program);
    command
}

/// Who it runs as: PostgreSQL refuses root. None: we are not root.
async fn unprivileged() -> anyhow::Result<Option<String>> {
    if std::fs::metadata("/proc/self")?.uid() != 0 {
        return Ok(None);
    }
    for user in ["postgres", "nobody"] {
        let mut probe = Command::new("id");
        probe.args(["-u", user]).stdout(Stdio::null()).stderr(Stdio::null());
        if probe.status().await?.success() {
            return Ok(Some(user.to_owned()));
        }
    }
    bail!("PostgreSQL refuses to run as root, and there is no user postgres or nobody")
}

/// The folder of the programs, installed if need be.
async fn programs() -> anyhow::Result<PathBuf> {
    if let Some(found) = find() {
        return Ok(found);
    }
    println!("installing postgresql with apt-get");
    let mut install = if std::fs::metadata("/proc/self")?.uid() == 0 {
        Command::new("sh")
    } else {
        let mut sudo = Command::new("sudo");
        sudo.args(["-n", "sh"]);
        sudo
    };
    install.args(["-c", INSTALL_SCRIPT]).stdin(Stdio::null()).kill_on_drop(true);
    let hint = "PostgreSQL is not installed and could not be installed with apt-get: install it, or name a \
        server in HUB_TEST_POSTGRES=postgres://user@host";
    tokio::time::timeout(INSTALL, run(&mut install)).await.context(hint)?.context(hint)?;
    find().context(hint)
}

/// The newest version that is complete.
pub fn find() -> Option<PathBuf> {
    let versions = std::fs::read_dir(VERSIONS).into_iter().flatten().flatten();
    let version = |path: &PathBuf| {
        let name = path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
        name.and_then(|name| name.parse::<u32>().ok())
    };
    let debian = versions.map(|entry| entry.path().join("bin"));
    let mut folders: Vec<PathBuf> = debian.collect();
    folders.sort_by_key(|folder| std::cmp::Reverse(version(folder)));
    folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let complete = |folder: &PathBuf| {
        ["initdb", "postgres", "pg_isready"].iter().all(|name| folder.join(name).is_file())
    };
    folders.into_iter().find(complete)
}

async fn run(command: &mut Command) -> anyhow::Result<()> {
    let status = command.status().await?;
    ensure!(status.success(), "{status}");
    Ok(())
}
