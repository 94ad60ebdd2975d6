//! A store's report of its backups and its disk in a hello.

use crate::db::{Write, signed};
use crate::table::alarm;
use domain::model::base::time::UtcMs;
use domain::wire::sync::Hello;

/// Longest reason that is kept, in characters.
const CHARS_MAX: usize = 500;

/// Keeps the last restore drill and raises or clears the alarms about it and about damage on the disk.
pub async fn keep(write: &mut Write, store_id: &str, hello: &Hello, now: UtcMs) -> Result<(), sqlx::Error> {
    let drill = hello.drill.as_ref();
    let problem = drill.and_then(|drill| drill.problem.as_deref()).map(short);
    let sql = "UPDATE stores SET drill_finished_at = $2, drill_duration_ms = $3, drill_backup_at = $4, \
               drill_records = $5, drill_problem = $6, drill_succeeded_at = $7 WHERE store_id = $1";
    let query = sqlx::query(sql).bind(store_id).bind(drill.map(|drill| drill.finished_at.0));
    let query = query.bind(drill.map(|drill| signed(drill.duration_ms)));
    let query = query.bind(drill.and_then(|drill| drill.backup_made_at).map(|at| at.0));
    let query = query.bind(drill.map(|drill| signed(drill.records_count))).bind(problem.clone());
    let query = query.bind(drill.and_then(|drill| drill.succeeded_at).map(|at| at.0));
    query.execute(&mut ***write).await?;
    let drill = problem.map(|why| format!("its newest backup can't be restored: {why}"));
    alarm_of(write, store_id, alarm::DRILL, drill, now).await?;
    let damage = hello.damage.as_deref().map(short);
    let damage = damage.map(|why| format!("its journal is damaged on its disk: {why}"));
    alarm_of(write, store_id, alarm::DAMAGE, damage, now).await
}

async fn alarm_of(
    write: &mut Write,
    store_id: &str,
    code: &'static str,
    message: Option<String>,
    now: UtcMs,
) -> Result<(), sqlx::Error> {
    match message {
        Some(message) => alarm::raise(write, store_id, code, &message, now).await,
        None => alarm::clear(write, store_id, code).await,
    }
}

/// Shortens a store's text to a readable length and removes characters that a database refuses.
fn short(words: &str) -> String {
    words.chars().filter(|c| *c != '\0').take(CHARS_MAX).collect()
}
