//! The sources that are shipped, crate by crate, and what each file says.

use super::lex::{Kind, Token, tokens};
use super::{paths, shipped};
use anyhow::Context;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Crates that only tests use.
const FOR_TESTS: [&str; 1] = ["testkit"];

/// A crate of the workspace.
pub struct Crate {
    pub name: String,
    pub files: Vec<File>,
}

/// A source file of a crate, without what is only for tests.
pub struct File {
    /// From the root of the workspace.
    pub path: String,
    /// Its path from the root of the crate.
    pub module: Vec<String>,
    /// Lines with code.
    pub lines: usize,
    /// The paths from the root of the crate that it names, and where.
    pub named: Vec<(Vec<String>, usize)>,
    /// The paths of its `use`, as they are written.
    pub used: Vec<Vec<String>>,
    /// The names that it gives to others, and where.
    pub public: Vec<(String, usize)>,
}

/// Every crate that is shipped or works on what is.
pub fn crates(root: &Path) -> anyhow::Result<Vec<Crate>> {
    let manifest = fs::read_to_string(root.join("Cargo.toml")).context("Cargo.toml")?;
    let members = members(&manifest);
    let folders = members.iter().map(String::as_str).filter(|name| !FOR_TESTS.contains(name));
    folders.chain([""]).map(|folder| read(root, folder)).collect()
}

/// The members that the workspace's manifest lists.
fn members(manifest: &str) -> Vec<String> {
    let list = manifest.split_once("members = [").and_then(|(_, rest)| rest.split_once(']'));
    let names = list.map_or("", |(list, _)| list).split(',');
    names.map(|name| name.trim().trim_matches('"').to_owned()).filter(|name| !name.is_empty()).collect()
}

fn read(root: &Path, folder: &str) -> anyhow::Result<Crate> {
    let source = root.join(folder).join("src");
    let mut walk = Walk { root, files: Vec::new(), seen: BTreeSet::new() };
    for name in ["lib.rs", "main.rs"] {
        let path = source.join(name);
        if path.exists() {
            walk.file(&path, &source, &[])?;
        }
    }
    let name = if folder.is_empty() { "store-router" } else { folder };
    Ok(Crate { name: name.to_owned(), files: walk.files })
}

/// Follows the modules from a crate's root on, so that what is only for tests is never met.
struct Walk<'r> {
    root: &'r Path,
    files: Vec<File>,
    seen: BTreeSet<PathBuf>,
}

impl Walk<'_> {
    /// Reads a file and the modules that it declares, which lie in `folder`.
    fn file(&mut self, path: &Path, folder: &Path, module: &[String]) -> anyhow::Result<()> {
        if !self.seen.insert(path.to_owned()) {
            return Ok(());
        }
        let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let tokens = shipped::without_tests(&tokens(&text));
        let module_words: Vec<&str> = module.iter().map(String::as_str).collect();
        let said = paths::read(&tokens, &module_words);
        self.files.push(File {
            path: path.strip_prefix(self.root).unwrap_or(path).display().to_string(),
            module: module.to_vec(),
            lines: lines(&tokens),
            named: said.named.iter().map(|named| (owned(&named.path), named.line)).collect(),
            used: paths::used(&tokens).iter().map(|named| owned(&named.path)).collect(),
            public: public(&tokens),
        });
        for declared in said.declared {
            let mut inside = module.to_vec();
            inside.extend(owned(&declared.inside));
            let (path, folder) = match declared.file {
                Some(file) => {
                    let path = path.with_file_name(file);
                    (path.clone(), path.with_extension(""))
                }
                None => place(folder, &declared.inside),
            };
            self.file(&path, &folder, &inside)?;
        }
        Ok(())
    }
}

/// The file of a module and the folder of its own modules.
fn place(folder: &Path, inside: &[&str]) -> (PathBuf, PathBuf) {
    let folder = inside.iter().fold(folder.to_owned(), |folder, name| folder.join(name));
    let file = folder.with_extension("rs");
    if file.exists() { (file, folder) } else { (folder.join("mod.rs"), folder) }
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn lines(tokens: &[Token<'_>]) -> usize {
    tokens.iter().flat_map(|token| token.line..=token.last_line).collect::<BTreeSet<_>>().len()
}

/// The names of what is public, to the crate or to all.
fn public(tokens: &[Token<'_>]) -> Vec<(String, usize)> {
    const BEFORE: [&str; 4] = ["async", "const", "unsafe", "extern"];
    const ITEMS: [&str; 8] = ["fn", "struct", "enum", "trait", "mod", "type", "const", "static"];
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let mut rest = tokens.get(at + 1..).unwrap_or_default();
        if token.kind != Kind::Word("pub") {
            continue;
        }
        if rest.first().is_some_and(|token| token.kind == Kind::Mark('(')) {
            rest = shipped::closed(rest);
        }
        let mut words = rest.iter().map_while(|token| match token.kind {
            Kind::Word(word) => Some((word, token.line)),
            _ => None,
        });
        let mut word = words.next();
        let mut item = false;
        while let Some((here, line)) = word {
            if item && !BEFORE.contains(&here) && !ITEMS.contains(&here) {
                found.push((here.to_owned(), line));
                break;
            }
            item = item || ITEMS.contains(&here);
            if !item && !BEFORE.contains(&here) {
                break;
            }
            word = words.next();
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_those_of_the_manifest() {
        assert_eq!(members("[workspace]\nmembers = [\"a\", \"b/c\"]\n"), ["a", "b/c"]);
    }

    #[test]
    fn public_names_are_found_behind_any_visibility() {
        let text = "pub fn a() {} pub(crate) const fn b() {} pub const C: u8 = 1; fn d() {} \
                    pub struct E { pub f: u8 } pub use g::h; pub async fn i() {}";
        let names: Vec<_> = public(&tokens(text)).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["a", "b", "C", "E", "i"]);
    }
}
