//! Words that people search by: the same splitting for what is stored and for what is typed.

use std::collections::BTreeSet;

/// Most words that one text is found by.
pub const WORDS_MAX: usize = 24;

/// The longest part of a word that counts, in characters.
pub const WORD_CHARS_MAX: usize = 32;

/// A text as searches compare it, letter by letter in lower case: databases fold by rules of their own, or ASCII alone.
pub fn fold(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).collect()
}

/// The words of texts: lower-cased runs of letters and digits.
pub fn words<'a>(texts: impl IntoIterator<Item = &'a str>) -> BTreeSet<String> {
    let runs = texts.into_iter().flat_map(|text| text.split(|c: char| !c.is_alphanumeric()));
    let lower = runs
        .filter(|run| !run.is_empty())
        .map(|run| run.chars().flat_map(char::to_lowercase).take(WORD_CHARS_MAX).collect::<String>());
    lower.take(WORDS_MAX).collect()
}

/// The words that no longer find what had them: they leave the index, where they would take the place of living ones.
pub fn lost(before: BTreeSet<String>, after: &BTreeSet<String>) -> Vec<String> {
    before.into_iter().filter(|word| !after.contains(word)).collect()
}

/// Whether every word of a query begins some word of the text.
pub fn matches(query: &BTreeSet<String>, text: &BTreeSet<String>) -> bool {
    query.iter().all(|typed| text.iter().any(|word| word.starts_with(typed.as_str())))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::{matches, words};

    #[test]
    fn every_typed_word_begins_a_word_of_the_text() {
        let text = words(["Teh Botol (350 ml)", "MINUMAN"]);
        for (typed, found) in [
            ("teh", true),
            ("bot teh", true),
            ("350", true),
            ("minum", true),
            ("otol", false),
            ("teh x", false),
        ] {
            assert_eq!(matches(&words([typed]), &text), found, "{typed}");
        }
    }

    #[test]
    fn a_text_has_a_bounded_number_of_bounded_words() {
        let long = "ab ".repeat(10) + &"c".repeat(100);
        let found = words([long.as_str()]);
        assert_eq!(found.len(), 2);
        assert_eq!(found.last().unwrap().len(), super::WORD_CHARS_MAX);
    }
}
