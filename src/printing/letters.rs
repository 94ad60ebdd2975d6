//! Text in the letters that a printer has: composed, then in the page WPC1252, then with substitute letters.

use std::collections::BTreeSet;
use unicode_normalization::UnicodeNormalization;

/// Most texts that a print job lists as printed in other letters.
const LISTED_MAX: usize = 20;

/// Characters of the page WPC1252 from 80 to 9F.
const UPPER: &str = "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ";

/// Replacement of letters that nothing is known for.
const UNKNOWN: &str = "?";

/// Texts that were brought into the printer's letters.
#[derive(Default)]
pub struct Letters {
    replaced: BTreeSet<String>,
}

impl Letters {
    /// The text as the printer can print it. Other letters are replaced, and listed.
    pub fn of(&mut self, text: &str) -> String {
        let composed: String = text.nfc().collect();
        if composed.chars().all(is_known) {
            return composed;
        }
        let mut printed = String::new();
        for c in composed.chars() {
            match c {
                c if is_known(c) => printed.push(c),
                // Marks that join or order letters have no width of their own.
                c if unicode_width::UnicodeWidthChar::width(c) == Some(0) => {}
                c => printed.push_str(&stands_for(c)),
            }
        }
        self.replaced.insert(format!("\"{}\" is printed as \"{}\"", composed.trim(), printed.trim()));
        printed
    }

    /// Replaced texts, for people.
    pub fn warnings(self) -> Vec<String> {
        let more = self.replaced.len().saturating_sub(LISTED_MAX);
        let mut listed: Vec<String> = self.replaced.into_iter().take(LISTED_MAX).collect();
        if more > 0 {
            listed.push(format!("{more} more texts are printed in other letters"));
        }
        listed
    }
}

/// Whether the page of letters has it, or it is a control character, which becomes a blank.
fn is_known(c: char) -> bool {
    matches!(c, ' '..='~' | '\u{a0}'..='\u{ff}') || c.is_control() || UPPER.contains(c)
}

/// Substitutes for Latin letters.
fn stands_for(c: char) -> String {
    let latin = deunicode::deunicode_char(c).unwrap_or(UNKNOWN);
    let latin: String = latin.chars().filter(|c| matches!(c, ' '..='~')).collect();
    if latin.is_empty() { UNKNOWN.to_owned() } else { latin }
}

#[cfg(test)]
mod tests {
    use super::Letters;

    #[test]
    fn texts_come_out_in_letters_of_the_page_and_what_was_replaced_is_listed() {
        for (text, printed) in [
            ("Café Latte", "Café Latte"),
            ("Cre\u{300}me bru\u{302}le\u{301}e", "Crème brûlée"),
            ("Levi’s – 501 “Original” 5 €", "Levi’s – 501 “Original” 5 €"),
            ("Piña Colada ½ l…", "Piña Colada ½ l…"),
        ] {
            let mut letters = Letters::default();
            assert_eq!(letters.of(text), printed);
            assert!(letters.warnings().is_empty(), "{text}");
        }
        for (text, printed) in
            [("Żurek ąęłóść", "Zurek aelósc"), ("İstanbul Çayı ığşĞ", "Istanbul Çayi igsG")]
        {
            let mut letters = Letters::default();
            assert_eq!(letters.of(text), printed);
            assert_eq!(letters.warnings(), [format!("\"{text}\" is printed as \"{printed}\"")]);
        }
        let mut letters = Letters::default();
        for text in ["奶茶 大杯 🧋", "قهوة عربية"] {
            let printed = letters.of(text);
            assert!(printed.chars().all(|c| matches!(c, ' '..='~')), "{printed}");
        }
        assert_eq!(letters.warnings().len(), 2);
    }
}
