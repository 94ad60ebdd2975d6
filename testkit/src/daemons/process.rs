//! Processes: found beside the test, with timeouts, ended by the exact signal that a test chooses.

use crate::{root, wait};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::{LazyLock, OnceLock};
use std::time::SystemTime;

/// Lines of a dead daemon's log that a failing test shows.
const LOG_LINES_SHOWN: usize = 40;

/// The store's binary, built by Cargo for this test, in the folder above the test's own.
pub fn store_router() -> &'static Path {
    static BINARY: LazyLock<PathBuf> = LazyLock::new(|| {
        let test = std::env::current_exe().unwrap();
        let folder = test.parent().and_then(Path::parent).unwrap();
        folder.join("store-router")
    });
    &BINARY
}

/// The hub's binary, beside the store's. Built here when it is missing or older than its sources:
/// Cargo builds only this package's own binaries for its tests.
pub fn cloud_hub() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        let binary = store_router().with_file_name("cloud-hub");
        let sources = ["hub/src", "edge/src", "domain/src"].map(|name| newest(&root().join(name)));
        let built = binary.metadata().and_then(|meta| meta.modified()).ok();
        if built.is_none() || built < sources.into_iter().flatten().max() {
            let target = binary.parent().and_then(Path::parent).unwrap();
            let mut build = Command::new(env!("CARGO"));
            build.args(["build", "--quiet", "--workspace", "--bins"]).current_dir(root());
            build.env("CARGO_TARGET_DIR", target);
            assert!(build.status().unwrap().success(), "cargo build of cloud-hub failed");
        }
        assert!(binary.exists(), "no {}", binary.display());
        binary
    })
}

/// Path of a program.
pub fn find_program(name: &str) -> Option<PathBuf> {
    let paths = std::env::var_os("PATH")?;
    std::env::split_paths(&paths).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// When the newest file below a folder was changed.
fn newest(folder: &Path) -> Option<SystemTime> {
    let mut last = None;
    for entry in std::fs::read_dir(folder).ok()?.flatten() {
        let path = entry.path();
        let time = match path.is_dir() {
            true => newest(&path),
            false => entry.metadata().and_then(|m| m.modified()).ok(),
        };
        last = last.max(time);
    }
    last
}

/// A command of one of our binaries in a folder with its settings; `wrapper` is put before `serve`, and before no other.
pub fn command(binary: &Path, settings: &Path, wrapper: &[String], arguments: &[&str]) -> Command {
    let mut words = wrapper.iter().filter(|_| arguments.first() == Some(&"serve"));
    let mut command = match words.next() {
        Some(program) => {
            let mut command = Command::new(program);
            command.args(words).arg(binary);
            command
        }
        None => Command::new(binary),
    };
    command.arg("--config").arg(settings).args(arguments).current_dir(settings.parent().unwrap());
    command.env_remove("NOTIFY_SOCKET").env_remove("RUST_LOG");
    command
}

/// A running daemon. Dropped, it is killed; dropped by a failing test, it shows its log.
pub struct Daemon {
    child: Child,
    log: PathBuf,
}

impl Daemon {
    /// Starts `command`; both its outputs are appended to `log`.
    pub fn start(mut command: Command, log: &Path) -> Self {
        let open = || File::options().create(true).append(true).open(log).unwrap();
        command.stdin(Stdio::null()).stdout(open()).stderr(open());
        let child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        Self { child, log: log.to_owned() }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Its exit status, if it has ended.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().unwrap()
    }

    /// Kills it by SIGKILL: the process is gone when this returns.
    pub fn kill9(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Sends a signal by its short name (`TERM`, `STOP`, `CONT`).
    pub fn signal(&self, name: &str) {
        signal(self.pid(), name);
    }

    /// Stops every thread and waits until all have stopped. The signal alone is asynchronous, and a running thread
    /// could answer something that a concurrent copy does not show.
    #[track_caller]
    pub fn freeze(&self) {
        self.signal("STOP");
        let tasks = format!("/proc/{}/task", self.pid());
        wait::until("every thread has stopped", || {
            let tasks = std::fs::read_dir(&tasks).unwrap().flatten();
            let mut states = tasks.map(|task| std::fs::read_to_string(task.path().join("stat")));
            // The state follows the command's name, which ends with the last parenthesis.
            let still =
                |stat: &str| stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('T'));
            states.all(|stat| stat.is_ok_and(|stat| still(&stat))).then_some(())
        });
    }

    /// Waits for its end.
    #[track_caller]
    pub fn wait(&mut self) -> ExitStatus {
        wait::until("the daemon ends", || self.ended())
    }

    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// The last lines of its log.
    pub fn log_end(&self) -> String {
        let log = self.log();
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(LOG_LINES_SHOWN)..].join("\n")
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.kill9();
        if std::thread::panicking() {
            eprintln!("--- end of {}\n{}\n---", self.log.display(), self.log_end());
        }
    }
}

/// Sends a signal to one process. `unsafe_code` is forbidden, so the shell's `kill` does it.
pub fn signal(pid: u32, name: &str) {
    let sent = Command::new("sh").arg("-c").arg(format!("kill -{name} {pid}")).status().unwrap();
    assert!(sent.success(), "kill -{name} {pid}");
}

/// Runs a command to its end with `input` on its standard input, with a timeout.
#[track_caller]
pub fn run(mut command: Command, input: &str) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let shown = format!("{command:?}");
    let mut child = command.spawn().unwrap_or_else(|error| panic!("{shown}: {error}"));
    // A command that does not read its input closes the pipe, which is no error here.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let pid = child.id();
    let waiter = std::thread::spawn(move || child.wait_with_output());
    let output = {
        let deadline = std::time::Instant::now() + wait::PATIENCE;
        while !waiter.is_finished() && std::time::Instant::now() < deadline {
            wait::glance();
        }
        if !waiter.is_finished() {
            signal(pid, "KILL");
        }
        waiter.join().unwrap().unwrap()
    };
    assert!(output.status.code().is_some(), "{shown} did not end in {:?}: {}", wait::PATIENCE, said(&output));
    output
}

/// Runs a command that must succeed, and returns its standard output.
#[track_caller]
pub fn succeed(command: Command, input: &str) -> String {
    let shown = format!("{command:?}");
    let output = run(command, input);
    assert!(output.status.success(), "{shown}: {}: {}", output.status, said(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// All output of a command.
pub fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Peak memory of a process so far, in MiB.
pub fn peak_mib(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.and_then(|peak| peak.trim().trim_end_matches(" kB").parse::<u64>().ok()).map_or(0, |kib| kib / 1024)
}
