//! Commands that stand for all: how many files know each of them.

use super::lex::{Kind, Token};

/// A command of a store.
#[derive(Debug, PartialEq, Eq)]
pub struct Example {
    /// What it does.
    pub name: &'static str,
    /// What names of types, functions and records of it hold, one of these; capitals and underscores do not count.
    stems: &'static [&'static str],
}

/// A route, a rule, a document, an event and a record each; none is part of another.
pub static EXAMPLES: [Example; 3] = [
    Example { name: "post a supplier return", stems: &["supplierreturn"] },
    Example { name: "correct a tender", stems: &["tendercorrect", "correcttender"] },
    Example { name: "reopen a day", stems: &["dayreopen", "reopenday"] },
];

/// The examples that a file names, in its code or in a text such as a path or a kind of record.
pub fn named(tokens: &[Token<'_>]) -> Vec<&'static Example> {
    let holds = |example: &&Example| {
        tokens.iter().any(|token| match token.kind {
            Kind::Word(word) | Kind::Text(word) => {
                let plain = plain(word);
                example.stems.iter().any(|stem| plain.contains(stem))
            }
            Kind::Mark(_) => false,
        })
    };
    EXAMPLES.iter().filter(holds).collect()
}

fn plain(word: &str) -> String {
    word.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
}
