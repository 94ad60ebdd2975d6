//! References and words, normalised so that different spellings compare equal.

/// Texts that banks and providers write in place of a reference: letters and digits only, in upper case.
const NO_REFERENCES: [&str; 12] = [
    "NOTPROVIDED",
    "NOTAVAILABLE",
    "NOTKNOWN",
    "NOTSPECIFIED",
    "NOREFERENCE",
    "NOREF",
    "NONREF",
    "NONE",
    "NULL",
    "NIHIL",
    "UNKNOWN",
    "NA",
];

/// A reference in upper case, letters and digits only, without leading zeros; `None` if it names nothing.
pub fn reference_key(reference: &str) -> Option<String> {
    let plain = reference.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_uppercase);
    let key: String = plain.skip_while(|c| *c == '0').collect();
    (!key.is_empty() && !NO_REFERENCES.contains(&key.as_str())).then_some(key)
}

/// Whether a text means "no reference": nothing, only marks and zeros, or a word for it.
pub fn is_no_reference(text: &str) -> bool {
    reference_key(text).is_none()
}

/// Whether a text contains a whole word, ignoring case.
pub fn has_word(text: &str, word: &str) -> bool {
    let (text, word) = (text.to_lowercase(), word.trim().to_lowercase());
    if word.is_empty() {
        return false;
    }
    let ends = |rest: Option<char>| rest.is_none_or(|c| !c.is_alphanumeric());
    text.match_indices(word.as_str()).any(|(at, found)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(at.saturating_add(found.len())..).and_then(|after| after.chars().next());
        ends(before) && ends(after)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_the_same_in_every_spelling() {
        for (written, key) in [
            ("0c-1001", Some("C1001")),
            ("C1001", Some("C1001")),
            (" c 10/01 ", Some("C1001")),
            ("T-1", Some("T1")),
            ("7", Some("7")),
            ("00-77", Some("77")),
            ("T-10", Some("T10")),
            ("0000", None),
            ("-", None),
            ("Not provided", None),
            ("NOTAVAILABLE", None),
            ("NONREF", None),
            ("none", None),
            ("N/A", None),
            ("", None),
        ] {
            assert_eq!(reference_key(written).as_deref(), key, "{written}");
        }
    }

    #[test]
    fn a_word_is_found_as_a_whole() {
        for (text, word, found) in [
            ("PAYOUT 77", "77", true),
            ("PAYOUT 177", "77", false),
            ("setor b-17, toko", "B-17", true),
            ("B-170", "B-17", false),
            ("770 77", "77", true),
            ("anything", "", false),
        ] {
            assert_eq!(has_word(text, word), found, "{text} {word}");
        }
    }
}
