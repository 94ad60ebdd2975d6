//! GS1 element strings: a sequence of data fields, each after its application identifier. The GTIN is field 01.

/// FNC1 as scanners send it: it ends a field of variable length.
pub const GS: char = '\u{1d}';

/// Application identifier of the GTIN.
const GTIN: &str = "01";
/// Digits of a GTIN in an element string.
const GTIN_DIGITS: usize = 14;

/// The path segment before the GTIN in a GS1 Digital Link.
const LINK_NAMES: [&str; 2] = ["01", "gtin"];

/// Application identifier of the number of a logistic unit, such as a pallet. Such a code names no product that is
/// sold, even if it also names the content.
const LOGISTIC_UNIT: &str = "00";

/// The GTIN of a GS1 code: as the scanner sent it, as people read it below the bars (`(01)…`), or as a GS1 Digital Link
/// (`https://…/01/…`). `None` if there is none, or if the text may be another code.
pub(super) fn gtin(text: &str, is_gs1: bool) -> Option<String> {
    if text.starts_with('(') {
        return readable(text);
    }
    if let Some(link) = after_scheme(text) {
        return linked(link);
    }
    let text = text.trim_start_matches(GS);
    if is_gs1 || text.contains(GS) {
        return field(text);
    }
    unmarked(text)
}

fn readable(text: &str) -> Option<String> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    if text.starts_with("(00)") {
        return None;
    }
    digits(text.split_once("(01)")?.1)
}

/// A web address without its scheme. Many are in capitals, which makes the printed code smaller.
fn after_scheme(text: &str) -> Option<&str> {
    ["https://", "http://"].into_iter().find_map(|scheme| {
        let (start, rest) = text.split_at_checked(scheme.len())?;
        start.eq_ignore_ascii_case(scheme).then_some(rest)
    })
}

/// The GTIN of a link: behind its name in the path, or in the query.
fn linked(link: &str) -> Option<String> {
    let link = link.split('#').next().unwrap_or_default();
    let (path, query) = link.split_once('?').unwrap_or((link, ""));
    let is_name = |part: &str| LINK_NAMES.into_iter().any(|name| part.eq_ignore_ascii_case(name));
    let mut parts = path.split('/').skip(1);
    let in_path = parts.find(|part| is_name(part)).and_then(|_| parts.next());
    let mut values = query.split(['&', ';']).filter_map(|pair| pair.split_once('='));
    let in_query = || values.find(|(name, _)| is_name(name)).map(|(_, value)| value);
    in_path.or_else(in_query).filter(|code| super::is_gtin(code)).map(str::to_owned)
}

/// The GTIN of a code without a mark of the scanner: only if all of it is a GS1 code, and no field before the GTIN
/// requires an end mark.
fn unmarked(mut text: &str) -> Option<String> {
    loop {
        if let Some(rest) = text.strip_prefix(GTIN) {
            let gtin = digits(rest)?;
            let rest = rest.get(GTIN_DIGITS..)?;
            return (super::check_digit_holds(&gtin) && is_complete(rest)).then_some(gtin);
        }
        let identifier = text.get(..2)?;
        let (field, rest) = text.split_at_checked(fixed_length(identifier)?)?;
        if !super::is_digits(field) || is_date(identifier) && !has_date(field) {
            return None;
        }
        text = rest;
    }
}

fn is_date(identifier: &str) -> bool {
    matches!(identifier, "11" | "12" | "13" | "15" | "16" | "17")
}

/// Whether a field ends with a month and a day, as dates are written. Day 0 is the last one of the month.
fn has_date(field: &str) -> bool {
    let part = |range| field.get(range).and_then(|part: &str| part.parse::<u8>().ok());
    part(4..6).is_some_and(|month| (1..=12).contains(&month)) && part(6..8).is_some_and(|day| day <= 31)
}

/// The first 14 characters, if they are digits.
fn digits(text: &str) -> Option<String> {
    text.get(..GTIN_DIGITS).filter(|code| super::is_digits(code)).map(str::to_owned)
}

/// The GTIN among fields.
fn field(mut text: &str) -> Option<String> {
    while !text.is_empty() && !text.starts_with(LOGISTIC_UNIT) {
        if let Some(rest) = text.strip_prefix(GTIN) {
            return digits(rest);
        }
        text = after_field(text)?;
    }
    None
}

/// Whether a text consists of fields only.
fn is_complete(mut text: &str) -> bool {
    while !text.is_empty() {
        match after_field(text) {
            Some(rest) => text = rest,
            None => return false,
        }
    }
    true
}

/// Text after the first field. `None` if it is not a field.
fn after_field(text: &str) -> Option<&str> {
    let identifier = text.get(..2).filter(|identifier| super::is_digits(identifier))?;
    match fixed_length(identifier) {
        Some(length) => text.get(length..).map(|rest| rest.trim_start_matches(GS)),
        None if has_open_end(identifier) => {
            let (field, rest) = text.split_once(GS).unwrap_or((text, ""));
            (field.len() > identifier.len()).then_some(rest)
        }
        None => None,
    }
}

/// Length of a field with its identifier. `None` if the standard sets none.
fn fixed_length(identifier: &str) -> Option<usize> {
    Some(match identifier {
        "01" | "02" | "03" => 16,
        "04" => 18,
        "11" | "12" | "13" | "14" | "15" | "16" | "17" | "18" | "19" => 8,
        "20" => 4,
        "31" | "32" | "33" | "34" | "35" | "36" => 10,
        "41" => 16,
        _ => return None,
    })
}

/// Whether fields with identifiers that begin with these digits end with FNC1.
fn has_open_end(identifier: &str) -> bool {
    identifier.starts_with('9')
        || matches!(
            identifier,
            "10" | "21" | "22" | "23" | "24" | "25" | "30" | "37" | "39" | "40" | "42" | "43"
        )
        || matches!(identifier, "70" | "71" | "72" | "80" | "81" | "82")
}
