//! `lint-openapi`: Redocly and Spectral check the OpenAPI documents, 3.1 and 3.0.3, that a new store and a new hub serve.

use crate::fuzz::Target;
use crate::stage::{WorkFolder, admin};
use crate::tools::starts;
use crate::workspace::{root, target};
use anyhow::Context;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;

/// Has the versions of the programs, and their settings.
const FOLDER: &str = "xtask/openapi";
const VERSIONS: [&str; 2] = ["package.json", "package-lock.json"];
/// Installing takes at most this long.
const INSTALL: Duration = Duration::from_secs(180);
/// Most warnings of a program about a document.
const WARNINGS_MAX: usize = 10;
/// The documents as each program serves them.
const DOCUMENTS: [&str; 2] = ["openapi.json", "openapi-3.0.json"];

/// The installed programs.
pub struct Linters {
    folder: PathBuf,
}

/// Finding of a linter in a document.
#[derive(Debug, PartialEq, Eq)]
struct Problem {
    is_error: bool,
    /// Rule, place and message.
    text: String,
}

#[derive(Clone, Copy)]
enum Linter {
    Redocly,
    Spectral,
}

/// The command by itself; without the programs it fails.
pub async fn command() -> anyhow::Result<bool> {
    match Linters::install().await? {
        Ok(linters) => run(&linters).await,
        Err(why) => anyhow::bail!("{why}"),
    }
}

/// Prints the problems of the documents; true if there are none, except for a few warnings.
pub async fn run(linters: &Linters) -> anyhow::Result<bool> {
    let (store, hub) = tokio::try_join!(linters.check(Target::Store), linters.check(Target::Hub))?;
    Ok(store && hub)
}

impl Linters {
    /// Installs the programs into the target folder, unless these versions are there; gives them, or why they are missing.
    pub async fn install() -> anyhow::Result<Result<Self, &'static str>> {
        let linters = Self { folder: target().await?.join("tools/openapi") };
        if linters.are_of_these_versions() && linters.work().await {
            return Ok(Ok(linters));
        }
        if !starts("npm").await {
            return Ok(Err("npm is not installed"));
        }
        println!(
            "installing redocly and spectral from the package registry into {}",
            linters.folder.display()
        );
        std::fs::create_dir_all(&linters.folder)?;
        for name in VERSIONS {
            std::fs::copy(root().join(FOLDER).join(name), linters.folder.join(name))?;
        }
        let mut install = Command::new("npm");
        install.args(["ci", "--silent", "--ignore-scripts", "--no-audit", "--no-fund"]);
        install.current_dir(&linters.folder).stdin(Stdio::null()).kill_on_drop(true);
        let done = tokio::time::timeout(INSTALL, install.status()).await;
        if !matches!(done, Ok(Ok(status)) if status.success()) {
            return Ok(Err("redocly and spectral could not be installed from the package registry"));
        }
        Ok(if linters.work().await { Ok(linters) } else { Err("redocly or spectral does not start") })
    }

    fn are_of_these_versions(&self) -> bool {
        VERSIONS.iter().all(|name| {
            let wanted = std::fs::read(root().join(FOLDER).join(name)).ok();
            wanted.is_some() && wanted == std::fs::read(self.folder.join(name)).ok()
        })
    }

    async fn work(&self) -> bool {
        starts(self.program("redocly")).await && starts(self.program("spectral")).await
    }

    fn program(&self, name: &str) -> PathBuf {
        self.folder.join("node_modules/.bin").join(name)
    }

    /// Checks the documents of one program.
    async fn check(&self, target: Target) -> anyhow::Result<bool> {
        let place = WorkFolder::new(None)?;
        let daemon = target.install(&place, &[admin()]).await?.serve().await?;
        let mut files = Vec::new();
        for document in DOCUMENTS {
            let answer = reqwest::get(format!("{}/api/{document}", daemon.base())).await?;
            let file = place.file(document);
            std::fs::write(&file, answer.error_for_status()?.bytes().await?)?;
            files.push(file);
        }
        anyhow::ensure!(daemon.stop().await?.success(), "the program did not stop cleanly afterwards");
        let mut good = true;
        for (file, document) in files.iter().zip(DOCUMENTS) {
            for linter in [Linter::Redocly, Linter::Spectral] {
                let problems = self.problems(linter, file).await?;
                good &= report(&format!("{}, {document} of the {}", linter.name(), target.name()), &problems);
            }
        }
        Ok(good)
    }

    async fn problems(&self, linter: Linter, document: &Path) -> anyhow::Result<Vec<Problem>> {
        let settings = root().join(FOLDER);
        let mut lint = Command::new(self.program(linter.name()));
        lint.arg("lint").arg(document).args(["--format", "json"]);
        match linter {
            Linter::Redocly => {
                lint.arg("--config").arg(settings.join("redocly.yaml")).args(["--max-problems", "100000"]);
                lint.env("REDOCLY_TELEMETRY", "off").env("REDOCLY_SUPPRESS_UPDATE_NOTICE", "true");
            }
            Linter::Spectral => {
                lint.arg("--quiet").arg("--ruleset").arg(settings.join("spectral.yaml"));
            }
        }
        let output = lint.stdin(Stdio::null()).kill_on_drop(true).output().await?;
        let found = serde_json::from_slice(&output.stdout).ok().and_then(|found| linter.read(&found));
        found.with_context(|| format!("{}: {}", linter.name(), String::from_utf8_lossy(&output.stderr)))
    }
}

impl Linter {
    fn name(self) -> &'static str {
        match self {
            Self::Redocly => "redocly",
            Self::Spectral => "spectral",
        }
    }

    /// The problems in its answer; `None` if that has another form.
    fn read(self, answer: &Value) -> Option<Vec<Problem>> {
        let all = match self {
            Self::Redocly => answer.get("problems"),
            Self::Spectral => Some(answer),
        };
        all?.as_array()?.iter().map(|problem| self.problem(problem)).collect()
    }

    fn problem(self, problem: &Value) -> Option<Problem> {
        let message = problem.get("message")?.as_str()?;
        let (is_error, rule, place) = match self {
            Self::Redocly => {
                let place = problem.pointer("/location/0/pointer").unwrap_or(&Value::Null);
                (problem.get("severity")? == "error", problem.get("ruleId")?, place)
            }
            Self::Spectral => (problem.get("severity")? == 0, problem.get("code")?, problem.get("path")?),
        };
        Some(Problem { is_error, text: format!("{rule} at {place}: {message}") })
    }
}

/// Prints the problems with their numbers; whether there are few enough.
fn report(name: &str, problems: &[Problem]) -> bool {
    let errors = problems.iter().filter(|problem| problem.is_error).count();
    let warnings = problems.len().saturating_sub(errors);
    println!("{name}: {errors} errors, {warnings} warnings");
    for Problem { is_error, text } in problems {
        println!("  {} {text}", if *is_error { "error" } else { "warning" });
    }
    errors == 0 && warnings <= WARNINGS_MAX
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::{Linter, Problem, WARNINGS_MAX, report};
    use serde_json::json;

    fn problem(is_error: bool) -> Problem {
        Problem { is_error, text: "\"rule\" at \"#/info\": words".to_owned() }
    }

    #[test]
    fn answers_of_both_linters_are_read() {
        let one = |severity| {
            json!({"severity": severity, "message": "words", "ruleId": "rule",
            "location": [{"pointer": "#/info"}]})
        };
        let answer = json!({"totals": {}, "problems": [one("error"), one("warn")]});
        assert_eq!(Linter::Redocly.read(&answer), Some(vec![problem(true), problem(false)]));
        let one =
            |severity| json!({"severity": severity, "message": "words", "code": "rule", "path": "#/info"});
        assert_eq!(
            Linter::Spectral.read(&json!([one(0), one(1)])),
            Some(vec![problem(true), problem(false)])
        );
        assert_eq!(Linter::Spectral.read(&json!({"problems": []})), None);
    }

    #[test]
    fn an_error_fails_and_so_do_many_warnings() {
        let warnings = |number| (0..number).map(|_| problem(false)).collect::<Vec<_>>();
        assert!(report("none", &[]) && report("few", &warnings(WARNINGS_MAX)));
        assert!(!report("many", &warnings(WARNINGS_MAX + 1)) && !report("one", &[problem(true)]));
    }
}
