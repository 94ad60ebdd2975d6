//! Names of months in the languages of banks here, as `%b` reads them.

/// The English name of three letters, and the other names and their short forms.
const MONTHS: [(&str, &[&str]); 12] = [
    ("Jan", &["jan", "januari", "january", "januar"]),
    ("Feb", &["feb", "peb", "februari", "pebruari", "february", "februar"]),
    ("Mar", &["mar", "mrt", "maret", "march", "maart", "märz", "mär"]),
    ("Apr", &["apr", "april"]),
    ("May", &["may", "mei", "mai"]),
    ("Jun", &["jun", "juni", "june"]),
    ("Jul", &["jul", "juli", "july"]),
    ("Aug", &["aug", "agu", "agt", "ags", "agus", "agustus", "august", "augustus"]),
    ("Sep", &["sep", "sept", "september"]),
    ("Oct", &["oct", "okt", "oktober", "october"]),
    ("Nov", &["nov", "nop", "nopember", "november"]),
    ("Dec", &["dec", "des", "dez", "desember", "december", "dezember"]),
];

/// The text with each name of a month as its English short form.
pub(super) fn in_english(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(char::is_alphabetic) {
        let (before, word) = rest.split_at_checked(start).unwrap_or((rest, ""));
        let end = word.find(|c: char| !c.is_alphabetic()).unwrap_or(word.len());
        let (word, behind) = word.split_at_checked(end).unwrap_or((word, ""));
        out.push_str(before);
        let lower = word.to_lowercase();
        let known = MONTHS.iter().find(|(_, names)| names.contains(&lower.as_str()));
        match known {
            Some((english, _)) => {
                out.push_str(english);
                rest = behind.strip_prefix('.').unwrap_or(behind);
            }
            None => {
                out.push_str(word);
                rest = behind;
            }
        }
    }
    out.push_str(rest);
    out
}
