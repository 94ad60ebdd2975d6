#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]

use super::cycles::graph;
use super::measure;
use super::sources::{crates, tokens, without_tests};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

fn words(source: &str) -> Vec<String> {
    let tokens = without_tests(&tokens(source));
    let words = tokens.iter().filter(|token| token.text.starts_with(|letter: char| letter.is_alphanumeric()));
    words.map(|token| token.text.to_owned()).collect()
}

#[test]
fn comments_and_literals_are_no_tokens() {
    let source = r##"a /* b /* c */ d */ e // f
        "g // \" h" 'i' '\'' b'"' &'j k r#"l " m"# b"n" r"\" o"##;
    assert_eq!(words(source), ["a", "e", "j", "k", "o"]);
}

#[test]
fn code_only_for_tests_does_not_count() {
    assert_eq!(words("a #[cfg(test)] mod b { c } d"), ["a", "d"]);
    assert_eq!(words("#[cfg(test)] #[path = \"x.rs\"] mod b; d"), ["d"]);
    assert_eq!(words("#[cfg(test)] pub fn b<C, D>(c: [u8; 2]) -> E { f } g"), ["g"]);
    assert_eq!(words("S { #[cfg(test)] a: B, c: D }"), ["S", "c", "D"]);
    assert_eq!(words("#[cfg(any(test, feature))] a").last().unwrap(), "a");
}

/// A workspace with one crate of these files.
fn workspace(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &Path, text: &str| {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write(&folder.path().join("Cargo.toml"), "members = [\"domain\"]\n");
    for (path, text) in files {
        write(&folder.path().join("domain/src").join(path), text);
    }
    folder
}

fn rings(files: &[(&str, &str)]) -> Vec<Vec<String>> {
    let folder = workspace(files);
    let crates = crates(folder.path()).unwrap();
    let graph = graph(&crates[0]);
    let owned = |ring: std::collections::BTreeSet<&str>| ring.into_iter().map(str::to_owned).collect();
    graph.rings().into_iter().map(owned).collect()
}

#[test]
fn a_ring_of_imports_is_found_by_whatever_way_they_are_written() {
    let root = ("lib.rs", "mod a; mod b; mod c; mod d; pub use c::{C, deep::D as E};");
    let c = ("c.rs", "pub struct C; mod deep { fn f() { super::super::a::g() } }");
    let found = rings(&[
        root,
        ("a.rs", "mod inner;"),
        ("a/inner.rs", "use crate::{b::{self, X}, d};"),
        ("b.rs", "pub fn f(_: crate::C) {}"),
        c,
        ("d.rs", "#[cfg(test)] mod tests { use crate::a::X; }"),
    ]);
    assert_eq!(found, [["a", "b", "c"]]);
}

#[test]
fn arrows_one_way_and_tests_make_no_ring() {
    let found = rings(&[
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "use super::b; #[cfg(test)] mod b_tests;"),
        ("b.rs", "//! [`crate::a`]\n fn f() { \"crate::a\"; }"),
    ]);
    assert!(found.is_empty());
}

#[test]
fn the_modules_of_a_floor_are_nouns_themselves() {
    let found = rings(&[
        ("lib.rs", "mod rules; mod wire;"),
        ("rules.rs", "mod sale; mod shift;"),
        ("rules/sale.rs", "use crate::rules::shift::S;"),
        ("rules/shift.rs", "use super::sale::T;"),
        ("wire.rs", ""),
    ]);
    assert_eq!(found, [["rules/sale", "rules/shift"]]);
}

#[test]
fn areas_of_a_floor_hold_nouns_and_are_none() {
    let found = rings(&[
        ("lib.rs", "mod rules;"),
        ("rules.rs", "mod selling { mod sale; mod tax; } mod books { mod shift; }"),
        ("rules/selling/sale.rs", "use crate::rules::books::shift::S;"),
        ("rules/selling/tax.rs", "use super::sale::T;"),
        ("rules/books/shift.rs", "use super::super::selling::sale::T;"),
    ]);
    assert_eq!(found, [["rules/books/shift", "rules/selling/sale"]]);
}

#[test]
fn every_folder_has_a_limit() {
    let folder = workspace(&[("lib.rs", "")]);
    (0..30).for_each(|number| fs::write(folder.path().join(format!("f{number}")), "").unwrap());
    let figures = measure(folder.path()).unwrap();
    let figure = figures.iter().find(|figure| figure.measured.starts_with("entries")).unwrap();
    assert_eq!((figure.value, figure.limit), (32, 30));
    assert_eq!(figure.places, [": 32"]);
}
