//! `docs/proofs/features.md` lists every capability once.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

use std::fs;
use std::path::Path;

/// Capabilities of the study.
const CAPABILITIES: usize = 119;

#[test]
fn every_capability_has_one_row() {
    let page =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/proofs/features.md")).unwrap();
    let number = |line: &str| line.strip_prefix("| ")?.split(' ').next()?.parse::<usize>().ok();
    let found: Vec<usize> = page.lines().filter_map(number).collect();
    assert_eq!(found, (1..=CAPABILITIES).collect::<Vec<_>>());
    let unproved: Vec<&str> = page
        .lines()
        .filter(|line| number(line).is_some() && !line.contains("::") && !line.contains("*not built*"))
        .collect();
    assert!(unproved.is_empty(), "neither a test nor a reason for its absence: {unproved:#?}");
}
