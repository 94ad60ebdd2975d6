//! Runs the vectors of the arithmetic specification through the rules of this crate.
//!
//! `tests/vectors/` holds all of them, one file per section. `VECTORS=file.json`, an array in the
//! same form, runs others instead.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test may fail loudly"
)]

#[path = "support/shop.rs"]
mod shop;
#[path = "support/vector_rules.rs"]
mod vector_rules;

use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Rules that come with the returns, points, counts, transfers, promotions and the books.
const LATER: &[&str] = &[
    "refund_parts",
    "refund_tenders",
    "cost_back",
    "lots",
    "defer",
    "pool",
    "opname",
    "transfer",
    "promo",
    "posting",
    "ledger",
];

#[derive(Deserialize)]
struct Vector {
    id: String,
    #[serde(rename = "fn")]
    rule: String,
    #[serde(rename = "in")]
    given: Value,
    out: Value,
}

fn files() -> Vec<PathBuf> {
    if let Some(file) = std::env::var_os("VECTORS") {
        // Cargo runs this in the crate's folder; a person names the file from the project's.
        let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(&file);
        return vec![if project.exists() { project } else { PathBuf::from(file) }];
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn read(file: &Path) -> Vec<Vector> {
    let text = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

#[test]
fn every_vector_of_a_rule_that_exists_holds() {
    let mut wrong = Vec::new();
    let mut ran = 0;
    for vector in files().iter().flat_map(|file| read(file)) {
        let Vector { id, rule, given, out } = vector;
        match vector_rules::rule(&rule) {
            Some(run) => {
                ran += 1;
                let got = run(&given);
                if got != out {
                    wrong.push(format!("{id} ({rule}) of {given}\n  want {out}\n  got  {got}"));
                }
            }
            None if LATER.contains(&rule.as_str()) => {}
            None => wrong.push(format!("{id}: no rule is called {rule}")),
        }
    }
    assert!(wrong.is_empty(), "{} of {ran} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(ran > 0, "no vector ran");
}

#[test]
fn nothing_waits_that_exists() {
    let named: BTreeSet<&str> = LATER.iter().copied().collect();
    assert_eq!(named.len(), LATER.len(), "a rule is named twice");
    for rule in LATER {
        assert!(vector_rules::rule(rule).is_none(), "{rule} exists: its vectors must run");
    }
}
