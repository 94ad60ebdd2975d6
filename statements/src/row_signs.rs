//! The direction of a row's money: by the word beside its figure, or by the column of signs.

use crate::row::{Rules, Wrong};
use crate::signs::OutSigns;
use edge::sheet::{Direction, Figure, Row, Written, is_nothing};

/// Problem of money from us in a file whose signs allow both readings.
const UNCLEAR_SIGNS: &str = "may be outgoing money, or outgoing money that came back: as many outgoing amounts have a minus sign as have none";

impl Rules<'_> {
    /// A figure with the direction of the word beside it.
    pub fn by_word(&self, field: &str, written: &Written, figure: Figure) -> Result<Figure, &'static str> {
        match written.direction {
            Some(Direction::Out) if !field.contains("debit") => {
                out_of(figure, written.negative, self.survey.beside.out_signs())
            }
            None if ["amount", "gross", "net"].contains(&field)
                && !written.negative
                && written.has_value()
                && !self.format.negate
                && !self.columns.has("sign")
                && self.survey.beside.leave_others_open() =>
            {
                match self.format.sign_words.blank {
                    Some(Direction::In) => Ok(figure),
                    Some(Direction::Out) => Ok(figure.negated()),
                    None => Err("has no word for its direction, while other amounts have one: set \
                                 csv.sign_words.blank to \"in\" or \"out\""),
                }
            }
            _ => Ok(figure),
        }
    }

    /// Whether a figure has a word for its direction.
    pub fn is_worded(&self, row: &Row<'_>, field: &str) -> bool {
        self.columns.places(field).iter().any(|place| {
            let written = Written::of(row.cell(*place), &self.format.sign_words).ok().flatten();
            written.is_some_and(|written| written.direction.is_some())
        })
    }

    /// A figure with the sign of the column `sign`.
    pub fn signed(&self, row: &Row<'_>, value: Figure) -> Result<Figure, Wrong> {
        if value == Figure::default() {
            return Ok(value);
        }
        let word = self.columns.text(row, "sign");
        let negative = value < Figure::default();
        let words = &self.format.sign_words;
        let direction = match words.direction(word) {
            None if is_nothing(word) && !word.is_empty() && self.survey.sign.has_dashes => {
                Some(Direction::Out)
            }
            None if word.is_empty() && self.format.negate => Some(Direction::Out),
            None if word.is_empty() => words.blank,
            direction => direction,
        };
        match (direction, negative) {
            (Some(Direction::In), false) => Ok(value),
            (Some(Direction::Out), _) => {
                out_of(value, negative, self.survey.sign.out).map_err(|problem| ("sign", problem.to_owned()))
            }
            (Some(Direction::In), true) => Err(("sign", format!("is {word:?}, but the amount is below 0"))),
            (None, _) if word.is_empty() => {
                let problem =
                    "is empty: set csv.sign_words.blank to \"in\" or \"out\" for amounts without a word";
                Err(("sign", problem.to_owned()))
            }
            (None, _) => Err((
                "sign",
                format!("{word:?} is not a known word for incoming or outgoing money (csv.sign_words)"),
            )),
        }
    }
}

/// A figure that a word marks as outgoing: negative, or positive if it reverses another one.
fn out_of(figure: Figure, has_sign: bool, signs: OutSigns) -> Result<Figure, &'static str> {
    match (signs, has_sign) {
        (OutSigns::Unclear, _) => Err(UNCLEAR_SIGNS),
        (OutSigns::Unsigned, false) | (OutSigns::Signed, true) => Ok(figure.unsigned().negated()),
        (OutSigns::Unsigned, true) | (OutSigns::Signed, false) => Ok(figure.unsigned()),
    }
}
