//! The released part of a source file: the file without the parts that are only compiled for tests.

use super::lex::{Kind, Token};

/// Words that begin an item which may hold a comma before it ends.
const ITEMS: [&str; 12] =
    ["async", "const", "enum", "extern", "fn", "impl", "mod", "pub", "static", "struct", "trait", "use"];

/// The tokens without the items under `#[cfg(test)]`.
pub fn without_tests<'a>(tokens: &[Token<'a>]) -> Vec<Token<'a>> {
    let (mut kept, mut rest) = (Vec::new(), tokens);
    while let Some((token, after)) = rest.split_first() {
        match attribute(rest) {
            Some((Sort::TestFile, _)) => return Vec::new(),
            Some((Sort::TestItem, after)) => rest = skip_item(after),
            _ => {
                kept.push(*token);
                rest = after;
            }
        }
    }
    kept
}

#[derive(PartialEq, Eq)]
enum Sort {
    TestFile,
    TestItem,
    Other,
}

/// An attribute at the start, and the rest.
fn attribute<'t, 'a>(tokens: &'t [Token<'a>]) -> Option<(Sort, &'t [Token<'a>])> {
    let (hash, rest) = tokens.split_first()?;
    let whole_file = rest.first().is_some_and(|token| token.kind == Kind::Mark('!'));
    let rest = if whole_file { rest.get(1..)? } else { rest };
    if hash.kind != Kind::Mark('#') || rest.first()?.kind != Kind::Mark('[') {
        return None;
    }
    let after = closed(rest);
    let inside = rest.get(..rest.len() - after.len())?;
    let says = |word| inside.iter().any(|token| token.kind == Kind::Word(word));
    // `any(test, …)` and `not(test)` are compiled for others too.
    let only_tests = inside.get(1)?.kind == Kind::Word("cfg") && says("test") && !says("any") && !says("not");
    let sort = match (only_tests, whole_file) {
        (true, true) => Sort::TestFile,
        (true, false) => Sort::TestItem,
        (false, _) => Sort::Other,
    };
    Some((sort, after))
}

/// The tokens after the bracket that they begin with.
pub fn closed<'t, 'a>(tokens: &'t [Token<'a>]) -> &'t [Token<'a>] {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Mark('(' | '[' | '{') => depth += 1,
            Kind::Mark(')' | ']' | '}') if depth <= 1 => return tokens.get(at + 1..).unwrap_or_default(),
            Kind::Mark(')' | ']' | '}') => depth -= 1,
            _ => {}
        }
    }
    &[]
}

/// The tokens after the item, field or statement that they begin with.
fn skip_item<'t, 'a>(mut tokens: &'t [Token<'a>]) -> &'t [Token<'a>] {
    while let Some((_, after)) = attribute(tokens) {
        tokens = after;
    }
    let item =
        matches!(tokens.first().map(|token| token.kind), Some(Kind::Word(word)) if ITEMS.contains(&word));
    while let Some((token, after)) = tokens.split_first() {
        tokens = match token.kind {
            Kind::Mark(';') => return after,
            Kind::Mark(',') if !item => return after,
            // The end of the enclosing bracket.
            Kind::Mark(')' | ']' | '}') => return tokens,
            Kind::Mark('{') => return closed(tokens),
            Kind::Mark('(' | '[') => closed(tokens),
            _ => after,
        };
    }
    tokens
}
