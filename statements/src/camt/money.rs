//! Amounts of CAMT.053 with their currencies, and charges of a bank for an entry.

use crate::amount::exact;
use domain::model::base::currency::Currency;
use domain::model::base::figures::Money as Amount;
use edge::sheet::{Decimal, Figure};

/// The longest amount; longer ones are no amounts.
const AMOUNT_BYTES_MAX: usize = 32;

/// Millionths of a unit.
const PLACES: usize = 6;

/// The currency of an amount's attribute, and that of head office, in whose smallest units amounts are counted.
#[derive(Debug, Clone, Default)]
pub(super) struct Ccy {
    pub named: Option<String>,
    pub office: Currency,
}

/// An amount as it is written, with the currency of its attribute.
#[derive(Debug, Clone, Default)]
pub(super) struct Money {
    text: String,
    pub currency: Option<String>,
    office: Currency,
}

impl Money {
    pub(super) fn new(text: &str, Ccy { named, office }: Ccy) -> Self {
        let short = text.len() <= AMOUNT_BYTES_MAX;
        Self { text: Some(text).filter(|_| short).unwrap_or("?").to_owned(), currency: named, office }
    }

    /// Whether it is in a currency; without one it is in its account's.
    pub(super) fn is_in(&self, currency: &str) -> bool {
        self.currency.as_deref().is_none_or(|own| currency.is_empty() || own == currency)
    }

    /// The figure, in millionths of the smallest unit.
    ///
    /// # Errors
    /// Description of the problem, for people.
    pub(super) fn figure(&self) -> Result<i64, String> {
        if !self.text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
            return Err("must be digits with at most one point: CdtDbtInd gives the sign".to_owned());
        }
        Ok(exact(&self.text, Decimal::Point, self.office)?.millionths())
    }
}

/// `CRDT` is money to the account.
pub(super) fn is_credit(text: &str) -> Option<bool> {
    match text {
        "CRDT" => Some(true),
        "DBIT" => Some(false),
        _ => None,
    }
}

/// A figure in millionths for people.
pub(super) fn shown(exact: i64, currency: Currency) -> String {
    if let Some(whole) = Figure::from_millionths(exact).whole() {
        return currency.decimal(Amount::new(whole));
    }
    let places = PLACES.saturating_add(usize::from(currency.exponent()));
    let digits = format!("{:0>width$}", exact.unsigned_abs(), width = places.saturating_add(1));
    let (whole, part) = digits.split_at_checked(digits.len().saturating_sub(places)).unwrap_or_default();
    format!("{}{whole}.{}", if exact < 0 { "-" } else { "" }, part.trim_end_matches('0'))
}

/// The part of a figure in millionths that rounding removed.
pub(super) fn lost(exact: i64) -> i64 {
    let figure = Figure::from_millionths(exact);
    figure.less(Figure::from_whole(figure.rounded())).millionths()
}

/// The whole part of a balance. A balance and the next one are cut in the same way, so that the difference is still the
/// sum of whole entries.
pub(super) fn whole_balance(exact: i64) -> Amount {
    Amount::new(exact.div_euclid(Figure::from_whole(1).millionths()))
}

/// The nearest whole figure.
pub(super) fn rounded(exact: i64) -> Amount {
    Amount::new(Figure::from_millionths(exact).rounded())
}

/// A figure with the sign that money to us is above 0.
pub(super) fn signed(figure: i64, credit: bool) -> i64 {
    if credit { figure } else { figure.saturating_neg() }
}

/// Charges of a bank, as far as they are part of the amount that they are charged for.
#[derive(Debug, Default)]
pub(super) struct Charges {
    total: Option<Money>,
    /// Amount of the record that is being read.
    amount: Option<Money>,
    credit: bool,
    apart: bool,
    /// A record states that it is part of the amount.
    included: bool,
    /// Sum of the amounts of the records; costs are positive.
    records: Option<i64>,
    /// Currency of the records.
    currency: Option<String>,
    /// A record is no amount, or in another currency than the others.
    unclear: bool,
}

impl Charges {
    /// An element below `Chrgs` is over. Since 001.03 there are records in it; before, it is the record itself.
    pub(super) fn take(&mut self, below: &[&str], text: &str, currency: Ccy) {
        match below {
            ["TtlChrgsAndTaxAmt"] => self.total = Some(Money::new(text, currency)),
            ["Amt"] | ["Rcrd", "Amt"] => self.amount = Some(Money::new(text, currency)),
            ["CdtDbtInd"] | ["Rcrd", "CdtDbtInd"] => self.credit = is_credit(text).unwrap_or(false),
            ["ChrgInclInd"] | ["Rcrd", "ChrgInclInd"] => {
                self.apart = text == "false" || text == "0";
                self.included |= !self.apart;
            }
            [] | ["Rcrd"] => self.record(),
            _ => {}
        }
    }

    fn record(&mut self) {
        let (credit, apart) = (std::mem::take(&mut self.credit), std::mem::take(&mut self.apart));
        let Some(amount) = self.amount.take() else { return };
        let first = self.records.is_none();
        self.unclear |= !first && self.currency != amount.currency;
        let figure = amount.figure().map_err(|_| self.unclear = true).unwrap_or(0);
        let figure = if apart { 0 } else { signed(figure, !credit) };
        self.records = Some(self.records.unwrap_or(0).saturating_add(figure));
        self.currency = amount.currency;
    }

    /// Whether a record states that it is part of the amount.
    pub(super) fn is_included(&self) -> bool {
        self.included
    }

    /// Sum in a currency. `None` if there are none, or no unambiguous one.
    pub(super) fn of(&self, currency: &str) -> Option<i64> {
        let own = |known: Option<&str>| known.is_none_or(|known| currency.is_empty() || known == currency);
        let fee = match self.records {
            Some(sum) => Some(sum).filter(|_| !self.unclear && own(self.currency.as_deref())),
            None => self.total.as_ref().filter(|total| total.is_in(currency))?.figure().ok(),
        };
        fee.filter(|fee| *fee != 0)
    }
}
