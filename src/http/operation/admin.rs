//! Running the store from a page: settings, verification, backups.

use crate::config::{Config, show};
use crate::http::Answered;
use crate::http::Request;
use crate::http::ask::{answered, ask};
use crate::http::failure::stored;
use crate::upkeep::job::{Job, State};
use crate::upkeep::{Step, Upkeep, outcome};
use actors::Failure;
use anyhow::Context;
use domain::model::base::answer::Answer;
use domain::model::base::time::UtcMs;
use edge::identity::EmptyBody;
use edge::{ApiError, Doc, Reply};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::PathBuf;

/// `GET /api/admin/settings`
pub const SETTINGS: Doc = Doc::of("Operation", "The settings in force, secrets masked")
    .answers::<SettingsView>(r#"{"settings": {"store": {"id": "S001", "currency": "IDR"}}}"#);
/// `POST /api/admin/verify`
pub const VERIFY: Doc = Doc::of("Operation", "Check everything that is stored, beside selling")
    .optional_body::<EmptyBody>("{}")
    .answers::<Work>(include_str!("examples/verify.json"));
/// `POST /api/admin/backup`
pub const BACKUP: Doc = Doc::of("Operation", "Back the store up into its folder of backups, beside selling")
    .optional_body::<NewBackup>(r#"{"keys": true}"#)
    .answers::<Work>(include_str!("examples/backup.json"));

/// What these routes share.
pub struct Admin {
    upkeep: Upkeep,
    config: Config,
    /// The data folder.
    data: PathBuf,
    /// Where backups that a page asks for lie.
    backups: PathBuf,
    /// How many of them stay.
    keep: usize,
    verifying: Job,
    backing_up: Job,
}

impl Admin {
    /// Of a store with these settings.
    pub fn new(config: &Config, upkeep: Upkeep) -> Self {
        Self {
            upkeep,
            config: config.clone(),
            data: config.storage.path.clone(),
            backups: config.storage.path.join("backups"),
            keep: config.backup.keep,
            verifying: Job::default(),
            backing_up: Job::default(),
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewBackup {
    /// Whether the store's keys are in it; without them a restored store has to be enrolled anew.
    #[serde(default = "yes")]
    keys: bool,
}

fn yes() -> bool {
    true
}

/// Every setting by section and key.
#[derive(Serialize, JsonSchema)]
struct SettingsView {
    settings: Map<String, Value>,
}

/// Long work: ask again while it is not completed.
#[derive(Serialize, JsonSchema)]
struct Work {
    /// It ended; else it goes on, and asking again joins it.
    completed: bool,
    started_at: UtcMs,
    finished_at: Option<UtcMs>,
    /// How far it is.
    progress: Option<Step>,
    /// What it came to.
    result: Option<Map<String, Value>>,
    /// Why it came to nothing.
    error: Option<String>,
}

impl From<State> for Work {
    fn from(state: State) -> Self {
        let State { started_at, step: progress, ended } = state;
        let mut work =
            Self { completed: false, started_at, finished_at: None, progress, result: None, error: None };
        if let Some((at, ended)) = ended {
            work.completed = ended.is_ok();
            work.finished_at = Some(at);
            match ended {
                Ok(value) => work.result = value.as_object().cloned(),
                Err(error) => work.error = Some(error),
            }
        }
        work
    }
}

/// `GET /api/admin/settings`
pub async fn settings(request: Request) -> Answered {
    let of_hub = request.state.store.hub_settings().map_err(stored)?;
    let view = show::view(&request.state.admin.config, &of_hub).map_err(ApiError::internal)?;
    Ok(Reply::ok(&SettingsView { settings: view.as_object().cloned().unwrap_or_default() }))
}

/// `POST /api/admin/verify`
pub async fn verify(request: Request) -> Answered {
    let EmptyBody {} = request.json()?;
    let (admin, store) = (&request.state.admin, &request.state.store);
    let upkeep = admin.upkeep.clone();
    let verify = async {
        let work = |progress| async move { Ok(outcome::of_verification(&upkeep.verify(progress).await?)) };
        Ok(Answer::ok(&Work::from(admin.verifying.run(work).await)))
    };
    answered(store.remember(&ask(&request)?, verify).await)
}

/// `POST /api/admin/backup`
pub async fn backup(request: Request) -> Answered {
    let NewBackup { keys } = request.json()?;
    let (admin, store) = (&request.state.admin, &request.state.store);
    let (upkeep, backups, keep) = (admin.upkeep.clone(), admin.backups.clone(), admin.keep);
    let backup = async {
        if admin.backing_up.is_idle() {
            upkeep.room(&admin.data).map_err(|why| Failure::StorageFull(why.to_string()))?;
        }
        let work = |progress| async move {
            let made = tokio::fs::create_dir_all(&backups).await;
            made.with_context(|| format!("can't make {}", backups.display()))?;
            let (folder, backup) = upkeep.backup_below(&backups, keep, keys, progress).await?;
            Ok(outcome::of_backup(&folder, &backup))
        };
        Ok(Answer::ok(&Work::from(admin.backing_up.run(work).await)))
    };
    answered(store.remember(&ask(&request)?, backup).await)
}
