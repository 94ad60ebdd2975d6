//! A daemon that this command started: ready before it is used, ended on every way out.

use anyhow::{Context, bail};
use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// From start to ready.
const READY: Duration = Duration::from_secs(60);
/// One look whether it is ready.
const PROBE: Duration = Duration::from_secs(2);
/// From the request to end to the end.
const STOP: Duration = Duration::from_secs(30);
/// After a kill the operating system reaps within this.
const REAP: Duration = Duration::from_secs(5);
const POLL: Duration = Duration::from_millis(5);
/// How much of a log is shown when something went wrong.
const LOG_TAIL_LINES: usize = 20;

/// What to start and how to see that it is ready.
#[derive(Clone)]
pub struct Launch {
    pub name: &'static str,
    pub binary: PathBuf,
    pub args: Vec<String>,
    /// Where its output goes; appended.
    pub log: PathBuf,
    pub address: SocketAddr,
    /// Answers 200 once it is ready.
    pub ready_path: &'static str,
}

/// A running daemon; dropping it kills it.
pub struct Daemon {
    launch: Launch,
    child: Child,
}

/// A port of the loopback interface that nobody uses just now.
pub fn free_address() -> anyhow::Result<SocketAddr> {
    let probe = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no free port")?;
    Ok(probe.local_addr()?)
}

fn tail(log: &Path) -> String {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines.get(lines.len().saturating_sub(LOG_TAIL_LINES)..).unwrap_or_default().join("\n")
}

impl Launch {
    /// Starts it and waits until it is ready; the time that took is given back.
    pub async fn start(&self) -> anyhow::Result<(Daemon, Duration)> {
        let log = File::options().create(true).append(true).open(&self.log)?;
        let client = reqwest::Client::builder().tls_certs_only([]).timeout(PROBE).build()?;
        let started = Instant::now();
        let child = Command::new(&self.binary)
            .args(&self.args)
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()
            .with_context(|| format!("starting {}", self.binary.display()))?;
        let mut daemon = Daemon { launch: self.clone(), child };
        daemon.wait_ready(&client, started).await?;
        Ok((daemon, started.elapsed()))
    }
}

impl Daemon {
    /// Where it listens, as a base address.
    pub fn base(&self) -> String {
        format!("http://{}", self.launch.address)
    }

    pub fn address(&self) -> SocketAddr {
        self.launch.address
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    async fn wait_ready(&mut self, client: &reqwest::Client, started: Instant) -> anyhow::Result<()> {
        let url = format!("{}{}", self.base(), self.launch.ready_path);
        let name = self.launch.name;
        loop {
            if let Some(status) = self.child.try_wait()? {
                bail!("{name} ended before it was ready ({status}):\n{}", tail(&self.launch.log));
            }
            if client.get(&url).send().await.is_ok_and(|answer| answer.status().is_success()) {
                return Ok(());
            }
            if started.elapsed() > READY {
                bail!("{name} not ready after {} s:\n{}", READY.as_secs(), tail(&self.launch.log));
            }
            tokio::time::sleep(POLL).await;
        }
    }

    /// SIGKILL, as a power cut would.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let since = Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) && since.elapsed() < REAP {
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Asks it to end (SIGTERM) and waits for it.
    pub async fn stop(mut self) -> anyhow::Result<ExitStatus> {
        let pid = self.pid().to_string();
        let told = tokio::process::Command::new("kill").args(["-TERM", &pid]).status().await?;
        if !told.success() {
            bail!("{} could not be stopped", self.launch.name);
        }
        let since = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            if since.elapsed() > STOP {
                bail!("{} did not end within {} s", self.launch.name, STOP.as_secs());
            }
            tokio::time::sleep(POLL).await;
        }
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.kill();
    }
}
