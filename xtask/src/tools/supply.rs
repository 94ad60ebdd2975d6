//! `deny`, `sbom`, `release`: the origin of the dependencies, and the list of a build's components.

use crate::tools::packages;
use crate::workspace::{cargo, root, target};
use anyhow::{Context, bail, ensure};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;
use tokio::process::Command;

/// Building a tool takes at most this long; `cargo-deny` took 90 s on two cores.
const INSTALL: Duration = Duration::from_secs(15 * 60);
const DENY: Tool = Tool { name: "cargo-deny", version: "0.20.2" };
const AUDITABLE: Tool = Tool { name: "cargo-auditable", version: "0.7.7" };
const CYCLONEDX: Tool = Tool { name: "cargo-cyclonedx", version: "0.5.9" };
/// Message of `cargo deny` if the advisory database can't be fetched.
const UNREACHABLE: &str = "failed to fetch advisory database";
/// Profile of the programs that are shipped.
pub const PROFILE: &str = "shipped";
/// The programs that are shipped.
const SHIPPED: [&str; 2] = ["store-router", "cloud-hub"];

/// A tool of the package registry.
pub struct Tool {
    pub name: &'static str,
    pub version: &'static str,
}

/// Result of a check that needs the network.
enum Checked {
    /// It ran; whether it found no problem.
    Judged(bool),
    /// It could not run.
    Skipped(&'static str),
}

/// A tool of ours in the target folder, built if it is missing, with a fast build rather than a fast result; `None` if
/// it can't be had.
pub async fn tool(Tool { name, version }: Tool) -> anyhow::Result<Option<PathBuf>> {
    let folder = target().await?.join("tools");
    let program = folder.join("bin").join(name);
    for there in [program.clone(), PathBuf::from(name)] {
        let mut probe = Command::new(&there);
        let said = probe.arg("--version").stderr(Stdio::null()).output().await;
        if said.is_ok_and(|said| String::from_utf8_lossy(&said.stdout).contains(version)) {
            return Ok(Some(there));
        }
    }
    println!("installing {name} {version} from the package registry into {}", folder.display());
    let mut install =
        cargo(&["install", "--quiet", "--debug", "--locked", "--version", version, name, "--root"]);
    install.arg(&folder).stdin(Stdio::null());
    let done = tokio::time::timeout(INSTALL, install.status()).await;
    Ok(matches!(done, Ok(Ok(status)) if status.success()).then_some(program))
}

/// `cargo deny` by the rules of `deny.toml`: licences, forbidden crates, where crates come from.
async fn deny() -> anyhow::Result<Checked> {
    let Some(tool) = tool(DENY).await? else {
        return Ok(Checked::Skipped("cargo-deny could not be installed from the package registry"));
    };
    let said = checked(&tool, &["licenses", "bans", "sources"]).await?;
    Ok(Checked::Judged(said.status.success()))
}

/// Known weaknesses, from the database of RustSec, which is on GitHub.
async fn advisories() -> anyhow::Result<Checked> {
    let Some(tool) = tool(DENY).await? else {
        return Ok(Checked::Skipped("cargo-deny could not be installed from the package registry"));
    };
    let said = checked(&tool, &["advisories"]).await?;
    if !said.status.success() && String::from_utf8_lossy(&said.stderr).contains(UNREACHABLE) {
        return Ok(Checked::Skipped("the advisory database can't be reached"));
    }
    Ok(Checked::Judged(said.status.success()))
}

async fn checked(tool: &Path, checks: &[&str]) -> anyhow::Result<Output> {
    let mut command = Command::new(tool);
    command.arg("check").args(checks).current_dir(root()).stdin(Stdio::null()).kill_on_drop(true);
    let said = command.output().await.context("cargo deny")?;
    eprint!("{}{}", String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr));
    Ok(said)
}

/// Both checks by themselves; a check that can't run is reported and counts as a failure.
pub async fn command() -> anyhow::Result<bool> {
    let mut clean = true;
    for checked in [deny().await?, advisories().await?] {
        match checked {
            Checked::Judged(fine) => clean &= fine,
            Checked::Skipped(why) => {
                eprintln!("not checked: {why}");
                clean = false;
            }
        }
    }
    Ok(clean)
}

/// Components of each program, in CycloneDX, as files in `to`.
pub async fn sbom(to: &Path) -> anyhow::Result<bool> {
    let tool =
        tool(CYCLONEDX).await?.context("cargo-cyclonedx could not be installed from the package registry")?;
    let name = "sbom-of-this-build";
    let mut command = Command::new(tool);
    command
        .args(["cyclonedx", "--format", "json", "--spec-version", "1.5", "--override-filename", name])
        .current_dir(root())
        .kill_on_drop(true);
    ensure!(command.status().await.context("cargo cyclonedx")?.success(), "cargo cyclonedx failed");
    std::fs::create_dir_all(to)?;
    // It writes beside every manifest of the workspace: files of released programs are kept, the rest removed.
    let folders = [
        "",
        "domain",
        "storage",
        "actors",
        "edge",
        "statements",
        "hub",
        "xtask",
        "xtask/launch",
        "bench",
        "testkit",
    ];
    for (folder, program) in folders.iter().map(|folder| (root().join(folder), shipped(folder))) {
        let made = folder.join(format!("{name}.json"));
        if let Some(program) = program {
            let kept = to.join(format!("{program}.cdx.json"));
            std::fs::copy(&made, &kept).with_context(|| format!("{}", made.display()))?;
            println!("{}", kept.display());
        }
        if made.exists() {
            std::fs::remove_file(&made)?;
        }
    }
    Ok(true)
}

fn shipped(folder: &str) -> Option<&'static str> {
    match folder {
        "" => Some(SHIPPED[0]),
        "hub" => Some(SHIPPED[1]),
        _ => None,
    }
}

/// Texts that only test builds may contain: the entry point of fuzzers.
const HOOKS: [&str; 1] = ["a token out of nothing"];

/// Checks that a released program has no entry point for tests.
fn without_hooks(program: &[u8]) -> anyhow::Result<()> {
    for hook in HOOKS {
        let found = program.windows(hook.len()).any(|bytes| bytes == hook.as_bytes());
        ensure!(!found, "holds {hook:?}, which is for tests");
    }
    Ok(())
}

/// The version of this release, with the commit that it is built from.
async fn version() -> anyhow::Result<String> {
    let mut git = Command::new("git");
    git.args(["describe", "--always", "--abbrev=12", "--dirty=-changed", "--exclude=*"]).current_dir(root());
    let said = git.output().await.context("git describe")?;
    ensure!(said.status.success(), "git describe: {}", said.status);
    Ok(format!("{}+{}", env!("CARGO_PKG_VERSION"), String::from_utf8_lossy(&said.stdout).trim()))
}

/// The release: both programs with the list of their crates inside (`cargo audit bin` reads it), their bills of
/// materials, Debian packages and checksums, in `target/dist`.
pub async fn release() -> anyhow::Result<bool> {
    let auditable =
        tool(AUDITABLE).await?.context("cargo-auditable could not be installed from the package registry")?;
    let built = target().await?;
    let mut build = Command::new(auditable);
    build
        .args(["auditable", "build", "--profile", PROFILE, "--locked"])
        .current_dir(root())
        .kill_on_drop(true);
    build.env("BUILD_VERSION", version().await?);
    for program in SHIPPED {
        build.args(["-p", program]);
    }
    if !build.status().await.context("cargo auditable")?.success() {
        bail!("the build failed");
    }
    let dist = built.join("dist");
    std::fs::create_dir_all(&dist)?;
    for program in SHIPPED {
        std::fs::copy(built.join(PROFILE).join(program), dist.join(program))?;
    }
    for program in SHIPPED {
        without_hooks(&std::fs::read(dist.join(program))?).with_context(|| program.to_owned())?;
    }
    sbom(&dist).await?;
    let packages = packages::make(&SHIPPED, &dist).await?;
    let mut sums = Command::new("sha256sum");
    let files = SHIPPED.iter().flat_map(|program| [(*program).to_owned(), format!("{program}.cdx.json")]);
    let names = packages.iter().filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()));
    let files: Vec<String> = files.chain(names).collect();
    let sums = sums.args(files).current_dir(&dist).output().await.context("sha256sum")?;
    ensure!(sums.status.success(), "sha256sum failed");
    std::fs::write(dist.join("SHA256SUMS"), &sums.stdout)?;
    print!("{}", String::from_utf8_lossy(&sums.stdout));
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::{HOOKS, without_hooks};

    #[test]
    fn hooks_for_tests_are_found_in_a_program() {
        assert!(without_hooks(b"\x7fELF and much else").is_ok());
        for hook in HOOKS {
            let program = [b"\x7fELF".as_slice(), hook.as_bytes(), b"\0"].concat();
            assert!(without_hooks(&program).is_err(), "{hook}");
        }
    }
}
