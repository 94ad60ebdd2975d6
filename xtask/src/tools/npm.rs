//! Programs of the npm registry that check the pages' sources: Prettier, and the compiler of TypeScript, which reads
//! JavaScript.

use crate::tools::starts;
use crate::workspace::{root, target};
use anyhow::Context;
use serde_json::Value;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;

/// Names the versions.
const PACKAGES: &str = "ui/vendor/package.json";
/// Each package with the program that it has.
const PROGRAMS: [(&str, &str); 2] = [("prettier", "prettier"), ("typescript", "tsc")];
/// Installing takes at most this long.
const INSTALL: Duration = Duration::from_secs(120);
/// Formatted files: our own.
const SOURCES: [&str; 4] =
    ["ui/**/*.{js,css}", "tests/screens/**/*.js", "!ui/vendor/**", "!tests/screens/axe.min.js"];

/// The installed programs.
pub struct Npm {
    folder: PathBuf,
}

impl Npm {
    /// Installs the programs into the target folder, unless they are there; gives them, or why they are missing.
    pub async fn install() -> anyhow::Result<Result<Self, &'static str>> {
        let packages: Value = serde_json::from_str(&std::fs::read_to_string(root().join(PACKAGES))?)?;
        let mut wanted = Vec::new();
        for (package, _) in PROGRAMS {
            let version = packages.pointer(&format!("/devDependencies/{package}")).and_then(Value::as_str);
            wanted.push(format!("{package}@{}", version.context(PACKAGES)?));
        }
        let npm = Self { folder: target().await?.join("tools").join(wanted.join("-")) };
        if npm.works().await {
            return Ok(Ok(npm));
        }
        if !starts("npm").await {
            return Ok(Err("npm is not installed"));
        }
        println!("installing {} from the package registry into {}", wanted.join(", "), npm.folder.display());
        let mut add = Command::new("npm");
        add.args([
            "install",
            "--silent",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--no-save",
            "--prefix",
        ]);
        add.arg(&npm.folder).args(&wanted).stdin(Stdio::null()).kill_on_drop(true);
        std::fs::create_dir_all(&npm.folder)?;
        let done = tokio::time::timeout(INSTALL, add.status()).await;
        if !matches!(done, Ok(Ok(status)) if status.success()) {
            return Ok(Err("prettier and typescript could not be installed from the package registry"));
        }
        Ok(if npm.works().await { Ok(npm) } else { Err("prettier or tsc does not start") })
    }

    async fn works(&self) -> bool {
        for (_, program) in PROGRAMS {
            if !starts(self.program(program)).await {
                return false;
            }
        }
        true
    }

    fn program(&self, name: &str) -> PathBuf {
        self.folder.join("node_modules/.bin").join(name)
    }

    fn check(&self, name: &str) -> Command {
        let mut check = Command::new(self.program(name));
        check.current_dir(root()).stdin(Stdio::null()).kill_on_drop(true);
        check
    }

    /// Lists the files that are formatted otherwise, by the settings of `.prettierrc.json`.
    pub fn formatting(&self) -> Command {
        let mut check = self.check("prettier");
        check.arg("--check").args(SOURCES);
        check
    }

    /// Lists contradictions to the types of the pages, by the settings of `tsconfig.json`.
    pub fn types(&self) -> Command {
        let mut check = self.check("tsc");
        check.args(["--project", "."]);
        check
    }
}
