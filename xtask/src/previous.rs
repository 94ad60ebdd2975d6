//! The programs of the version before this one, built from the repository's history.
//!
//! Their dependencies are those that this version has built already: both builds share the folder of intermediate
//! files, and only what the repository itself holds is compiled, without optimisation.

use crate::workspace::{cargo, described, root};
use anyhow::{Context, ensure};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::process::Command;

/// Names the folder of both programs, for the tests.
pub const GIVEN: &str = "PREVIOUS_VERSION";
/// Names the commit.
const FILE: &str = "tests/previous-version";
/// A whole commit's name.
const COMMIT_CHARS: usize = 40;
/// What the programs call themselves: two releases differ in it, two commits may not.
const VERSION: &str = "0.0.1";
/// Dependencies keep the settings of the manifest, and with them what was built.
const QUICK: [(&str, &str); 3] =
    [("CARGO_PROFILE_DEV_OPT_LEVEL", "0"), ("CARGO_PROFILE_DEV_DEBUG", "0"), ("CARGO_INCREMENTAL", "0")];

/// What came of building it.
pub enum Built {
    /// The folder of both programs.
    Here(PathBuf),
    /// It can't be built here.
    Missing(&'static str),
}

/// Builds both and prints where they are; false: it can't be done here.
pub async fn command() -> anyhow::Result<bool> {
    match build().await? {
        Built::Here(folder) => println!("{}", folder.display()),
        Built::Missing(why) => {
            eprintln!("{why}");
            return Ok(false);
        }
    }
    Ok(true)
}

/// Builds both programs.
pub async fn build() -> anyhow::Result<Built> {
    let commit = commit()?;
    if !has(&commit).await {
        return Ok(Built::Missing("NOT RUN: the history here does not reach tests/previous-version"));
    }
    let (target, shared) = folders().await?;
    let home = target.join("previous");
    let source = home.join("source");
    if std::fs::read_to_string(home.join("commit")).ok().as_deref() != Some(&commit) {
        export(&commit, &home, &source).await.context("the source of the previous version")?;
        std::fs::write(home.join("commit"), &commit)?;
    }
    // Every member is named, so that dependencies have the features that this version's build gave them.
    let mut build = cargo(&["build", "--workspace", "--bin", "store-router", "--bin", "cloud-hub"]);
    build.current_dir(&source).envs(QUICK);
    build.env("CARGO_TARGET_DIR", home.join("out")).env("CARGO_BUILD_BUILD_DIR", shared);
    succeed(&mut build).await.context("cargo build of the previous version")?;
    Ok(Built::Here(home.join("out/debug")))
}

fn commit() -> anyhow::Result<String> {
    let text = std::fs::read_to_string(root().join(FILE)).context(FILE)?;
    let named = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
    let commit = named.context(format!("{FILE} names no commit"))?;
    let whole = commit.len() == COMMIT_CHARS && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    ensure!(whole, "{FILE}: {commit} is no whole commit");
    Ok(commit.to_owned())
}

/// Whether the commit and all of its files are here: a copy without history, or a shallow one, lacks them.
async fn has(commit: &str) -> bool {
    let mut ask = git(&["ls-tree", "-r", "--name-only", commit]);
    ask.stdout(Stdio::null()).status().await.is_ok_and(|status| status.success())
}

fn git(args: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.args(args).current_dir(root()).kill_on_drop(true);
    command
}

/// Where cargo puts what it has built, and where what it needs for that.
async fn folders() -> anyhow::Result<(PathBuf, PathBuf)> {
    let described = described().await?;
    let folder = |name: &str| described.get(name).and_then(serde_json::Value::as_str).map(PathBuf::from);
    let target = folder("target_directory").context("cargo metadata names no target folder")?;
    let shared = folder("build_directory").unwrap_or_else(|| target.clone());
    Ok((target, shared))
}

async fn export(commit: &str, home: &Path, source: &Path) -> anyhow::Result<()> {
    if source.exists() {
        std::fs::remove_dir_all(source)?;
    }
    std::fs::create_dir_all(source)?;
    let archive = home.join("source.tar");
    succeed(git(&["archive", "--format=tar", "-o"]).arg(&archive).arg(commit))
        .await
        .context("git archive")?;
    // Files are as old as their unpacking: cargo goes by that.
    succeed(Command::new("tar").arg("-xmf").arg(&archive).arg("-C").arg(source)).await.context("tar")?;
    std::fs::remove_file(&archive)?;
    let manifest = source.join("Cargo.toml");
    let text = std::fs::read_to_string(&manifest)?;
    std::fs::write(&manifest, renamed(&text)?)?;
    Ok(())
}

/// The manifest with the other version.
fn renamed(manifest: &str) -> anyhow::Result<String> {
    let mut found = 0;
    let lines = manifest.lines().map(|line| {
        let own = line.starts_with("version = \"");
        found += usize::from(own);
        if own { format!("version = \"{VERSION}\"\n") } else { format!("{line}\n") }
    });
    let text: String = lines.collect();
    ensure!(found == 1, "its manifest has {found} versions of its own");
    Ok(text)
}

async fn succeed(command: &mut Command) -> anyhow::Result<()> {
    let status = command.stdin(Stdio::null()).status().await?;
    ensure!(status.success(), "{status}");
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    #[test]
    fn the_file_names_a_whole_commit() {
        assert_eq!(commit().unwrap().len(), COMMIT_CHARS);
    }

    #[test]
    fn the_version_is_another_one_and_nothing_else_is() {
        let manifest = "[workspace.package]\nversion = \"0.1.0\"\n[package]\nversion.workspace = true\n";
        let expected = "[workspace.package]\nversion = \"0.0.1\"\n[package]\nversion.workspace = true\n";
        assert_eq!(renamed(manifest).unwrap(), expected);
        assert!(renamed("[workspace]\n").is_err());
    }
}
