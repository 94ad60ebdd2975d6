//! The dependencies between crates, checked in their manifests and sources: which crates each may use, and the only
//! folders that may name an engine.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Highest number of lines of a source file. A file of 250 lines is already long.
const SOURCE_LINES_MAX: usize = 400;

/// Crates, each with the packages that its manifest must not name.
const FORBIDDEN: [(&str, &[&str]); 7] = [
    (
        "domain",
        &[
            "actors",
            "bincode",
            "cloud-hub",
            "edge",
            "hyper",
            "rand",
            "ractor",
            "reqwest",
            "sled",
            "sqlx",
            "storage",
            "store-router",
            "tokio",
            "uuid",
            "warp",
        ],
    ),
    (
        "storage",
        &["actors", "cloud-hub", "edge", "hyper", "ractor", "reqwest", "sqlx", "store-router", "warp"],
    ),
    ("actors", &["bincode", "cloud-hub", "edge", "hyper", "sled", "sqlx", "store-router", "warp"]),
    ("edge", &["actors", "bincode", "cloud-hub", "ractor", "sled", "sqlx", "storage", "store-router"]),
    ("statements", &["cloud-hub", "hyper", "reqwest", "sqlx", "storage", "store-router", "tokio", "warp"]),
    ("", &["bincode", "cloud-hub", "ractor", "sled", "sqlx"]),
    ("hub", &["actors", "bincode", "ractor", "sled", "storage", "store-router"]),
];

/// Folders with sources of the workspace.
const ALL: [&str; 11] =
    ["src", "domain", "storage", "actors", "edge", "statements", "hub", "xtask", "bench", "testkit", "tests"];

/// Names of packages, each with the only folder whose sources may use it.
const ALONE: [(&str, &str); 5] =
    [("sled", "storage"), ("bincode", "storage"), ("ractor", "actors"), ("warp", "edge"), ("sqlx", "hub")];

/// Names that rules must not use, because rules can't wait, read, write, tell the time or use randomness.
const IMPURE: [&str; 12] = [
    "std::fs",
    "std::net",
    "std::io",
    "std::thread",
    "std::process",
    "std::env",
    "SystemTime",
    "Instant::now",
    "Timestamp::now",
    "Zoned::now",
    "async fn",
    "rand::",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns every package that a manifest names in these sections.
fn named(folder: &str, sections: &[&str]) -> BTreeSet<String> {
    let path = root().join(folder).join("Cargo.toml");
    let manifest: toml::Table = fs::read_to_string(&path).unwrap().parse().unwrap();
    sections
        .iter()
        .filter_map(|section| manifest.get(*section)?.as_table())
        .flat_map(|section| section.keys().cloned())
        .collect()
}

/// Adds the Rust files below a folder to `found`.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            found.push(path);
        }
    }
}

fn sources_of(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    sources(&root().join(folder), &mut found);
    assert!(!found.is_empty(), "no sources in {folder}");
    found
}

/// Returns a file's text without its comments.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().map(|line| line.find("//").map_or(line, |at| &line[..at]));
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns whether code uses a crate, in a path or in an import.
fn says(code: &str, name: &str) -> bool {
    let word = |found: usize| {
        let before = code[..found].chars().next_back();
        before.is_none_or(|letter| !letter.is_alphanumeric() && letter != '_')
    };
    let path = format!("{name}::");
    code.match_indices(&path).any(|(at, _)| word(at)) || code.contains(&format!("use {name};"))
}

#[test]
fn manifests_follow_the_arrows() {
    for (folder, forbidden) in FORBIDDEN {
        let all = named(folder, &["dependencies", "build-dependencies", "dev-dependencies"]);
        let wrong: Vec<_> = forbidden.iter().filter(|name| all.contains(**name)).collect();
        assert!(wrong.is_empty(), "{folder}/Cargo.toml names {wrong:?}");
        let shipped = named(folder, &["dependencies", "build-dependencies"]);
        assert!(!shipped.contains("testkit"), "{folder}/Cargo.toml ships the testkit");
    }
}

#[test]
fn each_engine_is_named_in_one_place() {
    for folder in ["src", "domain/src", "storage/src", "actors/src", "edge/src", "hub/src"] {
        for path in sources_of(folder) {
            let code = code(&path);
            for (engine, home) in ALONE {
                let at_home = folder.starts_with(home);
                assert!(at_home || !says(&code, engine), "{} says {engine}", path.display());
            }
        }
    }
}

#[test]
fn the_rules_are_pure() {
    for path in sources_of("domain/src") {
        let code = code(&path);
        for word in IMPURE {
            assert!(!code.contains(word), "{} says {word}", path.display());
        }
    }
}

#[test]
fn the_model_imports_neither_rules_nor_wire_and_the_wire_no_rules() {
    for (floor, forbidden) in
        [("model", ["crate::rules", "crate::wire"].as_slice()), ("wire", &["crate::rules"])]
    {
        for path in sources_of(&format!("domain/src/{floor}")) {
            let code = code(&path);
            for name in forbidden {
                assert!(!code.contains(name), "{} says {name}", path.display());
            }
        }
    }
}

#[test]
fn sources_stay_small_and_whole() {
    for folder in ALL {
        for path in sources_of(folder) {
            let shown = path.display();
            assert!(!path.ends_with("mod.rs"), "{shown}: modules are foo.rs and foo/");
            let text = fs::read_to_string(&path).unwrap();
            let lines = text.lines().count();
            assert!(lines <= SOURCE_LINES_MAX, "{shown} has {lines} lines");
            for unfinished in ["todo!(", "unimplemented!(", "#[ignore"] {
                let own = path.ends_with("tests/architecture.rs");
                assert!(own || !text.contains(unfinished), "{shown} says {unfinished}");
            }
        }
    }
}

/// A file that no module names is not compiled, so its rules and its tests are silently missing.
#[test]
fn every_source_file_is_named_by_a_module_above_it() {
    for path in ALL.into_iter().flat_map(sources_of) {
        let (name, folder) = (path.file_stem().unwrap().to_str().unwrap(), path.parent().unwrap());
        let is_program = ["tests", "benches"].iter().any(|of| folder.ends_with(of));
        if is_program || ["lib", "main", "build"].contains(&name) {
            continue;
        }
        let declaration = format!("mod {name};");
        let above =
            |folder: &Path| [folder.with_extension("rs"), folder.join("lib.rs"), folder.join("main.rs")];
        let mut files = folder.ancestors().take_while(|above| above.starts_with(root())).flat_map(above);
        let is_named =
            files.any(|file| fs::read_to_string(file).is_ok_and(|text| text.contains(&declaration)));
        assert!(is_named, "{}: no file above it says `{declaration}`", path.display());
    }
}

/// Matches on facts that ignore some of them, each in its own file.
const MATCHES: [(&str, &str); 9] = [
    ("rows", "storage/src/rows/apply.rs"),
    ("index", "storage/src/journal/index.rs"),
    ("verify", "storage/src/recovery/verify/facts.rs"),
    ("safe_sums", "storage/src/recovery/verify/safe_sums.rs"),
    ("shift_sums", "storage/src/recovery/verify/shift_sums.rs"),
    ("ledger", "domain/src/rules/books/ledger/evolve.rs"),
    ("recovery", "domain/src/rules/hub/recovery/book.rs"),
    ("safe", "domain/src/rules/books/deposit/safe.rs"),
    ("screen", "domain/src/wire/screen.rs"),
];

/// Every fact, with the [`MATCHES`] that name it. A new fact must be added here.
const FACTS: &[(&str, &str)] = &[
    ("TransactionOpen", "rows shift_sums ledger"),
    ("TransactionPaid", "rows index verify shift_sums ledger"),
    ("TransactionVoided", "rows shift_sums ledger"),
    ("SaleVoided", "shift_sums"),
    ("TenderCorrected", "shift_sums"),
    ("TransactionHeld", "rows ledger screen"),
    ("HoldRecalled", "rows index ledger screen"),
    ("HoldVoided", "rows index ledger screen"),
    ("ReturnPosted", "index verify shift_sums recovery"),
    ("ReturnVoided", "shift_sums recovery"),
    ("CashMoved", "index safe_sums shift_sums"),
    ("ShiftOpened", "safe_sums ledger safe screen"),
    ("ShiftMoved", "ledger screen"),
    ("ShiftClosed", "rows safe_sums shift_sums ledger safe screen"),
    ("ShiftEnded", "screen"),
    ("ShiftRecounted", "safe_sums shift_sums safe screen"),
    ("RegisterChanged", "rows ledger screen"),
    ("ReceivingPosted", "rows ledger recovery"),
    ("StockOpened", ""),
    ("ReceivingReversed", "rows ledger recovery"),
    ("Restored", "screen"),
    ("SupplierReturnPosted", ""),
    ("CashDeposited", "index safe_sums safe"),
    ("DaySealed", "rows ledger"),
    ("DayReopened", "rows ledger"),
    ("SafeOpened", "rows safe_sums recovery safe"),
    ("AdjustmentChanged", "rows ledger"),
    ("TransferChanged", "rows ledger recovery"),
    ("OpnameChanged", "rows ledger recovery"),
    ("PointsMoved", ""),
    ("PromotionChanged", "rows screen"),
    ("PromotionWithdrawn", "rows screen"),
    ("SupplierChanged", "rows"),
    ("PurchaseOrderChanged", "rows screen"),
    ("Audited", "index"),
    ("ProductChanged", "rows screen"),
    ("MemberChanged", "rows recovery"),
    ("UserChanged", "rows recovery screen"),
    ("SessionOpened", "rows"),
    ("SessionRefreshed", "rows"),
    ("SessionClosed", "rows screen"),
    ("PasskeySaved", "rows"),
    ("PasskeyRemoved", "rows"),
    ("HubEnrolled", "rows"),
    ("EpochOpened", "verify"),
    ("RecordsAcknowledged", "rows"),
    ("FeedApplied", "rows"),
    ("SyncChanged", "rows screen"),
    ("PinSaved", "rows"),
    ("PinRemoved", "rows"),
];

#[test]
fn every_match_on_facts_was_asked_about_every_fact() {
    let source = fs::read_to_string(root().join("domain/src/model/base/event/fact.rs")).unwrap();
    let names = source.split_once("facts! {").unwrap().1.lines();
    let name = |line: &str| Some(line.strip_prefix("    ")?.split_once(" {")?.0.to_owned());
    let facts: Vec<String> =
        names.filter_map(name).filter(|name| name.chars().all(char::is_alphanumeric)).collect();
    let listed: Vec<&str> = FACTS.iter().map(|(fact, _)| *fact).collect();
    assert_eq!(facts, listed, "each fact must have a row");
    for (what, file) in MATCHES {
        let text = fs::read_to_string(root().join(file)).unwrap();
        for (fact, places) in FACTS {
            let expected = places.split(' ').any(|place| place == what);
            assert_eq!(text.contains(&format!("Fact::{fact}(")), expected, "{what}: Fact::{fact}");
        }
    }
}

/// The type of each table's rows. Rows without a type are empty, or JSON as text.
const ROWS: &[(&str, &str)] = &[
    ("Product", "Product"),
    ("Stock", "Stock"),
    ("Shift", "Shift"),
    ("OpenShift", ""),
    ("Register", "Register"),
    ("Counters", "Counters"),
    ("Transaction", "Transaction"),
    ("ShiftTransaction", ""),
    ("User", "User"),
    ("Username", "UserId"),
    ("Session", "Session"),
    ("Hub", "HubIdentity"),
    ("Feed", "FeedRow"),
    ("Epoch", "EpochRow"),
    ("Ack", "AckMark"),
    ("DeliveryNote", "ReceivingId"),
    ("Rotation", "Rotation"),
    ("Hold", "Hold"),
    ("SaleAfter", "SaleAfter"),
    ("Points", "PointsAccount"),
    ("Member", "Member"),
    ("MemberKey", "MemberId"),
    ("MemberWord", ""),
    ("Promotion", "Promotion"),
    ("Adjustment", "Adjustment"),
    ("Transfer", "Transfer"),
    ("Opname", "Opname"),
    ("OpnameLine", "OpnameLine"),
    ("Day", "Day"),
    ("DayShift", ""),
    ("ProductWord", ""),
    ("Barcode", ""),
    ("Supplier", "Supplier"),
    ("PurchaseOrder", "PurchaseOrder"),
    ("OrderProgress", "OrderProgress"),
    ("Passkey", "Passkey"),
    ("OverOrder", "PurchaseOrder"),
    ("Inbound", ""),
    ("Sync", ""),
    ("Price", "Price"),
    ("Conflict", ""),
    ("ConflictTime", ""),
    ("Parked", ""),
    ("DueDay", ""),
    ("DifferingDay", "UtcMs"),
    ("ReopenedDay", "ReopenedDay"),
    ("SafeOpening", "SafeOpening"),
    ("Safe", "Safe"),
    ("Pin", "Pin"),
    ("WrittenOff", "WrittenOff"),
];

/// Returns the definitions of structs and enums in a file with their attributes, by name.
fn definitions(code: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for word in ["pub struct ", "pub enum "] {
        for (at, _) in code.match_indices(word) {
            let rest = &code[at + word.len()..];
            let name: String = rest.chars().take_while(|c| c.is_alphanumeric()).collect();
            let end = match rest.find(['{', ';']) {
                Some(open) if rest[open..].starts_with('{') => rest.find("\n}").unwrap_or(open),
                Some(end) => end,
                None => rest.len(),
            };
            let attributes = code[..at].rfind("\n\n").unwrap_or(0);
            found.push((name, format!("{}{}", &code[attributes..at], &rest[..end])));
        }
    }
    found
}

#[test]
fn a_row_writes_all_its_fields() {
    let table = fs::read_to_string(root().join("storage/src/rows/table.rs")).unwrap();
    let table = table.split_once("pub enum Table {").unwrap().1.split_once('}').unwrap().0;
    let known = |line: &str| Some(line.trim().split_once(" = ")?.0.to_owned());
    let tables: Vec<String> = table.lines().filter_map(known).collect();
    let listed: Vec<&str> = ROWS.iter().map(|(table, _)| *table).collect();
    assert_eq!(tables, listed, "each table must have a type");
    let files = [sources_of("domain/src/model"), sources_of("storage/src/rows")].concat();
    let all: Vec<(String, String)> = files.iter().flat_map(|file| definitions(&code(file))).collect();
    let mut asked: BTreeSet<&str> = BTreeSet::new();
    let mut wanted: Vec<&str> = ROWS.iter().map(|(_, row)| *row).filter(|row| !row.is_empty()).collect();
    while let Some(name) = wanted.pop() {
        if !asked.insert(name) {
            continue;
        }
        let own: Vec<&String> = all.iter().filter(|(of, _)| of == name).map(|(_, text)| text).collect();
        let is_known = !own.is_empty() || name.ends_with("Id");
        assert!(is_known || ROWS.iter().all(|(_, row)| *row != name), "{name} is not defined");
        for text in own {
            // bincode reads fields by position, so it can't detect omitted fields or tags.
            for attribute in ["skip_serializing", "flatten", "untagged", "tag ="] {
                assert!(!text.contains(attribute), "{name} is a row, or part of one, with `{attribute}`");
            }
            let words = text.split(|c: char| !c.is_alphanumeric());
            wanted.extend(words.filter(|word| word.starts_with(char::is_uppercase)));
        }
    }
    assert!(["Line", "ZoneCount"].iter().all(|part| asked.contains(part)), "{asked:?}");
}
