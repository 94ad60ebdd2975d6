//! Names of months in the languages of banks, as `%b` reads them.

use jiff::civil::Date;

/// The English name of three letters, and the other names and their short forms.
const MONTHS: [(&str, &[&str]); 12] = [
    ("Jan", &["jan", "januari", "january", "januar", "janv", "janvier", "ene", "enero", "jän", "jänner"]),
    (
        "Feb",
        &["feb", "peb", "februari", "pebruari", "february", "februar", "févr", "fév", "février", "febrero"],
    ),
    ("Mar", &["mar", "mrt", "maret", "march", "maart", "märz", "mär", "mars", "marts", "marzo"]),
    ("Apr", &["apr", "april", "avr", "avril", "abr", "abril"]),
    ("May", &["may", "mei", "mai", "maj", "mayo"]),
    ("Jun", &["jun", "juni", "june", "juin", "junio"]),
    ("Jul", &["jul", "juli", "july", "juil", "juillet", "julio"]),
    (
        "Aug",
        &[
            "aug", "agu", "agt", "ags", "agus", "agustus", "august", "augustus", "augusti", "août", "aout",
            "ago", "agosto",
        ],
    ),
    ("Sep", &["sep", "sept", "september", "septembre", "septiembre"]),
    ("Oct", &["oct", "okt", "oktober", "october", "octobre", "octubre"]),
    ("Nov", &["nov", "nop", "nopember", "november", "novembre", "noviembre"]),
    (
        "Dec",
        &["dec", "des", "dez", "desember", "december", "dezember", "déc", "décembre", "dic", "diciembre"],
    ),
];
/// Names of days of the week and their short forms.
const WEEKDAYS: [&str; 103] = [
    "mon",
    "monday",
    "tue",
    "tues",
    "tuesday",
    "wed",
    "wednesday",
    "thu",
    "thur",
    "thurs",
    "thursday",
    "fri",
    "friday",
    "sat",
    "saturday",
    "sun",
    "sunday",
    "sen",
    "senin",
    "sel",
    "selasa",
    "rab",
    "rabu",
    "kam",
    "kamis",
    "jum",
    "jumat",
    "sab",
    "sabtu",
    "min",
    "minggu",
    "ahad",
    "mo",
    "montag",
    "di",
    "dienstag",
    "mi",
    "mittwoch",
    "do",
    "donnerstag",
    "fr",
    "freitag",
    "sa",
    "samstag",
    "so",
    "sonntag",
    "ma",
    "maandag",
    "dinsdag",
    "wo",
    "woensdag",
    "donderdag",
    "vr",
    "vrijdag",
    "za",
    "zaterdag",
    "zo",
    "zondag",
    "lun",
    "lundi",
    "mardi",
    "mer",
    "mercredi",
    "jeu",
    "jeudi",
    "ven",
    "vendredi",
    "sam",
    "samedi",
    "dim",
    "dimanche",
    "lunes",
    "martes",
    "mié",
    "miércoles",
    "jue",
    "jueves",
    "vie",
    "viernes",
    "sáb",
    "sábado",
    "dom",
    "domingo",
    "mån",
    "måndag",
    "tis",
    "tisdag",
    "ons",
    "onsdag",
    "tor",
    "tors",
    "torsdag",
    "fre",
    "fredag",
    "lör",
    "lördag",
    "sön",
    "söndag",
    "man",
    "mandag",
    "tirsdag",
    "lørdag",
    "søndag",
];

/// The English short form of the name of a month, and its number.
fn month(word: &str) -> Option<(&'static str, i8)> {
    let lower = word.to_lowercase();
    (1_i8..)
        .zip(MONTHS)
        .find_map(|(number, (english, names))| names.contains(&lower.as_str()).then_some((english, number)))
}

/// Whether a word is the name of a month.
pub fn is_month(word: &str) -> bool {
    month(word).is_some()
}

/// The text without the name of a day of the week that it begins with.
pub(super) fn without_weekday(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphabetic()).unwrap_or(text.len());
    let Some((word, behind)) = text.split_at_checked(end) else { return text };
    let known = WEEKDAYS.contains(&word.to_lowercase().as_str()) && !behind.is_empty();
    if known {
        behind.trim_start_matches(|c: char| matches!(c, '.' | ',') || c.is_whitespace())
    } else {
        text
    }
}

/// A month that a text names.
#[derive(Clone, Copy)]
struct NamedMonth {
    month: i8,
    /// The day before or behind it.
    day: Option<i8>,
    /// The day before that one, where the month begins and ends a period.
    first_day: Option<i8>,
    year: Option<i16>,
}

/// The first and the last day that a text names by its months: `November 2025`, `01 Nov 2025 - 30 Nov 2025`. One day alone
/// is not a period.
pub fn period_in_words(text: &str) -> Option<(Date, Date)> {
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let digits = |word: Option<&&str>, lengths: &[usize]| {
        word.filter(|word| lengths.contains(&word.len())).and_then(|word| word.parse::<i16>().ok())
    };
    let day = |place: Option<usize>| {
        let day = digits(words.get(place?), &[1, 2]).filter(|day| (1..=31).contains(day))?;
        i8::try_from(day).ok()
    };
    let mut found: Vec<NamedMonth> = Vec::new();
    for (place, word) in words.iter().enumerate() {
        let Some((_, month)) = month(word) else { continue };
        let (next, behind) = (place.checked_add(1)?, place.checked_add(2)?);
        let before = day(place.checked_sub(1));
        let (of, year) = match digits(words.get(next), &[4]) {
            Some(year) => (before, Some(year)),
            None => match day(Some(next)).filter(|_| before.is_none()) {
                Some(of) => (Some(of), digits(words.get(behind), &[4])),
                None => (before, None),
            },
        };
        let first = before.and_then(|_| day(place.checked_sub(2)));
        found.push(NamedMonth { month, day: of, first_day: first, year });
    }
    let last = *found.last()?;
    let (last_month, last_day, last_year) = (last.month, last.day, last.year);
    let (first, year) = match found.as_slice() {
        [one, _, ..] => ((one.month, one.day.unwrap_or(1)), one.year.or(last_year)?),
        [NamedMonth { month, day: None, .. }] => ((*month, 1), last_year?),
        [NamedMonth { month, first_day: Some(first), .. }] => ((*month, *first), last_year?),
        _ => return None,
    };
    let from = Date::new(year, first.0, first.1).ok()?;
    let month = Date::new(last_year?, last_month, 1).ok()?;
    let to = match last_day.filter(|_| found.len() > 1 || last.first_day.is_some()) {
        Some(day) => Date::new(last_year?, last_month, day).ok()?,
        None => month.last_of_month(),
    };
    (from <= to).then_some((from, to))
}

/// The text with each name of a month as its English short form.
pub(super) fn in_english(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(char::is_alphabetic) {
        let (before, word) = rest.split_at_checked(start).unwrap_or((rest, ""));
        let end = word.find(|c: char| !c.is_alphabetic()).unwrap_or(word.len());
        let (word, behind) = word.split_at_checked(end).unwrap_or((word, ""));
        out.push_str(before);
        match month(word) {
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
