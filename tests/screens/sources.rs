//! What is asserted of the sources of the pages: both languages, one file with colours, no way around the policy.

use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Our own files with this ending, and their text.
fn sources(ending: &str) -> Vec<(PathBuf, String)> {
    let folders = fs::read_dir(root().join("ui")).unwrap().map(|folder| folder.unwrap().path());
    let own = folders.filter(|folder| !folder.ends_with("vendor"));
    let files = own.flat_map(|folder| fs::read_dir(folder).unwrap()).map(|file| file.unwrap().path());
    let files = files.filter(|file| file.extension().is_some_and(|given| given == ending));
    files.map(|file| (file.clone(), fs::read_to_string(file).unwrap())).collect()
}

/// What stands between `before` and the next quotation mark, wherever it does.
fn quoted(text: &str, before: &str) -> BTreeSet<String> {
    text.split(before).skip(1).filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())).collect()
}

#[test]
fn every_text_is_there_in_indonesian() {
    let indonesian = fs::read_to_string(root().join("ui/shared/id.js")).unwrap();
    let mut missing = BTreeSet::new();
    for (_, text) in sources("js") {
        for said in
            quoted(&text, " t(\"").into_iter().chain(quoted(&text, "{t(\"")).chain(quoted(&text, "(t(\""))
        {
            let said = said.replace("\\u2026", "\u{2026}");
            if !indonesian.contains(&format!("\"{said}\":")) && !indonesian.contains(&format!(" {said}: \""))
            {
                missing.insert(said);
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn every_refusal_has_words_in_both_languages() {
    let indonesian = fs::read_to_string(root().join("ui/shared/id.js")).unwrap();
    let codes = fs::read_to_string(root().join("ui/shared/codes.js")).unwrap();
    let document = fs::read_to_string(root().join("docs/openapi/store-router.json")).unwrap();
    let document: Value = serde_json::from_str(&document).unwrap();
    for code in document["components"]["schemas"]["ErrorCode"]["enum"].as_array().unwrap() {
        let code = code.as_str().unwrap();
        let words = quoted(&codes, &format!("  {code}: \"")).pop_first();
        let words = words.unwrap_or_else(|| panic!("{code} has no words"));
        assert!(indonesian.contains(&format!("\"{words}\":")), "{words} is not there in Indonesian");
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
        let own = file.ends_with("shared/tokens.css")
            || file.ends_with("docs/page.css")
            || file.ends_with("passkeys/page.css");
        let colour = text
            .match_indices('#')
            .find(|(at, _)| text[at + 1..].chars().take_while(char::is_ascii_hexdigit).count() >= 6);
        assert!(own || colour.is_none(), "{}: {colour:?}", file.display());
    }
}

#[test]
fn only_paths_of_the_document_are_asked_for() {
    let document = fs::read_to_string(root().join("docs/openapi/store-router.json")).unwrap();
    let document: Value = serde_json::from_str(&document).unwrap();
    let shape = |path: &str| {
        let segments = path.split('/').map(|part| if part.starts_with([':', '{', '$']) { "*" } else { part });
        segments.collect::<Vec<_>>().join("/")
    };
    let known: BTreeSet<_> = document["paths"].as_object().unwrap().keys().map(|path| shape(path)).collect();
    for (file, text) in sources("js") {
        for path in quoted(&text, "\"/api/") {
            let path = shape(&format!("/api/{}", path.split('?').next().unwrap()));
            assert!(known.contains(&path), "{}: {path}", file.display());
        }
    }
}
