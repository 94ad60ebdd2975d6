//! GS1 element strings: data fields one after another, each behind its application identifier. The GTIN is field 01.

/// FNC1 as scanners send it: it ends a field of variable length.
pub(super) const GS: char = '\u{1d}';

/// The field of the GTIN.
const GTIN: &str = "01";
/// Digits of a GTIN there.
const GTIN_DIGITS: usize = 14;

/// The GTIN of a GS1 code: as the scanner sent it, as people read it below the bars (`(01)…`), or as a web address
/// (`https://…/01/…`). None where there is none, or where the text may be another code.
pub(super) fn gtin(text: &str, is_gs1: bool) -> Option<String> {
    if text.starts_with('(') {
        return readable(text);
    }
    if text.starts_with("https://") || text.starts_with("http://") {
        return address(text);
    }
    let text = text.trim_start_matches(GS);
    if is_gs1 || text.contains(GS) {
        return field(text);
    }
    // Without a mark of the scanner only what is a GS1 code from its beginning to its end is one.
    let gtin = digits(text.strip_prefix(GTIN)?)?;
    let rest = text.get(GTIN.len().saturating_add(GTIN_DIGITS)..)?;
    (super::check_digit_holds(&gtin) && is_complete(rest)).then_some(gtin)
}

fn readable(text: &str) -> Option<String> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    digits(text.split_once("(01)")?.1)
}

fn address(text: &str) -> Option<String> {
    let rest = text.split_once("/01/")?.1;
    let code = rest.split(['/', '?', '#']).next().unwrap_or_default();
    super::is_gtin(code).then(|| code.to_owned())
}

/// The first 14 characters, if they are digits.
fn digits(text: &str) -> Option<String> {
    text.get(..GTIN_DIGITS).filter(|code| super::is_digits(code)).map(str::to_owned)
}

/// The GTIN among fields.
fn field(mut text: &str) -> Option<String> {
    while !text.is_empty() {
        if let Some(rest) = text.strip_prefix(GTIN) {
            return digits(rest);
        }
        text = after_field(text)?;
    }
    None
}

/// Whether a text is fields and nothing else.
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

/// The length of a field with its identifier, where the standard sets it.
fn fixed_length(identifier: &str) -> Option<usize> {
    Some(match identifier {
        "00" => 20,
        "01" | "02" | "03" => 16,
        "04" => 18,
        "11" | "12" | "13" | "14" | "15" | "16" | "17" | "18" | "19" => 8,
        "20" => 4,
        "31" | "32" | "33" | "34" | "35" | "36" => 10,
        "41" => 16,
        _ => return None,
    })
}

/// Whether fields with identifiers that begin so end with FNC1.
fn has_open_end(identifier: &str) -> bool {
    identifier.starts_with('9')
        || matches!(
            identifier,
            "10" | "21" | "22" | "23" | "24" | "25" | "30" | "37" | "39" | "40" | "42" | "43"
        )
        || matches!(identifier, "70" | "71" | "72" | "80" | "81" | "82")
}
