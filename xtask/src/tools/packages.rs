//! Debian packages of both programs, and their contents besides the program.

use crate::tools::supply::{PROFILE, Tool, tool};
use crate::workspace::{cargo, root, target};
use anyhow::{Context, ensure};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::process::Command;

const DEB: Tool = Tool { name: "cargo-deb", version: "3.8.0" };
/// Shells, each with the name of the file in which it looks for completions.
const SHELLS: [(&str, &str, &str); 3] = [("bash", "", ".bash"), ("zsh", "_", ""), ("fish", "", ".fish")];

/// Makes a package of each program that a build of [`PROFILE`] left in the target folder, and copies it to `to`.
///
/// # Errors
/// `cargo-deb` can't be installed, or a program or a file of the package is missing.
pub async fn make(programs: &[&str], to: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let deb = tool(DEB).await?.context("cargo-deb could not be installed from the package registry")?;
    let built = target().await?;
    // The lists of files in Cargo.toml name this folder.
    ensure!(
        built == root().join("target"),
        "packages can only be made in {}",
        root().join("target").display()
    );
    let mut packages = Vec::new();
    for program in programs {
        describe(&built.join(PROFILE).join(program), &built.join("package").join(program), program).await?;
        let mut command = Command::new(&deb);
        command.args(["deb", "--profile", PROFILE, "--no-build", "--locked", "--dbgsym"]);
        command.args(["--package", program, "--output"]);
        command.arg(to).current_dir(root()).kill_on_drop(true);
        // cargo-deb asks cargo for the workspace.
        command.env("CARGO", cargo(&[]).as_std().get_program());
        let made = command.stderr(Stdio::inherit()).output().await.context("cargo deb")?;
        ensure!(made.status.success(), "cargo deb failed for {program}");
        packages.extend(String::from_utf8_lossy(&made.stdout).lines().map(PathBuf::from));
    }
    Ok(packages)
}

/// Writes the manual pages and completions of a program, as the program itself prints them.
async fn describe(program: &Path, to: &Path, name: &str) -> anyhow::Result<()> {
    let man = to.join("man");
    if to.exists() {
        std::fs::remove_dir_all(to)?;
    }
    std::fs::create_dir_all(&man)?;
    let run = async |args: &[&str]| {
        let said = Command::new(program).args(args).kill_on_drop(true).output().await;
        let said = said.with_context(|| program.display().to_string())?;
        ensure!(said.status.success(), "{} {}: {}", program.display(), args.join(" "), said.status);
        Ok(said.stdout)
    };
    run(&["man", &man.display().to_string()]).await?;
    for (shell, before, after) in SHELLS {
        std::fs::write(to.join(format!("{before}{name}{after}")), run(&["completions", shell]).await?)?;
    }
    Ok(())
}
