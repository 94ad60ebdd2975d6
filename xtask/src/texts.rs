//! `texts`: prints every sentence that users of the programs read, to be read aloud: summaries and descriptions of the
//! OpenAPI documents, and the texts of refusals and commands in the sources. Each line has the place, a tab and the text.

mod lex;
mod shipped;

use crate::house::sources;
use lex::{Kind, Token, tokens};

use crate::workspace::root;
use anyhow::Context;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;

/// Crates whose texts are for users of the programs; `store-router` is the root of the workspace.
const CRATES: [&str; 5] = ["domain", "edge", "statements", "hub", "store-router"];

/// Names whose literals are for the log, for the database or for developers, or are in the OpenAPI documents.
const PRIVATE: [&str; 11] =
    ["Doc", "assert", "bind", "cfg", "doc", "example", "expect", "internal", "query", "serde", "tracing"];

/// Number of tokens before a literal that may name its purpose.
const REACH: usize = 16;

/// Keys of a document whose text is a sentence.
const SENTENCES: [&str; 2] = ["description", "summary"];

/// A place and the text there.
type Texts = BTreeSet<(String, String)>;

/// Prints the list, sorted by place.
pub fn run() -> anyhow::Result<bool> {
    let root = root();
    let mut texts = Texts::new();
    for program in ["store-router", "cloud-hub"] {
        let path = root.join(format!("docs/openapi/{program}.json"));
        let text = fs::read(&path).with_context(|| path.display().to_string())?;
        descriptions(&serde_json::from_slice(&text)?, &format!("{program}#"), &mut texts);
    }
    for file in sources::crates(&root)?
        .iter()
        .filter(|of| CRATES.contains(&of.name.as_str()))
        .flat_map(|of| &of.files)
    {
        literals(&root, &file.path, &mut texts)?;
    }
    let mut out = std::io::stdout().lock();
    for (place, text) in &texts {
        writeln!(out, "{place}\t{text}")?;
    }
    writeln!(out, "{} texts", texts.len())?;
    Ok(true)
}

/// Adds the sentences of a part of a document, by JSON pointer. Examples and names of properties are left out.
fn descriptions(part: &Value, pointer: &str, texts: &mut Texts) {
    match part {
        Value::Object(fields) => {
            for (key, value) in
                fields.iter().filter(|(key, _)| !matches!(key.as_str(), "example" | "examples"))
            {
                let pointer = format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"));
                match value {
                    Value::String(text) if SENTENCES.contains(&key.as_str()) => {
                        texts.insert((pointer, one_line(text)));
                    }
                    _ => descriptions(value, &pointer, texts),
                }
            }
        }
        Value::Array(items) => {
            for (place, item) in items.iter().enumerate() {
                descriptions(item, &format!("{pointer}/{place}"), texts);
            }
        }
        _ => {}
    }
}

/// Adds the literals of a source file that users read, by file and line.
fn literals(root: &Path, path: &str, texts: &mut Texts) -> anyhow::Result<()> {
    let source = fs::read_to_string(root.join(path)).with_context(|| path.to_owned())?;
    let tokens = shipped::without_tests(&tokens(&source));
    for (at, token) in tokens.iter().enumerate() {
        let Kind::Text(text) = token.kind else { continue };
        let text = one_line(&unescaped(text));
        if is_sentence(&text) && is_public(tokens.get(..at).unwrap_or_default()) {
            texts.insert((format!("{path}:{}", token.line), text));
        }
    }
    Ok(())
}

/// Whether no name before a literal, in the same statement, marks it as not for users.
fn is_public(before: &[Token<'_>]) -> bool {
    let statement = before.iter().rev().take(REACH);
    let mut words = statement.take_while(|token| !matches!(token.kind, Kind::Mark(';' | '{' | '}')));
    !words.any(|token| matches!(token.kind, Kind::Word(word) if PRIVATE.contains(&word)))
}

/// Whether a literal has words, and is neither a name, a statement of SQL nor JSON.
fn is_sentence(text: &str) -> bool {
    const SQL: [&str; 8] =
        ["SELECT ", "INSERT ", "UPDATE ", "DELETE ", "CREATE ", " FROM ", " WHERE ", " AND "];
    let is_word = |word: &&str| {
        let word = word.trim_matches(|letter: char| !letter.is_alphanumeric());
        word.chars().filter(char::is_ascii_lowercase).count() > 1 && !word.contains(['.', '_', '=', '/'])
    };
    let words = text.split(' ').filter(is_word).count();
    words > 1 && !text.starts_with(['{', '[', '<']) && !SQL.iter().any(|word| text.contains(word))
}

/// A literal without continuations of lines and escapes.
fn unescaped(text: &str) -> String {
    let mut parts = text.split("\\\n");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |whole, part| whole + part.trim_start()).replace("\\\"", "\"").replace("\\n", " ")
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::lex::tokens;
    use super::{Texts, descriptions, is_public, is_sentence, unescaped};
    use serde_json::json;

    #[test]
    fn sentences_of_a_document_are_found_by_pointer() {
        let document = json!({"paths": {"/a": {"summary": "List  a", "example": {"summary": "none of it"}}}});
        let mut texts = Texts::new();
        descriptions(&document, "x#", &mut texts);
        assert_eq!(texts, Texts::from([("x#/paths/~1a/summary".to_owned(), "List a".to_owned())]));
    }

    #[test]
    fn literals_of_the_log_are_not_public() {
        assert!(is_public(&tokens("Err(Refusal::field(path, format!(")));
        assert!(is_public(&tokens("tracing::warn!(one); Err(")));
        assert!(!is_public(&tokens("field(path); tracing::warn!(%error, ")));
    }

    #[test]
    fn names_and_statements_are_no_sentences() {
        assert!(is_sentence("must be 1 to 500"));
        assert!(!is_sentence("unit_cost"));
        assert!(!is_sentence("d.received - d.returned"));
        assert!(!is_sentence("SELECT name FROM stores"));
        assert_eq!(unescaped("one \\\n      line of \\\"text\\\""), "one line of \"text\"");
    }
}
