//! `fuzz`: schemathesis makes requests of all sorts from the document that the real store serves, as
//! three roles, and holds every answer against it.

use crate::stage::{Installation, Person, Place, admin};
use crate::workspace::{Profile, build, target};
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::process::Command;

/// The version that is installed, from PyPI.
const PACKAGE: &str = "schemathesis==4.32.5";
/// Installing takes at most this long.
const INSTALL: Duration = Duration::from_secs(300);
/// One role takes at most this long; three of them stay within about four minutes on two cores.
const ROLE: Duration = Duration::from_secs(600);
/// Fixed, so that a failure can be run again.
const SEED: &str = "1";
/// What a schema can't know (which skus exist, what a shift is in) makes good bodies refusals, and a
/// resource may be gone or changed by another request.
const NOT_CHECKED: &str = "positive_data_acceptance,use_after_free,ensure_resource_availability";
/// Not ready is an answer, and 503 a documented one, while an actor is being restarted.
const READINESS: &str = "/health/ready";
/// Event streams have no end.
const EVENTS: &str = "/api/events";
const PRODUCTS: &str =
    "sku,name,price,category,barcode,reorder_level\n8991234567890,Green Tea,15000,Drinks,,24\n";

/// Whether the tool is there, or why not.
pub enum Tool {
    /// The program.
    Ready(PathBuf),
    /// Nothing is tried.
    Missing(&'static str),
}

/// Installs the tool into a virtual environment of the target folder, unless it is there.
pub async fn install() -> anyhow::Result<Tool> {
    let folder = target().await?.join(PACKAGE.replace("==", "-"));
    let tool = folder.join("bin/schemathesis");
    if works(&tool).await {
        return Ok(Tool::Ready(tool));
    }
    if !works(Path::new("python3")).await {
        return Ok(Tool::Missing("python3 is not here"));
    }
    println!("installing {PACKAGE} from PyPI into {}", folder.display());
    let mut make = Command::new("python3");
    make.args(["-m", "venv"]).arg(&folder);
    let mut add = Command::new(folder.join("bin/pip"));
    add.args(["install", "--quiet", "--disable-pip-version-check", PACKAGE]);
    for mut step in [make, add] {
        let done = tokio::time::timeout(INSTALL, step.kill_on_drop(true).status()).await;
        if !matches!(done, Ok(Ok(status)) if status.success()) {
            return Ok(Tool::Missing("schemathesis could not be installed from PyPI"));
        }
    }
    Ok(if works(&tool).await { Tool::Ready(tool) } else { Tool::Missing("schemathesis does not start") })
}

async fn works(program: &Path) -> bool {
    let mut probe = Command::new(program);
    probe.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    probe.status().await.is_ok_and(|status| status.success())
}

/// The command by itself; without the tool it fails.
pub async fn command(examples: u32) -> anyhow::Result<bool> {
    match install().await? {
        Tool::Ready(tool) => run(tool, examples).await,
        Tool::Missing(why) => bail!("{why}"),
    }
}

/// Tries a fresh store as three roles, with `examples` requests for each operation; true if every answer
/// was a documented one.
pub async fn run(tool: PathBuf, examples: u32) -> anyhow::Result<bool> {
    let binaries = build(Profile::Dev).await?;
    let place = Place::new(None)?;
    let setup = Installation::store(&binaries, &place, None)?;
    let people = [admin(), Person::new("cashier", "cashier"), Person::new("warehouse", "warehouse_staff")];
    let [first, others @ ..] = &people;
    setup.init(first).await?;
    for person in others {
        setup.add_user(person).await?;
    }
    let products = place.file("products.csv");
    std::fs::write(&products, PRODUCTS)?;
    setup.command(&["import", "products", &products.display().to_string()], None).await?;
    let store = setup.serve().await?;
    let mut agree = true;
    // All at once: the log-ins that are tried below have this address wait for its next one.
    let mut callers = Vec::new();
    for person in &people {
        let api = setup.login(person, &Arc::default()).await?;
        callers.push((person.role, api.token().context("no token")?.to_owned()));
    }
    for (role, token) in callers {
        println!("as {role}:");
        agree &= tried(&tool, &store.base(), &token, examples).await?;
    }
    if !store.stop().await?.success() {
        bail!("the store did not end well afterwards");
    }
    Ok(agree)
}

async fn tried(tool: &Path, base: &str, token: &str, examples: u32) -> anyhow::Result<bool> {
    let mut command = Command::new(tool);
    command
        .args(["run", &format!("{base}/api/openapi.json"), "--no-color", "--warnings", "off"])
        .args(["--phases", "examples,coverage,fuzzing", "--seed", SEED])
        .args(["--max-examples", &examples.to_string()])
        .args(["--exclude-checks", NOT_CHECKED, "--exclude-path", READINESS, "--exclude-path", EVENTS])
        .args(["--header", &format!("Authorization: Bearer {token}")])
        .stdin(Stdio::null())
        .kill_on_drop(true);
    let ended = tokio::time::timeout(ROLE, command.status()).await;
    let status = ended.with_context(|| format!("not done after {} s", ROLE.as_secs()))??;
    Ok(status.success())
}
