//! Citations in code and documents exist: pages, their sections, tests (CONTRIBUTING.md#rules-of-the-code). No text
//! names a package registry.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Folders with generated files, or of another program.
const NOT_OURS: [&str; 4] = ["target", ".git", "node_modules", "proptest-regressions"];
/// Types of files that contain text.
const KINDS: [&str; 13] =
    ["rs", "md", "toml", "sql", "sh", "html", "css", "js", "yml", "yaml", "service", "run", "json"];
/// Folders of the repository. A word of a page that begins with one of these is a path.
const FOLDERS: [&str; 13] = [
    "actors/", "bench/", "docs/", "domain/", "edge/", "fuzz/", "hub/", "src/", "storage/", "testkit/",
    "tests/", "ui/", "xtask/",
];
/// Hosts of package registries; split, so that this file does not name one.
const REGISTRIES: [&str; 6] = [
    concat!("crates", ".io"),
    concat!("//docs", ".rs"),
    concat!("pypi", ".org"),
    concat!("pythonhosted", ".org"),
    concat!("npmjs", ".com"),
    concat!("npmjs", ".org"),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns every text of the repository except lock files, by its path from the root.
fn texts() -> BTreeMap<PathBuf, String> {
    let mut texts = BTreeMap::new();
    let mut folders = vec![root().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let kind =
                path.extension().map_or_else(|| name.clone(), |kind| kind.to_string_lossy().into_owned());
            if path.is_dir() && !path.is_symlink() && !NOT_OURS.contains(&name.as_str()) {
                folders.push(path);
            } else if path.is_file() && KINDS.contains(&kind.as_str()) {
                let short = path.strip_prefix(root()).unwrap().to_owned();
                texts.insert(short, fs::read_to_string(&path).unwrap());
            }
        }
    }
    assert!(texts.len() > 500, "{} texts", texts.len());
    texts
}

fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|kind| kind == "md")
}

/// Returns the words of a text, which consist of characters that a citation may have.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && !"_-./#:".contains(letter))
}

/// Returns the pages among the words of a text, each with its section behind `#`, without punctuation at the end.
fn cited(text: &str) -> BTreeSet<(&str, Option<&str>)> {
    let pages = words(text).filter(|word| !word.contains("://")).filter_map(|word| {
        let (page, rest) = word.split_once(".md")?;
        let page = &word[..page.len() + ".md".len()];
        let section = rest.strip_prefix('#').map(|section| section.trim_end_matches(['.', ':', '/']));
        let ends = rest.is_empty() || rest.starts_with(['#', '.', ':']);
        (ends && page.len() > ".md".len()).then_some((page, section))
    });
    pages.collect()
}

/// Returns a path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => assert!(out.pop(), "{} leaves the repository", path.display()),
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

/// Returns the anchors of a page's headings: lower case, `-` for spaces, without punctuation.
fn sections(page: &str) -> BTreeSet<String> {
    let headings = page.lines().filter(|line| line.starts_with('#'));
    let anchor = |line: &str| -> String {
        let text = line.trim_start_matches('#').trim().to_lowercase();
        let letter = |letter: char| match letter {
            ' ' => Some('-'),
            letter if letter.is_alphanumeric() || "-_".contains(letter) => Some(letter),
            _ => None,
        };
        text.chars().filter_map(letter).collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn every_page_and_section_that_is_cited_exists() {
    let texts = texts();
    let pages: BTreeMap<&Path, BTreeSet<String>> = texts
        .iter()
        .filter(|(path, _)| is_page(path))
        .map(|(path, text)| (path.as_path(), sections(text)))
        .collect();
    let mut dangling = Vec::new();
    for (path, text) in &texts {
        for (page, section) in cited(text) {
            // Pages and manifests may name files relative to their own folder.
            let has_near = is_page(path) || path.ends_with("Cargo.toml");
            let near = has_near.then(|| plain(&path.parent().unwrap().join(page)));
            let found =
                near.as_deref().and_then(|near| pages.get(near)).or_else(|| pages.get(Path::new(page)));
            let there = found.is_some_and(|sections| section.is_none_or(|name| sections.contains(name)));
            if !there {
                let section = section.map(|name| format!("#{name}")).unwrap_or_default();
                dangling.push(format!("{} cites {page}{section}", path.display()));
            }
        }
    }
    assert!(dangling.is_empty(), "{} dangling citations:\n{}", dangling.len(), dangling.join("\n"));
}

#[test]
fn every_section_that_a_page_links_within_itself_exists() {
    for (path, text) in texts().iter().filter(|(path, _)| is_page(path)) {
        let sections = sections(text);
        for link in text.split("](#").skip(1) {
            let name = link.split(')').next().unwrap();
            assert!(sections.contains(name), "{} has no section {name}", path.display());
        }
    }
}

#[test]
fn every_test_that_is_named_exists() {
    let texts = texts();
    let mut named = 0;
    for (path, text) in texts.iter().filter(|(path, _)| is_page(path)) {
        for name in text.split('`').filter(|code| code.contains(".rs::") && !code.contains(' ')) {
            let (file, test) = name.split_once("::").unwrap();
            let source =
                texts.get(Path::new(file)).unwrap_or_else(|| panic!("{}: no {file}", path.display()));
            assert!(source.contains(&format!("fn {test}(")), "{}: no {name}", path.display());
            named += 1;
        }
    }
    assert!(named > 300, "{named} tests are named");
}

#[test]
fn every_path_that_a_page_names_exists() {
    let letters = |code: &str| code.chars().all(|letter| letter.is_alphanumeric() || "_-./".contains(letter));
    for (path, text) in texts().iter().filter(|(path, _)| is_page(path) && !path.ends_with("CHANGELOG.md")) {
        let paths = text.split('`').filter(|code| FOLDERS.iter().any(|folder| code.starts_with(folder)));
        for named in paths.filter(|code| letters(code)) {
            assert!(root().join(named).exists(), "{} names {named}", path.display());
        }
    }
}

#[test]
fn no_text_names_a_package_registry() {
    for (path, text) in texts() {
        for registry in REGISTRIES {
            assert!(
                !text.contains(registry),
                "{} names {registry}: say \"the package registry\"",
                path.display()
            );
        }
    }
}

#[test]
fn every_row_of_what_synchronisation_must_stand_names_a_test() {
    let texts = texts();
    let page = &texts[Path::new("docs/proofs/sync-proofs.md")];
    let rows = page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| line"));
    let unproved: Vec<&str> = rows.filter(|row| !row.contains(".rs::")).collect();
    assert!(unproved.is_empty(), "no test shows: {unproved:#?}");
}

#[test]
fn every_decision_has_a_date_a_status_and_a_row_in_the_list() {
    let texts = texts();
    let folder = Path::new("docs/decisions");
    let list = &texts[&folder.join("README.md")];
    for (path, text) in
        texts.iter().filter(|(path, _)| path.starts_with(folder) && !path.ends_with("README.md"))
    {
        let shown = path.display();
        assert!(text.contains("\nDate: 20"), "{shown} has no line Date:");
        assert!(text.contains("\nStatus: "), "{shown} has no line Status:");
        let name = path.file_name().unwrap().to_string_lossy();
        assert!(list.contains(&format!("({name})")), "{shown} is not in the list");
    }
}
