//! A daemon that this command started: ready before it is used, ended on every way out.

use anyhow::bail;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};
use testkit::process;

/// Longest time from start to ready.
const READY: Duration = Duration::from_secs(60);
/// One look whether it is ready.
const PROBE: Duration = Duration::from_secs(2);
/// Longest time from the request to end to the end.
const STOP: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_millis(5);

/// The program to start and the check that it is ready.
#[derive(Clone)]
pub struct Launch {
    pub name: &'static str,
    pub binary: PathBuf,
    pub args: Vec<String>,
    /// File for its output, which is appended.
    pub log: PathBuf,
    pub address: SocketAddr,
    /// Answers 200 once it is ready.
    pub ready_path: &'static str,
}

/// A running daemon; dropping it kills it.
pub struct Daemon {
    launch: Launch,
    process: process::Daemon,
}

impl Launch {
    /// Starts it and waits until it is ready; gives how long that took.
    pub async fn start(&self) -> anyhow::Result<(Daemon, Duration)> {
        let client = reqwest::Client::builder().tls_certs_only([]).timeout(PROBE).build()?;
        let mut command = Command::new(&self.binary);
        command.args(&self.args);
        let started = Instant::now();
        let process = process::Daemon::start(command, &self.log);
        let mut daemon = Daemon { launch: self.clone(), process };
        daemon.wait_ready(&client, started).await?;
        Ok((daemon, started.elapsed()))
    }
}

impl Daemon {
    /// Its base address.
    pub fn base(&self) -> String {
        format!("http://{}", self.launch.address)
    }

    pub fn address(&self) -> SocketAddr {
        self.launch.address
    }

    pub fn pid(&self) -> u32 {
        self.process.pid()
    }

    async fn wait_ready(&mut self, client: &reqwest::Client, started: Instant) -> anyhow::Result<()> {
        let url = format!("{}{}", self.base(), self.launch.ready_path);
        let name = self.launch.name;
        loop {
            if let Some(status) = self.process.ended() {
                bail!("{name} ended before it was ready ({status}):\n{}", self.process.log_end());
            }
            if client.get(&url).send().await.is_ok_and(|answer| answer.status().is_success()) {
                return Ok(());
            }
            if started.elapsed() > READY {
                bail!("{name} not ready after {} s:\n{}", READY.as_secs(), self.process.log_end());
            }
            tokio::time::sleep(POLL).await;
        }
    }

    /// SIGKILL, as a power cut would.
    pub fn kill(&mut self) {
        self.process.kill9();
    }

    /// Asks it to end (SIGTERM) and waits for it.
    pub async fn stop(mut self) -> anyhow::Result<ExitStatus> {
        self.process.signal("TERM");
        let since = Instant::now();
        loop {
            if let Some(status) = self.process.ended() {
                return Ok(status);
            }
            if since.elapsed() > STOP {
                bail!("{} did not end within {} s", self.launch.name, STOP.as_secs());
            }
            tokio::time::sleep(POLL).await;
        }
    }
}
