//! A private PostgreSQL in its own folder. It ends with the thread that started it, even if that is killed.

use crate::hub::database::programs;
use crate::process::{self, Daemon};
use crate::store::free_address;
use crate::wait;
use std::net::SocketAddr;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;
use std::process::Command;
use tempfile::TempDir;

/// A server on a folder of its own.
pub struct Postgres {
    daemon: Option<Daemon>,
    address: SocketAddr,
    /// The folder of PostgreSQL's programs.
    programs: PathBuf,
    settings: Vec<String>,
    /// The user that it runs as, because PostgreSQL refuses root; `None` if we are not root.
    user: Option<String>,
    folder: TempDir,
}

impl Postgres {
    #[track_caller]
    pub fn start() -> Self {
        let programs = programs().expect("PostgreSQL is installed");
        Self::start_with(programs, tempfile::tempdir().unwrap(), &[])
    }

    /// Makes a cluster in a folder and serves it with these settings.
    #[track_caller]
    pub fn start_with(programs: PathBuf, folder: TempDir, settings: &[&str]) -> Self {
        let settings = settings.iter().map(|&setting| setting.to_owned()).collect();
        let (address, user) = (free_address(), unprivileged());
        let mut server = Self { daemon: None, address, programs, settings, user, folder };
        if let Some(user) = &server.user {
            // The other user must be able to enter the folder, and owns the contents.
            std::fs::set_permissions(server.folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
            std::fs::create_dir(server.data()).unwrap();
            let mut chown = Command::new("chown");
            chown.arg(user).arg(server.data());
            process::succeed(chown, "");
        }
        let mut init = server.command("initdb");
        init.args(["--auth=trust", "--username=postgres", "--encoding=UTF8", "--no-sync", "-D"]);
        init.arg(server.data());
        process::succeed(init, "");
        server.start_again();
        server
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// A program run as the server's user; it ends when this thread does.
    fn command(&self, name: &str) -> Command {
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "QUIT"]).current_dir(self.folder.path());
        if let Some(user) = &self.user {
            command.args(["--reuid", user, "--regid", user, "--init-groups"]);
        }
        command.arg(self.programs.join(name));
        command
    }

    /// Serves the folder as the last process left it.
    #[track_caller]
    pub fn start_again(&mut self) {
        let port = self.address.port().to_string();
        let mut serve = self.command("postgres");
        serve.arg("-D").arg(self.data()).args(["-h", "127.0.0.1", "-p", &port, "-k"]).arg(self.data());
        serve.args(self.settings.iter().flat_map(|setting| ["-c", setting]));
        let mut daemon = Daemon::start(serve, &self.log());
        wait::until("PostgreSQL is ready", || {
            assert!(daemon.ended().is_none(), "postgres ended before it was ready: {}", daemon.log());
            let mut probe = Command::new(self.programs.join("pg_isready"));
            probe.args(["-q", "-h", "127.0.0.1", "-p", &port]);
            process::run(probe, "").status.success().then_some(())
        });
        self.daemon = Some(daemon);
    }

    /// Stops like `pg_ctl stop -m immediate`: all processes end at once without further writes.
    #[track_caller]
    pub fn stop_immediately(&mut self) {
        let mut daemon = self.daemon.take().expect("it runs");
        daemon.signal("QUIT");
        daemon.wait();
    }

    /// Returns the parent process of the server.
    pub fn pid(&self) -> u32 {
        self.daemon.as_ref().expect("it runs").pid()
    }

    pub fn log(&self) -> PathBuf {
        self.folder.path().join("log")
    }

    /// `postgres://user@host:port`
    pub fn server(&self) -> String {
        format!("postgres://postgres@{}", self.address)
    }

    /// A database of it, over TCP.
    pub fn url(&self, name: &str) -> String {
        format!("{}/{name}", self.server())
    }

    /// The address by the server's socket, which is faster.
    pub fn local_url(&self, name: &str) -> String {
        let (port, socket) = (self.address.port(), self.data());
        format!("postgres://postgres@localhost:{port}/{name}?host={}", socket.display())
    }

    /// One of PostgreSQL's programs, set up to use a database of this server.
    pub fn client(&self, program: &str, database: &str) -> Command {
        let mut command = Command::new(self.programs.join(program));
        command.env("PGHOST", self.data()).env("PGUSER", "postgres");
        command.env("PGPORT", self.address.port().to_string()).env("PGDATABASE", database);
        command
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // A kill would leave its child processes running.
        if let Some(mut daemon) = self.daemon.take() {
            daemon.signal("QUIT");
            daemon.wait();
        }
    }
}

fn unprivileged() -> Option<String> {
    if std::fs::metadata("/proc/self").unwrap().uid() != 0 {
        return None;
    }
    let passwd = std::fs::read_to_string("/etc/passwd").unwrap();
    let known = |user: &&str| passwd.lines().any(|line| line.split(':').next() == Some(user));
    let found = ["postgres", "nobody"].into_iter().find(known);
    Some(found.expect("PostgreSQL refuses root, and there is no user postgres or nobody").to_owned())
}
