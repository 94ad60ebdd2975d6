//! `docs/sync-proofs.md` names no test that is not there.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

use std::fs;
use std::path::Path;

#[test]
fn every_test_that_is_named_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/sync-proofs.md")).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| line"));
    for row in rows {
        let named: Vec<&str> = row.split('`').filter(|code| code.contains(".rs::")).collect();
        assert!(!named.is_empty(), "no test shows it: {row}");
        for name in named {
            let (file, test) = name.split_once("::").unwrap();
            let source =
                fs::read_to_string(root.join(file)).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(source.contains(&format!("fn {test}(")), "{name} is not there");
        }
    }
}
