//! Entries of CAMT.053 and their details, on their way into lines.

use crate::camt::money::{Ccy, Charges, Money, is_credit, lost, rounded, signed};
use domain::model::base::figures::Money as Amount;
use domain::rules::books::settlement::{LineKind, import::TextLine, is_no_reference};
use jiff::civil::Date;

/// Longest reference, in bytes.
const REFERENCE_BYTES_MAX: usize = 64;
/// Longest description, in bytes.
const TEXT_BYTES_MAX: usize = 500;

/// Text, of which at most the length of a description is kept.
#[derive(Debug, Default, Clone)]
struct Words(String);

impl Words {
    fn add(&mut self, text: &str) {
        for word in text.split_whitespace() {
            let room = TEXT_BYTES_MAX.saturating_sub(self.0.len()).saturating_sub(1);
            let Some(word) = Some(cut(word, room)).filter(|word| !word.is_empty()) else { return };
            if !self.0.is_empty() {
                self.0.push(' ');
            }
            self.0.push_str(word);
        }
    }

    /// A text that is not there yet.
    fn add_new(&mut self, text: &str) {
        if !self.0.contains(text.trim()) {
            self.add(text);
        }
    }
}

/// Cuts a text to at most `bytes` bytes.
fn cut(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    text.get(..end).unwrap_or_default()
}

/// Place of a reference, the likeliest first.
#[derive(Debug, Clone, Copy)]
enum Place {
    EndToEnd,
    Structured,
    Instruction,
    Cheque,
    OfEntry,
    Servicer,
    Transaction,
}

/// References by their places; placeholders are left out.
#[derive(Debug, Default)]
struct References([Option<String>; 7]);

impl References {
    fn put(&mut self, place: Place, text: &str) {
        let known = self.0.get_mut(place as usize).filter(|known| known.is_none());
        if let Some(known) = known.filter(|_| !is_no_reference(text)) {
            *known = Some(cut(text, REFERENCE_BYTES_MAX).to_owned());
        }
    }

    fn at(&self, place: usize) -> Option<&str> {
        self.0.get(place)?.as_deref()
    }
}

/// A transaction of an entry (`TxDtls`).
#[derive(Debug, Default)]
struct Detail {
    references: References,
    /// `Amt`, and below `AmtDtls` `TxAmt`, `InstdAmt` and `CntrValAmt`.
    amounts: [Option<Money>; 4],
    credit: Option<bool>,
    charges: Charges,
    debtor: Option<String>,
    creditor: Option<String>,
    words: Words,
}

impl Detail {
    fn take(&mut self, below: &[&str], text: &str, currency: Ccy) {
        let money = || Some(Money::new(text, currency.clone()));
        let [own, of_transaction, instructed, converted] = &mut self.amounts;
        match below {
            ["Chrgs", rest @ ..] => self.charges.take(rest, text, currency),
            _ if text.is_empty() => {}
            ["Amt"] => *own = money(),
            ["AmtDtls", "TxAmt", "Amt"] => *of_transaction = money(),
            ["AmtDtls", "InstdAmt", "Amt"] => *instructed = money(),
            ["AmtDtls", "CntrValAmt", "Amt"] => *converted = money(),
            ["CdtDbtInd"] => self.credit = is_credit(text),
            ["Refs", "EndToEndId"] => self.references.put(Place::EndToEnd, text),
            ["Refs", "InstrId"] => self.references.put(Place::Instruction, text),
            ["Refs", "ChqNb"] => self.references.put(Place::Cheque, text),
            ["Refs", "AcctSvcrRef"] => self.references.put(Place::Servicer, text),
            ["Refs", "TxId"] => self.references.put(Place::Transaction, text),
            ["RmtInf", "Strd", "CdtrRefInf", "Ref" | "CdtrRef"] => {
                self.references.put(Place::Structured, text);
            }
            ["RmtInf", "Ustrd"]
            | ["RmtInf", "Strd", "AddtlRmtInf"]
            | ["RmtInf", "Strd", "RfrdDocInf", "Nb"]
            | ["AddtlTxInf"] => self.words.add_new(text),
            ["RltdPties", "Dbtr" | "UltmtDbtr", "Nm"] | ["RltdPties", "Dbtr" | "UltmtDbtr", "Pty", "Nm"] => {
                self.debtor.get_or_insert_with(|| cut(text, TEXT_BYTES_MAX).to_owned());
            }
            ["RltdPties", "Cdtr" | "UltmtCdtr", "Nm"] | ["RltdPties", "Cdtr" | "UltmtCdtr", "Pty", "Nm"] => {
                self.creditor.get_or_insert_with(|| cut(text, TEXT_BYTES_MAX).to_owned());
            }
            _ => {}
        }
    }

    /// Amount of the movement in a currency, in millionths, positive for money to us. `None` if it is not given.
    fn amount(&self, currency: &str, credit: bool) -> Option<i64> {
        let known = self.amounts.iter().flatten().find(|money| money.is_in(currency))?;
        Some(signed(known.figure().ok()?, self.credit.unwrap_or(credit)))
    }

    /// Whether the instructed amount, and every other one with a currency, equals the entry's: nothing was deducted.
    fn is_whole(&self, currency: &str, (net, credit): (i64, bool)) -> bool {
        let [.., instructed, _] = &self.amounts;
        let is_net = |money: &Money| {
            money.figure().is_ok_and(|figure| signed(figure, self.credit.unwrap_or(credit)) == net)
        };
        let mut own = self.amounts.iter().flatten().filter(|money| money.is_in(currency));
        instructed.as_ref().is_some_and(|money| money.is_in(currency)) && own.all(is_net)
    }
}

/// An entry (`Ntry`).
#[derive(Debug, Default)]
pub(super) struct Entry {
    amount: Option<Money>,
    credit: Option<bool>,
    status: Option<String>,
    booked: Option<String>,
    value: Option<String>,
    reversal: bool,
    /// Number of transactions of a collective entry.
    count: Option<usize>,
    references: References,
    words: Words,
    charges: Charges,
    details: Vec<Detail>,
}

/// A line with whole amounts.
#[derive(Debug, Clone)]
pub(super) struct BookedLine {
    pub line: TextLine,
    /// Amount that rounding took from its net, in millionths.
    pub lost: i64,
    /// Whether its amounts had no fraction.
    pub whole: bool,
}

/// Result of an entry.
pub(super) struct Booked {
    pub lines: Vec<BookedLine>,
    /// It reverses another one.
    pub reversal: bool,
}

impl Entry {
    /// A transaction of the entry begins.
    pub(super) fn begin_detail(&mut self) {
        self.details.push(Detail::default());
    }

    /// Number of transactions so far.
    pub(super) fn details(&self) -> usize {
        self.details.len()
    }

    /// An element below it is over.
    pub(super) fn take(&mut self, below: &[&str], text: &str, currency: Ccy) {
        match below {
            ["Chrgs", rest @ ..] => self.charges.take(rest, text, currency),
            ["NtryDtls", "TxDtls", rest @ ..] => {
                if let Some(detail) = self.details.last_mut() {
                    detail.take(rest, text, currency);
                }
            }
            _ if text.is_empty() => {}
            ["Amt"] => self.amount = Some(Money::new(text, currency)),
            ["CdtDbtInd"] => self.credit = is_credit(text),
            ["Sts"] | ["Sts", "Cd" | "Prtry"] => {
                self.status = Some(cut(text, REFERENCE_BYTES_MAX).to_owned())
            }
            ["BookgDt", "Dt" | "DtTm"] => self.booked = Some(cut(text, REFERENCE_BYTES_MAX).to_owned()),
            ["ValDt", "Dt" | "DtTm"] => self.value = Some(cut(text, REFERENCE_BYTES_MAX).to_owned()),
            ["RvslInd"] => self.reversal = text == "true" || text == "1",
            ["NtryDtls", "Btch", "NbOfTxs"] => {
                let more = text.parse().unwrap_or(0_usize);
                self.count = Some(self.count.unwrap_or(0).saturating_add(more));
            }
            ["AcctSvcrRef"] => self.references.put(Place::OfEntry, text),
            ["AddtlNtryInf"] => self.words.add_new(text),
            _ => {}
        }
    }

    /// Reason why it is not a booking. `None` if it is one.
    pub(super) fn unbooked(&self) -> Option<&str> {
        self.status.as_deref().filter(|status| *status != "BOOK")
    }

    /// Known parts of the entry, for people: day, amount, reference and description.
    pub(super) fn shown(
        &self,
        day_of: impl Fn(&str) -> Option<Date>,
    ) -> (Option<Date>, Option<Amount>, String, String) {
        let date = self.booked.as_deref().or(self.value.as_deref()).and_then(day_of);
        let amount = self.amount.as_ref().and_then(|amount| amount.figure().ok()).zip(self.credit);
        let amount = amount.map(|(figure, credit)| rounded(signed(figure, credit)));
        let blank = self.line(
            date.unwrap_or(Date::MIN),
            self.details.first(),
            self.credit.unwrap_or(true),
            (0, None),
        );
        (date, amount, blank.line.reference, blank.line.description)
    }

    /// The currency that its amount names.
    pub(super) fn currency(&self) -> Option<&str> {
        self.amount.as_ref()?.currency.as_deref()
    }

    /// Its lines in the account's currency.
    ///
    /// # Errors
    /// Problems by field.
    pub(super) fn booked(
        &self,
        currency: &str,
        day_of: impl Fn(&str) -> Option<Date>,
    ) -> Result<Booked, Vec<(&'static str, String)>> {
        let mut wrong = Vec::new();
        let figure =
            self.amount.as_ref().ok_or_else(|| "must have an Amt".to_owned()).and_then(Money::figure);
        let figure = figure.map_err(|problem| wrong.push(("amount", problem))).unwrap_or(0);
        if self.credit.is_none() {
            wrong.push(("amount", "must have CdtDbtInd CRDT or DBIT".to_owned()));
        }
        // Some banks omit the booking date of entries that they book at once.
        let date = self.booked.as_deref().or(self.value.as_deref()).and_then(day_of);
        let (Some(date), Some(credit), true) = (date, self.credit, wrong.is_empty()) else {
            if date.is_none() {
                wrong.push(("date", "must have a BookgDt or ValDt with a valid day".to_owned()));
            }
            return Err(wrong);
        };
        let net = signed(figure, credit);
        let lines = self.lines(date, (net, credit), currency);
        Ok(Booked { lines, reversal: self.reversal })
    }

    fn lines(&self, date: Date, (net, credit): (i64, bool), currency: &str) -> Vec<BookedLine> {
        let fee = self.charges.of(currency);
        match self.details.as_slice() {
            [one] if self.count.is_none_or(|count| count <= 1) => {
                let apart = !self.charges.is_included()
                    && !one.charges.is_included()
                    && one.is_whole(currency, (net, credit));
                let fee = fee.or_else(|| one.charges.of(currency)).filter(|_| !apart).unwrap_or(0);
                let reported = one.amount(currency, credit);
                let whole =
                    reported.is_none_or(|reported| reported == net || reported == net.saturating_add(fee));
                let of_it = Some(one).filter(|_| whole);
                vec![self.line(date, of_it, credit, (net, Some(fee).filter(|_| whole)))]
            }
            [] => vec![self.line(date, None, credit, (net, fee))],
            many => self.by_detail(date, many, (net, credit), currency).unwrap_or_else(|| {
                // Their sum differs from the booked amount: the booking counts.
                vec![self.line(date, None, credit, (net, None))]
            }),
        }
    }

    /// A line for each transaction, if their sum is the entry's, less the charges.
    fn by_detail(
        &self,
        date: Date,
        many: &[Detail],
        (net, credit): (i64, bool),
        currency: &str,
    ) -> Option<Vec<BookedLine>> {
        let amounts: Vec<i64> =
            many.iter().map(|detail| detail.amount(currency, credit)).collect::<Option<_>>()?;
        let fees: Vec<i64> = many.iter().map(|detail| detail.charges.of(currency).unwrap_or(0)).collect();
        let total = |figures: &[i64]| figures.iter().copied().fold(0_i64, i64::saturating_add);
        let (sum, apart) = (total(&amounts), self.charges.of(currency).unwrap_or(0));
        let (of_each, of_all) = match net {
            net if net == sum => (false, 0),
            net if net == sum.saturating_sub(total(&fees)) => (true, 0),
            net if net == sum.saturating_sub(apart) => (false, apart),
            _ => return None,
        };
        let line = |((detail, amount), fee): ((&Detail, &i64), &i64)| {
            let fee = Some(*fee).filter(|_| of_each);
            self.line(date, Some(detail), credit, (amount.saturating_sub(fee.unwrap_or(0)), fee))
        };
        let mut lines: Vec<BookedLine> = many.iter().zip(&amounts).zip(&fees).map(line).collect();
        if of_all != 0 {
            let mut charged = self.line(date, None, credit, (of_all.saturating_neg(), None));
            charged.line.kind = LineKind::Fee;
            lines.push(charged);
        }
        Some(lines)
    }

    /// A line of these amounts, which are in millionths.
    fn line(
        &self,
        date: Date,
        detail: Option<&Detail>,
        credit: bool,
        (net, fee): (i64, Option<i64>),
    ) -> BookedLine {
        let alone = detail.is_none() || self.details.len() == 1;
        let (mut reference, mut other_references, mut words) = (None, Vec::new(), Words::default());
        let party = detail.and_then(|detail| {
            if detail.credit.unwrap_or(credit) {
                detail.debtor.as_deref()
            } else {
                detail.creditor.as_deref()
            }
        });
        party.into_iter().for_each(|party| words.add(party));
        for place in 0..=Place::Transaction as usize {
            let of_detail = detail.and_then(|detail| detail.references.at(place));
            // The entry's own reference identifies none of its transactions.
            let found = of_detail.or_else(|| self.references.at(place).filter(|_| alone));
            match (found, reference.is_some()) {
                (Some(found), false) => reference = Some(found.to_owned()),
                (Some(found), true) => {
                    other_references.push(found.to_owned());
                    if place <= Place::Structured as usize {
                        words.add_new(found);
                    }
                }
                (None, _) => {}
            }
        }
        detail.into_iter().for_each(|detail| words.add_new(&detail.words.0));
        words.add_new(&self.words.0);
        let whole = lost(net) == 0 && lost(fee.unwrap_or(0)) == 0;
        let (exact, net, fee) = (net, rounded(net), fee.map(rounded).filter(|fee| *fee != 0));
        let line = TextLine {
            date,
            reference: reference.unwrap_or_default(),
            other_references,
            description: words.0,
            kind: LineKind::Other,
            batch: None,
            store_ref: None,
            gross: fee.map(|fee| net.saturating_add(fee)),
            fee,
            net: Some(net),
        };
        BookedLine { line, lost: lost(exact), whole }
    }
}
