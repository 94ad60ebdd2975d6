//! The readers of statements as fuzz targets, which also run for a moment in the normal suite. Built with the feature
//! `fuzz` only: no part of what is shipped.

use crate::config::Limits;
use crate::office::settlement::file::camt::{self, Wanted};
use crate::office::settlement::file::line::{Bounds, check_line};
use jiff::civil::date;

/// Few rows, so that a small file has too many.
const ROWS: usize = 50;

fn bounds() -> Bounds {
    Bounds { today: date(2026, 11, 27), limits: Limits { import_rows: ROWS, ..Limits::default() } }
}

/// A bank's statement: refused, or lines within their bounds that come to its balances.
pub fn camt(bytes: &[u8]) {
    let bounds = bounds();
    for account in [None, Some("CH0000000000000000001")] {
        let wanted = Wanted { account, currency: Some("IDR"), zones: None };
        let Ok(told) = camt::read(bytes, &wanted, &bounds) else { continue };
        assert!(told.lines.len() <= ROWS);
        assert!(told.lines.iter().all(|line| check_line(line, &bounds).is_empty()));
        if let (Some(opening), Some(closing)) = (told.opening, told.closing) {
            let net: i64 = told.lines.iter().filter_map(|line| line.net).sum();
            assert_eq!(opening.saturating_add(net), closing);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn random_bytes_break_nothing(bytes in prop::collection::vec(any::<u8>(), 0..1024)) {
            super::camt(&bytes);
        }

        #[test]
        fn nor_do_elements_in_any_order(
            parts in prop::collection::vec(prop::sample::select(vec![
                "<Stmt>", "</Stmt>", "<Bal>", "</Bal>", "<Ntry>", "</Ntry>", "<Amt Ccy=\"IDR\">", "</Amt>", "100", "9",
                "<CdtDbtInd>CRDT</CdtDbtInd>", "<RvslInd>true</RvslInd>", "<BookgDt><Dt>2026-11-20</Dt></BookgDt>",
                "<NtryDtls>", "</NtryDtls>", "<TxDtls>", "</TxDtls>", "<Tp><CdOrPrtry><Cd>OPBD</Cd></CdOrPrtry></Tp>",
                "<Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp>", "<Chrgs>", "</Chrgs>", "<Rcrd>", "</Rcrd>", "&amp;", "&#0;",
                "<![CDATA[", "]]>", "<!--", "-->", "<?x", "?>",
            ]), 0..60),
        ) {
            super::camt(parts.concat().as_bytes());
        }
    }
}
