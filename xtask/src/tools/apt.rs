//! Debian packages that the tests need, installed if missing.

use anyhow::{Context, ensure};
use std::process::Stdio;
use std::time::Duration;
pub use testkit::process::find_program as program;
use tokio::process::Command;

/// Installing takes at most this long.
const INSTALL: Duration = Duration::from_secs(600);

/// Installs packages with apt-get, as root or through sudo.
///
/// # Errors
/// `hint`, and why it failed.
pub async fn install(packages: &[&str], hint: &'static str) -> anyhow::Result<()> {
    let script = format!("apt-get install -y -qq --no-install-recommends {}", packages.join(" "));
    run(&packages.join(", "), &script, hint).await
}

/// Runs a script that installs packages with apt-get, as root or through sudo.
///
/// # Errors
/// `hint`, and why it failed.
pub async fn run(packages: &str, script: &str, hint: &'static str) -> anyhow::Result<()> {
    println!("installing {packages} with apt-get");
    let script = format!("set -e; export DEBIAN_FRONTEND=noninteractive; apt-get update -qq; {script}");
    let root = std::os::unix::fs::MetadataExt::uid(&std::fs::metadata("/proc/self")?) == 0;
    let mut install = Command::new(if root { "sh" } else { "sudo" });
    if !root {
        install.args(["-n", "sh"]);
    }
    install.args(["-c", &script]).stdin(Stdio::null()).kill_on_drop(true);
    let status = tokio::time::timeout(INSTALL, install.status()).await.context(hint)?.context(hint)?;
    ensure!(status.success(), "{hint} ({status})");
    Ok(())
}

/// Tools that build the allocator of the daemons.
///
/// # Errors
/// It is missing and can't be installed.
pub async fn make() -> anyhow::Result<()> {
    if program("make").is_some() {
        return Ok(());
    }
    install(&["make"], "make is not installed and could not be installed with apt-get").await
}

/// The browser and its driver, for the test of the log-in page.
///
/// # Errors
/// They are missing and can't be installed.
pub async fn browser() -> anyhow::Result<()> {
    if program("chromium").is_some() && program("chromedriver").is_some() {
        return Ok(());
    }
    let hint = "chromium or chromedriver is not installed and could not be installed with apt-get";
    // The shell is a package of its own on Debian, and lighter; other systems have the browser alone.
    let all = install(&["chromium", "chromium-driver", "chromium-headless-shell"], hint).await;
    if all.is_err() {
        install(&["chromium", "chromium-driver"], hint).await?;
    }
    ensure!(program("chromedriver").is_some(), hint);
    Ok(())
}
