//! Phone numbers: E.164, so that one person's number is one text however it was typed.

/// Fewest and most digits of a number with its country code.
const DIGITS: std::ops::RangeInclusive<usize> = 8..=15;

/// The number in E.164 (`+6281234567890`); none for what is no number.
///
/// `0…` is a number of `country_code`, `00…` and `+…` carry their own.
pub fn e164(text: &str, country_code: &str) -> Option<String> {
    let text = text.trim();
    let (international, rest) = match text.strip_prefix('+') {
        Some(rest) => (true, rest),
        None => match text.strip_prefix("00") {
            Some(rest) => (true, rest),
            None => (false, text),
        },
    };
    let separator = |c: char| matches!(c, ' ' | '-' | '.' | '(' | ')' | '/');
    if !rest.chars().all(|c| c.is_ascii_digit() || separator(c)) {
        return None;
    }
    let digits: String = rest.chars().filter(char::is_ascii_digit).collect();
    let number = if international {
        digits
    } else {
        let national = digits.strip_prefix('0');
        match national {
            Some(national) => format!("{country_code}{national}"),
            // Many write their country code without the plus.
            None if digits.starts_with(country_code) && digits.len() > 10 => digits,
            None => format!("{country_code}{digits}"),
        }
    };
    (DIGITS.contains(&number.len()) && !number.starts_with('0')).then(|| format!("+{number}"))
}

#[cfg(test)]
mod tests {
    use super::e164;

    #[test]
    fn one_number_is_one_text() {
        for typed in [
            "081234567890",
            "0812-3456-7890",
            "+62 812 3456 7890",
            "0062 812 3456 7890",
            "6281234567890",
            "81234567890",
        ] {
            assert_eq!(e164(typed, "62").as_deref(), Some("+6281234567890"), "{typed}");
        }
        assert_eq!(e164("+1 (202) 555-0123", "62").as_deref(), Some("+12025550123"));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for typed in
            ["", "call me", "0812x", "+", "12", "+0812345678", "+1234567890123456", "０８１２３４５６"]
        {
            assert_eq!(e164(typed, "62"), None, "{typed}");
        }
    }
}
