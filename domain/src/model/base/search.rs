//! Words that people search by: the same splitting for what is stored and for what is typed.

use std::collections::BTreeSet;
use unicode_normalization::UnicodeNormalization;

/// Most words that one text is found by.
pub const WORDS_MAX: usize = 24;

/// The longest part of a word that counts, in characters.
pub const WORD_CHARS_MAX: usize = 32;

/// A text as searches compare it: in lower case, without accents and apostrophes, so that `cafe` finds `Café` and `levis`
/// finds `Levi’s`. Databases fold by rules of their own, or ASCII alone.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.chars().filter(|c| !is_apostrophe(*c)).map(|c| c.to_ascii_lowercase()).collect();
    }
    let mut folded = String::with_capacity(text.len());
    for c in text.nfkd().filter(|c| !is_accent(*c) && !is_apostrophe(*c)).flat_map(char::to_lowercase) {
        match letters(c) {
            Some(letters) => folded.push_str(letters),
            // Of `İ` the lower case has its dot apart again.
            None if is_accent(c) => {}
            None => folded.push(c),
        }
    }
    // What was taken apart and has no accent is one letter again, as in Korean.
    folded.nfc().collect()
}

/// Marks above, below or through a letter of Latin, Greek, Cyrillic, Hebrew and Arabic script. Vowels of other
/// scripts are letters of their own.
fn is_accent(c: char) -> bool {
    matches!(
        c,
        '\u{300}'..='\u{36f}'
            | '\u{591}'..='\u{5bd}'
            | '\u{64b}'..='\u{65f}'
            | '\u{670}'
            | '\u{1ab0}'..='\u{1aff}'
            | '\u{1dc0}'..='\u{1dff}'
            | '\u{20d0}'..='\u{20ff}'
            | '\u{fe20}'..='\u{fe2f}'
    )
}

fn is_apostrophe(c: char) -> bool {
    matches!(
        c,
        '\'' | '`' | '\u{b4}' | '\u{2bb}' | '\u{2bc}' | '\u{2018}' | '\u{2019}' | '\u{201b}' | '\u{2032}'
    )
}

/// Plain spelling of letters that are not an accent on another one.
fn letters(c: char) -> Option<&'static str> {
    Some(match c {
        'ł' => "l",
        'ø' => "o",
        'ı' => "i",
        'đ' | 'ð' => "d",
        'ħ' => "h",
        'ŧ' => "t",
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'þ' => "th",
        'ς' => "σ",
        _ => return None,
    })
}

/// The words of texts: runs of letters and digits, folded. A word with an apostrophe is found as one and by its parts.
pub fn words<'a>(texts: impl IntoIterator<Item = &'a str>) -> BTreeSet<String> {
    let runs = texts.into_iter().flat_map(|text| {
        text.split(|c: char| !c.is_alphanumeric() && !is_apostrophe(c) && !is_accent(c)).flat_map(|run| {
            std::iter::once(run).chain(run.split(is_apostrophe).filter(move |part| *part != run))
        })
    });
    let folded =
        runs.map(fold).filter(|run| !run.is_empty()).map(|run| run.chars().take(WORD_CHARS_MAX).collect());
    folded.take(WORDS_MAX).collect()
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
    use super::{fold, matches, words};

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
    fn accents_case_and_apostrophes_make_no_difference() {
        for (typed, text) in [
            ("cafe", "Café Latte"),
            ("creme", "Cre\u{300}me bru\u{302}le\u{301}e"),
            ("crème", "Cre\u{300}me bru\u{302}le\u{301}e"),
            ("brulee", "Crème brûlée"),
            ("pina", "Piña Colada ½ l…"),
            ("istanbul cayi igso", "İstanbul Çayı ığşö"),
            ("zurek aeloscz", "Żurek ąełóśćz"),
            ("levis", "Levi’s – 501"),
            ("levi's", "Levi’s – 501"),
            ("oreal", "L'Oréal"),
            ("loreal", "L'Oréal"),
            ("strasse", "Große Straße"),
            ("smorrebrod", "Smørrebrød"),
            ("dong", "Đồng"),
            ("ＣＡＦＥ", "café"),
            ("café", "cafe"),
            ("한국", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}"),
            ("αθηνα", "Αθήνα"),
        ] {
            assert!(matches(&words([typed]), &words([text])), "{typed} {text} {:?}", words([text]));
            if !typed.contains(' ') {
                assert!(fold(text).contains(&fold(typed)), "{typed} {text} {}", fold(text));
            }
        }
        assert!(!matches(&words(["cake"]), &words(["Café"])));
    }

    #[test]
    fn a_text_has_a_bounded_number_of_bounded_words() {
        let long = "ab ".repeat(10) + &"c".repeat(100);
        let found = words([long.as_str()]);
        assert_eq!(found.len(), 2);
        assert_eq!(found.last().unwrap().len(), super::WORD_CHARS_MAX);
    }
}
