//! Paper in the printer's own language: text, a larger total, the receipt number as a QR code, the drawer's pulse, a cut.

use crate::printing::letters::Letters;
use crate::receipt::{Layout, Part, lines, wrapped};
use escpos::driver::Driver;
use escpos::errors::{PrinterError, Result};
use escpos::printer::Printer;
use escpos::printer_options::PrinterOptions;
use escpos::utils::{JustifyMode, PageCode, Protocol, QRCodeCorrectionLevel, QRCodeModel, QRCodeOption};
use std::sync::{Arc, Mutex, PoisonError};

/// Dots of a module of the QR code: 25 modules and more are 18 mm wide and still fit on paper of 58 mm.
const QR_DOTS: u8 = 6;
/// Pin 2 of the drawer's plug, 50 ms on, then 500 ms off. The crate's own command leaves the two times out: a printer would
/// take the next two bytes for them.
const PULSE: [u8; 5] = [0x1b, b'p', 0, 25, 250];
/// Lines between the last one and the knife.
const TAIL_LINES: u8 = 3;
/// Western letters: [`Letters`] brings every text into them.
const LETTERS: PageCode = PageCode::WPC1252;

/// Bytes that a printer would get.
#[derive(Clone, Default)]
struct Roll(Arc<Mutex<Vec<u8>>>);

impl Roll {
    fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Driver for Roll {
    fn name(&self) -> String {
        "roll".to_owned()
    }

    fn write(&self, data: &[u8]) -> Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(data);
        Ok(())
    }

    fn read(&self, _: &mut [u8]) -> Result<usize> {
        Ok(0)
    }

    fn flush(&self) -> Result<()> {
        Ok(())
    }
}

/// Paper, and the texts that are printed in other letters than theirs.
pub type Written = (Vec<u8>, Vec<String>);

/// A receipt of `columns` characters a line, with its number as a QR code.
///
/// # Errors
/// A text that the printer's language can't express.
pub fn receipt(layout: &Layout, receipt_no: &str, columns: usize) -> Result<Written> {
    paper(columns, |printer, letters| {
        for part in &layout.0 {
            let loud = matches!(part, Part::Total(..) | Part::Mark(_));
            printer.bold(loud)?.size(1, if loud { 2 } else { 1 })?;
            // Letters first: a substitute may be wider.
            for line in lines(&printable(part, letters), columns) {
                printer.writeln(line.trim_end())?;
            }
        }
        let code = QRCodeOption::new(QRCodeModel::Model2, QR_DOTS, QRCodeCorrectionLevel::M);
        printer.bold(false)?.size(1, 1)?.justify(JustifyMode::CENTER)?;
        printer.qrcode_option(receipt_no, code)?.justify(JustifyMode::LEFT)?;
        Ok(())
    })
}

/// Lines that are as wide as the paper already.
///
/// # Errors
/// A text that the printer's language can't express.
pub fn report(text: &str, columns: usize) -> Result<Written> {
    paper(columns, |printer, letters| {
        for line in text.lines() {
            for line in wrapped(&letters.of(line), columns) {
                printer.writeln(&line)?;
            }
        }
        Ok(())
    })
}

/// A part in the printer's letters.
fn printable(part: &Part, letters: &mut Letters) -> Part {
    let mut of = |text: &String| letters.of(text);
    match part {
        Part::Centre(text) => Part::Centre(of(text)),
        Part::Mark(text) => Part::Mark(of(text)),
        Part::Line(text) => Part::Line(of(text)),
        Part::Figure(text, figure) => Part::Figure(of(text), of(figure)),
        Part::Total(text, figure) => Part::Total(of(text), of(figure)),
        Part::Rule => Part::Rule,
    }
}

/// The drawer's pulse alone.
///
/// # Errors
/// A text that the printer's language can't express.
pub fn pulse() -> Result<Vec<u8>> {
    let roll = Roll::default();
    let mut printer = Printer::new(roll.clone(), Protocol::default(), None);
    printer.init()?.custom(&PULSE)?.print()?;
    Ok(roll.bytes())
}

fn paper(
    columns: usize,
    write: impl FnOnce(&mut Printer<Roll>, &mut Letters) -> Result<()>,
) -> Result<Written> {
    let (roll, mut letters) = (Roll::default(), Letters::default());
    let columns = u8::try_from(columns).map_err(|_| PrinterError::Input("columns".to_owned()))?;
    let options = PrinterOptions::new(Some(LETTERS), None, columns);
    let mut printer = Printer::new(roll.clone(), Protocol::default(), Some(options));
    printer.init()?.page_code(LETTERS)?;
    write(&mut printer, &mut letters)?;
    printer.feeds(TAIL_LINES)?.print_cut()?;
    Ok((roll.bytes(), letters.warnings()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::{pulse, receipt, report};
    use crate::receipt::{Layout, Part};

    #[test]
    fn marks_of_western_texts_are_bytes_of_the_page() {
        let layout = Layout(vec![Part::Line("Levi’s – 501 “Original” 5 € l…".to_owned())]);
        let (paper, warnings) = receipt(&layout, "1", 42).unwrap();
        assert!(has(&paper, b"Levi\x92s \x96 501 \x93Original\x94 5 \x80 l\x85"), "{paper:?}");
        assert!(warnings.is_empty());
    }

    fn has(paper: &[u8], part: &[u8]) -> bool {
        paper.windows(part.len()).any(|window| window == part)
    }

    #[test]
    fn a_receipt_is_text_a_code_and_a_cut_and_a_name_says_nothing_to_the_printer() {
        let layout = Layout(vec![
            Part::Centre("Café \u{1b}p\u{0} 茶".to_owned()),
            Part::Total("TOTAL IDR".to_owned(), "27,750".to_owned()),
        ]);
        for columns in [42, 32] {
            let (paper, warnings) = receipt(&layout, "S001-main-00000001", columns).unwrap();
            assert_eq!(warnings.len(), 1, "the name has a letter that the page lacks");
            assert!(
                has(&paper, b"Caf\xe9  p  Cha"),
                "the page of letters, and blanks for what commands: {paper:?}"
            );
            let total = format!("{:<width$}27,750", "TOTAL IDR", width = columns - 6);
            assert!(has(&paper, total.as_bytes()), "{columns} columns");
            assert!(has(&paper, b"S001-main-00000001"), "the number in the code");
            assert!(has(&paper, b"\x1dV"), "a cut");
            assert!(!has(&paper, b"\x1bp"), "no name opens the drawer");
        }
        assert!(has(&pulse().unwrap(), b"\x1bp\x00\x19\xfa"), "with both of its times");
        assert!(has(&report("Z REPORT\n", 42).unwrap().0, b"Z REPORT\x1bd\x01"), "a line and its end");
    }
}
