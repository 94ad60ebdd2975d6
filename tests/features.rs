//! `docs/features.md` has every capability once, and names no test that is not there.
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

fn page() -> (String, &'static Path) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    (fs::read_to_string(root.join("docs/features.md")).unwrap(), root)
}

#[test]
fn every_capability_has_one_row() {
    let (page, _) = page();
    let number = |line: &str| line.strip_prefix("| ")?.split(' ').next()?.parse::<usize>().ok();
    let found: Vec<usize> = page.lines().filter_map(number).collect();
    assert_eq!(found, (1..=CAPABILITIES).collect::<Vec<_>>());
    let unproved: Vec<&str> = page
        .lines()
        .filter(|line| number(line).is_some() && !line.contains("::") && !line.contains("*not built*"))
        .collect();
    assert!(unproved.is_empty(), "neither a test nor an honest no: {unproved:#?}");
}

#[test]
fn every_test_that_is_named_exists() {
    let (page, root) = page();
    let named: Vec<&str> = page.split('`').filter(|code| code.contains(".rs::")).collect();
    assert!(named.len() > CAPABILITIES / 2, "{} tests are named", named.len());
    for name in named {
        let (file, test) = name.split_once("::").unwrap();
        let source = fs::read_to_string(root.join(file)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(source.contains(&format!("fn {test}(")), "{name} is not there");
    }
}
