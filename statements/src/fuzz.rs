//! The readers of statements as fuzz targets, which also run briefly in the normal suite. Built with the feature `fuzz`
//! only, so they are not part of a release.

use crate::camt::{self, Wanted};
use crate::csv_reader;
use crate::format::{Format, Fraction};
use crate::line::{Bounds, SourceFile, check_line};
use domain::model::base::currency::Currency;
use domain::rules::books::settlement::SourceKind;
use jiff::civil::date;
use jiff::tz::TimeZone;

pub mod figures;

/// Few rows, so that a small file has too many.
const ROWS: usize = 50;

fn bounds() -> Bounds {
    Bounds { today: date(2026, 11, 27), import_rows: ROWS, currency: Currency::RUPIAH }
}

/// A bank's statement: refused, or lines within their bounds that fit its balances.
pub fn camt(bytes: &[u8]) {
    let bounds = bounds();
    for account in [None, Some("CH0000000000000000001")] {
        let wanted = Wanted { account, currency: Some("IDR"), ..Wanted::default() };
        let Ok(reported) = camt::read(bytes, &wanted, &bounds) else { continue };
        assert!(reported.lines.len() <= ROWS);
        assert!(reported.lines.iter().all(|line| check_line(line, &bounds).is_empty()));
        let balances = reported.opening.zip(reported.closing).filter(|_| reported.aside.rows.is_empty());
        if let Some((opening, closing)) = balances {
            let net = reported.lines.iter().filter_map(|line| line.net).sum();
            assert_eq!(opening.saturating_add(net), closing);
        }
    }
}

/// A statement as CSV: refused, or lines within their bounds, in the order of their rows.
pub fn statement(bytes: &[u8]) {
    let bounds = bounds();
    for (kind, fraction) in [(SourceKind::Bank, Fraction::Round), (SourceKind::Provider, Fraction::SetAside)]
    {
        let format = Format { fraction, ..Format::default() };
        let Ok(read) = csv_reader::read(bytes, &format, file_of(kind), &bounds) else { continue };
        assert!(read.lines.len() <= ROWS && read.lines.len() == read.rows.len());
        assert!(read.rows.is_sorted_by_key(|row| row.row_no));
        assert!(read.lines.iter().all(|line| check_line(line, &bounds).is_empty()));
    }
}

fn file_of(kind: SourceKind) -> SourceFile<'static> {
    let currency = Some("IDR");
    SourceFile { kind, account_no: None, currency, zone: None, local: TimeZone::UTC, separator: ',' }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn random_bytes_break_nothing(bytes in prop::collection::vec(any::<u8>(), 0..1024)) {
            super::camt(&bytes);
            super::statement(&bytes);
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
