//! Prettier, the formatter of the pages' sources.

use crate::tools::starts;
use crate::workspace::{root, target};
use anyhow::Context;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;

/// Names the version.
const PACKAGES: &str = "ui/vendor/package.json";
/// Installing takes at most this long.
const INSTALL: Duration = Duration::from_secs(120);
/// What is formatted: our own files.
const SOURCES: [&str; 4] =
    ["ui/**/*.{js,css}", "tests/screens/**/*.js", "!ui/vendor/**", "!tests/screens/axe.min.js"];

/// Installs the formatter into the target folder, unless it is there; gives the program, or why it is missing.
pub async fn install() -> anyhow::Result<Result<PathBuf, &'static str>> {
    let packages: Value = serde_json::from_str(&std::fs::read_to_string(root().join(PACKAGES))?)?;
    let version = packages.pointer("/devDependencies/prettier").and_then(Value::as_str).context(PACKAGES)?;
    let folder = target().await?.join("tools").join(format!("prettier-{version}"));
    let program = folder.join("node_modules/.bin/prettier");
    if starts(&program).await {
        return Ok(Ok(program));
    }
    if !starts("npm").await {
        return Ok(Err("npm is not installed"));
    }
    println!("installing prettier {version} from the package registry into {}", folder.display());
    let mut add = Command::new("npm");
    add.args(["install", "--silent", "--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--prefix"]);
    add.arg(&folder).arg(format!("prettier@{version}")).stdin(Stdio::null()).kill_on_drop(true);
    std::fs::create_dir_all(&folder)?;
    let done = tokio::time::timeout(INSTALL, add.status()).await;
    if !matches!(done, Ok(Ok(status)) if status.success()) {
        return Ok(Err("prettier could not be installed from the package registry"));
    }
    Ok(if starts(&program).await { Ok(program) } else { Err("prettier does not start") })
}

/// Lists the files that are formatted otherwise, by the settings of `.prettierrc.json`.
pub fn check(program: &Path) -> Command {
    let mut check = Command::new(program);
    check.arg("--check").args(SOURCES).current_dir(root()).stdin(Stdio::null()).kill_on_drop(true);
    check
}
