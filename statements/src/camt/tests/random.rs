//! Random files: both readers agree on the well-formed ones, and none makes the first one panic.

use super::dom::{self, Line};
use super::{Wanted, bounds, read};
use proptest::prelude::*;

const OWN: &str = "ID00OWN";

#[derive(Debug, Clone)]
struct Detail {
    amount: i64,
    /// Place of the amount: nowhere, in `Amt`, in `TxAmt`, in another currency.
    place: u8,
    reference: u8,
    structured: bool,
    direction: Option<bool>,
}

#[derive(Debug, Clone)]
struct Entry {
    credit: bool,
    status: u8,
    date: u8,
    own_reference: u8,
    details: Vec<Detail>,
    /// Whether the details add up to the entry.
    whole: bool,
    amount: i64,
    noise: u8,
}

fn detail() -> impl Strategy<Value = Detail> {
    let parts = (1..1_000_i64, 0..4_u8, 0..5_u8, any::<bool>(), prop::option::of(any::<bool>()));
    parts.prop_map(|(amount, place, reference, structured, direction)| Detail {
        amount,
        place,
        reference,
        structured,
        direction,
    })
}

fn entry() -> impl Strategy<Value = Entry> {
    let details = prop::collection::vec(detail(), 0..4);
    let parts = (any::<bool>(), 0..6_u8, 0..5_u8, 0..5_u8, details, any::<bool>(), 1..2_000_i64, 0..5_u8);
    parts.prop_map(|(credit, status, date, own_reference, details, whole, amount, noise)| Entry {
        credit,
        status,
        date,
        own_reference,
        details,
        whole,
        amount,
        noise,
    })
}

fn direction(credit: bool) -> &'static str {
    if credit { "CRDT" } else { "DBIT" }
}

fn reference(number: u8) -> String {
    match number {
        0 => "NOTPROVIDED".to_owned(),
        1 => "-".to_owned(),
        2 => "a &lt;&#38;&amp; b".to_owned(),
        number => format!("R-{number}"),
    }
}

impl Detail {
    fn xml(&self) -> String {
        let amount = match self.place {
            0 => String::new(),
            1 => format!("<Amt Ccy=\"IDR\">{}.00</Amt>", self.amount),
            2 => format!("<AmtDtls><TxAmt><Amt Ccy='IDR'>{}</Amt></TxAmt></AmtDtls>", self.amount),
            _ => "<Amt Ccy=\"USD\">1.25</Amt>".to_owned(),
        };
        let sign = self.direction.map(|credit| format!("<CdtDbtInd>{}</CdtDbtInd>", direction(credit)));
        let structured = match self.structured {
            true => "<RmtInf><Strd><CdtrRefInf><Ref>S-1</Ref></CdtrRefInf></Strd></RmtInf>",
            false => "<RmtInf><Ustrd>free <![CDATA[<text>]]></Ustrd></RmtInf>",
        };
        let refs = format!("<Refs><EndToEndId>{}</EndToEndId></Refs>", reference(self.reference));
        format!("<TxDtls>{refs}{amount}{}{structured}</TxDtls>", sign.unwrap_or_default())
    }
}

impl Entry {
    fn xml(&self) -> String {
        let of = |detail: &Detail| {
            if detail.direction.unwrap_or(self.credit) == self.credit {
                detail.amount
            } else {
                -detail.amount
            }
        };
        let sum: i64 = self.details.iter().map(of).sum();
        let amount = if self.whole && sum > 0 { sum } else { self.amount };
        let status = [
            "",
            "<Sts>BOOK</Sts>",
            "<Sts><Cd>BOOK</Cd></Sts>",
            "<Sts>PDNG</Sts>",
            "<Sts><Cd>INFO</Cd></Sts>",
            "",
        ];
        let date = [
            "<BookgDt><Dt>2026-11-20</Dt></BookgDt>",
            "<BookgDt><DtTm>2026-11-19T22:00:00+07:00</DtTm></BookgDt><ValDt><Dt>2026-11-18</Dt></ValDt>",
            "<ValDt><Dt>2026-11-17</Dt></ValDt>",
            "<BookgDt>\n <Dt>2026-11-16Z</Dt> </BookgDt>",
            "<BookgDt/><ValDt><DtTm>2026-11-15T00:00:00</DtTm></ValDt>",
        ];
        let noise = [
            "",
            "<!-- <Ntry> --><Other><Amt Ccy=\"USD\">7</Amt></Other>",
            "<?pi x?><AddtlInfInd><MsgNmId>camt.054</MsgNmId></AddtlInfInd>",
            "<AddtlNtryInf>text &gt; <![CDATA[& more]]></AddtlNtryInf>",
            "<BkTxCd/>",
        ];
        let details: String = self.details.iter().map(Detail::xml).collect();
        format!(
            "<Ntry><Amt Ccy=\"IDR\"> {amount}.0 </Amt><CdtDbtInd>{}</CdtDbtInd>{}{}<AcctSvcrRef>{}</AcctSvcrRef>{}\
             <NtryDtls>{details}</NtryDtls></Ntry>",
            direction(self.credit),
            status[usize::from(self.status)],
            date[usize::from(self.date)],
            reference(self.own_reference),
            noise[usize::from(self.noise)],
        )
    }
}

/// A file of some statements of two accounts; the elements have a prefix, or none.
fn file() -> impl Strategy<Value = String> {
    let statement = (any::<bool>(), prop::collection::vec(entry(), 0..5));
    (prop::collection::vec(statement, 1..4), any::<bool>()).prop_map(|(statements, prefixed)| {
        let statement = |(own, entries): &(bool, Vec<Entry>)| {
            let entries: String = entries.iter().map(Entry::xml).collect();
            let account = if *own { OWN } else { "ID00OTHER" };
            format!("<Stmt><Acct><Id><IBAN>{account}</IBAN></Id><Ccy>IDR</Ccy></Acct>{entries}</Stmt>\n")
        };
        let statements: String = statements.iter().map(statement).collect();
        let text =
            format!("<Document xmlns=\"urn:x\"><BkToCstmrStmt>{statements}</BkToCstmrStmt></Document>");
        if prefixed {
            text.replace("<Stmt", "<c:Stmt")
                .replace("</Stmt", "</c:Stmt")
                .replace("Ntry>", "Ntry  >")
                .replace("<Ntry  >", "<d:Ntry>")
                .replace("</Ntry  >", "</d:Ntry>")
        } else {
            text
        }
    })
}

fn first(text: &str) -> Option<Vec<Line>> {
    let wanted = Wanted { account: Some(OWN), currency: Some("IDR"), ..Wanted::default() };
    let reported = read(text.as_bytes(), &wanted, &bounds(1_000)).ok()?;
    Some(
        reported
            .lines
            .into_iter()
            .map(|line| (line.date, line.reference, line.net.unwrap_or_default().get()))
            .collect(),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn two_readers_say_the_same(text in file()) {
        let mut expected = dom::lines(&text, OWN);
        let mut found = match first(&text) {
            Some(found) => found,
            // There is no statement of this account.
            None => {
                prop_assert!(!text.contains(OWN), "{text}");
                Vec::new()
            }
        };
        expected.sort();
        found.sort();
        prop_assert_eq!(found, expected, "{}", text);
    }

    #[test]
    fn damaged_files_stop_nothing(
        text in file(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3_u8), 1..8),
    ) {
        let mut bytes = text.into_bytes();
        for (place, byte, how) in damage {
            let at = place.index(bytes.len().max(1));
            match how {
                _ if bytes.is_empty() => {}
                0 => bytes[at] = byte,
                1 => drop(bytes.remove(at)),
                _ => bytes.truncate(at),
            }
        }
        let _ = read(&bytes, &Wanted::default(), &bounds(10));
    }

    #[test]
    fn random_bytes_stop_nothing(bytes in prop::collection::vec(any::<u8>(), 0..512)) {
        let _ = read(&bytes, &Wanted::default(), &bounds(10));
    }
}
