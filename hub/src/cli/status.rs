//! `status`: one screen in plain words.

use crate::config::Config;
use crate::office::overview::overview::{self, Overview};
use crate::state::hub;
use edge::clock;
use std::collections::BTreeMap;

/// Prints the state of the hub and its stores, whether it serves or not.
pub async fn run(config: &Config) -> anyhow::Result<()> {
    let (db, identity) = hub::open_db(config).await?;
    let now = clock::now();
    let today = now.timestamp().in_tz(&config.hub.timezone)?.date();
    let overview = overview::read(db.pool(), now, today).await?;
    println!("{:<12} {}, version {}", "hub", identity.hub_id, env!("CARGO_PKG_VERSION"));
    for (name, text) in lines(&overview) {
        println!("{name:<12} {text}");
    }
    db.close().await;
    Ok(())
}

fn lines(overview: &Overview) -> Vec<(&'static str, String)> {
    let count = |count: i64, what: &str| format!("{count} {what}");
    let mut lines = vec![("stores", counts(&overview.stores_by_state))];
    if overview.stores_with_problems_count > 0 {
        let problems = counts(&overview.stores_by_problem);
        lines.push(("PROBLEM", format!("stores with problems: {problems}")));
    }
    if overview.parked_count > 0 {
        lines.push(("PROBLEM", format!("parked records: {}", counts(&overview.parked_by_code))));
    }
    let proof = overview.last_proof.as_ref();
    match proof {
        Some(proof) if !proof.ok => {
            lines.push(("PROBLEM", format!("{} proofs of the books did not hold at {}", proof.problems, proof.at)));
        }
        _ => {}
    }
    let held = proof.map_or_else(|| "none yet".to_owned(), |proof| proof.at.to_string());
    let backup = overview.last_backup_at.map_or_else(|| "none yet".to_owned(), |at| at.to_string());
    lines.extend([
        ("last proof", held),
        ("last backup", backup),
        ("exceptions", count(overview.exceptions_count, "open")),
        ("orders", count(overview.orders_to_approve_count, "wait for approval")),
        ("settlements", count(overview.settlements_open_count, "not approved")),
        ("invoices", count(overview.invoices_due_count, "due and not paid")),
    ]);
    lines
}

/// `2 active, 1 new`
fn counts(counts: &BTreeMap<String, i64>) -> String {
    let texts: Vec<String> = counts.iter().map(|(name, count)| format!("{count} {name}")).collect();
    if texts.is_empty() { "none".to_owned() } else { texts.join(", ") }
}
