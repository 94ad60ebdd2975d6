//! Other people's programs that the commands need, found or installed.

pub mod apt;
pub mod cpu;
pub mod faketime;
pub mod npm;
pub mod packages;
pub mod postgres;
pub mod python;
pub mod supply;
pub mod units;

use std::path::Path;
use std::process::Stdio;
use tokio::process::Command;

/// Whether a program is installed and starts.
pub async fn starts(program: impl AsRef<Path>) -> bool {
    let mut probe = Command::new(program.as_ref());
    probe.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    probe.status().await.is_ok_and(|status| status.success())
}
