//! `clients`: makes the clients of `clients/` from the committed documents, checks their types strictly, and has each
//! live a till's day at a new store and a connector's day at a new hub.

use crate::fuzz::Target;
use crate::process::succeeds;
use crate::stage::{WorkFolder, admin};
use crate::tools::{python::Environment, starts};
use crate::workspace::{root, target};
use anyhow::ensure;
use std::path::{Path, PathBuf};
use tokio::process::Command;

/// Packages that make and check the Python client.
const PACKAGES: [&str; 3] =
    ["openapi-python-client==0.29.1", "mypy==2.4.1", "types-python-dateutil==2.9.0.20261116"];
/// Each document with the name of its Python package and the day that is lived at its program.
const PROGRAMS: [(&str, &str, &str, Target); 2] = [
    ("store-router", "store_router", "till_day", Target::Store),
    ("cloud-hub", "cloud_hub", "connector_day", Target::Hub),
];

/// The languages, or why one is missing.
pub enum Clients {
    Ready(Python),
    Missing(&'static str),
}

/// Python with the packages.
pub struct Python(Environment);

/// Installs the requirements of both clients.
pub async fn install() -> anyhow::Result<Clients> {
    if !starts("npm").await {
        return Ok(Clients::Missing("npm is not installed"));
    }
    Ok(match Environment::install(&PACKAGES, "openapi-python-client").await? {
        Ok(python) => Clients::Ready(Python(python)),
        Err(why) => Clients::Missing(why),
    })
}

/// The command by itself; without the tools it fails.
pub async fn command() -> anyhow::Result<bool> {
    match install().await? {
        Clients::Ready(python) => run(&python).await.map(|()| true),
        Clients::Missing(why) => anyhow::bail!("{why}"),
    }
}

/// Makes, checks and uses both clients.
pub async fn run(python: &Python) -> anyhow::Result<()> {
    let copy = copy().await?;
    make_typescript(&copy.join("clients/typescript")).await?;
    make_python(python, &copy.join("clients/python")).await?;
    for (_, _, day, target) in PROGRAMS {
        live(python, &copy, day, target).await?;
    }
    Ok(())
}

/// Copies the clients and the documents into the target folder, so that no generated file is beside sources.
async fn copy() -> anyhow::Result<PathBuf> {
    let copy = target().await?.join("clients");
    let _ = std::fs::remove_dir_all(&copy);
    for folder in ["clients", "docs/openapi"] {
        let to = copy.join(folder);
        std::fs::create_dir_all(to.parent().unwrap_or(&copy))?;
        succeeds(Command::new("cp").arg("-r").arg(root().join(folder)).arg(to)).await?;
    }
    Ok(copy)
}

async fn make_typescript(folder: &Path) -> anyhow::Result<()> {
    let install = ["ci", "--silent", "--ignore-scripts", "--no-audit", "--no-fund"];
    for args in [&install[..], &["run", "--silent", "generate"], &["run", "--silent", "build"]] {
        let mut npm = Command::new("npm");
        succeeds(npm.args(args).current_dir(folder)).await?;
    }
    Ok(())
}

async fn make_python(Python(python): &Python, folder: &Path) -> anyhow::Result<()> {
    for (document, package, _, _) in PROGRAMS {
        let mut generate = Command::new(python.program("openapi-python-client"));
        generate.args(["generate", "--meta", "none", "--overwrite", "--config", "generator.yaml", "--path"]);
        generate.arg(format!("../../docs/openapi/{document}.json")).args(["--output-path", package]);
        succeeds(generate.current_dir(folder)).await?;
    }
    let mut check = Command::new(python.program("mypy"));
    succeeds(check.args(["--strict", "."]).current_dir(folder)).await
}

/// A day in each language at one new program.
async fn live(Python(python): &Python, copy: &Path, day: &str, target: Target) -> anyhow::Result<()> {
    let place = WorkFolder::new(None)?;
    let setup = target.install(&place, &target.people()).await?;
    let daemon = setup.serve().await?;
    let user = admin();
    let run = |program: PathBuf, script: String, language: &str| {
        let mut command = Command::new(program);
        command.arg(script).args([&daemon.base(), &user.username, &user.password]);
        command.current_dir(copy.join("clients").join(language));
        command
    };
    succeeds(&mut run(Path::new("node").into(), format!("built/{day}.js"), "typescript")).await?;
    succeeds(&mut run(python.program("python"), format!("{day}.py"), "python")).await?;
    ensure!(daemon.stop().await?.success(), "the program did not stop cleanly afterwards");
    Ok(())
}
