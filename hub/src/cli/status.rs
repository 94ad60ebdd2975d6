//! `status`: one screen in plain words.

use crate::config::Config;
use crate::db::Db;
use crate::office::overview::overview::{self, Overview};
use crate::state::hub;
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

/// What an administrator looks at first.
pub async fn overview(db: &Db, config: &Config) -> anyhow::Result<Overview> {
    let now = clock::now();
    let today = now.timestamp().in_tz(&config.hub.timezone)?.date();
    Ok(overview::read(db.pool(), now, today).await?)
}

/// What somebody has to look after.
pub fn problems(overview: &Overview) -> Vec<String> {
    let mut problems = Vec::new();
    if overview.stores_with_problems_count > 0 {
        problems.push(format!("stores with problems: {}", counts(&overview.stores_by_problem)));
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
    let proof =
        overview.last_proof.as_ref().map_or_else(|| "none yet".to_owned(), |proof| proof.at.to_string());
    let backup = overview.last_backup_at.map_or_else(|| "none yet".to_owned(), |at| at.to_string());
    lines.extend([
        ("last proof", proof),
        ("last backup", backup),
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
