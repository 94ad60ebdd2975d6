//! Phone numbers: E.164, so that one person's number is one text however it was typed.

use crate::model::base::text::{plain, undressed};

mod plan;

/// Calling codes of countries (ITU-T E.164). The configuration is checked against them at every start: to read the library's
/// numbering plans takes far longer, and is left to the first phone number.
#[rustfmt::skip]
const CALLING_CODES: [u16; 206] = [
    1, 7, 20, 27, 30, 31, 32, 33, 34, 36, 39, 40, 41, 43, 44, 45, 46, 47, 48, 49,
    51, 52, 53, 54, 55, 56, 57, 58, 60, 61, 62, 63, 64, 65, 66, 81, 82, 84, 86, 90,
    91, 92, 93, 94, 95, 98, 211, 212, 213, 216, 218, 220, 221, 222, 223, 224, 225, 226, 227, 228,
    229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240, 241, 242, 243, 244, 245, 246, 247, 248,
    249, 250, 251, 252, 253, 254, 255, 256, 257, 258, 260, 261, 262, 263, 264, 265, 266, 267, 268, 269,
    290, 291, 297, 298, 299, 350, 351, 352, 353, 354, 355, 356, 357, 358, 359, 370, 371, 372, 373, 374,
    375, 376, 377, 378, 380, 381, 382, 383, 385, 386, 387, 389, 420, 421, 423, 500, 501, 502, 503, 504,
    505, 506, 507, 508, 509, 590, 591, 592, 593, 594, 595, 596, 597, 598, 599, 670, 672, 673, 674, 675,
    676, 677, 678, 679, 680, 681, 682, 683, 685, 686, 687, 688, 689, 690, 691, 692, 850, 852, 853, 855,
    856, 880, 886, 960, 961, 962, 963, 964, 965, 966, 967, 968, 970, 971, 972, 973, 974, 975, 976, 977,
    992, 993, 994, 995, 996, 998,
];

/// Fewest and most digits of a number with its country code.
const DIGITS: std::ops::RangeInclusive<usize> = 8..=15;

/// Fewest digits of a complete number; two such groups in one text are two numbers.
const OWN_DIGITS_MIN: usize = 6;

/// Most digits of an area code, with the prefix that is dialled in front of it.
const AREA_DIGITS_MAX: usize = 7;

/// Fewest digits of a number behind its area code.
const LAST_DIGITS_MIN: usize = 4;

/// Reason why a text is no phone number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoPhone {
    /// It has other characters, or too few or too many digits.
    Malformed,
    /// No numbering plan has it.
    NoPlan,
    /// It is valid in several countries.
    Several,
    /// It has two numbers.
    Two,
    /// It has an extension.
    Extension,
    /// It is a link.
    Link,
    /// A spreadsheet made it a figure, whose digits may be others.
    Figure,
}

impl NoPhone {
    /// Description of the problem, for people.
    pub fn problem(self) -> &'static str {
        match self {
            Self::Malformed => "must be a phone number of 8 to 15 digits, for example +62 812 3456 7890",
            Self::NoPlan => {
                "fits no country's phone numbers: check its digits, and write a number of another country with its \
                 country code, for example +62 812 3456 7890"
            }
            Self::Several => {
                "may be a number of several countries: write it with its country code, for example +62 812 3456 7890"
            }
            Self::Two => "has two phone numbers: enter one of them",
            Self::Extension => "has an extension: enter the phone number without it",
            Self::Link => "is a link: enter the phone number alone",
            Self::Figure => {
                "was changed to a number by a spreadsheet: format the column as text, and enter the phone number \
                 again"
            }
        }
    }
}

/// The number in E.164 (`+6281234567890`).
///
/// A number without a country code is one of `country_code`; `+…` carries its own, and so does what follows `00` or the
/// country's own prefix of calls abroad. The numbering plans decide which digits belong to a number: some countries write a
/// zero in front that is dialled inside the country alone, in others the zero is a part of the number. A number that begins
/// with the digits of its own country code keeps them if the plan has it so.
///
/// # Errors
/// The reason why it is not a phone number.
pub fn e164(text: &str, country_code: &str) -> Result<String, NoPhone> {
    let text = plain(text);
    let text = undressed(&text);
    check(text)?;
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let has_code = text.starts_with('+') || text.starts_with("(+");
    let found = if has_code {
        plan::with_code(&digits)
    } else {
        plan::dialled_in(country_code.parse().map_err(|_| NoPhone::Malformed)?, &digits)
    };
    match found {
        plan::Found::One(number) if DIGITS.contains(&number.len()) => Ok(format!("+{number}")),
        plan::Found::Several => Err(NoPhone::Several),
        plan::Found::Nothing if !is_misspelt(&digits, has_code) => Err(NoPhone::NoPlan),
        plan::Found::One(_) | plan::Found::Nothing => Err(NoPhone::Malformed),
    }
}

/// Whether digits are too few or too many for any number, or begin with a zero where a country's code should be.
fn is_misspelt(digits: &str, has_code: bool) -> bool {
    !(OWN_DIGITS_MIN..=*DIGITS.end()).contains(&digits.len()) || has_code && digits.starts_with('0')
}

/// Whether a calling code is that of a country.
pub fn is_country_code(code: &str) -> bool {
    let is_digits = code.bytes().all(|byte| byte.is_ascii_digit());
    is_digits && code.parse().is_ok_and(|code| CALLING_CODES.binary_search(&code).is_ok())
}

/// Passes digits and the usual separators between them.
fn check(text: &str) -> Result<(), NoPhone> {
    let lower = text.to_lowercase();
    if lower.contains("://") || lower.contains("wa.me") || lower.contains("tel:") || lower.contains("www.") {
        return Err(NoPhone::Link);
    }
    let digits = |part: &str| part.chars().filter(char::is_ascii_digit).count();
    let whole = |part: &&str| digits(part) >= OWN_DIGITS_MIN;
    let parts = lower.split(['/', ',', ';', '&', '|', '\n']).flat_map(|part| part.split(" or "));
    if parts.flat_map(|part| part.split(" atau ")).filter(whole).count() > 1
        || lower.split('+').filter(whole).count() > 1
    {
        return Err(NoPhone::Two);
    }
    // `0812345 6783 9/40`: the second number is written by its last digits. `021/5550123` is one number with its area code.
    let is_second = |(first, last): (&str, &str)| {
        let (first, last) = (digits(first), digits(last));
        last > 0 && (first > AREA_DIGITS_MAX || first >= OWN_DIGITS_MIN && last < LAST_DIGITS_MIN)
    };
    let lists = lower.rsplit_once('/').is_some_and(is_second)
        || lower.split_once(';').is_some_and(|(first, last)| digits(first) > 0 && digits(last) > 0);
    if lists {
        return Err(NoPhone::Two);
    }
    let figure = |text: &str| text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | 'e' | '+'));
    let is_float = lower.rsplit_once(['.', ',']).is_some_and(|(whole, rest)| {
        whole.len() >= OWN_DIGITS_MIN && digits(whole) == whole.len() && rest.chars().all(|c| c == '0')
    });
    if is_float || lower.contains('e') && figure(&lower) {
        return Err(NoPhone::Figure);
    }
    if lower.contains("ext") || lower.contains('x') || lower.contains('#') {
        return Err(NoPhone::Extension);
    }
    let separator = |c: char| matches!(c, ' ' | '-' | '.' | '(' | ')' | '/' | '\u{a0}');
    let rest = text.strip_prefix("(+").or_else(|| text.strip_prefix('+')).unwrap_or(text);
    let plain = rest.chars().all(|c| c.is_ascii_digit() || separator(c));
    if plain && digits(rest) > 0 { Ok(()) } else { Err(NoPhone::Malformed) }
}

#[cfg(test)]
mod tests {
    use super::{NoPhone, e164, is_country_code, plan};

    #[test]
    fn one_number_is_one_text() {
        for typed in [
            "081234567890",
            "0812-3456-7890",
            "+62 812 3456 7890",
            "+62 (0)812-3456-7890",
            "(+62) 812 3456 7890",
            "0062 812 3456 7890",
            "0062 (0) 812 3456 7890",
            "001 62 812 3456 7890",
            "00862-812-3456-7890",
            "6281234567890",
            "62 0812 3456 7890",
            "81234567890",
            "'081234567890",
            "=\"081234567890\"",
            "\u{202a}+62 812\u{2011}3456\u{2011}7890\u{202c}",
            "+62\u{a0}812\u{a0}3456\u{a0}7890",
            "\u{ff0b}62 812 3456 7890",
            "\u{ff10}\u{ff18}\u{ff11}\u{ff12}34567890",
        ] {
            assert_eq!(e164(typed, "62").as_deref(), Ok("+6281234567890"), "{typed}");
        }
        assert_eq!(e164("+1 (202) 555-0123", "62").as_deref(), Ok("+12025550123"));
    }

    #[test]
    fn a_countrys_own_plan_says_which_digits_belong_to_a_number() {
        for (code, typed, expected) in [
            ("65", "6581234567", "+6581234567"),
            ("65", "81234567", "+6581234567"),
            ("47", "4791234567", "+4791234567"),
            ("47", "91234567", "+4791234567"),
            ("39", "06 1234 5678", "+390612345678"),
            ("62", "+39 06 1234 5678", "+390612345678"),
            ("39", "340 123 4567", "+393401234567"),
            ("7", "8 (912) 345-67-89", "+79123456789"),
            ("44", "+44 (0)20 7946 0018", "+442079460018"),
            ("44", "020 7946 0018", "+442079460018"),
            ("36", "06 20 123 4567", "+36201234567"),
            ("1", "(202) 555-0123", "+12025550123"),
            ("1", "1-202-555-0123", "+12025550123"),
            ("33", "06 12 34 56 78", "+33612345678"),
            ("886", "0912 345 678", "+886912345678"),
            ("62", "021/5550123", "+62215550123"),
            ("62", "81234567899", "+6281234567899"),
            ("62", "6221 555 0123", "+62215550123"),
            // Digits of the country's own code that begin a number.
            ("65", "6581 2345", "+6565812345"),
            ("47", "47 12 34 56", "+4747123456"),
            ("45", "45 12 34 56", "+4545123456"),
            ("39", "3912345678", "+393912345678"),
            ("55", "(55) 99123-4567", "+5555991234567"),
            // Prefixes of carriers, and of calls abroad.
            ("54", "011 15-2345-6789", "+5491123456789"),
            ("55", "0 15 11 96123-4567", "+5511961234567"),
            ("62", "001 65 8123 4569", "+6581234569"),
            ("62", "007 65 8123 4569", "+6581234569"),
            ("62", "008 65 8123 4569", "+6581234569"),
            ("62", "0065 8123 4569", "+6581234569"),
            ("62", "001 1 202 555 0123", "+12025550123"),
            ("62", "001 202 555 0123", "+12025550123"),
            ("1", "011 62 812 3456 7890", "+6281234567890"),
            ("1", "00 62 812 3456 7890", "+6281234567890"),
            ("61", "0011 62 812 3456 7890", "+6281234567890"),
            ("81", "010 62 812 3456 7890", "+6281234567890"),
        ] {
            assert_eq!(e164(typed, code).as_deref(), Ok(expected), "{code} {typed}");
        }
        assert!(is_country_code("62") && !is_country_code("999") && !is_country_code("x"));
    }

    #[test]
    fn the_calling_codes_are_those_of_the_numbering_plans() {
        for code in 0..1_100 {
            let is_one = plan::main(code).is_some_and(|country| country.id() != "001");
            assert_eq!(is_country_code(&code.to_string()), is_one, "{code}");
        }
    }

    #[test]
    fn an_invalid_phone_number_is_refused_with_the_reason() {
        for (typed, why) in [
            ("", NoPhone::Malformed),
            ("call me", NoPhone::Malformed),
            ("0812a", NoPhone::Malformed),
            ("+", NoPhone::Malformed),
            ("12", NoPhone::Malformed),
            ("+0812345678", NoPhone::Malformed),
            ("+1234567890123456", NoPhone::Malformed),
            ("021-555-0123 ext. 12", NoPhone::Extension),
            ("021-555-0123 x12", NoPhone::Extension),
            ("021-555-0123#12", NoPhone::Extension),
            ("0812 3456 7896 / 0813 3456 7897", NoPhone::Two),
            ("08123456 7839/40", NoPhone::Two),
            ("0812 3456 7890 12", NoPhone::NoPlan),
            ("+65 8123 456", NoPhone::NoPlan),
            ("0812 3456 7896, 0813 3456 7897", NoPhone::Two),
            ("0812 3456 7896 atau 0813 3456 7897", NoPhone::Two),
            ("+6281234567896 +6281334567897", NoPhone::Two),
            ("0812345 6783 9/40", NoPhone::Two),
            ("0812 3456 7896/97", NoPhone::Two),
            ("0812 3456 7896; 97", NoPhone::Two),
            ("555123 555124", NoPhone::NoPlan),
            ("0811999", NoPhone::NoPlan),
            ("123456789012345", NoPhone::NoPlan),
            ("+999 1234 5678", NoPhone::NoPlan),
            ("+62 812", NoPhone::Malformed),
            ("wa.me/6281234567898", NoPhone::Link),
            ("https://wa.me/6281234567898", NoPhone::Link),
            ("6281234567810.0", NoPhone::Figure),
            ("6281234567810,00", NoPhone::Figure),
            ("6.28123E+12", NoPhone::Figure),
        ] {
            assert_eq!(e164(typed, "62"), Err(why), "{typed}");
        }
    }
}
