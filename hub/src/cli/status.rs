//! `status`: one screen in plain words.

use crate::config::Config;
use crate::db::Db;
use crate::office::overview::overview::{self, Overview};
use crate::state::hub;
use crate::table::drill::DrillView;
use edge::clock;
use std::collections::BTreeMap;

/// Prints the state of the hub and its stores, whether it serves or not.
pub async fn run(config: &Config) -> anyhow::Result<()> {
    let (db, identity) = hub::open_db(config).await?;
    let overview = overview(&db, config).await?;
    println!("{:<12} {}, version {}", "hub", identity.hub_id, edge::VERSION);
    for (name, text) in lines(&overview) {
        println!("{name:<12} {text}");
    }
    db.close().await;
    Ok(())
}

/// Overview for an administrator.
pub async fn overview(db: &Db, config: &Config) -> anyhow::Result<Overview> {
    let now = clock::now();
    let today = now.timestamp().in_tz(&config.hub.timezone)?.date();
    Ok(overview::read(db.pool(), now, today).await?)
}

/// Problems of stores that belong to a day's work: nothing is broken.
const WORK: [&str; 3] = ["disabled", "exceptions", "not_enrolled"];

/// Stores that wait for a person of head office. `None` if there are none.
pub fn work(overview: &Overview) -> Option<String> {
    let waiting = stores_by(overview, |code| WORK.contains(&code));
    (!waiting.is_empty()).then(|| format!("stores that head office has to attend to: {}", counts(&waiting)))
}

fn stores_by(overview: &Overview, is_counted: impl Fn(&str) -> bool) -> BTreeMap<String, i64> {
    let counted = overview.stores_by_problem.iter().filter(|(code, _)| is_counted(code));
    counted.map(|(code, count)| (code.clone(), *count)).collect()
}

/// Present problems.
pub fn problems(overview: &Overview) -> Vec<String> {
    let mut problems = Vec::new();
    let faults = stores_by(overview, |code| !WORK.contains(&code));
    if !faults.is_empty() {
        problems.push(format!("stores with problems: {}", counts(&faults)));
    }
    if overview.parked_count > 0 {
        problems.push(format!("parked records: {}", counts(&overview.parked_by_code)));
    }
    if let Some(proof) = overview.last_proof.as_ref().filter(|proof| !proof.ok) {
        problems.push(format!("{} proofs of the books did not hold at {}", proof.problems, proof.at));
    }
    problems
}

fn lines(overview: &Overview) -> Vec<(&'static str, String)> {
    let mut lines = vec![("stores", counts(&overview.stores_by_state))];
    lines.extend(problems(overview).into_iter().map(|problem| ("PROBLEM", problem)));
    lines.extend(work(overview).map(|work| ("waiting", work)));
    let proof =
        overview.last_proof.as_ref().map_or_else(|| "none yet".to_owned(), |proof| proof.at.to_string());
    let backup = overview.last_backup_at.map_or_else(|| "none yet".to_owned(), |at| at.to_string());
    let drill = match &overview.last_drill {
        None => "none yet".to_owned(),
        Some(DrillView { finished_at, problem: None, .. }) => finished_at.to_string(),
        Some(DrillView { finished_at, problem: Some(problem), .. }) => {
            format!("failed at {finished_at}: {problem}")
        }
    };
    lines.extend([
        ("last proof", proof),
        ("last backup", backup),
        ("last drill", drill),
        ("exceptions", format!("{} open", overview.exceptions_count)),
        ("orders", format!("{} wait for approval", overview.orders_to_approve_count)),
        ("settlements", format!("{} not approved", overview.settlements_open_count)),
        ("invoices", format!("{} due and not paid", overview.invoices_due_count)),
    ]);
    lines
}

/// `2 active, 1 new`
fn counts(counts: &BTreeMap<String, i64>) -> String {
    let texts: Vec<String> = counts.iter().map(|(name, count)| format!("{count} {name}")).collect();
    if texts.is_empty() { "none".to_owned() } else { texts.join(", ") }
}
