//! Runs the vectors of docs/arithmetic.md through the rules of this crate.
//!
//! `tests/vectors/` holds all of them, one file per section. `VECTORS=file.json`, an array in the
//! same form, runs others instead.

mod books;
mod goods;
mod returns;
mod rules;
mod settlement;

use serde::Deserialize;
use serde_json::Value;
use std::path::{Path, PathBuf};

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
        // Cargo runs this in the crate's folder, but the file's path is relative to the project's.
        let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(&file);
        return vec![if project.exists() { project } else { PathBuf::from(file) }];
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|kind| kind == "json"));
    files.sort();
    files
}

fn read(file: &Path) -> Vec<Vector> {
    let text = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

#[test]
fn every_vector_holds() {
    let mut wrong = Vec::new();
    let mut ran = 0;
    for vector in files().iter().flat_map(|file| read(file)) {
        let Vector { id, rule, given, out } = vector;
        match rules::rule(&rule) {
            Some(run) => {
                ran += 1;
                let got = run(&given);
                if got != out {
                    wrong.push(format!("{id} ({rule}) of {given}\n  want {out}\n  got  {got}"));
                }
            }
            None => wrong.push(format!("{id}: no rule is called {rule}")),
        }
    }
    assert!(wrong.is_empty(), "{} of {ran} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(ran > 0, "no vector ran");
}
