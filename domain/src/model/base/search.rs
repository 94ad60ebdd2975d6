//! Search words: stored and typed texts are split in the same way.

use crate::model::base::text::is_invisible;
use std::collections::BTreeSet;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Most words that one text is found by.
pub const WORDS_MAX: usize = 24;

/// Most parts of words that one text is found by, in scripts that write no spaces between words.
const PARTS_MAX: usize = 64;

/// The longest part of a word that counts, in characters.
pub const WORD_CHARS_MAX: usize = 32;

/// A text as searches compare it: in lower case, without accents and apostrophes, with a space for a hyphen, so that `cafe`
/// finds `Café`, `levis` finds `Levi’s` and `coca cola` finds `Coca-Cola`. Databases fold by rules of their own, or ASCII
/// alone.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    if text.is_ascii() {
        for c in text.chars().filter(|c| !is_apostrophe(*c)) {
            push(c.to_ascii_lowercase(), &mut folded);
        }
        return folded;
    }
    let shown = text.nfkd().filter(|c| !is_accent(*c) && !is_apostrophe(*c) && !is_invisible(*c));
    for c in shown.flat_map(char::to_lowercase) {
        match letters(c) {
            Some(letters) => folded.push_str(letters),
            // Of `İ` the lower case has its dot apart again.
            None if is_accent(c) => {}
            None => push(c, &mut folded),
        }
    }
    // Decomposed characters without an accent become one letter again, as in Korean.
    folded.nfc().collect()
}

/// Adds a character; spaces and hyphens between words are one space.
fn push(c: char, folded: &mut String) {
    let c = if is_hyphen(c) { ' ' } else { c };
    if c != ' ' || !folded.ends_with(' ') {
        folded.push(c);
    }
}

fn is_hyphen(c: char) -> bool {
    matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}')
}

/// Marks above, below or through a letter of Latin, Greek, Cyrillic, Hebrew and Arabic script, and those that choose the
/// look of a character. Vowels of other scripts are letters of their own.
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
            | '\u{fe00}'..='\u{fe0f}'
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

/// Letters of scripts that write no spaces between words, and pictures, of which each is a word.
fn is_unspaced(c: char) -> bool {
    matches!(
        c,
        // Thai, Lao, Tibetan, Burmese, Khmer.
        '\u{e00}'..='\u{fff}'
            | '\u{1000}'..='\u{109f}'
            | '\u{1780}'..='\u{17ff}'
            // Pictures.
            | '\u{2600}'..='\u{27bf}'
            | '\u{2b00}'..='\u{2bff}'
            | '\u{1f000}'..='\u{1faff}'
            // Japanese and Chinese.
            | '\u{3005}'..='\u{3007}'
            | '\u{3040}'..='\u{312f}'
            | '\u{31f0}'..='\u{31ff}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3ffff}'
    )
}

/// Whether a character belongs to a word. Tones and vowels of many scripts are marks on a letter.
fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || is_apostrophe(c) || is_combining_mark(c) || is_unspaced(c) || is_invisible(c)
}

/// The words of texts: runs of letters and digits, folded. A word with an apostrophe is found as one and by its parts.
pub fn words<'a>(texts: impl IntoIterator<Item = &'a str>) -> BTreeSet<String> {
    runs(texts).map(|run| beginning(&run)).take(WORDS_MAX).collect()
}

/// Search words of stored texts: their words and, in scripts without spaces between words, every suffix of a run, so
/// that a search finds text in the middle of it.
pub fn indexed<'a>(texts: impl IntoIterator<Item = &'a str>) -> BTreeSet<String> {
    let runs: Vec<String> = runs(texts).take(WORDS_MAX).collect();
    let ends = runs.iter().flat_map(|run| ends(run)).take(PARTS_MAX);
    runs.iter().map(String::as_str).chain(ends).map(beginning).collect()
}

fn runs<'a>(texts: impl IntoIterator<Item = &'a str>) -> impl Iterator<Item = String> {
    let runs = texts.into_iter().flat_map(|text| {
        text.split(|c: char| !is_of_word(c)).flat_map(|run| {
            std::iter::once(run).chain(run.split(is_apostrophe).filter(move |part| *part != run))
        })
    });
    runs.map(fold).filter(|run| !run.is_empty())
}

fn beginning(run: &str) -> String {
    run.chars().take(WORD_CHARS_MAX).collect()
}

/// The ends of a run that begin with a letter of a script without spaces, or behind one.
fn ends(run: &str) -> impl Iterator<Item = &str> {
    let pairs = run.char_indices().zip(run.chars().skip(1));
    let begins =
        pairs.filter(|((_, before), c)| (is_unspaced(*before) || is_unspaced(*c)) && !is_combining_mark(*c));
    begins.filter_map(|((at, before), _)| run.get(at.saturating_add(before.len_utf8())..))
}

/// The words that no longer find their document: they are removed from the index, where they would take the place of
/// living ones.
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
    use super::{fold, indexed, matches, words};

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
    fn words_inside_a_text_without_spaces_are_found() {
        for (typed, text) in [
            ("กุ้ง", "ข้าวผัดกุ้งทะเล"),
            ("ข้าวผัด", "ข้าวผัดกุ้งทะเล"),
            ("大杯", "奶茶大杯\u{1f9cb}"),
            ("\u{1f9cb}", "奶茶大杯\u{1f9cb}"),
            ("\u{2615}", "Kopi \u{2615}\u{fe0f}"),
            ("\u{1f9cb}", "Teh\u{1f9cb}"),
            ("500", "奶茶500ml"),
            ("ビール", "アサヒビール"),
            ("បាយ", "ក្រឡានបាយ"),
        ] {
            assert!(matches(&words([typed]), &indexed([text])), "{typed} {text} {:?}", indexed([text]));
        }
        for (typed, text) in [("กุ้ง", "ข้าวผัดกุน"), ("otol", "Teh Botol"), ("杯大", "奶茶大杯")]
        {
            assert!(!matches(&words([typed]), &indexed([text])), "{typed} {text}");
        }
        assert!(indexed(["大".repeat(500).as_str()]).len() <= super::PARTS_MAX);
    }

    #[test]
    fn a_hyphen_is_a_space() {
        for (typed, text) in [
            ("coca cola", "Coca-Cola"),
            ("coca-cola", "COCA COLA"),
            ("7-up", "7\u{2011}Up"),
            ("7 up", "7 - Up"),
        ] {
            assert_eq!(fold(typed), fold(text), "{typed}");
            assert!(matches(&words([typed]), &words([text])), "{typed}");
        }
        assert_eq!(fold("A-1\nB  2"), "a 1\nb 2");
    }

    #[test]
    fn a_text_has_a_bounded_number_of_bounded_words() {
        let long = "ab ".repeat(10) + &"c".repeat(100);
        let found = words([long.as_str()]);
        assert_eq!(found.len(), 2);
        assert_eq!(found.last().unwrap().len(), super::WORD_CHARS_MAX);
    }
}
