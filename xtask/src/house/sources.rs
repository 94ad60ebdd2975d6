//! The sources that are shipped, crate by crate: their modules, and the paths of other modules that each file names.

use anyhow::Context;
use std::fs;
use std::path::Path;

/// Crates that only tests use.
const FOR_TESTS: [&str; 1] = ["testkit"];
/// Words that begin an item which may hold a comma before it ends.
const ITEMS: [&str; 12] =
    ["async", "const", "enum", "extern", "fn", "impl", "mod", "pub", "static", "struct", "trait", "use"];
const FOR_TESTS_ONLY: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];

/// A crate of the workspace.
pub struct Crate {
    pub name: String,
    pub files: Vec<File>,
}

/// A source file without the items that are compiled only for tests.
pub struct File {
    /// From the root of the workspace.
    pub path: String,
    /// Its path from the root of the crate.
    pub module: Vec<String>,
    /// The paths that begin with `crate` or `super`, from the root of the crate.
    pub named: Vec<Named>,
    /// The paths of its `use`, as they are written.
    pub used: Vec<Named>,
}

pub struct Named {
    pub path: Vec<String>,
    pub line: usize,
}

/// A word, or any other sign.
#[derive(Debug, Clone, Copy)]
pub struct Token<'a> {
    pub text: &'a str,
    pub line: usize,
}

/// The tokens of a source file. Comments, blanks and literals are left out.
pub fn tokens(source: &str) -> Vec<Token<'_>> {
    let (mut found, mut rest, mut line) = (Vec::new(), source, 1);
    while let Some(letter) = rest.chars().next() {
        let (length, is_token) = match left_out(rest) {
            Some(length) => (length, false),
            None if is_word(letter) => (rest.find(|letter| !is_word(letter)).unwrap_or(rest.len()), true),
            None => (letter.len_utf8(), true),
        };
        let (text, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        found.extend(is_token.then_some(Token { text, line }));
        line += text.matches('\n').count();
        rest = after;
    }
    found
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The length of the comment, the literal or the blanks at the start, if there are any.
fn left_out(rest: &str) -> Option<usize> {
    if rest.starts_with("//") {
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    if rest.starts_with("/*") {
        return Some(block_comment(rest));
    }
    if rest.starts_with('\'') {
        return Some(quoted_character(rest));
    }
    let blanks = rest.len() - rest.trim_start().len();
    if blanks > 0 { Some(blanks) } else { string(rest) }
}

/// Comments nest.
fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(here) = rest.get(at..).filter(|here| !here.is_empty()) {
        if here.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if here.starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += here.chars().next().map_or(1, char::len_utf8);
        }
    }
    rest.len()
}

fn string(rest: &str) -> Option<usize> {
    let unprefixed = rest.strip_prefix(['b', 'c']).unwrap_or(rest);
    if unprefixed.len() < rest.len() && unprefixed.starts_with('\'') {
        return Some(quoted_character(unprefixed) + 1);
    }
    let raw = unprefixed.strip_prefix('r').map(|rest| rest.trim_start_matches('#'));
    if let Some(body) = raw.and_then(|rest| rest.strip_prefix('"')) {
        let begin = rest.len() - body.len();
        let end = format!("\"{}", "#".repeat(rest.get(..begin)?.matches('#').count()));
        return Some(begin + body.find(&end).map_or(body.len(), |at| at + end.len()));
    }
    let body = unprefixed.strip_prefix('"')?;
    let mut escaped = false;
    let end = body.find(|letter| {
        let ends = letter == '"' && !escaped;
        escaped = letter == '\\' && !escaped;
        ends
    });
    Some(rest.len() - body.len() + end.map_or(body.len(), |at| at + 1))
}

/// The length of a character between quotes, or 1 for the sign of a lifetime.
fn quoted_character(rest: &str) -> usize {
    let mut letters = rest.char_indices().skip(1);
    match letters.next() {
        Some((_, '\\')) => letters.skip(1).find(|(_, letter)| *letter == '\'').map_or(1, |(at, _)| at + 1),
        Some(_) => letters.next().filter(|(_, letter)| *letter == '\'').map_or(1, |(at, _)| at + 1),
        None => 1,
    }
}

fn begins(tokens: &[Token<'_>], texts: &[&str]) -> bool {
    tokens.len() >= texts.len() && tokens.iter().zip(texts).all(|(token, text)| token.text == *text)
}

/// The tokens without the items under `#[cfg(test)]`.
pub fn without_tests<'a>(tokens: &[Token<'a>]) -> Vec<Token<'a>> {
    let (mut kept, mut rest) = (Vec::new(), tokens);
    while let Some((token, after)) = rest.split_first() {
        if begins(rest, &FOR_TESTS_ONLY) {
            rest = skip_item(rest);
        } else {
            kept.push(*token);
            rest = after;
        }
    }
    kept
}

/// The tokens after the bracket that they begin with.
fn closed<'t, 'a>(tokens: &'t [Token<'a>]) -> &'t [Token<'a>] {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" if depth <= 1 => return tokens.get(at + 1..).unwrap_or_default(),
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
    }
    &[]
}

/// The tokens after the item, field or statement that they begin with, its attributes included.
fn skip_item<'t, 'a>(mut tokens: &'t [Token<'a>]) -> &'t [Token<'a>] {
    while begins(tokens, &["#", "["]) {
        tokens = closed(tokens.get(1..).unwrap_or_default());
    }
    let is_item = tokens.first().is_some_and(|token| ITEMS.contains(&token.text));
    while let Some((token, after)) = tokens.split_first() {
        tokens = match token.text {
            ";" => return after,
            "," if !is_item => return after,
            // The end of the block that holds it.
            ")" | "]" | "}" => return tokens,
            "{" => return closed(tokens),
            "(" | "[" => closed(tokens),
            _ => after,
        };
    }
    tokens
}

/// Every crate that is released or works on released ones.
pub fn crates(root: &Path) -> anyhow::Result<Vec<Crate>> {
    let manifest = fs::read_to_string(root.join("Cargo.toml")).context("Cargo.toml")?;
    let list = manifest.split_once("members = [").and_then(|(_, rest)| rest.split_once(']'));
    let names = list.map_or("", |(list, _)| list).split(',').map(|name| name.trim().trim_matches('"'));
    let names = names.filter(|name| !name.is_empty() && !FOR_TESTS.contains(name));
    names.chain([""]).map(|folder| read(root, folder)).collect()
}

fn read(root: &Path, folder: &str) -> anyhow::Result<Crate> {
    let source = root.join(folder).join("src");
    let name = if folder.is_empty() { "store-router" } else { folder };
    let mut krate = Crate { name: name.to_owned(), files: Vec::new() };
    for path in ["lib.rs", "main.rs"].map(|name| source.join(name)) {
        if path.exists() {
            krate.file(root, &path, &source, Vec::new())?;
        }
    }
    Ok(krate)
}

impl Crate {
    /// Reads a file and the modules that it declares, which are in `folder`.
    fn file(&mut self, root: &Path, path: &Path, folder: &Path, module: Vec<String>) -> anyhow::Result<()> {
        let shown = path.strip_prefix(root).unwrap_or(path).display().to_string();
        if self.files.iter().any(|file| file.path == shown) {
            return Ok(());
        }
        let text = fs::read_to_string(path).with_context(|| shown.clone())?;
        let tokens = without_tests(&tokens(&text));
        let mut file = File { path: shown, module: module.clone(), named: Vec::new(), used: Vec::new() };
        let declared = file.scan(&tokens);
        self.files.push(file);
        for inside in declared {
            let own = inside.iter().fold(folder.to_owned(), |folder, name| folder.join(name));
            let beside = own.with_extension("rs");
            let path = if beside.exists() { beside } else { own.join("mod.rs") };
            self.file(root, &path, &own, module.iter().cloned().chain(inside).collect())?;
        }
        Ok(())
    }
}

impl File {
    /// Collects the paths; gives the modules that are declared in files of their own.
    fn scan(&mut self, tokens: &[Token<'_>]) -> Vec<Vec<String>> {
        let (mut declared, mut depth) = (Vec::new(), 0_usize);
        // The modules whose block is open, each with the depth outside of it.
        let mut open: Vec<(String, usize)> = Vec::new();
        let mut rest = tokens;
        while let Some((token, after)) = rest.split_first() {
            rest = after;
            match token.text {
                "{" => depth += 1,
                "}" => {
                    depth = depth.saturating_sub(1);
                    open.pop_if(|(_, outside)| *outside == depth);
                }
                "mod" => match after {
                    [name, end, ..] if end.text == "{" => open.push((name.text.to_owned(), depth)),
                    [name, end, ..] if end.text == ";" => {
                        let inside = open.iter().map(|(name, _)| name.clone());
                        declared.push(inside.chain([name.text.to_owned()]).collect());
                    }
                    _ => {}
                },
                "use" => {
                    let mut path = after;
                    tree(&mut path, &[], &mut self.used);
                }
                "crate" if begins(after, &[":", ":"]) => {
                    let mut path = after.get(2..).unwrap_or_default();
                    tree(&mut path, &[], &mut self.named);
                }
                "super" if begins(after, &[":", ":"]) => {
                    let mut here = self.module.clone();
                    here.extend(open.iter().map(|(name, _)| name.clone()));
                    here.pop();
                    rest = after.get(2..).unwrap_or_default();
                    while begins(rest, &["super", ":", ":"]) {
                        here.pop();
                        rest = rest.get(3..).unwrap_or_default();
                    }
                    let mut path = rest;
                    tree(&mut path, &here, &mut self.named);
                }
                _ => {}
            }
        }
        declared
    }
}

/// The paths of a `use` tree, or the one path that is written in an expression.
fn tree(rest: &mut &[Token<'_>], prefix: &[String], found: &mut Vec<Named>) {
    let Some((token, after)) = rest.split_first() else { return };
    *rest = after;
    match token.text {
        "{" => loop {
            if !begins(rest, &["}"]) {
                tree(rest, prefix, found);
            }
            // A branch may be renamed.
            while rest.first().is_some_and(|token| ![",", "}", ";"].contains(&token.text)) {
                *rest = rest.get(1..).unwrap_or_default();
            }
            let ends = !begins(rest, &[","]);
            *rest = rest.get(1..).unwrap_or_default();
            if ends {
                return;
            }
        },
        word if word.starts_with(is_word) => {
            let path: Vec<String> = prefix.iter().cloned().chain([word.to_owned()]).collect();
            if begins(rest, &[":", ":"]) {
                *rest = rest.get(2..).unwrap_or_default();
                tree(rest, &path, found);
            } else {
                found.push(Named { path, line: token.line });
            }
        }
        // `*`, or the types of a generic call.
        _ => found.push(Named { path: prefix.to_vec(), line: token.line }),
    }
}
