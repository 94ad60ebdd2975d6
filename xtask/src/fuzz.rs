//! `fuzz`: schemathesis makes requests of all sorts from the document that the real store, or hub, serves, as three
//! roles each, and checks every answer against it.

use crate::stage::{Installation, Person, STORE_ID, WorkFolder, admin, finance};
use crate::tools::python::Environment;
use crate::workspace::{Profile, build};
use anyhow::{Context, bail};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::process::Command;

mod links;

/// The version that is installed, from the package registry.
const PACKAGE: &str = "schemathesis==4.32.5";
/// Settings of the tool, which it reads from its working folder: a body that is refused for its size is refused, also
/// if the schema has a limit for the text that makes it so long; a batch is answered with 200 and the refusals of its
/// items. The others are the tool's own.
const SETTINGS_FILE: &str = "schemathesis.toml";
const SETTINGS: &str = "[checks.negative_data_rejection]\n\
    expected-statuses = [400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 428, 429, \"5XX\"]\n\
    [[operations]]\n\
    include-path-regex = \"/batch$\"\n\
    [operations.checks.negative_data_rejection]\n\
    expected-statuses = [200, 400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 428, 429, \"5XX\"]\n";
/// Longest time of one role, with an addition for each example. With 100 examples three roles take about five minutes
/// beside other work; a fully loaded machine may need four times that.
const ROLE: Duration = Duration::from_secs(450);
const ROLE_EXAMPLE: Duration = Duration::from_secs(9);
/// Fixed in the test command, so that a failure there is a failure everywhere.
pub const SEED: u64 = 1;
/// Facts that a schema can't have (the existing skus, the state of a shift) make valid bodies refusals, and a resource
/// may be gone or changed by another request.
const NOT_CHECKED: &str = "positive_data_acceptance,use_after_free,ensure_resource_availability";
/// Not ready is an answer, and 503 a documented one, while an actor is being restarted. Event streams have no end.
const NOT_TRIED: [&str; 2] = ["/health/ready", "/api/events"];
/// Operations that may lock the caller out, with 401 from then on: tried separately, and last.
const PARTING: [&str; 3] = ["/api/users/{id}", "/api/users/{id}/revoke-tokens", "/api/auth/logout"];
const PRODUCTS: &str =
    "sku,name,price,category,barcode,reorder_level\n8991234567890,Green Tea,15000,Drinks,,24\n";

/// Whether the tool is there, or why not.
pub enum Tool {
    Ready(PathBuf),
    Missing(&'static str),
}

/// Installs the tool into the target folder, unless it is there.
pub async fn install() -> anyhow::Result<Tool> {
    Ok(match Environment::install(&[PACKAGE], "schemathesis").await? {
        Ok(python) => Tool::Ready(python.program("schemathesis")),
        Err(why) => Tool::Missing(why),
    })
}

/// Roles that send a request for each bound of each schema, beside examples and random requests. A role's rights do not
/// change how a body is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Bounds {
    /// Only the administrator, who is allowed everything.
    Administrator,
    Everyone,
}

/// What is tried.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Target {
    /// `store-router`, as administrator, cashier and from the warehouse.
    Store,
    /// `cloud-hub`, as administrator, from finance and from purchasing.
    Hub,
}

/// The command by itself; without the tool it fails. With `links` it follows the documents' links instead, for so many
/// seconds at each program.
pub async fn command(targets: &[Target], examples: u32, links: Option<u32>) -> anyhow::Result<bool> {
    let tool = match install().await? {
        Tool::Ready(tool) => tool,
        Tool::Missing(why) => bail!("{why}"),
    };
    if let Some(seconds) = links {
        return links::run(&tool, seconds, SEED).await;
    }
    let mut agree = true;
    for target in targets {
        agree &= run(&tool, *target, Bounds::Everyone, examples, SEED).await?;
    }
    Ok(agree)
}

impl Target {
    /// Name for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Store => "store",
            Self::Hub => "hub",
        }
    }

    /// The users that try it; the administrator, who can lock the others out, last.
    pub fn people(self) -> [Person; 3] {
        match self {
            Self::Store => {
                [Person::new("cashier", "cashier"), Person::new("warehouse", "warehouse_staff"), admin()]
            }
            Self::Hub => [finance(), Person::new("purchasing", "ho_purchasing"), admin()],
        }
    }

    /// Set up, with its people and a product.
    pub async fn install(self, place: &WorkFolder, people: &[Person]) -> anyhow::Result<Installation> {
        let binaries = build(Profile::Dev).await?;
        let setup = match self {
            Self::Store => Installation::store(&binaries, place, None)?,
            Self::Hub => Installation::hub(&binaries, place)?,
        };
        let (admin, others) = people.split_last().context("no user to test with")?;
        setup.init(admin).await?;
        for person in others {
            setup.add_user(person).await?;
        }
        let products = place.file("products.csv");
        std::fs::write(&products, PRODUCTS)?;
        setup.command(&["import", "products", &products.display().to_string()], None).await?;
        if self == Self::Hub {
            setup.command(&["store", "add", STORE_ID], None).await?;
        }
        Ok(setup)
    }
}

/// Parameters of a trial.
struct Trial<'a> {
    tool: &'a Path,
    base: String,
    examples: u32,
    seed: u64,
    /// Folder for the tool's state of a run.
    place: &'a Path,
}

/// Tries a fresh one as three roles, with `examples` requests for each operation; true if every answer was a
/// documented one.
pub async fn run(
    tool: &Path,
    target: Target,
    bounds: Bounds,
    examples: u32,
    seed: u64,
) -> anyhow::Result<bool> {
    let place = WorkFolder::new(None)?;
    std::fs::write(place.file(SETTINGS_FILE), SETTINGS)?;
    let people = target.people();
    let setup = target.install(&place, &people).await?;
    let daemon = setup.serve().await?;
    let trial = Trial { tool, base: daemon.base(), examples, seed, place: place.path() };
    let parting = trial.parting().await?;
    // All at once: the log-ins that are tried below have this address wait for its next one.
    let mut callers = Vec::new();
    for person in &people {
        callers.push((person.role, setup.login(person, &Arc::default()).await?));
    }
    let mut agree = true;
    for (role, api) in callers {
        println!("as {role}, seed {seed}:");
        let token = api.token().context("no token")?;
        let phases = match bounds {
            Bounds::Administrator if role != admin().role => "examples,fuzzing",
            Bounds::Administrator | Bounds::Everyone => "examples,coverage,fuzzing",
        };
        let but = |path| ["--exclude-path", path];
        agree &= trial.run(token, phases, parting.iter().copied().chain(NOT_TRIED).flat_map(but)).await?;
        api.get("/api/auth/me").await.with_context(|| format!("{role} lost access during the test"))?;
        for path in &parting {
            agree &= trial.run(token, phases, ["--include-path", path]).await?;
        }
    }
    if !daemon.stop().await?.success() {
        bail!("the program did not stop cleanly afterwards");
    }
    Ok(agree)
}

impl Trial<'_> {
    /// Those of [`PARTING`] that it has.
    async fn parting(&self) -> anyhow::Result<Vec<&'static str>> {
        let document = reqwest::get(format!("{}/api/openapi.json", self.base)).await?.bytes().await?;
        let document: Value = serde_json::from_slice(&document).context("the document")?;
        let paths = document.get("paths").and_then(Value::as_object).context("the document has no paths")?;
        Ok(PARTING.into_iter().filter(|path| paths.contains_key(*path)).collect())
    }

    async fn run(
        &self,
        token: &str,
        phases: &str,
        which: impl IntoIterator<Item = &str>,
    ) -> anyhow::Result<bool> {
        let mut command = Command::new(self.tool);
        command
            .args(["run", &format!("{}/api/openapi.json", self.base), "--no-color", "--warnings", "off"])
            .args(["--phases", phases, "--seed", &self.seed.to_string()])
            .args(["--max-examples", &self.examples.to_string()])
            .args(["--exclude-checks", NOT_CHECKED])
            .args(which)
            .args(["--header", &format!("Authorization: Bearer {token}")])
            .current_dir(self.place)
            .stdin(Stdio::null())
            .kill_on_drop(true);
        let limit = ROLE + ROLE_EXAMPLE * self.examples;
        let ended = tokio::time::timeout(limit, command.status()).await;
        let status = ended.with_context(|| format!("not done after {} s", limit.as_secs()))??;
        Ok(status.success())
    }
}
