//! Numbering plans: find the number and the country that digits belong to, with every code and prefix that people dial
//! in front.

use phonenumber::Metadata;
use phonenumber::metadata::{DATABASE, Descriptor};

/// The longest calling code, in digits.
const CODE_DIGITS_MAX: usize = 3;

/// Prefix of calls abroad in most countries; people write it in all of them.
const ABROAD: &str = "00";

/// Prefixes of calls abroad that the library does not know: in Indonesia each carrier has its own.
const CARRIERS_ABROAD: [(u16, &str); 2] = [(62, "001"), (62, "007")];

/// Meaning of the digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found {
    /// This number, in E.164 without its plus.
    One(String),
    /// Numbers of several countries.
    Several,
    /// No number of any plan.
    Nothing,
}

/// A way of reading digits: a number of a country, if its plan has it.
struct Reading {
    code: u16,
    national: String,
}

impl Reading {
    fn plans(&self) -> impl Iterator<Item = &'static Metadata> {
        DATABASE.by_code(&self.code).into_iter().flatten()
    }

    /// Whether it is a number that the plan gives to a kind of connection.
    fn is_valid(&self) -> bool {
        let number = self.national.as_str();
        self.plans().any(|plan| {
            let kinds = plan.descriptors();
            let kinds = [
                kinds.mobile(),
                kinds.fixed_line(),
                kinds.toll_free(),
                kinds.premium_rate(),
                kinds.shared_cost(),
                kinds.personal_number(),
                kinds.voip(),
                kinds.pager(),
                kinds.uan(),
                kinds.voicemail(),
            ];
            is_whole(plan.descriptors().general(), number)
                && kinds.into_iter().flatten().any(|kind| is_whole(kind, number))
        })
    }

    /// Whether it has the form of the plan's numbers, which may be given out later than the library was made.
    fn fits(&self) -> bool {
        self.plans().any(|plan| is_whole(plan.descriptors().general(), &self.national))
    }
}

/// Digits behind a plus: a country's code and its number.
pub(super) fn with_code(digits: &str) -> Found {
    first_of(&[abroad(digits)])
}

/// Digits as they are dialled in the country of a code.
pub(super) fn dialled_in(code: u16, digits: &str) -> Found {
    let Some(country) = main(code) else { return Found::Nothing };
    let at_home = national(code, digits);
    let own = digits.strip_prefix(&code.to_string()).map(|rest| national(code, rest)).unwrap_or_default();
    let mut prefixes: Vec<usize> = Vec::new();
    prefixes.extend(
        country.international_prefix().and_then(|prefix| {
            prefix.find(digits).filter(|found| found.start() == 0).map(|found| found.end())
        }),
    );
    let carriers = CARRIERS_ABROAD.iter().filter(|(of, prefix)| *of == code && digits.starts_with(prefix));
    prefixes.extend(carriers.map(|(_, prefix)| prefix.len()));
    prefixes.extend(digits.starts_with(ABROAD).then_some(ABROAD.len()));
    let elsewhere: Vec<Reading> =
        prefixes.into_iter().filter_map(|end| digits.get(end..)).flat_map(abroad).collect();
    // Where numbers are dialled with a prefix, one without it that begins with the country's code has that code. Elsewhere
    // the same digits may begin a number.
    if digits.starts_with(ABROAD) {
        first_of(&[elsewhere, at_home])
    } else if country.national_prefix().is_some() {
        first_of(&[own, at_home, elsewhere])
    } else {
        first_of(&[at_home, own, elsewhere])
    }
}

/// The first readings that the plans have, else the first of their form.
fn first_of(ways: &[Vec<Reading>]) -> Found {
    for is in [Reading::is_valid, Reading::fits] {
        for readings in ways {
            let mut found = readings.iter().filter(|reading| is(reading));
            let Some(first) = found.next() else { continue };
            if found.any(|other| other.code != first.code) {
                return Found::Several;
            }
            return Found::One(format!("{}{}", first.code, first.national));
        }
    }
    Found::Nothing
}

/// Readings of digits that begin with a country's code.
fn abroad(digits: &str) -> Vec<Reading> {
    let code = |length: usize| {
        let (code, rest) = digits.split_at_checked(length)?;
        let code: u16 = code.parse().ok()?;
        DATABASE.by_code(&code).map(|_| national(code, rest))
    };
    let has_code = !digits.starts_with('0');
    (1..=CODE_DIGITS_MAX).filter(|_| has_code).find_map(code).unwrap_or_default()
}

/// Readings of digits inside of a country: without the prefix that is dialled there, and as they are.
fn national(code: u16, digits: &str) -> Vec<Reading> {
    let bare = main(code).and_then(|country| without_prefix(country, digits));
    let written = std::iter::once(digits.to_owned());
    bare.into_iter().chain(written).map(|national| Reading { code, national }).collect()
}

/// A number without the prefix of calls inside of its country, and without that of a carrier.
fn without_prefix(country: &Metadata, digits: &str) -> Option<String> {
    let Some(pattern) = country.national_prefix_for_parsing() else {
        return digits.strip_prefix(country.national_prefix()?).map(str::to_owned);
    };
    let found = pattern.captures(digits)?;
    let prefix = found.get(0).filter(|prefix| prefix.start() == 0 && prefix.end() > 0)?;
    let last = found.len().checked_sub(1).filter(|last| *last > 0).and_then(|last| found.get(last));
    match (country.national_prefix_transform_rule(), last) {
        (Some(rule), Some(_)) => Some(pattern.replace(digits, rule).into_owned()),
        _ => digits.get(prefix.end()..).map(str::to_owned),
    }
}

/// The plan of a calling code; if several countries share it, the largest one's.
pub(super) fn main(code: u16) -> Option<&'static Metadata> {
    DATABASE.by_code(&code)?.into_iter().next()
}

/// Whether a pattern matches all of a number. The library's own match ignores what follows the pattern.
fn is_whole(kind: &Descriptor, number: &str) -> bool {
    let lengths = kind.possible_length();
    let length = u16::try_from(number.len()).unwrap_or(u16::MAX);
    if !lengths.is_empty() && !lengths.contains(&length) {
        return false;
    }
    let pattern = format!("(?x)^(?:{})$", kind.national_number().as_str());
    let cache = DATABASE.cache();
    let Ok(mut patterns) = cache.lock() else { return false };
    patterns.compile(&pattern).is_ok_and(|pattern| pattern.is_match(number))
}
