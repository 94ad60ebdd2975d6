//! A PostgreSQL of one test's own, which it may stop as it likes.

use crate::hub::database::program;
use crate::process::{self, Daemon};
use crate::store::free_address;
use crate::wait;
use std::net::SocketAddr;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::Command;
use tempfile::TempDir;

/// A server on a folder of its own.
pub struct Postgres {
    daemon: Option<Daemon>,
    address: SocketAddr,
    folder: TempDir,
}

impl Postgres {
    #[track_caller]
    pub fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
        let mut server = Self { daemon: None, address: free_address(), folder };
        let mut init = server.command("initdb");
        init.args(["--auth=trust", "--username=postgres", "--encoding=UTF8", "--no-sync"]);
        process::succeed(init, "");
        server.start_again();
        server
    }

    /// PostgreSQL refuses to run as root.
    fn command(&self, name: &str) -> Command {
        let root = std::fs::metadata("/proc/self").unwrap().uid() == 0;
        let mut command = Command::new(if root { "setpriv".into() } else { program(name) });
        if root {
            command.args(["--reuid", "postgres", "--regid", "postgres", "--init-groups"]).arg(program(name));
        }
        command.arg("-D").arg(self.folder.path().join("data")).current_dir(self.folder.path());
        command
    }

    /// On what the last one left.
    #[track_caller]
    pub fn start_again(&mut self) {
        let mut serve = self.command("postgres");
        serve.args(["-h", "127.0.0.1", "-p", &self.address.port().to_string(), "-k"]).arg(self.folder.path());
        self.daemon = Some(Daemon::start(serve, &self.folder.path().join("log")));
        wait::until("PostgreSQL is ready", || {
            let mut probe = Command::new(program("pg_isready"));
            probe.args(["-q", "-h", "127.0.0.1", "-p", &self.address.port().to_string()]);
            process::run(probe, "").status.success().then_some(())
        });
    }

    /// As `pg_ctl stop -m immediate` does: every process of it ends at once, nothing is written any more.
    #[track_caller]
    pub fn stop_immediately(&mut self) {
        let mut daemon = self.daemon.take().expect("it runs");
        daemon.signal("QUIT");
        daemon.wait();
    }

    pub fn server(&self) -> String {
        format!("postgres://postgres@{}", self.address)
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // A kill would leave its children behind.
        if let Some(mut daemon) = self.daemon.take() {
            daemon.signal("QUIT");
            daemon.wait();
        }
    }
}
