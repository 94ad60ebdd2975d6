//! `doctor`: everything that an operator would check by hand, whether the hub serves or not.

use super::{Loaded, status};
use crate::config::Config;
use crate::state::hub::{fingerprint_key, open_db, token_key};
use crate::table::drill::DrillView;
use anyhow::bail;
use domain::model::base::time::UtcMs;
use edge::keys::KeyError;
use edge::server::certificate;
use edge::server::command::words;
use edge::server::doctor::{Report, listens};
use edge::{clock, private};
use std::time::Duration;

/// Greatest age of the last backup: one nightly backup may be missing.
const BACKUP_AGE_MAX: Duration = Duration::from_secs(50 * 3600);

/// Prints a line for each check.
///
/// # Errors
/// A check found a problem.
pub async fn run(loaded: &Loaded) -> anyhow::Result<()> {
    let config = &loaded.config;
    let mut report = Report::default();
    report.add("settings", message(config.http.tls()).map(|_| loaded.confirmation()));
    certificate::report(&[config.http.certificate()], clock::now().timestamp(), &mut report);
    report.add("data", check_folder(config));
    let listen = config.http.listen;
    let hint = "systemctl start cloud-hub, then journalctl -u cloud-hub";
    let daemon = listens(listen).map(|()| format!("answers at {listen}"));
    report.add("daemon", daemon.map_err(|why| format!("nothing answers at {listen} ({why}): {hint}")));
    if let Err(why) = check_database(config, &mut report).await {
        report.add("database", Err(words(why.as_ref())));
    }
    print!("{}", report.text());
    match report.problems() {
        0 => Ok(()),
        count => bail!("problems: {count}"),
    }
}

fn message<T, E: std::fmt::Display>(result: Result<T, E>) -> Result<T, String> {
    result.map_err(|error| error.to_string())
}

fn check_folder(config: &Config) -> Result<String, String> {
    let path = &config.storage.path;
    if !token_key(path).exists() && fingerprint_key(path).exists() {
        return Err(KeyError::Missing(token_key(path)).to_string());
    }
    if !token_key(path).exists() {
        return Err(format!("{} has no hub: run cloud-hub init", path.display()));
    }
    message(private::check_folder(path))?;
    Ok(path.display().to_string())
}

/// Checks that need the database.
async fn check_database(config: &Config, report: &mut Report) -> anyhow::Result<()> {
    let (db, identity) = open_db(config).await?;
    let overview = status::overview(&db, config).await?;
    report.add("database", Ok(format!("hub {}", identity.hub_id)));
    let sql = "SELECT MAX(made_at) FROM backups";
    let counted: Option<i64> = sqlx::query_scalar(sql).fetch_one(db.pool()).await?;
    report.add("backup", check_backup(overview.last_backup_at, counted.map(UtcMs)));
    report.add("drill", check_drill(overview.last_drill.as_ref()));
    let problems = status::problems(&overview);
    if problems.is_empty() {
        report.add("stores", Ok("no store has a problem, and no record is parked".to_owned()));
    }
    if let Some(work) = status::work(&overview) {
        report.warn("stores", &work);
    }
    for problem in problems {
        report.add("stores", Err(problem));
    }
    db.close().await;
    Ok(())
}

/// Checks that the newest backups can be restored.
fn check_drill(last: Option<&DrillView>) -> Result<String, String> {
    let Some(drill) = last else {
        return Err("no backup was ever restored to check it: run cloud-hub drill".to_owned());
    };
    if let Some(problem) = &drill.problem {
        return Err(format!("the last backup can't be restored: {problem}"));
    }
    let said = format!("a backup was restored and verified at {}", drill.finished_at);
    if age(drill.finished_at) > BACKUP_AGE_MAX {
        return Err(format!("{said}: is cloud-hub-backup.timer enabled?"));
    }
    Ok(said)
}

fn age(at: UtcMs) -> Duration {
    Duration::from_millis(clock::now().0.saturating_sub(at.0).try_into().unwrap_or(0))
}

/// Checks the age of the last backup. `last`: of any generation; `counted`: of the present generation.
fn check_backup(last: Option<UtcMs>, counted: Option<UtcMs>) -> Result<String, String> {
    let Some(last) = counted else {
        return Err(match last {
            None => "there is none: run cloud-hub backup DIR".to_owned(),
            Some(last) => format!(
                "there is none since the hub was restored (the last one before is of {last}): run cloud-hub backup DIR"
            ),
        });
    };
    let said = format!("the last one is of {last}");
    if age(last) > BACKUP_AGE_MAX {
        return Err(format!("{said}: is cloud-hub-backup.timer enabled?"));
    }
    Ok(said)
}
