//! The targets in `fuzz/`, each for a while, where a nightly toolchain is.

use crate::tools::supply::{self, Tool};
use crate::workspace::{cargo, root};
use anyhow::{Context, bail};
use std::path::Path;
use std::process::Stdio;
use tokio::process::Command;

/// The tool and its version, from the package registry.
const FUZZ: Tool = Tool { name: "cargo-fuzz", version: "0.13.2" };
/// One input may take this long, in seconds, and this much memory, in MiB.
const INPUT_SECONDS: u64 = 1;
const INPUT_MIB: u64 = 256;

/// Runs every target for this many seconds; true if none found a problem.
pub async fn run(seconds: u64) -> anyhow::Result<bool> {
    let mut probe = Command::new("cargo");
    probe.args(["+nightly", "--version"]).env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO");
    probe.stdout(Stdio::null()).stderr(Stdio::null());
    if !probe.status().await.is_ok_and(|status| status.success()) {
        eprintln!("fuzz targets skipped: they need `rustup toolchain install nightly`");
        return Ok(true);
    }
    let Some(tool) = supply::tool(FUZZ).await? else {
        eprintln!("fuzz targets skipped: cargo-fuzz could not be installed from the package registry");
        return Ok(true);
    };
    // `cargo +nightly fuzz` looks for it there.
    let folders = tool.parent().map(Path::to_owned).into_iter();
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::env::join_paths(folders.chain(std::env::split_paths(&paths)))?;
    let mut clean = true;
    for target in targets().await? {
        println!("fuzzing {target} for {seconds} s");
        let mut fuzz = Command::new("cargo");
        fuzz.args(["+nightly", "fuzz", "run", &target, "--", &format!("-max_total_time={seconds}")])
            .args([format!("-timeout={INPUT_SECONDS}"), format!("-rss_limit_mb={INPUT_MIB}")])
            .env("PATH", &paths)
            .env_remove("RUSTUP_TOOLCHAIN")
            .env_remove("CARGO")
            .current_dir(root())
            .kill_on_drop(true);
        clean &= fuzz.status().await.context("cargo fuzz")?.success();
    }
    Ok(clean)
}

/// The binaries of `fuzz/Cargo.toml`.
async fn targets() -> anyhow::Result<Vec<String>> {
    let manifest = root().join("fuzz/Cargo.toml");
    let mut metadata = cargo(&["metadata", "--no-deps", "--format-version", "1", "--manifest-path"]);
    let out = metadata.arg(&manifest).output().await.context("cargo metadata")?;
    if !out.status.success() {
        bail!("{}: {}", manifest.display(), String::from_utf8_lossy(&out.stderr));
    }
    let described: serde_json::Value = serde_json::from_slice(&out.stdout)?;
    let targets = described.pointer("/packages/0/targets").and_then(serde_json::Value::as_array);
    let name = |target: &serde_json::Value| Some(target.get("name")?.as_str()?.to_owned());
    Ok(targets.into_iter().flatten().filter_map(name).collect())
}
