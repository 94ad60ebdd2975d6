//! Rust as a list of tokens: enough to count lines of code and to find names and paths, without a parser.

/// Kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind<'a> {
    /// A keyword, a name or a number.
    Word(&'a str),
    /// The text between the quotes of a string.
    Text(&'a str),
    /// Any other sign. Lifetimes and characters are signs too.
    Mark(char),
}

/// A token and the lines that it covers.
#[derive(Debug, Clone, Copy)]
pub struct Token<'a> {
    pub kind: Kind<'a>,
    pub line: usize,
}

/// The tokens of a source file, without comments and blanks.
pub fn tokens(source: &str) -> Vec<Token<'_>> {
    let (mut found, mut rest, mut line) = (Vec::new(), source, 1);
    while !rest.is_empty() {
        let (length, kind) = first(rest);
        let (token, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        let last_line = line + token.matches('\n').count();
        found.extend(kind.map(|kind| Token { kind, line }));
        (line, rest) = (last_line, after);
    }
    found
}

/// The length of the first token or blank, and its kind; `None` for blanks and comments.
fn first(rest: &str) -> (usize, Option<Kind<'_>>) {
    if rest.starts_with("//") {
        return (rest.find('\n').unwrap_or(rest.len()), None);
    }
    if rest.starts_with("/*") {
        return (block_comment(rest), None);
    }
    if let Some(string) = string(rest) {
        return string;
    }
    let Some(letter) = rest.chars().next() else { return (0, None) };
    match letter {
        '\'' => (quoted_character(rest), Some(Kind::Mark(letter))),
        blank if blank.is_whitespace() => (blank.len_utf8(), None),
        _ if is_word(letter) => {
            let length = rest.find(|letter| !is_word(letter)).unwrap_or(rest.len());
            (length, rest.get(..length).map(Kind::Word))
        }
        _ => (letter.len_utf8(), Some(Kind::Mark(letter))),
    }
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
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

/// A string of any sort at the start.
fn string(rest: &str) -> Option<(usize, Option<Kind<'_>>)> {
    let unprefixed = rest.strip_prefix(['b', 'c']).unwrap_or(rest);
    let raw = unprefixed.strip_prefix('r').map(|rest| rest.trim_start_matches('#'));
    if let Some(body) = raw.and_then(|rest| rest.strip_prefix('"')) {
        let begin = rest.len() - body.len();
        let hashes = rest.get(..begin)?.matches('#').count();
        let end = format!("\"{}", "#".repeat(hashes));
        let length = body.find(&end).unwrap_or(body.len());
        return Some((begin + length + end.len(), body.get(..length).map(Kind::Text)));
    }
    if let Some(character) = unprefixed.strip_prefix('\'').filter(|_| unprefixed.len() < rest.len()) {
        let length = quoted_character(unprefixed);
        return (length > 1 && !character.is_empty()).then_some((length + 1, Some(Kind::Mark('\''))));
    }
    let body = unprefixed.strip_prefix('"')?;
    let begin = rest.len() - body.len();
    let mut escaped = false;
    let end = body.find(|letter| {
        let ends = letter == '"' && !escaped;
        escaped = letter == '\\' && !escaped;
        ends
    });
    let length = end.unwrap_or(body.len());
    Some((begin + length + 1, body.get(..length).map(Kind::Text)))
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
