#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]
use super::*;
use domain::model::base::currency::Currency;
use domain::rules::books::settlement::SourceKind;
use jiff::civil::date;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

fn bounds() -> Bounds {
    Bounds { today: date(2026, 11, 21), import_rows: 20, currency: Currency::RUPIAH }
}

fn of(kind: SourceKind) -> SourceFile<'static> {
    let local = TimeZone::get("Asia/Jakarta").unwrap();
    SourceFile { kind, account_no: None, currency: None, zone: None, local, separator: ',' }
}

fn statement(file: &str, csv: &Value, source: &SourceFile<'_>) -> Result<CsvStatement, Vec<FieldProblem>> {
    read(file.as_bytes(), &serde_json::from_value(csv.clone()).unwrap(), source.clone(), &bounds())
}

/// The amounts of the lines, and the line and the reason of each row that is set aside.
fn shown(statement: &CsvStatement) -> (Vec<i64>, Vec<(i64, &'static str)>) {
    let amounts = statement.lines.iter().map(|line| line.net.or(line.gross).unwrap().get()).collect();
    (amounts, statement.aside.rows.iter().map(|row| (row.row_no, row.reason.name())).collect())
}

fn names() -> Value {
    json!({"date_format": "%d/%m/%Y", "columns": {"date": "Tanggal", "description": "Uraian", "amount": "Nominal"}})
}

/// A file, its format, the amounts, and the rows that are set aside.
type Case<'a> = (&'a str, Value, &'a [i64], &'a [(i64, &'static str)]);

fn check(source: &SourceFile<'_>, cases: &[Case<'_>]) {
    for (file, csv, amounts, aside) in cases {
        let statement = statement(file, csv, source).unwrap_or_else(|wrong| panic!("{file}: {wrong:?}"));
        assert_eq!(shown(&statement), (amounts.to_vec(), aside.to_vec()), "{file}");
    }
}

#[test]
fn balances_with_a_day_are_no_money() {
    for text in
        ["SALDO PINDAHAN", "Saldo", "Balance b/f", "Alter Kontostand", "Ingående saldo", "Total transaksi"]
    {
        let file = format!(
            "Tanggal;Uraian;Nominal\n18/11/2026;{text};10.000.000\n18/11/2026;A;100.000\n19/11/2026;B;-50.000\n"
        );
        let case: Case<'_> = (&file, names(), &[100_000, -50_000], &[(2, "balance")]);
        check(&of(SourceKind::Bank), &[case]);
    }
    let unmapped = json!({"date_format": "%d/%m/%Y", "columns": {"date": "Tanggal", "amount": "Nominal"}});
    check(
        &of(SourceKind::Bank),
        &[
            (
                "Tanggal;Uraian;Nominal\n18/11/2026;Saldo Awal;10.000.000\n18/11/2026;Saldo Jaya;100.000\n",
                unmapped,
                &[100_000],
                &[(2, "balance")],
            ),
            ("Tanggal;Uraian;Nominal\n18/11/2026;Saldo Jaya;100.000\n", names(), &[100_000], &[]),
        ],
    );
}

#[test]
fn every_status_of_a_row_has_to_say_that_money_moved() {
    let csv = json!({"columns": {"date": "Date", "reference": "Ref", "gross": "Amount"}});
    check(
        &of(SourceKind::Provider),
        &[
            (
                "Date,Ref,Amount,Transaction Status,Settlement Status\n2026-11-18,Q-1,111000,SUCCESS,SETTLED\n\
                 2026-11-18,Q-2,45000,FAILED,\n2026-11-18,Q-3,62000,PENDING,PENDING\n2026-11-19,Q-4,78000,EXPIRED,\n\
                 2026-11-19,Q-5,1,SUCCESS,\n",
                csv.clone(),
                &[111_000],
                &[(3, "status"), (4, "pending"), (5, "status"), (6, "invalid")],
            ),
            (
                "Date,Ref,Amount,Status Transaksi,Status Settlement\n2026-11-18,Q-1,111000,Dibayar,Selesai\n\
                 2026-11-18,Q-2,45000,Dibatalkan,-\n2026-11-19,Q-4,78000,Kedaluwarsa,-\n",
                csv.clone(),
                &[111_000],
                &[(3, "status"), (4, "status")],
            ),
            (
                "Date,Ref,Amount,Order Status,Payment Status\n2026-11-18,A,100000,Completed,Paid\n\
                 2026-11-18,B,50000,Cancelled,Voided\n2026-11-18,C,60000,Cancelled,Paid\n",
                csv.clone(),
                &[100_000],
                &[(3, "status"), (4, "invalid")],
            ),
            (
                "Date,Ref,Amount,Status Transaksi\n2026-11-18,Q-1,111000,SUCCESS\n2026-11-18,Q-2,45000,Aneh\n\
                 2026-11-18,Q-3,7,Refunded\n",
                csv.clone(),
                &[111_000],
                &[(3, "invalid"), (4, "invalid")],
            ),
            (
                "Date,Ref,Amount,Fulfilment status\n2026-11-18,A,100000,Completed\n2026-11-18,B,50000,Open\n",
                csv.clone(),
                &[100_000, 50_000],
                &[],
            ),
            (
                "Date,Ref,Amount,State\n2026-11-18,A,100000,CA\n2026-11-18,B,5,NY\n",
                csv.clone(),
                &[100_000, 5],
                &[],
            ),
        ],
    );
    for header in ["State", "Result", "Keterangan Transaksi", "Outcome", "Payment state", "Ergebnis"] {
        let file =
            format!("Date,Ref,Amount,{header}\n2026-11-18,Q-1,111000,SUCCESS\n2026-11-18,Q-2,45000,FAILED\n");
        let case: Case<'_> = (&file, csv.clone(), &[111_000], &[(3, "status")]);
        check(&of(SourceKind::Provider), &[case]);
    }
    check(
        &of(SourceKind::Bank),
        &[
            (
                "Tanggal;Uraian;Nominal;Info\n20/11/2026;RE 77;500;Umsatz vorgemerkt\n\
                 19/11/2026;RE 78;1.310;Umsatz gebucht\n18/11/2026;RE 79;-971;Umsatz gebucht\n",
                names(),
                &[1_310, -971],
                &[(2, "pending")],
            ),
            (
                "Tanggal;Uraian;Nominal\nPending transactions;;\n20/11/2026;HOTEL;-200.000\nPosted transactions;;\n\
                 19/11/2026;A;100.000\n18/11/2026;B;-50.000\n",
                names(),
                &[100_000, -50_000],
                &[(2, "footer"), (3, "pending"), (4, "footer")],
            ),
        ],
    );
}

#[test]
fn another_account_or_currency_is_found_by_its_label() {
    let own = SourceFile { account_no: Some("1234567890"), currency: Some("IDR"), ..of(SourceKind::Bank) };
    let rows = "Tanggal;Uraian;Nominal\n18/11/2026;A;100.000\n19/11/2026;B;-50.000\n";
    for spelling in ["1234567890 - PT MAJU", "1234567890 IDR", "1234567890 a.n. PT MAJU 2", "****567890"] {
        let file = format!("\"No. Rekening : {spelling}\"\n{rows}");
        check(&own, &[(file.as_str(), names(), [100_000, -50_000].as_slice(), [].as_slice())]);
    }
    for label in ["Konto: 9999999999", "Account,9999999999", "A/C No. 9999999999", "Compte n° 9999999999"] {
        let wrong = statement(&format!("\"{label}\"\n{rows}"), &names(), &own).unwrap_err();
        assert!(wrong[0].path == "file" && wrong[0].problem.contains("9999999999"), "{wrong:?}");
    }
    let wrong = statement(
        &rows.replace("Nominal", "Nominal (USD)"),
        &json!({"date_format": "%d/%m/%Y", "columns":
        {"date": "Tanggal", "amount": 3}}),
        &own,
    )
    .unwrap_err();
    assert!(wrong[0].path == "file" && wrong[0].problem.contains("USD"), "{wrong:?}");
    let swiss = SourceFile { account_no: Some("CH620023423410391440G"), ..of(SourceKind::Bank) };
    let file = format!("Kontonummer:;0234 00103914.40\nIBAN:;CH62 0023 4234 1039 1440 G\n{rows}");
    check(&swiss, &[(&file, names(), &[100_000, -50_000], &[])]);
    let two = format!(
        "No. Rekening : 1234567890\nMata Uang : IDR\n\n{rows}Total;;50.000\n\nNo. Rekening : 9999999999\nMata Uang : \
         USD\n\nTanggal;Uraian;Nominal\n18/11/2026;Z;7.000\n19/11/2026;Y;-1.000\n"
    );
    let told_of_two = statement(&two, &names(), &own).unwrap();
    let (amounts, aside) = shown(&told_of_two);
    let others: Vec<_> = aside.into_iter().filter(|(_, reason)| *reason == "account").collect();
    assert_eq!((amounts, others), (vec![100_000, -50_000], vec![(13, "account"), (14, "account")]));
    assert_eq!(statement(&two, &names(), &of(SourceKind::Bank)).unwrap_err()[0].path, "account_no");
    check(
        &own,
        &[(
            "Tanggal;Uraian;Nominal;Mata Uang\n18/11/2026;A;250.000;IDR\n19/11/2026;B;100;USD\n",
            names(),
            &[250_000],
            &[(3, "currency")],
        )],
    );
    for file in [
        "Tanggal;Uraian;Nominal;Mata Uang\n18/11/2026;A;250.000;IDR\n19/11/2026;B;100;USD\n",
        "Tanggal;Uraian;Nominal\n18/11/2026;A;Rp 100.000\n19/11/2026;B;USD 50\n20/11/2026;B;$25\n",
    ] {
        assert_eq!(
            statement(file, &names(), &of(SourceKind::Bank)).unwrap_err()[0].path,
            "currency",
            "{file}"
        );
    }
    let dollars = "Tanggal;Uraian;Nominal\n18/11/2026;A;USD 100\n19/11/2026;B;USD 50\n20/11/2026;B;$25 USD\n";
    check(&of(SourceKind::Bank), &[(dollars, names(), &[100, 50, 25], &[])]);
    let barclays = SourceFile { account_no: Some("12345678"), ..of(SourceKind::Bank) };
    let csv = json!({"date_format": "%d/%m/%Y", "columns": {"account": "Account"}});
    let file =
        "Date,Account,Amount\n18/11/2026,20-00-00 12345678,1310.00\n19/11/2026,20-00-00 99999999,5.00\n";
    check(&barclays, &[(file, csv, &[1_310], &[(3, "account")])]);
}

#[test]
fn skipped_rows_that_are_payments_wait_for_a_decision() {
    let file = "x\ny\nTanggal,Uraian,Nominal,DK\n18/11/2026,SETOR A,100000,CR\n19/11/2026,TARIK B,50000,DB\n\
                20/11/2026,SETOR C,30000,CR\nSaldo Awal,1000000,,\nMutasi,80000,,\nSaldo Akhir,1080000,,\n";
    let mut csv = names();
    csv["skip_rows"] = json!(2);
    csv["skip_footer"] = json!(4);
    let footers = [(7, "footer"), (8, "footer"), (9, "footer")];
    check(
        &of(SourceKind::Bank),
        &[(file, csv, &[100_000, -50_000], &[[(6, "invalid")].as_slice(), &footers].concat())],
    );
    let numbers = json!({"date_format": "%d/%m/%Y", "skip_rows": 4, "columns":
        {"date": 1, "description": 2, "amount": 3, "sign": 4}});
    let statement = statement(file, &numbers, &of(SourceKind::Bank)).unwrap();
    assert_eq!((shown(&statement).0, shown(&statement).1[0]), (vec![-50_000, 30_000], (4, "invalid")));
    let line = statement.aside.rows[0].line.as_ref().unwrap();
    assert_eq!((line.net, line.date), (Some(100_000.into()), date(2026, 11, 18)));
}

#[test]
fn cells_that_moved_are_asked_about() {
    check(
        &of(SourceKind::Bank),
        &[
            (
                "Tanggal,Uraian,Nominal,Saldo\n18/11/2026,SETOR A,1,500,000,11,500,000\n\
                 19/11/2026,TARIK B,-250,000,11,250,000\n20/11/2026,SETOR C,40000,11290000\n\
                 20/11/2026,SETOR D,10000,11300000,,\n",
                names(),
                &[40_000, 10_000],
                &[(2, "invalid"), (3, "invalid")],
            ),
            (
                "Tanggal,Uraian,Nominal,Saldo\n17/11/2026,SETOR A,100000,1100000\n\
                 18/11/2026,\"14 LAPTOP SLEEVE,50000,1150000\n18/11/2026,SETOR B,60000,1210000\n\
                 20/11/2026,\"15 LAPTOP SLEEVE,80000,1360000\n20/11/2026,SETOR D,90000,1450000\n",
                names(),
                &[100_000, 50_000, 60_000, 80_000, 90_000],
                &[],
            ),
        ],
    );
}

#[test]
fn a_period_in_words_says_the_year() {
    let csv = json!({"date_format": "%d/%m", "columns": {"date": "Tgl", "amount": "a"}});
    for period in ["NOVEMBER 2025", "01 NOV 2025 - 30 NOV 2025", "01-11-25 - 30-11-25"] {
        let file = format!("\"Periode : {period}\"\nTgl;t;a\n27/11;A;1.000\n30/11;C;4.000\n");
        let statement = statement(&file, &csv, &of(SourceKind::Bank)).unwrap();
        let days: Vec<_> = statement.lines.iter().map(|line| line.date).collect();
        assert_eq!(days, [date(2025, 11, 27), date(2025, 11, 30)], "{period}");
    }
}

#[test]
fn a_banks_own_fee_is_not_a_providers() {
    let csv = json!({"decimal": ".", "date_format": "%Y-%m-%d", "columns": {"date": "Started Date"}});
    check(
        &of(SourceKind::Bank),
        &[
            (
                "Type,Started Date,Description,Amount,Fee,Currency,State,Balance\n\
                 TOPUP,2026-11-18 09:00:00,Payment,1310.00,0.00,EUR,COMPLETED,1310\n\
                 CARD_PAYMENT,2026-11-19 09:00:00,Lieferant,-971.00,1.00,EUR,COMPLETED,338\n\
                 CARD_PAYMENT,2026-11-20 09:00:00,Hotel,-200.00,0.00,EUR,PENDING,\n",
                csv,
                &[1_310],
                &[(3, "invalid"), (4, "pending")],
            ),
            (
                "Date,State,Amount,Fee,Total amount\n2026-11-18,COMPLETED,1310.00,0.00,1310.00\n\
                 2026-11-19,COMPLETED,-971.00,1.00,-972.00\n2026-11-19,REVERTED,-500.00,0.00,-500.00\n",
                json!({"decimal": ".", "columns": {"amount": "Total amount"}}),
                &[1_310, -972],
                &[(4, "status")],
            ),
        ],
    );
}
