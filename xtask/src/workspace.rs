//! Where the workspace and its binaries are, and how its commands are run.

use anyhow::{Context, bail};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

/// A one-shot command of our own binaries may take this long.
const ONE_SHOT: Duration = Duration::from_secs(120);
/// A run of the load generator may take this long.
const LOAD: Duration = Duration::from_secs(2 * 3600);

/// How long the programs take to be built after the project's own commands, as measured.
const FIRST_BUILD: &str = "3 to 4 minutes";
const FIRST_RELEASE_BUILD: &str = "10 to 15 minutes";

/// Set by `launch` when it has built and linted everything that is tested: how many seconds that took.
const BUILD_SECONDS: &str = "XTASK_BUILD_SECONDS";

/// Which profile is built.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// `dev`: optimised dependencies, quick to build.
    Dev,
    Release,
}

/// The binaries that the commands start.
pub struct Binaries {
    pub store: PathBuf,
    pub hub: PathBuf,
    /// `bench`, the load generator.
    pub bench: PathBuf,
}

/// The folder of the workspace.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// How long it took to build everything that is tested; `None` for a command that builds what it needs.
pub fn build_took() -> Option<Duration> {
    let seconds = std::env::var(BUILD_SECONDS).ok()?;
    Some(Duration::from_secs(seconds.parse().ok()?))
}

/// `cargo` as the one that runs us, in the workspace.
pub fn cargo(args: &[&str]) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(args).current_dir(root()).kill_on_drop(true);
    command
}

/// The workspace as cargo sees it.
pub async fn described() -> anyhow::Result<Value> {
    let out = cargo(&["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .output()
        .await
        .context("cargo metadata")?;
    serde_json::from_slice(&out.stdout).context("cargo metadata")
}

/// Folder into which cargo builds.
pub async fn target() -> anyhow::Result<PathBuf> {
    let described = described().await?;
    let folder = described.get("target_directory").and_then(Value::as_str);
    Ok(folder.context("cargo metadata names no target folder")?.into())
}

/// The names of every crate's integration tests.
pub async fn test_targets() -> anyhow::Result<BTreeSet<String>> {
    let described = described().await?;
    let packages = described.get("packages").and_then(Value::as_array).context("cargo metadata: packages")?;
    let targets = packages.iter().filter_map(|package| package.get("targets")?.as_array()).flatten();
    let tests = targets.filter(|target| target.pointer("/kind/0") == Some(&Value::from("test")));
    Ok(tests.filter_map(|target| Some(target.get("name")?.as_str()?.to_owned())).collect())
}

/// Builds and says where the binaries are. In the dev profile the whole workspace is named, so that crates get the
/// features that `cargo test --workspace` gave them and little is built twice; where this run tests, nothing is.
pub async fn build(profile: Profile) -> anyhow::Result<Binaries> {
    let args: &[&str] = match profile {
        Profile::Dev if build_took().is_some() => &["build", "--workspace", "--all-targets"],
        Profile::Dev => &["build", "--workspace", "--bins"],
        Profile::Release => &["build", "--release", "-p", "store-router", "-p", "cloud-hub", "-p", "bench"],
    };
    let folder = target().await?.join(if profile == Profile::Release { "release" } else { "debug" });
    let binaries = Binaries {
        store: folder.join("store-router"),
        hub: folder.join("cloud-hub"),
        bench: folder.join("bench"),
    };
    if !binaries.store.exists() || !binaries.hub.exists() {
        let long = if profile == Profile::Release { FIRST_RELEASE_BUILD } else { FIRST_BUILD };
        eprintln!("building the store, the hub and the load generator: {long} on two cores, once");
    }
    let status = cargo(args).status().await.context("cargo build")?;
    if !status.success() {
        bail!("cargo {} failed", args.join(" "));
    }
    Ok(binaries)
}

/// The binaries of another build, all in one folder.
pub fn built(folder: &Path) -> anyhow::Result<Binaries> {
    let at = |name: &str| {
        folder.join(name).canonicalize().with_context(|| format!("{name} in {}", folder.display()))
    };
    Ok(Binaries { store: at("store-router")?, hub: at("cloud-hub")?, bench: at("bench")? })
}

/// Has the tests that compare the committed documents with the served ones write them instead; false:
/// another of these tests failed.
pub async fn write_documents() -> anyhow::Result<bool> {
    let mut test = cargo(&["test", "--workspace", "--test", "openapi"]);
    Ok(test.env("OPENAPI_WRITE", "1").status().await.context("cargo test")?.success())
}

/// Runs one of our binaries to its end and gives back what it printed; a failure names its stderr.
pub async fn one_shot(binary: &Path, args: &[&str], input: Option<&str>) -> anyhow::Result<String> {
    let shown = format!("{} {}", binary.file_name().unwrap_or_default().display(), args.join(" "));
    let mut command = Command::new(binary);
    command.args(args).kill_on_drop(true);
    command.stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("starting {shown}"))?;
    if let Some(mut pipe) = child.stdin.take() {
        // A command that reads nothing may have closed its end already.
        let _ = pipe.write_all(input.unwrap_or_default().as_bytes()).await;
    }
    let out = tokio::time::timeout(ONE_SHOT, child.wait_with_output())
        .await
        .with_context(|| format!("{shown}: not finished after {} s", ONE_SHOT.as_secs()))??;
    if !out.status.success() {
        let code = out.status.code().unwrap_or(-1);
        bail!("{shown}: exit code {code}: {}", String::from_utf8_lossy(&out.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&out.stdout).into_owned())
}

/// Runs the load generator; its last line is JSON, its progress goes to our stderr.
pub async fn load_generator(binaries: &Binaries, args: &[&str]) -> anyhow::Result<Value> {
    let mut command = Command::new(&binaries.bench);
    command.args(args).kill_on_drop(true).stdin(Stdio::null()).stderr(Stdio::inherit());
    let out = tokio::time::timeout(LOAD, command.output()).await.context("the load generator")??;
    let text = String::from_utf8_lossy(&out.stdout);
    if !out.status.success() {
        bail!("bench {}: {}", args.join(" "), out.status);
    }
    let last = text.lines().last().context("the load generator printed nothing")?;
    serde_json::from_str(last).context("the load generator's figures")
}
