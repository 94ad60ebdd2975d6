//! `[printing]`: paper, and the printers that the store itself prints on.

use super::duration::Period;
use crate::receipt::Language;
use domain::model::base::ids::{RegisterId, is_short_id};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Characters in a line of paper of 80 and of 58 mm.
const COLUMNS: [usize; 2] = [42, 32];
/// Most tills with a printer.
const PRINTERS_MAX: usize = 64;
/// The longest that a printer may take for one piece of paper.
const TIMEOUT_MAX: Period = Period::seconds(60);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Printing {
    /// `register_id=place` of each till that has one.
    pub printers: Vec<String>,
    /// Characters in a line: 42 or 32.
    pub columns: usize,
    /// Language of receipts and shift reports.
    pub language: Language,
    /// Whether a till prints each receipt by itself.
    pub auto_print: bool,
    /// Whether a drawer hangs on each printer, and opens where cash moves.
    pub drawer: bool,
    /// Time that a printer may take for one piece of paper.
    pub timeout: Period,
}

impl Default for Printing {
    fn default() -> Self {
        let (columns, timeout) = (42, Period::seconds(10));
        Self {
            printers: Vec::new(),
            columns,
            language: Language::En,
            auto_print: false,
            drawer: true,
            timeout,
        }
    }
}

/// Address of a printer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PrinterAddress {
    /// `host:port`, as a printer in the network listens on 9100.
    Network(String),
    /// A device file of this machine.
    Device(PathBuf),
}

impl PrinterAddress {
    /// `/dev/usb/lp0`, else `host:port`; `None` for other texts.
    pub fn of(text: &str) -> Option<Self> {
        if text.starts_with('/') {
            return Some(Self::Device(PathBuf::from(text)));
        }
        let (host, port) = text.rsplit_once(':')?;
        (!host.is_empty() && port.parse::<u16>().is_ok_and(|port| port > 0))
            .then(|| Self::Network(text.to_owned()))
    }
}

impl Printing {
    /// Each till's printer, without invalid addresses.
    pub fn places(&self) -> impl Iterator<Item = (RegisterId, PrinterAddress)> + '_ {
        self.printers.iter().filter_map(|printer| {
            let (register, place) = printer.split_once('=')?;
            let (register, place) = (register.trim(), place.trim());
            is_short_id(register)
                .then(|| Some((RegisterId::from(register), PrinterAddress::of(place)?)))
                .flatten()
        })
    }

    pub(super) fn check(&self, rule: &mut dyn FnMut(bool, &'static str, &str)) {
        let tills: BTreeSet<RegisterId> = self.places().map(|(register, _)| register).collect();
        rule(
            tills.len() == self.printers.len() && tills.len() <= PRINTERS_MAX,
            "printing.printers",
            "must be at most 64 of register_id=host:port or register_id=/dev/…, each till once",
        );
        rule(COLUMNS.contains(&self.columns), "printing.columns", "must be 42 or 32");
        let within = self.timeout >= Period::seconds(1) && self.timeout <= TIMEOUT_MAX;
        rule(within, "printing.timeout", "must be 1s to 60s");
    }
}

#[cfg(test)]
mod tests {
    use super::PrinterAddress;
    use std::path::PathBuf;

    #[test]
    fn a_place_is_a_device_or_a_host_with_a_port() {
        assert_eq!(
            PrinterAddress::of("/dev/usb/lp0"),
            Some(PrinterAddress::Device(PathBuf::from("/dev/usb/lp0")))
        );
        for address in ["192.168.1.50:9100", "printer.local:9100", "[fe80::1]:9100"] {
            assert_eq!(PrinterAddress::of(address), Some(PrinterAddress::Network(address.to_owned())));
        }
        for wrong in ["", "printer", "printer:", ":9100", "printer:0", "printer:99999"] {
            assert_eq!(PrinterAddress::of(wrong), None, "{wrong}");
        }
    }
}
