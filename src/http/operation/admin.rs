//! Running the store from a page: settings, verification, backups.

use crate::config::load::Loaded;
use crate::config::show::{self, SettingOrigin};
use crate::folder;
use crate::http::Answered;
use crate::http::Request;
use crate::http::ask::{answered, ask};
use crate::http::failure::stored;
use crate::upkeep::job::{Job, State};
use crate::upkeep::{Step, Upkeep, drill, kept, outcome};
use actors::{Failure, commands};
use anyhow::Context;
use domain::model::base::answer::Answer;
use domain::model::base::time::UtcMs;
use domain::wire::sync::BackupDrill;
use edge::identity::EmptyBody;
use edge::{ApiError, Doc, Reply, clock};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;
use storage::ScrubState;

pub const SETTINGS: Doc =
    Doc::of("Operation", "Retrieve the settings in force and the source of each; secrets are masked")
        .answers::<SettingsView>(include_str!("examples/settings.json"));
pub const CHANGE_SETTINGS: Doc = Doc::of(
    "Operation",
    "Change settings by section and key while the store runs; only in a store without a head office. Null restores the \
     value of the settings file. Taxes, payment methods and points apply from the next shift",
)
.body::<SettingsChange>(r#"{"returns.window_days": 14, "pricing.discount_limit_bp": null}"#)
.answers::<ChangedSettings>(r#"{"returns.window_days": 14}"#);
pub const WORK: Doc = Doc::of(
    "Operation",
    "Retrieve the progress of verification and backup, their last results, and the kept backups",
)
.answers::<WorkView>(include_str!("examples/work.json"));
pub const VERIFY: Doc = Doc::of("Operation", "Verify all stored data while the store sells")
    .optional_body::<EmptyBody>("{}")
    .answers::<Work>(include_str!("examples/verify.json"));
pub const BACKUP: Doc = Doc::of("Operation", "Back up the store into its backup folder while it sells")
    .optional_body::<NewBackup>(r#"{"keys": true}"#)
    .answers::<Work>(include_str!("examples/backup.json"));

/// State that these routes share.
pub struct Admin {
    upkeep: Upkeep,
    loaded: Loaded,
    data: PathBuf,
    /// Folder of the backups that a page requests.
    pub(crate) backups: PathBuf,
    /// Number of these backups that are kept.
    keep: usize,
    verifying: Job,
    backing_up: Job,
}

impl Admin {
    /// Builds the state of a store with these settings.
    pub fn new(loaded: &Loaded, upkeep: Upkeep) -> Self {
        let config = &loaded.config;
        Self {
            upkeep,
            loaded: loaded.clone(),
            data: config.storage.path.clone(),
            backups: folder::backups(config),
            keep: config.backup.keep,
            verifying: Job::default(),
            backing_up: Job::default(),
        }
    }
}

/// Request body that starts a backup.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewBackup {
    /// Whether the backup contains the store's keys. Without them, a restored store must be enrolled again.
    #[serde(default = "yes")]
    keys: bool,
}

fn yes() -> bool {
    true
}

/// Every setting by section and key.
#[derive(Serialize, JsonSchema)]
struct SettingsView {
    /// Settings in force, by section and key. Secrets are masked.
    settings: Map<String, Value>,
    /// Source of each setting that does not have its default value, by `section.key`.
    setting_places: BTreeMap<String, SettingOrigin>,
}

/// New value of each setting, by section and key. Null restores the value of the settings file.
#[derive(Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(rename = "StoreSettingsChange")]
struct SettingsChange(BTreeMap<String, Option<Value>>);

/// All settings that were changed while the store ran, by section and key.
#[derive(Serialize, JsonSchema)]
#[serde(transparent)]
#[schemars(rename = "ChangedStoreSettings")]
struct ChangedSettings(BTreeMap<String, Value>);

/// Verification and backup of the store's data: current and latest results.
#[derive(Serialize, JsonSchema)]
struct WorkView {
    /// The latest verification since the daemon started. Null if there was none.
    verify: Option<Work>,
    /// The latest backup since the daemon started. Null if there was none.
    backup: Option<Work>,
    /// Backups below the data folder, newest first.
    backups: Vec<KeptBackup>,
    /// Result of the last restore drill, in which the newest backup was restored and verified. Null if there was none.
    drill: Option<BackupDrill>,
    /// State of the background check of the journal.
    scrub: ScrubView,
    /// Free bytes on the disk of the data folder.
    free_bytes: u64,
}

/// State of the background check, which reads the sealed segments of the journal once a day.
#[derive(Serialize, JsonSchema)]
struct ScrubView {
    /// When the last pass over all segments ended. Null if none ended since the daemon started.
    finished_at: Option<UtcMs>,
    /// Number of bytes that the current or last pass has read.
    read_bytes: u64,
    /// Number of bytes that the pass reads in all.
    total_bytes: u64,
    /// Damage that was found, with file and offset. Empty if there was none.
    damaged_places: Vec<String>,
}

/// The wall clock's time of an instant of this process.
pub(crate) fn time_of(instant: Instant) -> UtcMs {
    let ago = i64::try_from(instant.elapsed().as_millis()).unwrap_or(i64::MAX);
    UtcMs(clock::now().0.saturating_sub(ago))
}

impl From<ScrubState> for ScrubView {
    fn from(state: ScrubState) -> Self {
        let ScrubState { finished, read_bytes, total_bytes, damage } = state;
        Self { finished_at: finished.map(time_of), read_bytes, total_bytes, damaged_places: damage }
    }
}

/// A stored backup.
#[derive(Serialize, JsonSchema)]
struct KeptBackup {
    /// Name of the backup's folder.
    folder: String,
    /// When the backup was made.
    made_at: UtcMs,
    /// Size of the backup in bytes.
    bytes: u64,
}

/// A long task. Repeat the request until it is completed; a repeated request joins the running task.
#[derive(Serialize, JsonSchema)]
struct Work {
    /// Whether the work ended successfully.
    completed: bool,
    /// When the work started.
    started_at: UtcMs,
    /// When the work ended. Null while it is running.
    finished_at: Option<UtcMs>,
    /// Progress of the work. Null if none is known.
    progress: Option<Step>,
    /// Result of the work. Null unless the work succeeded.
    result: Option<Map<String, Value>>,
    /// Reason of the failure. Null unless the work failed.
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
    let loaded = &request.state.admin.loaded;
    let view = show::view(&loaded.config, &of_hub).map_err(ApiError::internal)?;
    let setting_places = show::places(loaded, &of_hub).map_err(ApiError::internal)?;
    Ok(Reply::ok(&SettingsView { settings: view.as_object().cloned().unwrap_or_default(), setting_places }))
}

/// `PATCH /api/admin/settings`
pub async fn change_settings(request: Request) -> Answered {
    let SettingsChange(asked) = request.json()?;
    let change = commands::ChangeStoreSettings(asked);
    answered(request.state.store.change_settings(ask(&request)?, change).await)
}

/// `GET /api/admin/work`
pub async fn work(request: Request) -> Answered {
    let admin = &request.state.admin;
    let backups = admin.backups.clone();
    let read = move || (kept::list(&backups), drill::last(&backups));
    let (kept, drill) = tokio::task::spawn_blocking(read).await.map_err(ApiError::internal)?;
    let backups = kept.map_err(ApiError::internal)?.into_iter().map(|kept| KeptBackup {
        folder: kept.folder.display().to_string(),
        made_at: kept.made_at,
        bytes: kept.bytes,
    });
    Ok(Reply::ok(&WorkView {
        verify: admin.verifying.latest().map(Work::from),
        backup: admin.backing_up.latest().map(Work::from),
        backups: backups.collect(),
        drill,
        scrub: ScrubView::from(request.state.store.storage().scrub()),
        free_bytes: request.state.store.storage().stats().free_bytes,
    }))
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
            upkeep.check_free_space(&admin.data).map_err(|why| Failure::StorageFull(why.to_string()))?;
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
