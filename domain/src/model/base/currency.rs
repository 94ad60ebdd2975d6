//! Currencies: their codes, and how many decimals an amount of each is written with.
//!
//! Amounts are whole numbers of the currency's smallest unit everywhere. Only texts for people and files have
//! decimals, and both are made here.

use crate::model::base::figures::Money;
use std::fmt;

/// Currencies of ISO 4217 (list one, 2026-01-01) without decimals.
const WHOLE: &str = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF";
/// Currencies of that list with three decimals.
const THOUSANDTHS: &str = "BHD IQD JOD KWD LYD OMR TND";
/// The other currencies of that list: two decimals.
const HUNDREDTHS: &str = "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD \
    CDF CHF CNY COP CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF \
    ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR \
    MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP \
    STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG";
/// ISO 4217 gives the rupiah two decimals, but prices and coins in Indonesia are whole rupiah
/// (`docs/decisions/0039-currencies-with-decimals.md`).
const RUPIAH: &str = "IDR";

/// A currency of ISO 4217.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Currency {
    code: [u8; 3],
    exponent: u8,
}

impl Default for Currency {
    fn default() -> Self {
        Self::RUPIAH
    }
}

impl Currency {
    /// The rupiah, the default of settings.
    pub const RUPIAH: Self = Self { code: *b"IDR", exponent: 0 };

    /// The currency of a code of three capital letters. `None` if ISO 4217 has no such code.
    pub fn of(code: &str) -> Option<Self> {
        let lists = [(RUPIAH, 0), (WHOLE, 0), (HUNDREDTHS, 2), (THOUSANDTHS, 3)];
        let (_, exponent) = lists.into_iter().find(|(list, _)| list.split(' ').any(|one| one == code))?;
        Some(Self { code: code.as_bytes().try_into().ok()?, exponent })
    }

    /// Its code, such as `EUR`.
    pub fn code(&self) -> &str {
        std::str::from_utf8(&self.code).unwrap_or_default()
    }

    /// Number of decimals: an amount of 1 is 10 to the power of minus this number of the currency.
    pub fn exponent(self) -> u8 {
        self.exponent
    }

    /// Smallest units in one of the currency: 100 cents in a euro.
    pub fn units(self) -> i64 {
        10_i64.saturating_pow(u32::from(self.exponent))
    }

    /// An amount as a plain decimal: `1250` as `12.50`, without grouping.
    pub fn decimal(self, amount: Money) -> String {
        let (whole, fraction) = self.parts(amount);
        format!("{}{whole}{}{fraction}", sign(amount), if fraction.is_empty() { "" } else { "." })
    }

    /// The digits before and behind the decimal mark of an amount, without its sign.
    pub fn parts(self, amount: Money) -> (u64, String) {
        let (digits, units) = (amount.get().unsigned_abs(), self.units().unsigned_abs());
        let whole = digits.checked_div(units).unwrap_or(digits);
        if self.exponent == 0 {
            return (whole, String::new());
        }
        let rest = digits.checked_rem(units).unwrap_or_default();
        (whole, format!("{rest:0>width$}", width = usize::from(self.exponent)))
    }

    /// The amount of a plain decimal such as `12.50`, `12.5` or `-3`. `None` if it is not a decimal, has more decimals
    /// than the currency, or is too large for an amount.
    pub fn amount(self, text: &str) -> Option<Money> {
        let (below, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
        let (whole, fraction) = digits.split_once('.').map_or((digits, None), |(a, b)| (a, Some(b)));
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let width = usize::from(self.exponent);
        let fits = fraction.is_none_or(|part| is_number(part) && part.len() <= width);
        if !is_number(whole) || !fits {
            return None;
        }
        let sign = if below { "-" } else { "" };
        let amount = format!("{sign}{whole}{:0<width$}", fraction.unwrap_or_default());
        amount.parse().ok().map(Money::new)
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.code())
    }
}

fn sign(amount: Money) -> &'static str {
    if amount.get() < 0 { "-" } else { "" }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_currency_has_its_decimals() {
        for (code, exponent) in [
            ("IDR", 0),
            ("JPY", 0),
            ("KRW", 0),
            ("VND", 0),
            ("EUR", 2),
            ("USD", 2),
            ("SGD", 2),
            ("MGA", 2),
            ("KWD", 3),
            ("TND", 3),
        ] {
            let currency = Currency::of(code).unwrap();
            assert_eq!((currency.code(), currency.exponent()), (code, exponent));
        }
        for code in ["", "EU", "eur", "EURO", "ABC", "JPY KMF", " ", "DEM"] {
            assert_eq!(Currency::of(code), None, "{code}");
        }
        let all = [WHOLE, HUNDREDTHS, THOUSANDTHS].join(" ");
        let mut codes: Vec<&str> = all.split(' ').collect();
        assert!(
            codes.iter().all(|code| code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase()))
        );
        codes.sort_unstable();
        let count = codes.len();
        codes.dedup();
        assert_eq!(codes.len(), count, "each code is in one list");
    }

    #[test]
    fn amounts_are_written_and_read_with_the_decimals_of_the_currency() {
        for (code, amount, text) in [
            ("IDR", 15_000, "15000"),
            ("JPY", -7, "-7"),
            ("EUR", 1250, "12.50"),
            ("EUR", -5, "-0.05"),
            ("EUR", 0, "0.00"),
            ("KWD", 12_345, "12.345"),
            ("KWD", 1, "0.001"),
            ("EUR", i64::MIN, "-92233720368547758.08"),
        ] {
            let currency = Currency::of(code).unwrap();
            assert_eq!(currency.decimal(Money::new(amount)), text);
            assert_eq!(currency.amount(text), Some(Money::new(amount)));
        }
        for (code, text, amount) in [
            ("EUR", "12.5", Some(1250)),
            ("EUR", "12", Some(1200)),
            ("KWD", "1.5", Some(1500)),
            ("EUR", "12.505", None),
            ("EUR", "12.500", None),
            ("IDR", "12.0", None),
            ("EUR", "12.", None),
            ("EUR", ".5", None),
            ("EUR", "", None),
            ("EUR", "-", None),
            ("EUR", "+1", None),
            ("EUR", "1,50", None),
            ("EUR", "1e2", None),
            ("EUR", "--1", None),
            ("EUR", "92233720368547758.08", None),
        ] {
            let found = Currency::of(code).unwrap().amount(text);
            assert_eq!(found, amount.map(Money::new), "{code} {text}");
        }
    }

    proptest! {
        #[test]
        fn a_written_amount_is_read_as_itself(amount: i64, code in prop::sample::select(vec!["JPY", "EUR", "KWD"])) {
            let currency = Currency::of(code).unwrap();
            prop_assert_eq!(currency.amount(&currency.decimal(Money::new(amount))), Some(Money::new(amount)));
        }
    }
}
