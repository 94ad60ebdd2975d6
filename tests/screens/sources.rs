//! Checks of the pages' sources: both languages, one file with colours, no violation of the policy.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns our own files with this ending, and their text.
fn sources(ending: &str) -> Vec<(PathBuf, String)> {
    let folders = fs::read_dir(root().join("ui")).unwrap().map(|folder| folder.unwrap().path());
    let own = folders.filter(|folder| !folder.ends_with("vendor"));
    let files = own.flat_map(|folder| fs::read_dir(folder).unwrap()).map(|file| file.unwrap().path());
    let files = files.filter(|file| file.extension().is_some_and(|given| given == ending));
    files.map(|file| (file.clone(), fs::read_to_string(file).unwrap())).collect()
}

/// Returns whether a page's file is in one of these folders.
fn of_folder(file: &Path, folders: &[&str]) -> bool {
    file.parent().is_some_and(|folder| folders.iter().any(|name| folder.ends_with(name)))
}

/// Returns whether a page's file belongs to head office: its frame, or a folder of its pages.
fn of_office(file: &Path) -> bool {
    of_folder(file, &OFFICE_FOLDERS)
}

/// Returns whether a page's file belongs to Store Admin only.
fn of_admin(file: &Path) -> bool {
    of_folder(file, &ADMIN_FOLDERS)
}

/// Returns the texts between each `before` and the next quotation mark.
fn quoted(text: &str, before: &str) -> BTreeSet<String> {
    text.split(before).skip(1).filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())).collect()
}

/// Folder of the texts that every page has.
const SHARED: &str = "kit";
/// Folder of texts that Store Admin and head office share, and the till does not load.
const DESK: &str = "desk";
/// Folders whose pages both of them have.
const DESK_FOLDERS: [&str; 2] = ["settings", "importing"];
/// Folders that the apps of the store and of head office share.
const SHARED_BY_APPS: [&str; 2] = [SHARED, "records"];
const OFFICE_FOLDERS: [&str; 4] = ["portal", "buying", "books", "catalogue"];
const ADMIN_FOLDERS: [&str; 4] = ["admin", "counting", "goods", "takings"];
/// Codes that only stores receive, by the protocol with the hub.
const OF_SYNC: [&str; 8] = [
    "chain_broken",
    "hello_first",
    "history_diverged",
    "resync_required",
    "sequence_gap",
    "stale_epoch",
    "store_disabled",
    "store_replaced",
];
const DOCUMENTS: [&str; 2] = ["docs/openapi/store-router.json", "docs/openapi/cloud-hub.json"];

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

fn document(path: &str) -> Value {
    serde_json::from_str(&read(path)).unwrap()
}

/// Returns the texts of a page's file: the literals at the start of calls of `t`, in the same line or the next one.
fn said(text: &str) -> BTreeSet<String> {
    let calls = text.match_indices("t(").filter(|(at, _)| {
        !text[..*at].ends_with(|before: char| before.is_alphanumeric() || matches!(before, '_' | '.'))
    });
    let literals = calls.filter_map(|(at, call)| text[at + call.len()..].trim_start().strip_prefix('"'));
    literals.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())).collect()
}

/// Returns the texts of these folders in a language, by key. Not every folder has texts.
fn texts(folders: &[&str], language: &str) -> BTreeMap<String, String> {
    let files = folders.iter().map(|folder| root().join(format!("ui/{folder}/texts.{language}.json")));
    let texts = files.filter(|file| file.exists()).flat_map(|file| {
        let text = fs::read_to_string(&file).unwrap();
        let texts: BTreeMap<String, String> = serde_json::from_str(&text).unwrap();
        let keys = text.lines().filter(|line| line.starts_with("  \"")).count();
        assert_eq!(keys, texts.len(), "{}: one key in each line, none twice", file.display());
        texts
    });
    texts.collect()
}

/// Returns the Indonesian texts of the file's own folder, if it imports them or is imported with them.
fn own_texts(file: &Path) -> BTreeMap<String, String> {
    let folder = file.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    texts(&[folder.unwrap_or_default().as_str()], "id")
}

/// Returns every folder of `ui/`.
fn folders() -> Vec<String> {
    let folders = fs::read_dir(root().join("ui")).unwrap().map(|folder| folder.unwrap().file_name());
    folders.map(|name| name.to_string_lossy().into_owned()).collect()
}

#[test]
fn every_text_is_there_in_indonesian() {
    let shared = texts(&[SHARED], "id");
    let with_desk = |folders: &[&str]| texts(&[&[SHARED, DESK][..], folders].concat(), "id");
    let (portal, admin, desk) = (with_desk(&OFFICE_FOLDERS), with_desk(&ADMIN_FOLDERS), with_desk(&[]));
    let mut missing = BTreeSet::new();
    for (file, text) in sources("js") {
        let indonesian = match () {
            () if of_office(&file) => &portal,
            () if of_admin(&file) => &admin,
            () if of_folder(&file, &DESK_FOLDERS) => &desk,
            () => &shared,
        };
        let own = own_texts(&file);
        for said in said(&text) {
            let said = said.replace("\\u2026", "\u{2026}");
            if !indonesian.contains_key(&said) && !own.contains_key(&said) {
                missing.insert(said);
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn every_code_has_words_in_both_languages() {
    for folder in folders() {
        let [english, indonesian] = ["en", "id"].map(|language| texts(&[&folder], language));
        let missing: Vec<_> = english.keys().filter(|code| !indonesian.contains_key(*code)).collect();
        assert!(missing.is_empty(), "{folder}: {missing:#?}");
    }
}

#[test]
fn no_text_is_unused() {
    let folders = folders();
    let folders: Vec<_> = folders.iter().map(String::as_str).collect();
    let [english, indonesian] = ["en", "id"].map(|language| texts(&folders, language));
    let pages: String =
        sources("js").into_iter().map(|(_, text)| text.replace("\\u2026", "\u{2026}")).collect();
    let unused: Vec<_> = indonesian
        .keys()
        // The exception itself contains its action in English.
        .filter(|key| !english.contains_key(*key) && !key.ends_with(".action"))
        .filter(|key| !pages.contains(&format!("\"{key}\"")))
        .collect();
    assert!(unused.is_empty(), "{unused:#?}");
}

#[test]
fn every_refusal_has_words_in_both_languages() {
    let [english, indonesian] = ["en", "id"].map(|language| texts(&[SHARED], language));
    for document in DOCUMENTS.map(document) {
        for code in document["components"]["schemas"]["ErrorCode"]["enum"].as_array().unwrap() {
            let code = code.as_str().unwrap();
            if OF_SYNC.contains(&code) {
                continue;
            }
            let key = format!("error.{code}");
            for texts in [&english, &indonesian] {
                assert!(texts.contains_key(&key), "{code} has no text");
            }
        }
    }
}

#[test]
fn nothing_goes_around_the_policy() {
    let refused = [
        "innerHTML",
        "outerHTML",
        "unsafeHTML",
        "unsafeStatic",
        "styleMap",
        " style=",
        "javascript:",
        "eval(",
        "onclick=",
        "document.write",
    ];
    for (file, text) in sources("js").into_iter().chain(sources("html")) {
        for word in refused {
            assert!(!text.contains(word), "{}: {word}", file.display());
        }
    }
}

#[test]
fn colours_are_named_in_one_file() {
    for (file, text) in sources("css") {
        let own = file.ends_with("styles/tokens.css") || file.ends_with("docs/page.css");
        let colour = text
            .match_indices('#')
            .find(|(at, _)| text[at + 1..].chars().take_while(char::is_ascii_hexdigit).count() >= 6);
        assert!(own || colour.is_none(), "{}: {colour:?}", file.display());
    }
}

#[test]
fn only_paths_of_the_document_are_asked_for() {
    let shape = |path: &str| {
        let segments = path.split('/').map(|part| if part.starts_with([':', '{', '$']) { "*" } else { part });
        segments.collect::<Vec<_>>().join("/")
    };
    let paths = |document: Value| -> BTreeSet<String> {
        document["paths"].as_object().unwrap().keys().map(|path| shape(path)).collect()
    };
    let [store, hub] = DOCUMENTS.map(document).map(paths);
    for (file, text) in sources("js") {
        let is_shared = |folder: &Path| SHARED_BY_APPS.iter().any(|name| folder.ends_with(name));
        let (portal, kit) = (of_office(&file), file.parent().is_some_and(is_shared));
        for path in quoted(&text, "\"/api/") {
            let path = shape(&format!("/api/{}", path.split('?').next().unwrap()));
            // Files that the apps share may call routes of either program.
            let known = (!portal && store.contains(&path)) || ((portal || kit) && hub.contains(&path));
            assert!(known, "{}: {path}", file.display());
        }
    }
}
