//! The column with the direction of the money, and the meaning of a sign in front of a figure beside it.

use crate::columns::Columns;
use domain::model::base::refusal::FieldProblem;
use domain::rules::books::settlement::SourceKind;
use edge::sheet::{COLUMNS_MAX, Direction, Row, SignWords, is_nothing, plain};

/// Words of headers of columns with the direction.
const CONFIRMING: [&str; 18] = [
    "sign",
    "direction",
    "flow",
    "arah",
    "richting",
    "riktning",
    "retning",
    "richtung",
    "sens",
    "signe",
    "signo",
    "segno",
    "vorzeichen",
    "dk",
    "dc",
    "cd",
    "dbcr",
    "drcr",
];
/// Words of headers of columns with another meaning in the same words: a debit card is no debit.
const DENYING: [&str; 26] = [
    "kartu",
    "card",
    "cards",
    "karte",
    "carte",
    "kaart",
    "tarjeta",
    "kort",
    "method",
    "metode",
    "methode",
    "payment",
    "pembayaran",
    "funding",
    "kanal",
    "channel",
    "instrument",
    "brand",
    "scheme",
    "product",
    "produk",
    "tender",
    "status",
    "state",
    "result",
    "currency",
];
/// Words of headers of columns of types, where a provider may also state the direction.
const TYPES: [&str; 8] = ["type", "typ", "tipe", "jenis", "art", "soort", "tipo", "transaksi"];

/// What the header of a column shows about its words of direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Header {
    Confirms,
    Denies,
    /// Neither.
    Open,
}

/// How figures that a word marks as outgoing are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OutSigns {
    /// Without a sign. One with a sign takes an earlier one back.
    #[default]
    Unsigned,
    /// With a sign. One without it reverses an earlier one.
    Signed,
    /// As many with as without: each waits for a decision.
    Unclear,
}

impl OutSigns {
    /// The way in which most of the figures are written.
    pub fn of(with_sign: usize, without: usize) -> Self {
        match with_sign.cmp(&without) {
            std::cmp::Ordering::Less => Self::Unsigned,
            std::cmp::Ordering::Greater => Self::Signed,
            std::cmp::Ordering::Equal if with_sign > 0 => Self::Unclear,
            std::cmp::Ordering::Equal => Self::Unsigned,
        }
    }
}

/// What the figure of a row shows by itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct OwnSign {
    /// Direction that its sign or the word beside it gives.
    pub direction: Option<Direction>,
    /// Whether a sign or brackets mark it as below 0.
    pub negative: bool,
}

/// Number of rows by their content in a column.
#[derive(Debug, Clone, Copy, Default)]
struct Words {
    filled: usize,
    into: usize,
    out: usize,
    plus: usize,
    dashes: usize,
    long: bool,
    /// Rows whose figure has the opposite sign of its own.
    opposed: usize,
    /// Rows that are called outgoing, by whether their figure has a sign.
    out_with_sign: usize,
    out_without: usize,
}

/// The words of direction in the columns of a file.
#[derive(Debug, Default)]
pub struct SignColumns {
    /// Rows with a day and an amount.
    rows: usize,
    /// Whether a figure has a sign or brackets.
    negative: bool,
    columns: Vec<Words>,
}

/// The column of signs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SignColumn {
    pub place: Option<usize>,
    pub out: OutSigns,
    /// Whether a dash in it is the counterpart of a plus.
    pub has_dashes: bool,
}

impl SignColumns {
    /// Looks at a row with a day and an amount.
    pub fn see(&mut self, row: &Row<'_>, columns: &Columns, words: &SignWords, own: OwnSign) {
        self.rows = self.rows.saturating_add(1);
        self.negative |= own.negative;
        for (place, cell) in row.cells.iter().enumerate().take(COLUMNS_MAX) {
            let is_free = !columns.is_taken(place)
                || columns.places("sign").contains(&place)
                || columns.places("type").contains(&place);
            if !is_free || plain(cell).is_empty() {
                continue;
            }
            if self.columns.len() <= place {
                self.columns.resize(place.saturating_add(1), Words::default());
            }
            if let Some(column) = self.columns.get_mut(place) {
                column.see(cell, words, own);
            }
        }
    }

    /// The column of signs: the one that the source names, or an unambiguous one.
    ///
    /// # Errors
    /// A column that may or may not have the direction: the source must decide.
    pub fn decide(
        &self,
        columns: &Columns,
        (kind, words, is_decided): (SourceKind, &SignWords, bool),
        may_be_type: impl Fn(usize) -> bool,
    ) -> Result<SignColumn, FieldProblem> {
        let named = columns.places("sign").first().copied();
        if named.is_some() || is_decided {
            return Ok(self.column(named));
        }
        let name = |place: usize| columns.names.get(place).map_or("", String::as_str);
        let behind = behind_figures(columns);
        let may_be = |place: &usize| !columns.is_taken(*place) || may_be_type(*place);
        let places: Vec<usize> = (0..self.columns.len()).filter(may_be).collect();
        let header = |place: usize| match name(place) {
            "" if behind.contains(&place) && self.is_mostly_words(place) => Header::Confirms,
            name => header(name, words),
        };
        let confirmed: Vec<usize> = (places.iter().copied())
            .filter(|place| header(*place) == Header::Confirms && self.has_words(*place))
            .collect();
        if let Some(place) = first_of(&confirmed, &behind) {
            let needless = self.negative && self.repeats_signs(place) && self.of(place).opposed == 0;
            return Ok(self.column(Some(place).filter(|_| !needless)));
        }
        let is_type =
            |place: &usize| has_word(name(*place), &TYPES) || columns.places("type").contains(place);
        let fits_kind = |place: &usize| kind == SourceKind::Bank || behind.contains(place) || is_type(place);
        let open: Vec<usize> = (places.into_iter())
            .filter(|place| {
                header(*place) == Header::Open && fits_kind(place) && self.is_about_direction(*place)
            })
            .collect();
        let whole: Vec<usize> = open.iter().copied().filter(|place| self.is_whole(*place)).collect();
        // If each figure that a word marks as outgoing has a sign, the words add nothing.
        if self.negative && open.iter().all(|place| self.repeats_signs(*place)) {
            return Ok(SignColumn::default());
        }
        match (first_of(&whole, &behind), open.first()) {
            (Some(place), _) if self.agrees(place) => Ok(self.column(Some(place))),
            (None, None) => Ok(SignColumn::default()),
            (place, other) => {
                let place = place.or(other.copied()).unwrap_or_default();
                let column = match name(place) {
                    "" => format!("column {}", place.saturating_add(1)),
                    name => format!("column \"{name}\""),
                };
                Err(FieldProblem {
                    path: "csv.columns.sign".to_owned(),
                    problem: format!(
                        "must be set: {column} has words for money in and out, but not beside each amount, or beside \
                         amounts with signs. Set the column if it shows the direction, or [] if it does not"
                    ),
                })
            }
        }
    }

    fn column(&self, place: Option<usize>) -> SignColumn {
        let words = place.and_then(|place| self.columns.get(place)).copied().unwrap_or_default();
        SignColumn {
            place,
            out: OutSigns::of(words.out_with_sign, words.out_without),
            has_dashes: words.plus > 0,
        }
    }

    fn of(&self, place: usize) -> Words {
        self.columns.get(place).copied().unwrap_or_default()
    }

    fn is_mostly_words(&self, place: usize) -> bool {
        let words = self.of(place);
        let known = words.into.saturating_add(words.out);
        known > 0 && known.saturating_mul(2) >= words.filled
    }

    /// Whether a column whose header confirms it has the direction. If no figure has a sign, its words may be unknown.
    fn has_words(&self, place: usize) -> bool {
        let words = self.of(place);
        words.filled > 0 && (self.is_mostly_words(place) || !self.negative)
    }

    /// Whether a column under another header has words of direction: one letter alone may be a code of another kind.
    fn is_about_direction(&self, place: usize) -> bool {
        let words = self.of(place);
        let known = words.into.saturating_add(words.out);
        let both = words.into > 0 && words.out > 0;
        known > 0 && known.saturating_mul(4) >= words.filled.saturating_mul(3) && (words.long || both)
    }

    /// Whether each row with an amount has a text in the column, and all but few are words of direction.
    fn is_whole(&self, place: usize) -> bool {
        self.of(place).filled == self.rows
    }

    fn agrees(&self, place: usize) -> bool {
        self.of(place).opposed == 0 && (!self.negative || self.of(place).out_without == 0)
    }

    fn repeats_signs(&self, place: usize) -> bool {
        self.of(place).out_without == 0
    }
}

impl Words {
    fn see(&mut self, cell: &str, words: &SignWords, own: OwnSign) {
        let count = |count: &mut usize| *count = count.saturating_add(1);
        if is_nothing(cell) {
            // A dash is how accountants write nothing, unless a plus is its counterpart.
            count(&mut self.dashes);
            return;
        }
        count(&mut self.filled);
        self.long |= plain(cell).len() > 1;
        if plain(cell) == "+" {
            count(&mut self.plus);
        }
        let direction = words.direction(cell);
        if own.direction.is_some() && direction.is_some() && own.direction != direction {
            count(&mut self.opposed);
        }
        match direction {
            Some(Direction::In) => count(&mut self.into),
            Some(Direction::Out) => {
                count(&mut self.out);
                count(if own.negative { &mut self.out_with_sign } else { &mut self.out_without });
            }
            None => {}
        }
    }
}

/// The column behind each figure.
fn behind_figures(columns: &Columns) -> Vec<usize> {
    let figures = ["amount", "gross", "net"].into_iter().flat_map(|field| columns.places(field));
    figures.filter_map(|figure| figure.checked_add(1)).collect()
}

/// One alone, or the first behind a figure: a balance may have a sign too.
fn first_of(places: &[usize], behind: &[usize]) -> Option<usize> {
    match places {
        [place] => Some(*place),
        places => behind.iter().copied().find(|place| places.contains(place)),
    }
}

fn header(name: &str, words: &SignWords) -> Header {
    let parts: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).collect();
    let ways: Vec<Direction> = parts.iter().filter_map(|part| words.direction(part)).collect();
    if has_word(name, &DENYING) {
        Header::Denies
    } else if has_word(name, &CONFIRMING)
        || (ways.contains(&Direction::In) && ways.contains(&Direction::Out))
        || (name.contains('+') && name.contains('-'))
    {
        Header::Confirms
    } else {
        Header::Open
    }
}

fn has_word(name: &str, known: &[&str]) -> bool {
    name.split(|c: char| !c.is_alphanumeric()).any(|word| known.contains(&word))
}
