#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]
use super::*;
use crate::format::Encoding;
use domain::model::base::currency::Currency;
use domain::model::base::figures::Money;
use domain::rules::books::settlement::LineKind;
use domain::rules::books::settlement::SourceKind;
use jiff::civil::date;
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn bounds() -> Bounds {
    Bounds { today: date(2026, 11, 21), import_rows: 10, currency: Currency::RUPIAH }
}

fn of(kind: SourceKind) -> SourceFile<'static> {
    let local = TimeZone::get("Asia/Jakarta").unwrap();
    SourceFile { kind, account_no: None, currency: None, zone: None, local, separator: ',' }
}

fn format(of: Value) -> Format {
    serde_json::from_value(of).unwrap()
}

fn bank(file: &str, of_file: Value) -> CsvStatement {
    read(file.as_bytes(), &format(of_file), of(SourceKind::Bank), &bounds()).unwrap()
}

fn nets(reported: &CsvStatement) -> Vec<i64> {
    reported.lines.iter().map(|line| line.net.unwrap().get()).collect()
}

fn reasons(reported: &CsvStatement) -> Vec<(i64, &'static str)> {
    reported.aside.rows.iter().map(|row| (row.row_no, row.reason.name())).collect()
}

fn paths(file: &[u8], of_file: Value) -> Vec<String> {
    let wrong = read(file, &format(of_file), of(SourceKind::Bank), &bounds()).unwrap_err();
    wrong.into_iter().map(|field| field.path).collect()
}

#[test]
fn a_providers_file_is_read_as_spreadsheets_write_it() {
    let story = json!({"date_format": "%d/%m/%Y", "columns": {"date": "tanggal", "reference": "Referensi",
        "amount": " Bruto ", "fee": "Biaya"}});
    let file = "\u{feff}Tanggal;Referensi;Bruto;Biaya;Batch\r\n20/11/2026;C-1001;155.400;2.331;77\r\n\
                20/11/2026;R-1001;-62.160;0;77\r\n;;;;\r\n";
    let reported = read(file.as_bytes(), &format(story), of(SourceKind::Provider), &bounds()).unwrap();
    let figures: Vec<_> = reported
        .lines
        .iter()
        .map(|line| ([line.gross, line.fee, line.net].map(Option::unwrap), line.kind))
        .collect();
    let expected = [
        ([155_400, 2_331, 153_069].map(Money::new), LineKind::Sale),
        ([-62_160, 0, -62_160].map(Money::new), LineKind::Refund),
    ];
    assert_eq!(figures, expected);
    assert_eq!(
        (reported.lines[0].reference.as_str(), reported.lines[0].batch.as_deref()),
        ("C-1001", Some("77"))
    );
}

#[test]
fn a_banks_file_has_nets_alone() {
    let reported = bank(
        "date,reference,amount\n2026-11-19,QR 18NOV,110223\n2026-11-20,\"PARKIR, \n\"\"A\"\"\",(5000)\n",
        json!({}),
    );
    assert_eq!(nets(&reported), [110_223, -5_000]);
    assert_eq!(reported.lines[1].reference, "PARKIR, \n\"A\"");
    let sides = "date;debit;credit\n2026-11-19;5.000;\n2026-11-19;;7.000\n";
    assert_eq!(nets(&bank(sides, json!({}))), [-5_000, 7_000]);
    // From a machine that ends rows with CR only.
    let reported = bank("Bank\rdate,amount\r2026-11-19,5\r2026-11-19,x\r", json!({"skip_rows": 1}));
    assert_eq!((nets(&reported), reasons(&reported)), (vec![5], vec![(4, "invalid")]));
}

#[test]
fn one_bad_row_refuses_no_other_and_a_file_of_bad_rows_names_all() {
    let file = "date,reference,amount\n2026-11-23,a,1\n2026-11-20,b,=1\n20.11.2026,c,x\n2020-01-01,d,7\n2026-11-20,f,\n";
    assert_eq!(
        paths(file.as_bytes(), json!({})),
        ["row 2.date", "row 3.amount", "row 4.date", "row 4.amount", "row 5.date", "row 6.amount"]
    );
    let reported = bank(&(file.to_owned() + "2026-11-20,g,9\n"), json!({}));
    assert_eq!((nets(&reported), reported.aside.count()), (vec![9], 5));
    assert_eq!(reported.aside.rows[1].text, "2026-11-20,b,=1");
}

#[test]
fn the_sign_stands_where_the_bank_puts_it() {
    for (file, of_file, expected) in [
        // Found by its words, without a word of the source.
        (
            "date,amount,,balance\n2026-11-19,\"2,000\",CR,1\n2026-11-19,\"1,188\",DB,1\n",
            json!({"decimal": "."}),
            vec![2_000, -1_188],
        ),
        ("date;amount;Af Bij\n2026-11-19;310;Bij\n2026-11-19;971;Af\n", json!({}), vec![310, -971]),
        ("date;amount;S/H\n2026-11-19;310;H\n2026-11-19;971;S\n", json!({}), vec![310, -971]),
        (
            "date,amount,way\n2026-11-19,5,masuk\n2026-11-19,7,keluar\n",
            json!({"columns": {"sign": "way"}}),
            vec![5, -7],
        ),
        (
            "date,amount,way\n2026-11-19,5,plus\n2026-11-19,7,min\n",
            json!({"columns": {"sign": "way"}, "sign_words": {"in": ["Plus"], "out": ["Min"]}}),
            vec![5, -7],
        ),
        (
            "date,amount\n2026-11-19,5 CR\n2026-11-19,7 DB\n2026-11-19,\u{2212}8\n2026-11-19,9-\n",
            json!({}),
            vec![5, -7, -8, -9],
        ),
        ("date,amount,type\n2026-11-19,5,CREDIT\n2026-11-19,7,DEBIT\n", json!({}), vec![5, -7]),
        ("date,amount,type\n2026-11-19,5,CREDIT\n2026-11-19,-7,DEBIT\n", json!({}), vec![5, -7]),
        // Only one direction under a header that names both, a balance with its own direction, a sign beside a word, a
        // footer without a word, and types of a source that lists none.
        ("date;amount;S/H\n2026-11-19;971;S\n", json!({}), vec![-971]),
        (
            "date,amount,dr / cr,balance,dr / cr\n2026-11-19,5,CR,15,CR\n2026-11-19,7,DR,8,CR\n",
            json!({}),
            vec![5, -7],
        ),
        ("date;amount;Af Bij\n2026-11-19;310;Bij\n2026-11-19;-15;Af\n", json!({}), vec![310, -15]),
        (
            "date,amount,soort\n2026-11-19,5,CREDIT\n2026-11-19,7,DEBIT\n",
            json!({"columns": {"type": "soort"}}),
            vec![5, -7],
        ),
        // Crowns, and a word that banks use for another thing.
        ("date;debit;credit\n2026-11-19;1 200,00 kr;\n2026-11-19;;300 kr.\n", json!({}), vec![-1_200, 300]),
        ("date,amount,type\n2026-11-19,-5,Card payment\n2026-11-19,7,MoneyBeam\n", json!({}), vec![-5, 7]),
        // Money back in the column of debits, and a bank that writes all debits below 0.
        ("date,debit,credit\n2026-11-19,5,\n2026-11-19,-2,\n2026-11-19,,-3\n", json!({}), vec![-5, 2, -3]),
        ("date,debit,credit\n2026-11-19,-5,\n2026-11-19,-2,\n2026-11-19,,3\n", json!({}), vec![-5, -2, 3]),
        ("date,debit,credit\n2026-11-19,.00,7.00\n2026-11-19,Rp 5.00,-\n", json!({}), vec![7, -5]),
    ] {
        let reported = bank(file, of_file);
        assert_eq!(nets(&reported), expected, "{file}");
        assert_eq!(reported.aside.count(), 0, "{file}");
    }
    let reported = bank("date,amount,way\n2026-11-19,5,CR\n2026-11-19,7,DB\nTotal,12,\n", json!({}));
    assert_eq!((nets(&reported), reasons(&reported)), (vec![5, -7], vec![(4, "balance")]));
    let reported = bank("date,debit,credit\n2026-11-19,5 CR,\n2026-11-19,6,\n", json!({}));
    assert_eq!((nets(&reported), reasons(&reported)), (vec![-6], vec![(2, "invalid")]));
    let reported = bank("date,amount,sign\n2026-11-19,5,CR\n2026-11-19,6,?\n2026-11-19,-7,CR\n", json!({}));
    assert_eq!((nets(&reported), reasons(&reported)), (vec![5], vec![(3, "invalid"), (4, "invalid")]));
}

#[test]
fn a_file_without_a_header_loses_no_line() {
    let numbers = json!({"columns": {"date": 1, "amount": 2, "reference": 3}});
    for (file, expected) in [
        ("2026-11-18,250000,a\n2026-11-19,-15000,b\n", vec![250_000, -15_000]),
        ("Day,Amount,Text\n2026-11-18,250000,a\n", vec![250_000]),
        ("Bank\nAccount 12\n\nDay,Amount,Text\n2026-11-18,250000,a\n", vec![250_000]),
    ] {
        assert_eq!(nets(&bank(file, numbers.clone())), expected, "{file}");
    }
    // A first row that is damaged is no header.
    let reported = bank("18-11-2026,250000,a\n2026-11-19,-15000,b\n", numbers);
    assert_eq!((nets(&reported), reasons(&reported)), (vec![-15_000], vec![(1, "invalid")]));
    // Lines before the header, which is known by its names.
    let reported = bank("Bank\nPeriode : 18/11/2026 - 20/11/2026\ndate,amount\n2026-11-18,1\n", json!({}));
    assert_eq!(nets(&reported), [1]);
}

#[test]
fn balances_footers_and_rows_that_are_not_booked_are_set_aside_and_counted() {
    let file = "date,description,amount\n2026-11-18,SALDO AWAL,100\n2026-11-18,a,5\n'PEND,b,6\nTotal,,5\nSaldo Akhir : 105\nprinted by X,,\n";
    let reported = bank(file, json!({}));
    assert_eq!(nets(&reported), [5]);
    assert_eq!(
        reasons(&reported),
        [(2, "balance"), (4, "pending"), (5, "balance"), (6, "balance"), (7, "footer")]
    );
    assert_eq!(reported.aside.rows[1].amount, Some(6.into()));
    let skips = json!({"skip_footer": 2});
    let reported = bank("date,amount\n2026-11-20,1\nTotal,1\n2026-11-20,2\n", skips);
    assert_eq!((nets(&reported), reasons(&reported)), (vec![1], vec![(3, "footer"), (4, "invalid")]));
}

#[test]
fn a_row_of_another_account_currency_or_status_is_no_line() {
    let file = "date,amount,currency,status,rekening\n2026-11-20,1,IDR,SUCCESS,1234567890\n2026-11-20,2,USD,SUCCESS,1234567890\n\
                2026-11-20,3,IDR,FAILED,1234567890\n2026-11-20,4,IDR,PENDING,1234567890\n2026-11-20,5,Rp,SUCCESS,999\n2026-11-20,$6,,SUCCESS,1234567890\n";
    let own = SourceFile { account_no: Some("123-456-7890"), currency: Some("IDR"), ..of(SourceKind::Bank) };
    let reported =
        read(file.as_bytes(), &format(json!({"columns": {"account": "rekening"}})), own.clone(), &bounds())
            .unwrap();
    assert_eq!(nets(&reported), [1]);
    assert_eq!(
        reasons(&reported),
        [(3, "currency"), (4, "status"), (5, "pending"), (6, "account"), (7, "currency")]
    );
    for (file, word) in [
        ("No. rekening : 1234567891\ndate,amount\n2026-11-20,1\n", "1234567891"),
        ("Mata Uang : USD\ndate,amount\n2026-11-20,1\n", "USD"),
    ] {
        let wrong = read(file.as_bytes(), &Format::default(), own.clone(), &bounds()).unwrap_err();
        assert!(wrong[0].path == "file" && wrong[0].problem.contains(word), "{wrong:?}");
    }
}

#[test]
fn an_unknown_status_waits_for_a_decision() {
    let file = "date,amount,Status Transaksi\n2026-11-20,1,SUCCESS\n2026-11-20,2,REFUNDED\n2026-11-20,3,FAILED\n\
                2026-11-20,4,\nTotal,10,\n";
    let reported = bank(file, json!({}));
    assert_eq!(nets(&reported), [1]);
    assert_eq!(reasons(&reported), [(3, "invalid"), (4, "status"), (5, "invalid"), (6, "balance")]);
}

#[test]
fn a_provider_without_signs_takes_away_by_type() {
    let file = "date,reference,amount,type\n2026-11-20,a,62160,sale\n2026-11-20,b,62160,refund\n\
                2026-11-20,c,3000,fee\n2026-11-20,d,83250,chargeback\n2026-11-20,e,205668,payout\n";
    let reported = read(file.as_bytes(), &Format::default(), of(SourceKind::Provider), &bounds()).unwrap();
    let gross: Vec<_> = reported.lines.iter().map(|line| line.gross.unwrap().get()).collect();
    assert_eq!(gross, [62_160, -62_160, -3_000, -83_250, -205_668]);
    // A minus shows that signs are written for its type.
    let signed = file.replace("b,62160", "b,-62160");
    let reported = read(signed.as_bytes(), &Format::default(), of(SourceKind::Provider), &bounds()).unwrap();
    let gross: Vec<_> = reported.lines.iter().map(|line| line.gross.unwrap().get()).collect();
    assert_eq!(gross, [62_160, -62_160, -3_000, -83_250, -205_668]);
}

#[test]
fn a_file_of_two_currencies_needs_the_sources() {
    let file = "date,amount,currency\n2026-11-20,1,IDR\n2026-11-20,2,USD\n";
    assert_eq!(paths(file.as_bytes(), json!({})), ["currency"]);
    assert_eq!(nets(&bank(&file.replace("USD", "rp"), json!({}))), [1, 2]);
}

#[test]
fn a_fraction_is_set_aside_or_rounded_by_the_sources_rule() {
    let file =
        "date,amount\n2026-11-18,\"10,930,941.82\"\n2026-11-19,\"-2,469.13\"\n2026-11-20,\"-15,000.00\"\n";
    let reported = bank(file, json!({}));
    assert_eq!(
        (nets(&reported), reasons(&reported)),
        (vec![-15_000], vec![(2, "fraction"), (3, "fraction")])
    );
    assert_eq!(reported.aside.rows[0].amount, Some(10_930_942.into()));
    let reported = bank(file, json!({"fraction": "round"}));
    assert_eq!(nets(&reported), [10_930_942, -2_469, -15_000]);
    assert_eq!(reported.rows.iter().map(|row| row.lost).collect::<Vec<_>>(), [-180_000, -130_000, 0]);
}

#[test]
fn ambiguous_figures_are_asked_about() {
    assert_eq!(paths(b"date\tamount\n2026-11-18\t1.234\n", json!({})), ["csv.decimal"]);
    assert_eq!(nets(&bank("date\tamount\n2026-11-18\t1.234\n", json!({"decimal": "none"}))), [1_234]);
    let reported = bank(
        "date,amount\n2026-11-18,155.40\n2026-11-18,155.400\n2026-11-18,7\n",
        json!({"fraction": "round"}),
    );
    assert_eq!((nets(&reported), reasons(&reported)), (vec![155, 7], vec![(3, "invalid")]));
    let fees = b"date,gross,fee\n2026-11-18,1000,-30\n";
    let wrong = read(fees, &Format::default(), of(SourceKind::Provider), &bounds()).unwrap_err();
    assert_eq!(wrong[0].path, "csv.fee_sign");
    let reported =
        read(fees, &format(json!({"fee_sign": "negative"})), of(SourceKind::Provider), &bounds()).unwrap();
    assert_eq!((reported.lines[0].fee, reported.lines[0].net), (Some(30.into()), Some(970.into())));
}

#[test]
fn an_unknown_type_is_set_aside_and_without_a_type_the_sign_decides() {
    let types = json!({"types": {"Tolakan": "chargeback", "Coba": "ignore"}});
    let file = "date,reference,amount,fee,type\n2026-11-20,a,1,0,Sale\n2026-11-20,b,-1,0,\n2026-11-20,c,-1,0,tolakan\n\
                2026-11-20,d,1,0,chargebck\n2026-11-20,e,1,0,coba\n2026-11-20,f,1,0,payment\n";
    let reported = read(file.as_bytes(), &format(types), of(SourceKind::Provider), &bounds()).unwrap();
    let kinds: Vec<_> = reported.lines.iter().map(|line| line.kind).collect();
    assert_eq!(kinds, [LineKind::Sale, LineKind::Refund, LineKind::Chargeback, LineKind::Sale]);
    assert_eq!(reasons(&reported), [(5, "invalid"), (6, "ignored")]);
    assert!(
        reported.aside.rows[0].problem.starts_with("\"chargebck\""),
        "{}",
        reported.aside.rows[0].problem
    );
}

#[test]
fn a_file_that_is_none_is_refused_as_a_whole() {
    for (file, path) in [
        (b"".as_slice(), "row 1"),
        (b"date,amount\n", "row 1"),
        (b"date,reference\n2026-11-20,x\n", "row 1"),
        (b"date,amount\n2026-11-20,1\n\xff,1\n", "row 3"),
    ] {
        assert_eq!(paths(file, json!({})), [path]);
    }
    let many = format!("date,amount\n{}", "2026-11-20,1\n".repeat(11));
    assert_eq!(paths(many.as_bytes(), json!({})), ["row 1"]);
}

#[test]
fn texts_are_cut_and_encodings_are_read() {
    let long =
        format!("date,reference,description,amount\n2026-11-20,{},{},1\n", "r".repeat(200), "é".repeat(400));
    let reported = bank(&long, json!({}));
    assert_eq!((reported.lines[0].reference.len(), reported.lines[0].description.len()), (140, 500));
    let windows = Format { encoding: Encoding::Windows1252, ..Format::default() };
    let file = b"date,reference,amount\n2026-11-20,Caf\xe9 \x80,1\n";
    let reported = read(file, &windows, of(SourceKind::Bank), &bounds()).unwrap();
    assert_eq!(reported.lines[0].reference, "Café €");
}

#[test]
fn more_bad_rows_than_a_person_could_look_at_refuse_the_file() {
    let file = format!("date,amount\n2026-11-20,1\n{}", "x,1\n".repeat(KEPT_MAX + 1));
    let bounds = Bounds { import_rows: 5_000, ..bounds() };
    let wrong = read(file.as_bytes(), &Format::default(), of(SourceKind::Bank), &bounds).unwrap_err();
    assert!(wrong[0].problem.contains("more than 1000 rows"), "{:?}", wrong[0]);
    // Rows that need no decision are only counted.
    let mut types = BTreeMap::new();
    types.insert("x".to_owned(), "ignore".to_owned());
    let file = format!("date,amount,type\n2026-11-20,1,\n{}", "2026-11-20,1,x\n".repeat(KEPT_MAX + 1));
    let reported =
        read(file.as_bytes(), &Format { types, ..Format::default() }, of(SourceKind::Bank), &bounds).unwrap();
    assert_eq!((reported.aside.rows.len(), reported.aside.count()), (KEPT_MAX, 1_001));
}
