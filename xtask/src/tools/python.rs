//! Programs of Python's package registry, each set in a virtual environment of the target folder.

use crate::tools::starts;
use crate::workspace::target;
use std::path::PathBuf;
use std::time::Duration;
use tokio::process::Command;

/// Installing takes at most this long.
const INSTALL: Duration = Duration::from_secs(300);

/// A virtual environment with packages.
pub struct Environment {
    folder: PathBuf,
}

impl Environment {
    /// Installs packages, named with their versions, unless they are there; gives the environment, or why it is missing.
    /// `program` is one that they bring.
    pub async fn install(packages: &[&str], program: &str) -> anyhow::Result<Result<Self, &'static str>> {
        let name = packages.join("-").replace("==", "-");
        let environment = Self { folder: target().await?.join("tools").join(name) };
        if starts(environment.program(program)).await {
            return Ok(Ok(environment));
        }
        if !starts("python3").await {
            return Ok(Err("python3 is not installed"));
        }
        println!(
            "installing {} from the package registry into {}",
            packages.join(", "),
            environment.folder.display()
        );
        let mut make = Command::new("python3");
        make.args(["-m", "venv"]).arg(&environment.folder);
        let mut add = Command::new(environment.program("pip"));
        add.args(["install", "--quiet", "--disable-pip-version-check"]).args(packages);
        for mut step in [make, add] {
            let done = tokio::time::timeout(INSTALL, step.kill_on_drop(true).status()).await;
            if !matches!(done, Ok(Ok(status)) if status.success()) {
                return Ok(Err("the packages could not be installed from Python's package registry"));
            }
        }
        let works = starts(environment.program(program)).await;
        Ok(if works { Ok(environment) } else { Err("the installed program does not start") })
    }

    /// A program of the environment.
    pub fn program(&self, name: &str) -> PathBuf {
        self.folder.join("bin").join(name)
    }
}
