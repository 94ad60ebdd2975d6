//! Columns that the source does not name and that their header and their cells show: statuses and the currency; and how
//! many columns there are.

use crate::columns::Columns;
use crate::format::{FIGURES, Format};
use crate::statuses::status;
use domain::model::base::refusal::FieldProblem;
use edge::sheet::{COLUMNS_MAX, Row, Written, currency_code, is_nothing, may_be_currency, plain};
use std::collections::{BTreeMap, BTreeSet};

/// Words of headers over statuses of things other than the payment.
const NO_STATUS: [&str; 14] = [
    "fulfilment",
    "fulfillment",
    "shipping",
    "shipment",
    "delivery",
    "pengiriman",
    "versandstatus",
    "lieferstatus",
    "livraison",
    "reconciliation",
    "rekonsiliasi",
    "kyc",
    "civil",
    "stock",
];
/// Words of headers that may stand over statuses: most of the cells have to be statuses too.
const MAY_BE_STATUS: [&str; 14] = [
    "state",
    "result",
    "outcome",
    "ergebnis",
    "info",
    "keterangan",
    "hasil",
    "zustand",
    "statut",
    "estado",
    "stato",
    "tilstand",
    "résultat",
    "resultado",
];
/// Words of headers over the currency of a row.
const CURRENCY: [&str; 11] = [
    "mata uang",
    "currency",
    "währung",
    "waehrung",
    "devise",
    "moneda",
    "valuta",
    "moeda",
    "ccy",
    "waluta",
    "monnaie",
];
/// Words of headers over another currency than that of the amount.
const OTHER_CURRENCY: [&str; 8] =
    ["original", "orig", "foreign", "converted", "settlement", "instructed", "asal", "tujuan"];
/// Columns of amounts, whose header may have a currency.
const AMOUNTS: [&str; 9] =
    ["amount", "gross", "net", "debit", "credit", "gross_debit", "gross_credit", "net_debit", "net_credit"];
/// Most currencies of a file that are kept.
const CURRENCIES_MAX: usize = 8;

/// Contents of the cells of a column.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    filled: usize,
    statuses: usize,
    currencies: usize,
}

/// Adds columns found by the rows with a day and an amount.
pub fn add<'a>(rows: impl Iterator<Item = Row<'a>>, columns: &mut Columns, format: &Format) {
    let mut seen: Vec<Seen> = Vec::new();
    let mut widths: BTreeMap<usize, usize> = BTreeMap::new();
    for row in rows.filter(|row| may_be_line(row, columns)) {
        let count = widths.entry(row.cells.len()).or_default();
        *count = count.saturating_add(1);
        for (place, cell) in row.cells.iter().enumerate().take(COLUMNS_MAX) {
            if seen.len() <= place {
                seen.resize(place.saturating_add(1), Seen::default());
            }
            let Some(seen) = seen.get_mut(place).filter(|_| !is_nothing(cell)) else { continue };
            let cell = plain(cell);
            seen.filled = seen.filled.saturating_add(1);
            let is_status = status(cell, &format.status_words).is_some();
            seen.statuses = seen.statuses.saturating_add(usize::from(is_status));
            let is_code = currency_code(cell).is_some_and(|code| code.len() == 3);
            seen.currencies = seen.currencies.saturating_add(usize::from(is_code));
        }
    }
    if columns.width == 0 {
        // Without a header the most frequent width counts; of equally frequent ones the smaller.
        let most = widths.iter().max_by_key(|(width, count)| (**count, std::cmp::Reverse(**width)));
        columns.width = most.map_or(0, |(width, _)| *width).max(columns.names.len());
    }
    if !format.columns.contains_key("status") {
        for place in statuses(columns, &seen) {
            columns.add("status", place);
        }
    }
    if !columns.has("currency")
        && let Some(place) = currency(columns, &seen)
    {
        columns.set("currency", place);
    }
}

/// Whether a row has digits where the day and an amount are.
fn may_be_line(row: &Row<'_>, columns: &Columns) -> bool {
    let has_digit = |cell: &str| cell.contains(|c: char| c.is_ascii_digit());
    let mut figures = FIGURES.iter().flat_map(|field| columns.places(field));
    has_digit(columns.text(row, "date")) && figures.any(|place| has_digit(row.cell(*place)))
}

/// The columns that hold the status of a payment.
fn statuses(columns: &Columns, seen: &[Seen]) -> Vec<usize> {
    let free = |fits: &dyn Fn(&[&str], &Seen) -> bool| -> Vec<usize> {
        let of = columns.names.iter().zip(seen).enumerate();
        let of = of.filter(|(place, (name, seen))| {
            let words: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).collect();
            let is_other = words.iter().any(|word| NO_STATUS.contains(word));
            seen.filled > 0 && !columns.is_taken(*place) && !is_other && fits(&words, seen)
        });
        of.map(|(place, _)| place).collect()
    };
    let is_named = |words: &[&str]| words.iter().any(|word| word.ends_with("status"));
    let known = free(&|words, seen| is_named(words) && seen.statuses > 0);
    if !known.is_empty() || columns.has("status") {
        return known;
    }
    let named = free(&|words, _| is_named(words));
    if !named.is_empty() {
        return named;
    }
    free(&|words, seen| {
        let most = seen.statuses.saturating_mul(2) > seen.filled;
        most && words.iter().any(|word| MAY_BE_STATUS.contains(word))
    })
}

/// The column that holds the currency of each row.
fn currency(columns: &Columns, seen: &[Seen]) -> Option<usize> {
    let of = columns.names.iter().zip(seen).enumerate();
    let mut of = of.filter(|(place, (name, seen))| {
        let words: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).collect();
        let is_named = CURRENCY.iter().any(|known| match known.contains(' ') {
            true => name.contains(known),
            false => words.contains(known),
        });
        let is_other = words.iter().any(|word| OTHER_CURRENCY.contains(word));
        let all = seen.filled > 0 && seen.currencies == seen.filled;
        is_named && !is_other && all && !columns.is_taken(*place)
    });
    let (place, _) = of.next()?;
    of.next().is_none().then_some(place)
}

/// Currencies in the headers of amounts: `Nominal (USD)`.
pub fn header_currencies(columns: &Columns) -> Vec<&'static str> {
    let bracketed = |name: &str| {
        let (_, behind) = name.split_once(['(', '['])?;
        let (inner, _) = behind.split_once([')', ']'])?;
        currency_code(inner)
    };
    let last = |name: &str| {
        let (_, word) = name.rsplit_once(' ')?;
        currency_code(word).filter(|code| word.chars().count() > 1 && code.len() == 3)
    };
    columns.names_of(&AMOUNTS).filter_map(|name| bracketed(name).or_else(|| last(name))).collect()
}

/// A source without a currency has files of one.
///
/// # Errors
/// The file has rows in two currencies.
pub fn check_currencies<'a>(
    rows: impl Iterator<Item = Row<'a>>,
    columns: &Columns,
    format: &Format,
) -> Result<(), Vec<FieldProblem>> {
    let mut found: BTreeSet<String> = BTreeSet::new();
    for row in rows {
        if found.len() >= CURRENCIES_MAX {
            break;
        }
        let named = plain(columns.text(&row, "currency"));
        if !is_nothing(named) {
            found.insert(currency_code(named).map_or_else(|| named.to_uppercase(), str::to_owned));
        }
        let figures = FIGURES.iter().flat_map(|field| columns.places(field));
        let written =
            figures.filter_map(|place| Written::of(row.cell(*place), &format.sign_words).ok().flatten());
        found.extend(written.filter_map(|written| written.currency).map(str::to_owned));
    }
    let is_one = |one: &str, other: &str| may_be_currency(one, other) || may_be_currency(other, one);
    let mut pairs = found.iter().flat_map(|one| found.iter().map(move |other| (one, other)));
    let Some((one, other)) = pairs.find(|(one, other)| one < other && !is_one(one, other)) else {
        return Ok(());
    };
    let problem = format!("must be set: the file has rows in {one} and in {other}");
    Err(vec![FieldProblem { path: "currency".to_owned(), problem }])
}
