//! Amounts in files of currencies with and without decimals.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]
use super::*;
use domain::model::base::currency::Currency;
use domain::model::base::figures::Money;
use domain::rules::books::settlement::SourceKind;
use jiff::civil::date;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

/// Reads a file of a source with the settings in `csv`.
fn read_file(
    code: &str,
    kind: SourceKind,
    file: &str,
    csv: Value,
) -> Result<CsvStatement, Vec<FieldProblem>> {
    let currency = Currency::of(code).unwrap();
    let bounds = Bounds { today: date(2026, 11, 21), import_rows: 20, currency };
    let source = SourceFile {
        kind,
        account_no: None,
        currency: None,
        zone: None,
        local: TimeZone::UTC,
        separator: ',',
    };
    read(file.as_bytes(), &serde_json::from_value(csv).unwrap(), source, &bounds)
}

/// Reads a bank's file with these amounts.
fn read_bank(
    code: &str,
    separator: char,
    amounts: &[&str],
    csv: Value,
) -> Result<CsvStatement, Vec<FieldProblem>> {
    let rows = amounts.iter().map(|amount| format!("2026-11-20{separator}{amount}\n"));
    read_file(code, SourceKind::Bank, &format!("date{separator}amount\n{}", rows.collect::<String>()), csv)
}

#[test]
fn amounts_of_a_file_are_read_with_the_decimals_of_the_currency() {
    for (code, separator, amounts, csv, nets) in [
        ("EUR", ',', ["12.34", "-5", "1000"], json!({}), [1_234, -500, 100_000]),
        ("EUR", ';', ["12,34", "-0,05", "1.000,5"], json!({}), [1_234, -5, 100_050]),
        ("EUR", ';', ["12,34", "-5", "1.000"], json!({"decimal": ","}), [1_234, -500, 100_000]),
        ("EUR", ',', ["\u{20ac} 12.34", "-5.00", "7.0"], json!({}), [1_234, -500, 700]),
        ("KWD", ',', ["12.345", "-5", "7"], json!({"decimal": "."}), [12_345, -5_000, 7_000]),
        ("KWD", ';', ["12,345", "-1,5", "7"], json!({}), [12_345, -1_500, 7_000]),
        ("JPY", ',', ["1234", "-5", "1000"], json!({}), [1_234, -5, 1_000]),
        ("IDR", ';', ["1.234", "-5,00", "1.000.000"], json!({}), [1_234, -5, 1_000_000]),
    ] {
        let read = read_bank(code, separator, &amounts, csv).unwrap();
        let found: Vec<i64> = read.lines.iter().map(|line| line.net.unwrap().get()).collect();
        assert_eq!(found, nets, "{code} {amounts:?}: {:?}", read.aside.rows);
    }
}

#[test]
fn an_amount_with_more_decimals_than_the_currency_has_is_set_aside_with_its_row() {
    let asks = "set csv.fraction to \"round\", or accept the row by hand";
    for (code, amount, words, nearest) in [
        ("EUR", "12.3456", "has more than the 2 decimals of EUR", 1_235),
        ("KWD", "0.0005", "has more than the 3 decimals of KWD", 1),
        ("JPY", "12.5", "has a fraction", 13),
    ] {
        let amounts = ["1", amount, "7.10"];
        let amounts = if code == "JPY" { ["1", amount, "7"] } else { amounts };
        let read = read_bank(code, ',', &amounts, json!({"decimal": "."})).unwrap();
        let aside = &read.aside.rows[0];
        assert_eq!(
            (aside.row_no, aside.reason, aside.field),
            (3, Reason::Fraction, Some("amount")),
            "{code}"
        );
        assert_eq!(
            (aside.problem.as_str(), aside.amount.map(Money::get)),
            (format!("{words}: {asks}").as_str(), Some(nearest))
        );
        let read = read_bank(code, ',', &amounts, json!({"decimal": ".", "fraction": "round"})).unwrap();
        assert_eq!((read.lines[1].net.map(Money::get), read.aside.count()), (Some(nearest), 0), "{code}");
    }
    let alone = read_bank("EUR", ',', &["12.3456"], json!({"decimal": "."})).unwrap_err();
    assert_eq!(alone[0].path, "row 2.amount");
    let large = read_bank("EUR", ',', &["1", "10000000000.01"], json!({"decimal": "."})).unwrap();
    assert!(
        large.aside.rows[0].problem.ends_with("must be at most 10000000000.00"),
        "{:?}",
        large.aside.rows
    );
}

#[test]
fn a_running_balance_and_a_description_count_in_the_same_unit() {
    let file = "date,description,amount,balance\n2026-11-20,A,10.50,110.50\n2026-11-20,B,4.25,106.25\n\
                2026-11-20,C,1.25,105.00\n2026-11-20,D,5.00,110.00\n";
    let wrong = read_file("EUR", SourceKind::Bank, file, json!({})).unwrap_err();
    assert_eq!(wrong[0].path, "row 3.amount", "{wrong:?}");
    let file = "date,description,net\n2026-11-20,MID : 77 QR : 100.50 DDR: 0.75,99.75\n";
    let csv = json!({"pattern": "MID : {mid} QR : {gross} DDR: {fee}"});
    let read = read_file("EUR", SourceKind::Bank, file, csv).unwrap();
    let line = &read.lines[0];
    assert_eq!([line.gross, line.fee, line.net], [10_050, 75, 9_975].map(|figure| Some(Money::new(figure))));
}
