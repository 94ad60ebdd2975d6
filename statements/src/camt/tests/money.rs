//! Amounts of entries: of their transactions, charges, and reversals.

use super::*;

#[test]
fn a_bank_charge_is_the_fee_of_its_line() {
    let records = |included: &str, currency: &str| {
        format!(
            "<Chrgs><Rcrd><Amt Ccy=\"{currency}\">2</Amt><ChrgInclInd>{included}</ChrgInclInd></Rcrd><Rcrd>\
             <Amt Ccy=\"IDR\">1</Amt><CdtDbtInd>DBIT</CdtDbtInd></Rcrd></Chrgs>"
        )
    };
    let figures = |amount: &str, sign: &str, rest: &str| lines(&entry(amount, sign, rest))[0].2;
    let fee = [Some(100), Some(3), Some(97)];
    assert_eq!(figures("97", "CRDT", &records("true", "IDR")), fee);
    assert_eq!(figures("97", "CRDT", &records("false", "IDR")), [Some(98), Some(1), Some(97)]);
    assert_eq!(figures("97", "CRDT", &records("true", "USD")), [None, None, Some(97)]);
    assert_eq!(figures("103", "DBIT", &records("true", "IDR")), [Some(-100), Some(3), Some(-103)]);
    // As in 001.02, for the transaction.
    let old = "<Chrgs><Amt Ccy=\"IDR\">3</Amt></Chrgs>";
    assert_eq!(figures("97", "CRDT", old), fee);
    let of_detail = format!("<NtryDtls>{}</NtryDtls>", detail("<Amt Ccy=\"IDR\">100</Amt>", "T-1", old));
    assert_eq!(figures("97", "CRDT", &of_detail), fee);
    // The entry has the whole instructed amount: the charges are booked separately, unless they state otherwise.
    let total = "<Chrgs><TtlChrgsAndTaxAmt Ccy=\"IDR\">3</TtlChrgsAndTaxAmt></Chrgs>";
    let instructed = |amount: &str| {
        let money = format!("<Amt Ccy=\"IDR\">{amount}</Amt>");
        let amounts = format!("<AmtDtls><InstdAmt>{money}</InstdAmt><TxAmt>{money}</TxAmt></AmtDtls>");
        format!("<NtryDtls>{}</NtryDtls>", detail(&amounts, "T-1", ""))
    };
    let none = [None, None, Some(97)];
    assert_eq!(figures("97", "CRDT", &(total.to_owned() + &instructed("97"))), none);
    assert_eq!(figures("97", "CRDT", &(total.to_owned() + &instructed("100"))), fee);
    assert_eq!(figures("97", "CRDT", &(records("true", "IDR") + &instructed("97"))), fee);
}

#[test]
fn a_reversal_has_the_direction_that_agrees_with_the_balances() {
    let reversal =
        |sign: &str, details: &str| entry("500", sign, &format!("<RvslInd>true</RvslInd>{details}"));
    let nets = |balances: [&str; 2], sign: &str, details: &str| {
        let balances = balance("OPBD", balances[0]) + &balance("CLBD", balances[1]);
        let text = file(&(balances + &entry("500", "DBIT", "") + &reversal(sign, details)));
        reported(&text)
            .map(|found| found.lines.iter().map(|line| line.net.unwrap().get()).collect::<Vec<_>>())
    };
    assert_eq!(nets(["900", "900"], "CRDT", ""), Ok(vec![-500, 500]));
    assert_eq!(nets(["900", "900"], "DBIT", ""), Ok(vec![-500, 500]));
    assert_eq!(nets(["1900", "900"], "DBIT", ""), Ok(vec![-500, -500]), "it took back a payment to us");
    let two = format!(
        "<NtryDtls>{}{}</NtryDtls>",
        detail("<Amt>200</Amt>", "a", ""),
        detail("<Amt>300</Amt>", "b", "")
    );
    assert_eq!(nets(["900", "900"], "DBIT", &two), Ok(vec![-500, 200, 300]));
    assert!(nets(["900", "901"], "DBIT", "").is_err());
    let alone = reported(&file(&reversal("DBIT", ""))).unwrap();
    assert_eq!(alone.lines[0].net, Some((-500).into()), "without balances nobody guesses");
    // An entry that waits for its fraction counts with its expected amount.
    let balances = balance("OPBD", "900.00") + &balance("CLBD", "910.25");
    let waits = entry("500", "DBIT", "") + &reversal("DBIT", "") + &entry("10.25", "CRDT", "");
    let found = reported(&file(&(balances + &waits))).unwrap();
    assert_eq!(found.lines.iter().map(|line| line.net.unwrap().get()).collect::<Vec<_>>(), [-500, 500]);
}

#[test]
fn transactions_in_another_currency_have_the_amounts_that_they_were_converted_to() {
    let converted = |dollars: &str, own: &str, reference: &str| {
        let amounts = format!(
            "<AmtDtls><InstdAmt><Amt Ccy=\"USD\">{dollars}</Amt></InstdAmt><TxAmt><Amt Ccy=\"USD\">{dollars}</Amt>\
             </TxAmt><CntrValAmt><Amt Ccy=\"IDR\">{own}</Amt></CntrValAmt></AmtDtls>"
        );
        detail(&amounts, reference, "")
    };
    let details = converted("10", "155000", "T-1") + &converted("20", "310000", "T-2");
    let entry = entry("465000", "CRDT", &format!("<NtryDtls>{details}</NtryDtls>"));
    // The account states that it is in rupiah.
    let found = reported(&document(&statement("CH1", "IDR", &entry))).unwrap();
    let nets: Vec<_> =
        found.lines.iter().map(|line| (line.reference.as_str(), line.net.map(Money::get))).collect();
    assert_eq!(nets, [("T-1", Some(155_000)), ("T-2", Some(310_000))]);
}

#[test]
fn every_reference_of_a_payment_is_kept_and_the_number_of_its_entry_is_none() {
    let rest = "<NtryRef>1</NtryRef><AcctSvcrRef>FT26324ABC01</AcctSvcrRef><NtryDtls><TxDtls><Refs><EndToEndId>E2E-0001\
                </EndToEndId><TxId>TX9</TxId></Refs></TxDtls></NtryDtls>";
    let found = reported(&file(&entry("450000", "CRDT", rest))).unwrap();
    assert_eq!(found.lines[0].reference, "E2E-0001");
    assert_eq!(found.lines[0].other_references, ["FT26324ABC01", "TX9"]);
    let numbered = |number: u8| {
        let rest = format!("<NtryRef>{number}</NtryRef><AddtlNtryInf>QRIS SETTLEMENT B</AddtlNtryInf>");
        reported(&file(&entry("70000", "CRDT", &rest))).unwrap().lines
    };
    assert_eq!(numbered(1), numbered(2));
    assert_eq!(numbered(1)[0].reference, "");
}

#[test]
fn amounts_have_the_decimals_of_head_offices_currency() {
    let read_in = |code: &str, text: &str| {
        let bounds = Bounds { currency: Currency::of(code).unwrap(), ..bounds(10) };
        read(text.replace("IDR", code).as_bytes(), &Wanted::default(), &bounds)
    };
    let charged = "<Chrgs><Rcrd><Amt Ccy=\"IDR\">0.5</Amt><ChrgInclInd>true</ChrgInclInd></Rcrd></Chrgs>";
    let own = balance("OPBD", "100.00") + &balance("CLBD", "112.84") + &entry("12.34", "CRDT", charged);
    for (code, figures, balances) in
        [("EUR", [1_284, 50, 1_234], [10_000, 11_284]), ("KWD", [12_840, 500, 12_340], [100_000, 112_840])]
    {
        let text = file(&(own.clone() + &entry("0.5", "CRDT", "")));
        let found = read_in(code, &text).unwrap();
        let line = &found.lines[0];
        assert_eq!(
            [line.gross, line.fee, line.net],
            figures.map(|figure| Some(Money::new(figure))),
            "{code}"
        );
        assert_eq!([found.opening, found.closing], balances.map(|figure| Some(Money::new(figure))), "{code}");
    }
    // The half euro is missing.
    let wrong = read_in("EUR", &file(&own)).unwrap_err();
    let words = "of statement  is 112.84, but its opening balance 100.00 and its entries add up to 112.34";
    assert_eq!((wrong[0].path.as_str(), wrong[0].problem.as_str()), ("closing_balance", words));
    let finer = file(&(entry("12.3456", "CRDT", "") + &entry("7.10", "CRDT", "")));
    let found = read_in("EUR", &finer).unwrap();
    let aside = &found.aside.rows[0];
    assert_eq!((aside.row_no, aside.reason, aside.amount), (1, Reason::Fraction, Some(1_235.into())));
    assert!(aside.problem.starts_with("has more than the 2 decimals of EUR"), "{}", aside.problem);
    let fils = file(&entry("7.125", "CRDT", ""));
    assert_eq!(read_in("KWD", &fils).unwrap().lines[0].net, Some(7_125.into()));
}
