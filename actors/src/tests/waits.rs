//! No waits form a circle: the rule of the permits as a model that is searched completely, the table of
//! `docs/architecture.md`, and the sources, in which every wait has a deadline.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

mod model;

use model::Rule;

#[test]
fn under_one_gate_for_all_an_owner_waits_for_what_lies_in_its_own_mailbox() {
    let stuck = model::search(Rule::OneGate).expect("the old rule gets stuck");
    assert!(stuck.contains("WantsPermit"), "{stuck}");
}

#[test]
fn under_permits_of_the_reserve_in_a_mailbox_it_does_so_too() {
    assert!(model::search(Rule::ReserveInMailbox).is_some());
}

#[test]
fn with_a_reserve_that_is_taken_at_the_end_everything_comes_to_its_end() {
    assert_eq!(model::search(Rule::Reserve), None);
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Returns `waiter → what it waits for` from the table.
fn edges() -> BTreeMap<String, BTreeSet<String>> {
    let text = fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    let table = text.split("| waits | for |").nth(1).expect("the table of waits");
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let mut edges = BTreeMap::<String, BTreeSet<String>>::new();
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        assert_eq!(cells.len(), 4, "waits, for, holding, at most: {row}");
        assert!(!cells[3].is_empty(), "a wait without a deadline: {row}");
        let names = |cell: &str| {
            cell.split(',').map(|name| name.trim().trim_matches('`').to_owned()).collect::<Vec<_>>()
        };
        for waiter in names(cells[0]) {
            edges.entry(waiter).or_default().extend(names(cells[1]));
        }
    }
    edges
}

/// Returns the names on a circle, if there is one.
fn circle(edges: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    fn walk(
        name: &str,
        edges: &BTreeMap<String, BTreeSet<String>>,
        way: &mut Vec<String>,
        done: &mut BTreeSet<String>,
    ) -> bool {
        if way.iter().any(|before| before == name) {
            way.push(name.to_owned());
            return true;
        }
        if !done.contains(name) {
            way.push(name.to_owned());
            if edges.get(name).into_iter().flatten().any(|next| walk(next, edges, way, done)) {
                return true;
            }
            way.pop();
            done.insert(name.to_owned());
        }
        false
    }
    let mut done = BTreeSet::new();
    edges.keys().find_map(|name| {
        let mut way = Vec::new();
        walk(name, edges, &mut way, &mut done).then_some(way)
    })
}

#[test]
fn no_one_waits_in_a_circle_by_the_table_of_the_architecture() {
    let mut edges = edges();
    let owners = ["shift", "ledger", "members", "catalogue", "sessions", "outbox"];
    for name in owners.iter().chain(&["caller", "gate", "reserve", "connection", "supervisor", "writer"]) {
        assert!(edges.contains_key(*name), "{name} is not in the table");
    }
    for owner in owners {
        assert!(edges["gate"].contains(owner), "the mailbox of {owner} contains commands");
        assert!(!edges[owner].contains("gate"), "{owner} waits for a command's permit");
    }
    assert_eq!(
        edges["reserve"],
        BTreeSet::from(["writer".to_owned()]),
        "the reserve waits only for the writer"
    );
    assert_eq!(circle(&edges), None);
    // The former rule, to see that a circle is found.
    edges.get_mut("members").unwrap().insert("gate".to_owned());
    assert!(circle(&edges).is_some());
}

/// Collects every source file below a folder except tests, with its lines.
fn sources(folder: &Path, into: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            if !path.ends_with("tests") {
                sources(&path, into);
            }
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let shipped = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default().to_owned();
            let name = path.strip_prefix(root()).unwrap().display().to_string();
            if !name.ends_with("tests.rs") {
                into.push((name, shipped));
            }
        }
    }
}

/// Waits for another task, thread or actor.
const WAITS: [&str; 12] = [
    "acquire_owned().await",
    "acquire().await",
    ".lock().await",
    "changed().await",
    ".recv().await",
    "done.await",
    "answered.await",
    "receiver.await",
    "settled.await",
    "opened.await",
    ".wait(None)",
    ".await.wait_for(",
];

/// Waits for events that hold up nothing, and waits inside of functions that have a deadline.
const ALLOWED: [(&str, &str, &str); 7] = [
    ("actors/src/handle/probe.rs", "acquire_owned().await", "`passes` as a whole has a deadline"),
    ("actors/src/handle/probe.rs", "answered.await", "`passes` as a whole has a deadline"),
    ("actors/src/handle/screens.rs", "changed().await", "a stream waits for news"),
    ("actors/src/hub/hub_connection/proof.rs", "changed().await", "the loop as a whole has a deadline"),
    ("actors/src/hub/outbox.rs", "changed().await", "records are waited for"),
    ("actors/src/supervision/supervisor.rs", ".wait(None)", "the process waits for its end"),
    ("storage/src/handle.rs", "changed().await", "a failure is waited for"),
];

#[test]
fn nobody_waits_without_a_deadline_and_no_owner_for_a_commands_permit() {
    let mut files = Vec::new();
    for folder in ["actors/src", "storage/src"] {
        sources(&root().join(folder), &mut files);
    }
    let mut seen = BTreeSet::new();
    for (name, text) in &files {
        for line in text.lines() {
            for wait in WAITS.iter().filter(|wait| line.contains(**wait) && !line.contains("timeout")) {
                let known = ALLOWED.iter().position(|(file, what, _)| file == name && what == wait);
                assert!(known.is_some(), "{name}: a wait without a deadline: {line}");
                seen.extend(known);
            }
        }
        let takes = text.contains(".gate()");
        assert!(
            !takes || name.starts_with("actors/src/handle/"),
            "{name}: only the handle takes permits of commands"
        );
    }
    assert_eq!(seen.len(), ALLOWED.len(), "an exception that is no longer needed");
}
