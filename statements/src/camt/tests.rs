#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]

mod dom;
mod money;
mod random;

use super::*;
use crate::set_aside::Reason;
use jiff::civil::date;
use std::fmt::Write as _;

/// The 21st, and this number of rows.
pub fn bounds(import_rows: usize) -> Bounds {
    Bounds { today: date(2026, 11, 21), import_rows, currency: Currency::RUPIAH }
}

fn entry(amount: &str, sign: &str, rest: &str) -> String {
    format!(
        "<Ntry><Amt Ccy=\"IDR\">{amount}</Amt><CdtDbtInd>{sign}</CdtDbtInd><BookgDt><Dt>2026-11-20</Dt></BookgDt>\
         {rest}</Ntry>"
    )
}

fn balance(code: &str, amount: &str) -> String {
    format!(
        "<Bal><Tp><CdOrPrtry><Cd>{code}</Cd></CdOrPrtry></Tp><Amt Ccy=\"IDR\">{amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd>\
         </Bal>"
    )
}

/// A statement of an account.
fn statement(account: &str, currency: &str, rest: &str) -> String {
    format!(
        "<Stmt><Id>{account}-1</Id><Acct><Id><IBAN>{account}</IBAN></Id><Ccy>{currency}</Ccy></Acct>{rest}</Stmt>"
    )
}

fn document(statements: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?><n:Document xmlns:n=\"urn:iso\"><BkToCstmrStmt>{statements}</BkToCstmrStmt></n:Document>"
    )
}

fn file(rest: &str) -> String {
    document(&format!("<Stmt>{rest}</Stmt>"))
}

fn reported(text: &str) -> Result<CamtStatement, Vec<FieldProblem>> {
    read(text.as_bytes(), &Wanted::default(), &bounds(10))
}

fn balances_of(found: &CamtStatement) -> (Option<i64>, Option<i64>) {
    (found.opening.map(Money::get), found.closing.map(Money::get))
}

/// Reference, description, gross, fee and net of the lines of entries.
fn lines(entries: &str) -> Vec<(String, String, [Option<i64>; 3])> {
    let lines = reported(&file(entries)).unwrap().lines.into_iter();
    lines
        .map(|line| {
            (
                line.reference,
                line.description,
                [line.gross, line.fee, line.net].map(|figure| figure.map(Money::get)),
            )
        })
        .collect()
}

fn detail(amount: &str, reference: &str, rest: &str) -> String {
    format!("<TxDtls><Refs><EndToEndId>{reference}</EndToEndId></Refs>{amount}{rest}</TxDtls>")
}

#[test]
fn entries_become_lines() {
    let details = "<Sts><Cd>BOOK</Cd></Sts><NtryRef>7</NtryRef><NtryDtls><TxDtls><Refs><EndToEndId>NOTPROVIDED\
                   </EndToEndId></Refs><RmtInf><Ustrd>QR &amp; co</Ustrd><Ustrd>18NOV</Ustrd></RmtInf></TxDtls>\
                   </NtryDtls>";
    let plain = "<AcctSvcrRef>A-1</AcctSvcrRef><AddtlNtryInf>PARKIR</AddtlNtryInf>";
    let pending = entry("1", "CRDT", "<Sts>PDNG</Sts>") + &entry("2", "CRDT", "<Sts><Cd>INFO</Cd></Sts>");
    let balances = balance("OPBD", "1000.00") + &balance("CLBD", "111218");
    let entries = entry("110223.00", "CRDT", details) + &pending + &entry("5", "DBIT", plain);
    let found = reported(&file(&(balances + &entries))).unwrap();
    assert_eq!(balances_of(&found), (Some(1_000), Some(111_218)));
    let lines: Vec<_> = found
        .lines
        .iter()
        .map(|line| (line.reference.as_str(), line.description.as_str(), line.net.map(Money::get)))
        .collect();
    assert_eq!(lines, [("", "QR & co 18NOV", Some(110_223)), ("A-1", "PARKIR", Some(-5))]);
    assert_eq!(found.lines[0].date, date(2026, 11, 20));
    let aside: Vec<_> = found.aside.rows.iter().map(|one| (one.row_no, one.problem.as_str())).collect();
    assert_eq!(aside, [(2, "is not booked: its status is PDNG"), (3, "is not booked: its status is INFO")]);
    assert_eq!(found.aside.count(), 2);
}

#[test]
fn transactions_of_an_entry_are_lines_where_they_come_to_it() {
    let money = |amount: &str| format!("<Amt Ccy=\"IDR\">{amount}</Amt>");
    let three = |last: &str, beside: &str| {
        let details = detail(&money("150"), "T-1", "<RmtInf><Ustrd>A</Ustrd></RmtInf>")
            + &detail(
                "<AmtDtls><InstdAmt><Amt Ccy=\"EUR\">9</Amt></InstdAmt><TxAmt><Amt Ccy=\"IDR\">175</Amt></TxAmt></AmtDtls>",
                "NOTPROVIDED",
                "",
            )
            + &detail(&money(last), "T-3", "<CdtDbtInd>DBIT</CdtDbtInd>");
        format!(
            "<AcctSvcrRef>BATCH</AcctSvcrRef>{beside}<NtryDtls><Btch><NbOfTxs>3</NbOfTxs></Btch>{details}</NtryDtls>"
        )
    };
    let own = |reference: &str, text: &str, net: i64| {
        (reference.to_owned(), text.to_owned(), [None, None, Some(net)])
    };
    let each = vec![own("T-1", "A", 150), own("", "", 175), own("T-3", "", -25)];
    assert_eq!(lines(&entry("300", "CRDT", &three("25", ""))), each);
    // Their sum differs from the booked amount: the booking counts, and none of their references is its own.
    assert_eq!(lines(&entry("300", "CRDT", &three("26", ""))), [own("BATCH", "", 300)]);
    // Without a part of them, too.
    let one =
        format!("<NtryDtls><Btch><NbOfTxs>2</NbOfTxs></Btch>{}</NtryDtls>", detail(&money("150"), "T-1", ""));
    assert_eq!(lines(&entry("300", "CRDT", &one)), [own("", "", 300)]);
    let cut = format!("<NtryDtls>{}</NtryDtls>", detail(&money("150"), "T-1", ""));
    assert_eq!(lines(&entry("300", "CRDT", &cut)), [own("", "", 300)]);
    // The bank's charge for the whole entry is a separate line.
    let charged = three("25", "<Chrgs><TtlChrgsAndTaxAmt Ccy=\"IDR\">4</TtlChrgsAndTaxAmt></Chrgs>");
    let mut with_charges = each.clone();
    with_charges.push(own("BATCH", "", -4));
    assert_eq!(lines(&entry("296", "CRDT", &charged)), with_charges);
    assert_eq!(
        lines(&entry("300", "CRDT", "<AddtlNtryInf>3 PAYMENTS</AddtlNtryInf>")),
        [own("", "3 PAYMENTS", 300)]
    );
}

#[test]
fn references_and_texts_are_found_where_banks_write_them() {
    let details = |rest: &str| format!("<NtryDtls><TxDtls>{rest}</TxDtls></NtryDtls>");
    let structured = "<RmtInf><Strd><CdtrRefInf><Ref>TEA-778</Ref></CdtrRefInf></Strd></RmtInf>";
    let parties = "<RltdPties><Dbtr><Nm>Ani</Nm></Dbtr><Cdtr><Pty><Nm>Tea  Ltd</Nm></Pty></Cdtr></RltdPties>";
    for (sign, rest, reference, text) in [
        (
            "DBIT",
            format!("<Refs><InstrId>NONREF</InstrId></Refs>{structured}{parties}"),
            "TEA-778",
            "Tea Ltd",
        ),
        (
            "CRDT",
            format!("<Refs><EndToEndId>E-1</EndToEndId></Refs>{structured}{parties}"),
            "E-1",
            "Ani TEA-778",
        ),
        (
            "CRDT",
            "<Refs><EndToEndId>NOTAVAILABLE</EndToEndId></Refs><AddtlTxInf>BAG B-17</AddtlTxInf>".to_owned(),
            "",
            "BAG B-17",
        ),
        ("CRDT", "<Refs><EndToEndId>-</EndToEndId><ChqNb>000123</ChqNb></Refs>".to_owned(), "000123", ""),
        (
            "CRDT",
            "<RmtInf><Ustrd><![CDATA[a & b]]>\n c</Ustrd></RmtInf><AddtlTxInf>a &#38; b c</AddtlTxInf>"
                .to_owned(),
            "",
            "a & b c",
        ),
    ] {
        let [(found, words, _)] = lines(&entry("5", sign, &details(&rest))).try_into().unwrap();
        assert_eq!((found.as_str(), words.as_str()), (reference, text), "{rest}");
    }
    let long = entry(
        "5",
        "CRDT",
        &details(&format!(
            "<RmtInf>{}</RmtInf>",
            "<Ustrd>é word</Ustrd>".repeat(2) + &format!("<Ustrd>{}</Ustrd>", "€".repeat(9_000))
        )),
    );
    let words = &lines(&long)[0].1;
    assert!(words.starts_with("é word €€") && words.len() <= 500, "{words}");
}

#[test]
fn days_are_of_the_booking_or_the_value_in_the_zone_of_the_source() {
    let zone = TimeZone::get("Asia/Jakarta").unwrap();
    for (written, of_file, of_moment, of_zone) in [
        ("<BookgDt><Dt>2026-11-20</Dt></BookgDt>", 20, 20, 20),
        ("<BookgDt><Dt>2026-11-20+07:00</Dt></BookgDt>", 20, 20, 20),
        ("<BookgDt><Dt>2026-11-20Z</Dt></BookgDt>", 20, 20, 20),
        ("<BookgDt><DtTm>2026-11-19T23:30:00</DtTm></BookgDt>", 19, 19, 20),
        // A zone of its own decides, as in a CSV file.
        ("<BookgDt><DtTm>2026-11-19T23:30:00Z</DtTm></BookgDt>", 19, 20, 20),
        ("<BookgDt><DtTm>2026-11-20T00:30:00.000+09:00</DtTm></BookgDt>", 20, 19, 19),
        ("<ValDt><Dt>2026-11-18</Dt></ValDt>", 18, 18, 18),
        (
            "<BookgDt><DtTm>2026-11-20T10:00:00-05:00</DtTm></BookgDt><ValDt><Dt>2026-11-18</Dt></ValDt>",
            20,
            20,
            20,
        ),
    ] {
        let text = file(&entry("5", "CRDT", "").replace("<BookgDt><Dt>2026-11-20</Dt></BookgDt>", written));
        let day = |zone, local| {
            let wanted = Wanted { zone, local, ..Wanted::default() };
            read(text.as_bytes(), &wanted, &bounds(1)).unwrap().lines[0].date
        };
        assert_eq!(day(None, None), date(2026, 11, of_file), "{written}");
        assert_eq!(day(None, Some(&zone)), date(2026, 11, of_moment), "{written}");
        assert_eq!(day(Some(&TimeZone::UTC), Some(&zone)), date(2026, 11, of_zone), "{written}");
    }
}

#[test]
fn a_fraction_is_set_aside_or_rounded() {
    let entries =
        entry("10.25", "CRDT", "<NtryRef>7</NtryRef>") + &entry("0.50", "CRDT", "") + &entry("5", "DBIT", "");
    let text = file(&(balance("OPBD", "100.50") + &balance("CLBD", "106.25") + &entries));
    let found = reported(&text).unwrap();
    assert_eq!(found.lines.iter().map(|line| line.net.map(Money::get)).collect::<Vec<_>>(), [Some(-5)]);
    let aside =
        found.aside.rows.iter().map(|row| (row.reason, row.amount.map(Money::get), row.line.is_some()));
    assert_eq!(
        aside.collect::<Vec<_>>(),
        [(Reason::Fraction, Some(10), true), (Reason::Fraction, Some(1), true)]
    );
    assert_eq!(found.aside.rows[0].date, Some(date(2026, 11, 20)));
    let wanted = Wanted { round: true, ..Wanted::default() };
    let found = read(text.as_bytes(), &wanted, &bounds(10)).unwrap();
    let lines = found.lines.iter().zip(&found.rows).map(|(line, row)| (line.net.unwrap().get(), row.lost));
    assert_eq!(lines.collect::<Vec<_>>(), [(10, 250_000), (1, -500_000), (-5, 0)]);
    assert_eq!(balances_of(&found), (Some(100), Some(106)));
    let wrong = text.replace("106.25", "106.75");
    let problem = read(wrong.as_bytes(), &wanted, &bounds(10)).unwrap_err().remove(0).problem;
    assert!(problem.contains("106.75") && problem.contains("106.25"), "{problem}");
}

#[test]
fn an_entry_in_another_currency_refuses_no_other() {
    let foreign = entry("7", "CRDT", "").replace("\"IDR\"", "\"USD\"");
    let text = document(&statement("CH1", "IDR", &(entry("5", "CRDT", "") + &foreign)));
    let found = reported(&text).unwrap();
    assert_eq!(found.lines.iter().map(|line| line.net.map(Money::get)).collect::<Vec<_>>(), [Some(5)]);
    assert_eq!((found.aside.rows[0].reason, found.aside.rows[0].amount), (Reason::Currency, Some(7.into())));
}

#[test]
fn whose_file_it_is_is_asked() {
    let own = |rest: &str| statement("CH1", "IDR", rest);
    let line = entry("5", "CRDT", "");
    let read_by = |text: &str, account, currency| {
        let wanted = Wanted { account, currency, ..Wanted::default() };
        read(text.as_bytes(), &wanted, &bounds(10)).map_err(|mut problems| problems.remove(0).problem)
    };
    let two = document(&(own(&line) + &statement("CH2", "IDR", &(line.clone() + &line))));
    let found = read_by(&two, Some("ch 1"), Some("IDR")).unwrap();
    assert_eq!((found.lines.len(), found.account.unwrap().number.as_str()), (1, "CH1"));
    assert_eq!(found.others.iter().map(ToString::to_string).collect::<Vec<_>>(), ["CH2 in IDR"]);
    let several = read_by(&two, None, None).unwrap_err();
    assert!(several.contains("CH1 in IDR, CH2 in IDR"), "{several}");
    let other = read_by(&two, Some("CH3"), Some("IDR")).unwrap_err();
    assert_eq!(other, "is of CH1 in IDR, CH2 in IDR; the source is of account CH3 in IDR");
    // One number may have accounts in several currencies.
    let dollars = own("").replace("IDR", "USD");
    let found = read_by(&document(&(dollars.clone() + &own(&line))), Some("CH1"), Some("IDR")).unwrap();
    assert_eq!((found.lines.len(), found.others[0].currency.as_str()), (1, "USD"));
    let both = read_by(&document(&(dollars.clone() + &own(&line))), Some("CH1"), None).unwrap_err();
    assert!(both.contains("CH1 in USD, CH1 in IDR"), "{both}");
    assert!(read_by(&document(&dollars), Some("CH1"), Some("IDR")).unwrap_err().contains("CH1 in USD"));
    // A currency of an entry or a balance that is not the account's is no slip of a unit.
    let odd = line.replace("\"IDR\"", "\"USD\"");
    assert_eq!(
        read_by(&document(&own(&odd)), None, Some("IDR")).unwrap_err(),
        "is in USD, but the account is in IDR"
    );
    let odd = balance("OPBD", "5").replace("\"IDR\"", "\"USD\"");
    assert_eq!(read_by(&document(&own(&odd)), None, None).unwrap_err(), "is in USD; the account is in IDR");
}

#[test]
fn days_of_one_account_are_one_statement() {
    let of_day = |id: &str, balances: [&str; 2], entries: &str| {
        let rest = balance("OPBD", balances[0]) + &balance("CLBD", balances[1]) + entries;
        let from = format!("<FrToDt><FrDtTm>2026-11-{id}T00:00:00</FrDtTm></FrToDt>");
        statement("CH1", "IDR", &(rest + &from)).replace("CH1-1", id)
    };
    let first = of_day("19", ["1000", "1100"], &entry("100", "CRDT", ""));
    let second = of_day("20", ["1100", "1100"], "");
    let third = of_day("21", ["1100", "1060"], &entry("40", "DBIT", ""));
    for order in [[&first, &second, &third], [&third, &first, &second]] {
        let found = reported(&document(&order.map(String::as_str).concat())).unwrap();
        assert_eq!(balances_of(&found), (Some(1_000), Some(1_060)));
        assert_eq!(found.lines.iter().map(|line| line.net.unwrap().get()).collect::<Vec<_>>(), [100, -40]);
    }
    let gap = of_day("21", ["1200", "1160"], &entry("40", "DBIT", ""));
    let problem = |text: &str| reported(text).unwrap_err().remove(0);
    let broken = problem(&document(&(first.clone() + &gap)));
    assert_eq!(broken.path, "closing_balance");
    assert!(broken.problem.contains("a statement between them is missing"), "{}", broken.problem);
    let wrong = of_day("20", ["1100", "1101"], "");
    assert!(problem(&document(&(first + &wrong))).problem.starts_with("of statement 20 is 1101"));
    // A balance that can't be read is named. Other statements are still compared with theirs.
    let damaged = of_day("19", ["1000", "11OO"], &entry("100", "CRDT", ""));
    let found = reported(&document(&(damaged.clone() + &second))).unwrap();
    assert_eq!(balances_of(&found), (Some(1_000), Some(1_100)));
    let aside: Vec<_> = found.aside.rows.iter().map(|row| (row.row_no, row.field)).collect();
    assert_eq!(aside, [(1, Some("closing_balance"))]);
    assert!(problem(&document(&(damaged + &wrong))).problem.starts_with("of statement 20 is 1101"));
    // One without a balance is compared with the others, and no balance is valid for lines outside of it.
    let part = |inside: &str| statement("CH1", "IDR", inside);
    let begun = |amount: &str| part(&(balance("OPBD", "1000") + &entry(amount, "CRDT", "")));
    let ended = part(&(balance("CLBD", "1060") + &entry("40", "DBIT", "")));
    let found = reported(&document(&(begun("100") + &ended))).unwrap();
    assert_eq!(balances_of(&found), (Some(1_000), Some(1_060)));
    assert!(problem(&document(&(begun("101") + &ended))).problem.contains("add up to 1061"));
    let alone = part(&entry("7", "CRDT", ""));
    let found = reported(&document(&(alone.clone() + &begun("100") + &alone))).unwrap();
    assert_eq!(balances_of(&found), (None, None));
    // A statement without entries is one.
    assert_eq!(reported(&document(&second)).unwrap().closing, Some(1_100.into()));
    assert_eq!(reported(&file("")).unwrap(), CamtStatement::default());
    // The day before closed with the balance that this one begins with; a page ends with a balance of its own.
    let previous = balance("PRCD", "10") + &balance("CLBD", "15") + &entry("5", "CRDT", "");
    assert_eq!(reported(&file(&previous)).unwrap().opening, Some(10.into()));
    let page = balance("ITBD", "10") + &balance("ITBD", "15") + &entry("5", "CRDT", "");
    let found = reported(&file(&page)).unwrap();
    assert_eq!(balances_of(&found), (Some(10), Some(15)));
}

#[test]
fn what_is_wrong_is_named() {
    let one = entry("1", "CRDT", "");
    let bomb = "<!DOCTYPE x [<!ENTITY a \"b\">]>".to_owned() + &file(&one);
    let many = format!("<NtryDtls>{}</NtryDtls>", "<TxDtls/>".repeat(4));
    for (text, path, problem) in [
        (bomb, "file", "document type"),
        (file(&one.repeat(4)), "file", "at most 3 are imported at once (limits.import_rows)"),
        (file(&entry("1", "CRDT", &many)), "file", "at most 3 are imported at once"),
        (file(&entry("1.50", "CRDT", "")), "entry 1.amount", ""),
        (file(&entry("1,000", "CRDT", "")), "entry 1.amount", "digits"),
        (file(&entry("-5", "CRDT", "")), "entry 1.amount", "digits"),
        (file(&entry(&"9".repeat(40), "CRDT", "")), "entry 1.amount", ""),
        (file("<Ntry/>"), "entry 1.amount", "must have an Amt"),
        (file(&entry("1", "x", "")), "entry 1.amount", "CdtDbtInd"),
        (file(&one.replace("2026-11-20", "today")), "entry 1.date", "BookgDt"),
        (file(&one.replace("2026-11-20", "2026-11-30")), "entry 1.date", "must be"),
        (file(&balance("OPBD", "x")), "opening_balance", "digits"),
        (
            file(&entry("1", "CRDT", "<NtryRef>&nbsp;</NtryRef>")),
            "file",
            "an entity that XML does not define",
        ),
        (file(&one).replace("</Stmt>", ""), "file", "not XML"),
        ("<Document>".to_owned(), "file", "is incomplete"),
        ("<x/>".to_owned(), "file", "no statement"),
        ("<a>".repeat(65), "file", "too many levels"),
        (format!("<{}/>", "a".repeat(65)), "file", "longer than 64 bytes"),
        (format!("<a b=\"{}\"/>", "c".repeat(5_000)), "file", "4096 bytes of attributes"),
        ("<?xml version=\"1.0\" encoding=\"ebcdic\"?><a/>".to_owned(), "file", "ebcdic"),
    ] {
        let problems = read(text.as_bytes(), &Wanted::default(), &bounds(3)).unwrap_err();
        assert_eq!(problems[0].path, path, "{text}: {problems:?}");
        assert!(problems[0].problem.contains(problem), "{text}: {problems:?}");
    }
}

#[test]
fn what_is_kept_does_not_grow_with_the_file() {
    let mut leaves = String::new();
    for number in 0..20_000 {
        write!(leaves, "<Ustrd>{number}</Ustrd><x{number}>y</x{number}>").unwrap();
    }
    let text = format!("<NtryDtls><TxDtls><RmtInf>{leaves}</RmtInf></TxDtls></NtryDtls>");
    let found = reported(&file(&entry("1", "CRDT", &text))).unwrap();
    assert!(found.lines[0].description.len() <= 500);
    let pending = entry("1", "CRDT", "<Sts>PDNG</Sts>").repeat(3_000);
    let found = reported(&file(&pending)).unwrap();
    assert_eq!((found.aside.rows.len(), found.aside.count()), (1_000, 3_000));
    let others: String = (0..300).map(|number| statement(&format!("CH{number}"), "IDR", "")).collect();
    let wanted = Wanted { account: Some("CH7"), ..Wanted::default() };
    let found = read(document(&others).as_bytes(), &wanted, &bounds(1)).unwrap();
    assert_eq!(found.others.len(), 100);
    let empty = read("<Stmt/>".repeat(1_001).as_bytes(), &Wanted::default(), &bounds(1)).unwrap_err();
    assert!(empty[0].problem.contains("more than 1000 statements"), "{empty:?}");
}
