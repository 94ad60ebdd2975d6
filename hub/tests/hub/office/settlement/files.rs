//! Statements as banks and providers write them: each format gives the right figures, and rows that are not lines are
//! reported.

use crate::office::settlement::story::{added, day};
use crate::support::server::{Api, Server};
use jiff::civil::{Date, date};
use serde_json::{Value, json};
use std::path::Path;

/// Date formats of the files.
const FORMATS: [&str; 6] = ["%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y", "%Y%m%d", "%d/%m/%y", "'%d/%m,"];

/// Returns a file with its dates moved to those of [`day`].
fn moved(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/statements").join(name);
    let mut text = String::from_utf8(std::fs::read(path).unwrap()).unwrap();
    let mut days: Vec<(String, String)> = Vec::new();
    for of in 18..=23 {
        for format in FORMATS {
            let (mark, reported) = (format!("\u{1}{}\u{1}", days.len()), date(2026, 11, of));
            text = text.replace(&reported.strftime(format).to_string(), &mark);
            days.push((mark, day(of).strftime(format).to_string()));
        }
    }
    days.iter().fold(text, |text, (mark, day)| text.replace(mark, day))
}

/// A source, its file, further query parameters, the expected lines (gross, fee, net; `-`: none) and rows that are set
/// aside.
struct Case {
    file: &'static str,
    source: Value,
    query: &'static str,
    lines: &'static str,
    aside: Value,
}

fn bank(csv: Value) -> Value {
    json!({"kind": "bank", "csv": csv})
}

fn provider(csv: Value) -> Value {
    json!({"kind": "provider", "csv": csv})
}

fn banks() -> Vec<Case> {
    let bca = |skip: u32, format: &str| {
        bank(
            json!({"delimiter": ",", "decimal": ".", "date_format": format, "skip_rows": skip, "skip_footer": 4,
            "columns": {"date": 1, "description": 2, "amount": 4}}),
        )
    };
    let by_number = json!({"date": 1, "amount": 2, "description": 3});
    let sen = |fraction: &str| bank(json!({"decimal": ".", "fraction": fraction}));
    vec![
        Case {
            file: "bca-mutasi.csv",
            source: bca(6, "'%d/%m"),
            query: "&opening_balance=10000000&closing_balance=11336642",
            lines: "-/-/2000000 -/-/307830 -/-/-971188",
            aside: json!({"footer": 4, "pending": 1}),
        },
        Case {
            file: "bca-bisnis.csv",
            source: bca(5, "%d/%m/%Y"),
            query: "&opening_balance=10000000&closing_balance=11336642",
            lines: "-/-/2000000 -/-/307830 -/-/-971188",
            aside: json!({"footer": 4}),
        },
        Case {
            file: "bca-mutasi.csv",
            // Only the columns are given; the rest is detected.
            source: json!({"kind": "bank", "account_no": "123-456-7890", "currency": "IDR",
                "csv": {"date_format": "%d/%m", "columns": {"date": 1, "description": 2, "amount": 4}}}),
            query: "",
            lines: "-/-/2000000 -/-/307830 -/-/-971188",
            aside: json!({"balance": 4, "pending": 1}),
        },
        Case {
            file: "ing-nl.csv",
            source: bank(
                json!({"delimiter": ";", "decimal": ",", "date_format": "%Y%m%d", "columns": {"date": "Datum",
                "description": "Naam / Omschrijving", "amount": "Bedrag (EUR)"}}),
            ),
            query: "",
            lines: "-/-/310 -/-/-971",
            aside: json!({}),
        },
        Case {
            file: "mandiri.csv",
            source: bank(json!({"decimal": ".", "date_format": "%d/%m/%y", "columns": {"date": "Date",
                "description": 5, "reference": "Reference No."}})),
            query: "",
            lines: "-/-/453684 -/-/41300 -/-/-12500",
            aside: json!({}),
        },
        Case {
            file: "debit-credit-dash.csv",
            source: bank(json!({"delimiter": "tab", "decimal": ",", "date_format": "%d/%m/%Y", "columns": {
                "date": "Tanggal", "description": "Keterangan", "debit": "Debit", "credit": "Kredit"}})),
            query: "",
            lines: "-/-/-100000 -/-/5000",
            aside: json!({}),
        },
        Case {
            file: "bri.csv",
            source: bank(json!({"date_format": "%Y-%m-%d %H:%M:%S", "columns": {"date": "TGL_TRAN",
                "description": "DESK_TRAN", "debit": "MUTASI_DEBET", "credit": "MUTASI_KREDIT"}})),
            query: "&opening_balance=10000000&closing_balance=10743000",
            lines: "-/-/993000 -/-/-250000",
            aside: json!({}),
        },
        Case {
            file: "headerless-bank.csv",
            source: bank(json!({"decimal": ".", "date_format": "%d/%m/%Y", "columns": by_number})),
            query: "",
            lines: "-/-/250000 -/-/-15000 -/-/307830",
            aside: json!({}),
        },
        Case {
            file: "idr-with-sen.csv",
            source: sen("set_aside"),
            query: "",
            lines: "-/-/-15000",
            aside: json!({"fraction": 3}),
        },
        Case {
            file: "idr-with-sen.csv",
            source: sen("round"),
            // The bank has 20,925,818.36.
            query: "&opening_balance=10000000&closing_balance=20925818",
            lines: "-/-/10930942 -/-/12346 -/-/-2469 -/-/-15000 -/-/-1",
            aside: json!({}),
        },
        Case {
            file: "bca-qris-narrative.csv",
            source: bank(json!({"pattern": "MID : {mid} {*} QR : {gross} DDR: {fee}"})),
            query: "",
            lines: "1000000/7000/993000 1000000/7000/993000",
            aside: json!({}),
        },
        Case {
            file: "stripe-bank-line.csv",
            source: bank(json!({})),
            query: "",
            lines: "-/-/205668",
            aside: json!({}),
        },
    ]
}

fn providers() -> Vec<Case> {
    let paypal =
        json!({"decimal": ".", "date_format": "%m/%d/%Y", "columns": {"reference": "Transaction ID"}});
    let square = json!({"date_format": "%m/%d/%Y", "required": ["batch"], "columns": {"time": "Time",
        "zone": "Time Zone", "reference": "Payment ID", "gross": "Total Collected", "net": "Net Total", "fee": "Fees",
        "batch": "Deposit ID", "type": "Event Type"}});
    let adyen = json!({"date_format": "%Y-%m-%d %H:%M:%S", "columns": {"date": "Creation Date", "zone": "TimeZone",
        "reference": "Modification Reference", "batch": "Batch Number", "gross_debit": "Gross Debit (GC)",
        "gross_credit": "Gross Credit (GC)", "net_debit": "Net Debit (NC)", "net_credit": "Net Credit (NC)",
        "fee": ["Commission (NC)", "Markup (NC)", "Scheme Fees (NC)", "Interchange (NC)"]}});
    let stripe = json!({"decimal": ".", "date_format": "%Y-%m-%d %H:%M:%S", "columns": {"date": "created_utc",
        "reference": "source_id", "type": "reporting_category", "batch": "automatic_payout_id"}, "types":
        {"charge": "sale", "dispute": "chargeback", "dispute_reversal": "chargeback_reversal"}});
    vec![
        Case {
            file: "qris-provider-status.csv",
            source: provider(
                json!({"date_format": "%Y-%m-%d %H:%M:%S", "columns": {"date": "Transaction Date",
                "reference": "TXN ID", "gross": "Transaction Value"}}),
            ),
            query: "",
            lines: "111000/-/- 45000/-/-",
            aside: json!({"pending": 1, "status": 2}),
        },
        Case {
            file: "paypal-activity.csv",
            source: json!({"kind": "provider", "currency": "USD", "csv": paypal}),
            query: "",
            lines: "1000/30/970 -250/-7/-243 -831/0/-831",
            aside: json!({"currency": 2, "ignored": 1, "pending": 2}),
        },
        Case {
            file: "square-transactions.csv",
            source: json!({"kind": "provider", "currency": "USD", "csv": square}),
            query: "",
            lines: "70/2/68 -45/-1/-44",
            aside: json!({"ignored": 1}),
        },
        Case {
            file: "adyen-settlement-detail.csv",
            source: provider(adyen),
            query: "",
            lines: "155400/4662/150738 222000/6660/215340 -62160/0/-62160 0/3000/-3000 -/-/-300918",
            aside: json!({}),
        },
        Case {
            file: "stripe-payout.csv",
            source: json!({"kind": "provider", "currency": "IDR", "timezone": "UTC", "csv": stripe}),
            query: "",
            lines: "155400/4662/150738 222000/6660/215340 -62160/0/-62160 -83250/15000/-98250 -205668/0/-205668",
            aside: json!({}),
        },
        Case {
            file: "tips-provider.csv",
            source: provider(json!({})),
            query: "",
            lines: "66000/462/65538",
            aside: json!({}),
        },
    ]
}

async fn of_case(api: &Api, case: &Case) -> String {
    let mut source = case.source.clone();
    source["name"] = json!(case.file);
    source["methods"] = json!([]);
    let id = added(api, &source).await;
    let path = format!("/api/statements?source_id={id}{}", case.query);
    let file = moved(case.file);
    // A dry run returns the same and stores nothing.
    let shown = api.csv(&format!("{path}&dry_run=true"), &file).await.data().clone();
    let reported = api.csv(&path, &file).await.data().clone();
    for name in ["lines_new", "net", "gross", "fee", "set_aside", "balance_difference"] {
        assert_eq!(shown[name], reported[name], "{} {name}", case.file);
    }
    assert_eq!(reported["set_aside"], case.aside, "{}: {reported}", case.file);
    let rows = reported["rows_set_aside"].as_array().unwrap();
    let count: i64 = case.aside.as_object().unwrap().values().filter_map(Value::as_i64).sum();
    assert_eq!(i64::try_from(rows.len()).unwrap(), count, "{}", case.file);
    for row in rows.iter().chain(shown["rows_set_aside"].as_array().unwrap()) {
        let named =
            row["row_no"].as_i64().is_some_and(|no| no > 0) && row["text"] != "" && row["problem"] != "";
        assert!(named, "{}: {row}", case.file);
    }
    // A bank account can have only one active source.
    api.patch(&format!("/api/statement-sources/{id}"), &json!({"state": "inactive"})).await.data();
    reported["statement_id"].as_str().unwrap().to_owned()
}

async fn lines(api: &Api, statement_id: &str) -> Vec<Value> {
    let path = format!("/api/statements/{statement_id}/lines");
    api.get(&path).await.data()["items"].as_array().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_shape_of_file_comes_to_its_figures_and_names_what_is_no_line() {
    let server = Server::start().await;
    let admin = server.admin().await;
    for case in banks().into_iter().chain(providers()) {
        let id = of_case(&admin, &case).await;
        let figure = |line: &Value, name: &str| {
            line[name].as_i64().map_or("-".to_owned(), |figure| figure.to_string())
        };
        let figures = lines(&admin, &id).await;
        let figures =
            figures.iter().map(|line| ["gross", "fee", "net"].map(|name| figure(line, name)).join("/"));
        assert_eq!(figures.collect::<Vec<_>>().join(" "), case.lines, "{} {}", case.file, case.source);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn days_references_and_terminals_are_read_with_the_figures() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let column =
        |lines: &[Value], name: &str| lines.iter().map(|line| line[name].clone()).collect::<Vec<_>>();
    let mut cases = providers();
    let stripe = cases.remove(4);
    let reported = lines(&admin, &of_case(&admin, &stripe).await).await;
    // 23:45 on the 19th in UTC is the 20th in Jakarta.
    let days: Vec<Date> =
        column(&reported, "date").iter().map(|day| day.as_str().unwrap().parse().unwrap()).collect();
    assert_eq!(days, [20, 20, 20, 21, 22].map(day));
    assert_eq!(column(&reported, "type"), ["sale", "sale", "refund", "chargeback", "payout"]);
    let adyen = cases.remove(3);
    let reported = lines(&admin, &of_case(&admin, &adyen).await).await;
    assert_eq!(column(&reported, "type"), ["sale", "sale", "refund", "fee", "payout"]);
    assert_eq!(column(&reported, "reference")[2], "R1001AAAAAAAAAAA");
    let mut cases = banks();
    let qris = cases.remove(10);
    let reported = lines(&admin, &of_case(&admin, &qris).await).await;
    assert_eq!(column(&reported, "store_ref"), ["885004776763", "885004776764"]);
    let bca = cases.remove(0);
    let reported = lines(&admin, &of_case(&admin, &bca).await).await;
    let expected = [18, 19, 20].map(|of| json!(day(of)));
    assert_eq!(
        (column(&reported, "date"), &reported[0]["description"]),
        (expected.to_vec(), &json!("SETORAN TUNAI B-16"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_of_another_account_is_refused_by_name() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let csv = json!({"date_format": "%d/%m", "columns": {"date": 1, "description": 2, "amount": 4}});
    let source =
        json!({"name": "Bank", "kind": "bank", "methods": [], "account_no": "1234567891", "csv": csv});
    let id = added(&admin, &source).await;
    let path = format!("/api/statements?source_id={id}");
    for (change, words) in [
        (json!({}), ["1234567890", "1234567891"]),
        (json!({"account_no": null, "currency": "USD"}), ["IDR", "USD"]),
    ] {
        admin.patch(&format!("/api/statement-sources/{id}"), &change).await.data();
        let refused = admin.csv(&path, &moved("bca-mutasi.csv")).await;
        assert_eq!(refused.refusal(), "422 validation_failed");
        let problem = refused.body["error"]["details"]["fields"][0]["problem"].to_string();
        assert!(words.iter().all(|word| problem.contains(word)), "{problem}");
    }
    assert_eq!(server.figure("SELECT COUNT(*) FROM statements").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_is_of_the_account_and_the_currency_of_its_first_csv_file() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let on = day(20).to_string();
    let above = |account: &str, currency: &str| {
        format!(
            "No. Rekening : {account}\nMata Uang : {currency}\nTanggal,Uraian,Nominal\n{on},Setoran {account},1000\n"
        )
    };
    let beside = |account: &str, currency: &str| {
        format!("Tanggal,Uraian,Nominal,Rek,Mata Uang\n{on},Setoran {account},1000,{account},{currency}\n")
    };
    for in_a_column in [false, true] {
        let file = |account: &str, currency: &str| {
            if in_a_column { beside(account, currency) } else { above(account, currency) }
        };
        let mut columns = json!({"date": "Tanggal", "description": "Uraian", "amount": "Nominal"});
        if in_a_column {
            columns["account"] = json!("Rek");
        }
        let csv = json!({"date_format": "%Y-%m-%d", "columns": columns});
        let id = added(&admin, &json!({"name": "Bank", "kind": "bank", "methods": [], "csv": csv})).await;
        let path = format!("/api/statements?source_id={id}");
        let source = format!("/api/statement-sources/{id}");
        let own = async || {
            let source = admin.get(&source).await.data().clone();
            [source["account_no"].clone(), source["currency"].clone()]
        };
        let own_file = file("1234567890", "IDR");
        admin.csv(&format!("{path}&dry_run=true"), &own_file).await.data();
        assert_eq!(own().await, [json!(null), json!(null)], "a dry run stores nothing");
        if in_a_column {
            let row = own_file.lines().last().unwrap().replace("567890", "567891");
            let two = admin.csv(&path, &format!("{own_file}{row}\n")).await;
            assert_eq!(two.refusal(), "422 validation_failed", "a file of two unknown accounts");
        }
        admin.csv(&path, &own_file).await.data();
        assert_eq!(own().await, [json!("1234567890"), json!("IDR")], "{own_file}");
        for (other, words) in [
            (file("1234567891", "IDR"), ["1234567890", "1234567891"]),
            (file("1234567890", "USD"), ["IDR", "USD"]),
        ] {
            let refused = admin.csv(&path, &other).await;
            assert_eq!(refused.refusal(), "422 validation_failed", "{other}");
            let problem = refused.body["error"]["details"]["fields"][0]["problem"].to_string();
            assert!(words.iter().all(|word| problem.contains(word)), "{problem}");
        }
        admin.patch(&source, &json!({"state": "inactive"})).await.data();
    }
    // An unknown value in a table is damage, not another state.
    let list = admin.get("/api/statements").await.data()["items"].clone();
    let statement = format!("/api/statements/{}", list[0]["statement_id"].as_str().unwrap());
    for (damage, path) in [
        ("UPDATE statement_lines SET kind = 'lost'", format!("{statement}/lines")),
        ("UPDATE statements SET state = 'lost'", statement),
    ] {
        admin.get(&path).await.data();
        sqlx::query(damage).execute(server.hub.db.pool()).await.unwrap();
        assert_eq!(admin.get(&path).await.refusal(), "500 internal", "{damage}");
    }
}
