//! Which modules a file names: `use` trees and inline paths that begin with `crate` or `super`.

use super::lex::{Kind, Token};
use super::shipped::closed;

/// A path from the crate's root, and where it stands.
#[derive(Debug, PartialEq, Eq)]
pub struct Named<'a> {
    pub path: Vec<&'a str>,
    pub line: usize,
}

/// A module that a file declares in a file of its own.
#[derive(Debug, PartialEq, Eq)]
pub struct Declared<'a> {
    /// The modules of this file that it is in, then its name.
    pub inside: Vec<&'a str>,
    /// The file that `#[path]` names.
    pub file: Option<&'a str>,
}

/// What a file says about modules.
#[derive(Default)]
pub struct Said<'a> {
    pub named: Vec<Named<'a>>,
    pub declared: Vec<Declared<'a>>,
}

/// Reads a file's tokens; `module` is its own path from the crate's root.
pub fn read<'a>(tokens: &[Token<'a>], module: &[&'a str]) -> Said<'a> {
    let mut said = Said::default();
    read_block(tokens, module, &mut Vec::new(), &mut said);
    said
}

/// The paths of every `use`, as they are written.
pub fn used<'a>(tokens: &[Token<'a>]) -> Vec<Named<'a>> {
    let mut found = Vec::new();
    let uses = tokens.iter().enumerate().filter(|(_, token)| token.kind == Kind::Word("use"));
    for (at, _) in uses {
        branches(tokens.get(at + 1..).unwrap_or_default(), &mut Vec::new(), &mut found);
    }
    found
}

fn read_block<'a>(tokens: &[Token<'a>], module: &[&'a str], inside: &mut Vec<&'a str>, said: &mut Said<'a>) {
    let (mut rest, mut file) = (tokens, None);
    while let Some((token, after)) = rest.split_first() {
        if let Some((path, after)) = path_attribute(rest) {
            file = Some(path);
            rest = after;
            continue;
        }
        match (token.kind, kinds(after)) {
            (Kind::Word("mod"), [Some(Kind::Word(name)), Some(Kind::Mark(';'))]) => {
                let inside = inside.iter().copied().chain([name]).collect();
                said.declared.push(Declared { inside, file: file.take() });
            }
            (Kind::Word("mod"), [Some(Kind::Word(name)), Some(Kind::Mark('{'))]) => {
                let block = after.get(1..).unwrap_or_default();
                let beyond = closed(block);
                inside.push(name);
                read_block(
                    block.get(1..block.len() - beyond.len()).unwrap_or_default(),
                    module,
                    inside,
                    said,
                );
                inside.pop();
                rest = beyond;
                continue;
            }
            (Kind::Word("crate"), _) if is_joint(after) => tree(after, &mut Vec::new(), &mut said.named),
            (Kind::Word("super"), _) if is_joint(after) => {
                let here: Vec<_> = module.iter().chain(inside.iter()).copied().collect();
                rest = from_super(rest, here, said);
                continue;
            }
            _ => {}
        }
        rest = after;
    }
}

/// The path that `super::super::…` names, and what follows the last `super`.
fn from_super<'t, 'a>(
    tokens: &'t [Token<'a>],
    mut here: Vec<&'a str>,
    said: &mut Said<'a>,
) -> &'t [Token<'a>] {
    let mut rest = tokens;
    while rest.first().is_some_and(|token| token.kind == Kind::Word("super")) {
        here.pop();
        rest = rest.get(1..).unwrap_or_default();
        match rest.get(2..) {
            Some(after) if is_joint(rest) && after.first().is_some_and(|t| t.kind == Kind::Word("super")) => {
                rest = after;
            }
            _ => break,
        }
    }
    if is_joint(rest) {
        tree(rest, &mut here, &mut said.named);
    }
    rest
}

fn kinds<'a>(tokens: &[Token<'a>]) -> [Option<Kind<'a>>; 2] {
    [0, 1].map(|at| tokens.get(at).map(|token| token.kind))
}

/// Whether the next tokens are `::`.
fn is_joint(tokens: &[Token<'_>]) -> bool {
    kinds(tokens) == [Some(Kind::Mark(':')); 2]
}

/// The paths of a `use` tree or of one path, from the `::` on after what `prefix` holds.
fn tree<'a>(tokens: &[Token<'a>], prefix: &mut Vec<&'a str>, found: &mut Vec<Named<'a>>) {
    let before = prefix.len();
    let mut rest = tokens;
    while is_joint(rest) {
        rest = rest.get(2..).unwrap_or_default();
        match rest.split_first().map(|(token, after)| (token, token.kind, after)) {
            Some((token, Kind::Word(word), after)) => {
                prefix.push(word);
                if !is_joint(after) {
                    found.push(Named { path: prefix.clone(), line: token.line });
                }
                rest = after;
            }
            Some((_, Kind::Mark('{'), inside)) => branches(inside, prefix, found),
            // `::*`, or the generics of a call.
            Some((token, ..)) => found.push(Named { path: prefix.clone(), line: token.line }),
            None => break,
        }
    }
    prefix.truncate(before);
}

/// The branches of `{a, b::c, d::{…}}`, from behind the opening bracket on.
fn branches<'a>(tokens: &[Token<'a>], prefix: &mut Vec<&'a str>, found: &mut Vec<Named<'a>>) {
    let mut rest = tokens;
    let mut begins = true;
    while let Some((token, after)) = rest.split_first() {
        let here = rest;
        rest = after;
        match token.kind {
            Kind::Mark('}' | ';') => return,
            Kind::Mark(',') => begins = true,
            Kind::Mark('{') => rest = closed(here),
            Kind::Word(word) if begins => {
                begins = false;
                prefix.push(word);
                if is_joint(after) {
                    tree(after, prefix, found);
                } else {
                    found.push(Named { path: prefix.clone(), line: token.line });
                }
                prefix.pop();
            }
            _ => {}
        }
    }
}

/// `#[path = "…"]` at the start, and what follows it.
fn path_attribute<'t, 'a>(tokens: &'t [Token<'a>]) -> Option<(&'a str, &'t [Token<'a>])> {
    let mut kinds = tokens.iter().map(|token| token.kind);
    let begins = [Kind::Mark('#'), Kind::Mark('['), Kind::Word("path"), Kind::Mark('=')];
    if !begins.iter().all(|kind| kinds.next() == Some(*kind)) {
        return None;
    }
    let Some(Kind::Text(path)) = kinds.next() else { return None };
    Some((path, tokens.get(6..)?))
}
