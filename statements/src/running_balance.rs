//! A running balance proves the signs of the amounts before it: a file whose balance falls at an amount that is read as
//! incoming is refused, and not booked with the wrong sign.

use crate::columns::Columns;
use crate::row::Rules;
use domain::model::base::figures::Money;
use domain::model::base::refusal::FieldProblem;
use domain::rules::books::settlement::SourceKind;
use edge::sheet::{Figure, Row, Written};

/// Words of headers of balances.
const HEADERS: [&str; 9] =
    ["balance", "saldo", "solde", "kontostand", "bal", "sisa", "running", "saldi", "kontosaldo"];
/// Fewest pairs of neighbouring rows that prove something.
const PAIRS_MIN: usize = 2;
/// A unit, in millionths: amounts of a fraction are rounded.
const UNIT: i64 = 1_000_000;

/// Pairs of neighbouring rows, by what the balance between them shows about the amount.
#[derive(Debug, Clone, Copy, Default)]
struct Pairs {
    agree: usize,
    /// The balance moved by the amount, the other way.
    oppose: usize,
    /// The row and the amount of the first that opposes.
    first: Option<(u64, Money)>,
}

/// The balances beside the lines of a bank's file, in its order.
#[derive(Debug, Default)]
pub struct RunningBalances {
    place: Option<usize>,
    header: String,
    /// Balance, amount and line of the row before.
    before: Option<(Figure, Money, u64)>,
    pairs: usize,
    /// The oldest row is first.
    ascending: Pairs,
    /// The newest row is first.
    descending: Pairs,
}

impl RunningBalances {
    /// The column of balances, if the file of a bank has one.
    pub fn of(columns: &Columns, kind: SourceKind) -> Self {
        let is_balance =
            |name: &str| name.split(|c: char| !c.is_alphanumeric()).any(|word| HEADERS.contains(&word));
        let mut places = columns.names.iter().enumerate().filter(|(place, name)| {
            kind == SourceKind::Bank && !columns.is_taken(*place) && is_balance(name)
        });
        let Some((place, header)) = places.next().filter(|_| places.next().is_none()) else {
            return Self::default();
        };
        Self { place: Some(place), header: header.clone(), ..Self::default() }
    }

    /// Looks at a line and the balance beside it.
    pub fn see(&mut self, row: &Row<'_>, amount: Option<Money>, rules: &Rules<'_>) {
        let Some(place) = self.place else { return };
        let written = Written::of(row.cell(place), &rules.format.sign_words).ok().flatten();
        let balance = written.and_then(|written| rules.survey.reading.figure(&written).ok());
        let now = balance.zip(amount).map(|(balance, amount)| (balance, amount, row.line));
        if let Some(((earlier, its_amount, its_line), (later, amount, line))) = self.before.zip(now) {
            let moved = later.less(earlier).millionths();
            self.pairs = self.pairs.saturating_add(1);
            self.ascending.see(moved, amount, line);
            self.descending.see(moved.saturating_neg(), its_amount, its_line);
        }
        self.before = now;
    }

    /// Notes a row between the others that is no line.
    pub fn interrupt(&mut self) {
        self.before = None;
    }

    /// Compares the balances with the amounts; `has_signs`: the file shows the direction of amounts.
    ///
    /// # Errors
    /// The balance moves by the amounts, and by some of them the other way.
    pub fn check(&self, has_signs: bool) -> Result<(), FieldProblem> {
        let of =
            if self.ascending.known() >= self.descending.known() { self.ascending } else { self.descending };
        let known = of.known().saturating_mul(4) >= self.pairs.saturating_mul(3);
        let agrees = [self.ascending, self.descending].iter().any(|of| of.agree == self.pairs);
        // A debt grows with each payment from it: there the balance opposes each amount.
        let is_mixed = of.oppose > 0 && (of.agree > 0 || !has_signs);
        let Some((line, amount)) =
            of.first.filter(|_| known && !agrees && is_mixed && self.pairs >= PAIRS_MIN)
        else {
            return Ok(());
        };
        let read = if amount < 0 { "outgoing" } else { "incoming" };
        let moves = if amount < 0 { "rises" } else { "falls" };
        Err(FieldProblem {
            path: format!("row {line}.amount"),
            problem: format!(
                "is read as {read}, but the balance in column \"{}\" {moves} by it. Set csv.columns.sign to the column that shows the direction, csv.columns.debit and csv.columns.credit, or csv.sign_words",
                self.header
            ),
        })
    }
}

impl Pairs {
    fn see(&mut self, moved: i64, amount: Money, line: u64) {
        let whole = amount.get().saturating_mul(UNIT);
        let is_near = |other: i64| moved.saturating_sub(other).saturating_abs() < UNIT;
        if is_near(whole) {
            self.agree = self.agree.saturating_add(1);
        } else if is_near(whole.saturating_neg()) {
            self.oppose = self.oppose.saturating_add(1);
            self.first = self.first.or(Some((line, amount)));
        }
    }

    fn known(&self) -> usize {
        self.agree.saturating_add(self.oppose)
    }
}
