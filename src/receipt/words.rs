//! Words on paper beside names and figures, in the shop's language.

use domain::model::base::currency::Currency;
use domain::model::base::figures::{Money, Points, Quantity};
use serde::{Deserialize, Serialize};

/// The language of paper.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    #[default]
    En,
    Id,
}

impl Language {
    /// A word of paper, or a code of the shop, in this language; unchanged if the language has no word for it.
    pub fn say(self, english: &str) -> &str {
        match self {
            Self::En => english,
            Self::Id => {
                INDONESIAN.iter().find(|(word, _)| *word == english).map_or(english, |(_, said)| said)
            }
        }
    }

    /// A method of payment as customers call it.
    pub fn method(self, code: &str) -> String {
        let known = match self {
            Self::En => METHODS.iter().find(|(method, _)| *method == code).map(|(_, said)| *said),
            Self::Id => INDONESIAN.iter().find(|(method, _)| *method == code).map(|(_, said)| *said),
        };
        let Some(said) = known else {
            // A method of the shop's own: `gift_card` is `Gift card`.
            let mut letters = code.replace('_', " ").chars().collect::<Vec<char>>();
            if let Some(first) = letters.first_mut() {
                first.make_ascii_uppercase();
            }
            return letters.into_iter().collect();
        };
        said.to_owned()
    }

    /// A rate in basis points as per cent.
    pub fn rate(self, points: u32) -> String {
        let (whole, part) = (points / PER_CENT, points % PER_CENT);
        if part == 0 {
            return format!("{whole} %");
        }
        let mark = if self == Self::En { '.' } else { ',' };
        let digits = format!("{part:02}");
        format!("{whole}{mark}{} %", digits.trim_end_matches('0'))
    }

    /// A count by thousands.
    pub fn group(self, count: impl Into<i64>) -> String {
        let count = count.into();
        self.grouped(count < 0, &count.unsigned_abs().to_string(), "")
    }

    /// An amount by thousands, with the decimals of its currency.
    fn amount(self, amount: Money, currency: Currency) -> String {
        let (whole, fraction) = currency.parts(amount);
        self.grouped(amount < Money::ZERO, &whole.to_string(), &fraction)
    }

    fn grouped(self, below: bool, digits: &str, fraction: &str) -> String {
        let (group, decimal) = if self == Self::En { (',', '.') } else { ('.', ',') };
        let mut text = String::from(if below { "-" } else { "" });
        for (place, digit) in digits.chars().enumerate() {
            if place > 0 && digits.len().saturating_sub(place) % 3 == 0 {
                text.push(group);
            }
            text.push(digit);
        }
        if !fraction.is_empty() {
            text.push(decimal);
            text.push_str(fraction);
        }
        text
    }
}

/// A figure as printed: amounts have the decimals of the currency, counts have no decimals.
pub trait Shown {
    /// Its text.
    fn shown(self, language: Language, currency: Currency) -> String;
}

impl Shown for Money {
    fn shown(self, language: Language, currency: Currency) -> String {
        language.amount(self, currency)
    }
}

impl Shown for Points {
    fn shown(self, language: Language, _: Currency) -> String {
        language.group(self)
    }
}

impl Shown for Quantity {
    fn shown(self, language: Language, _: Currency) -> String {
        language.group(self)
    }
}

/// A count of papers or people.
impl Shown for i64 {
    fn shown(self, language: Language, _: Currency) -> String {
        language.group(self)
    }
}

/// Basis points of one per cent.
const PER_CENT: u32 = 100;

/// Methods of payment in English.
const METHODS: &[(&str, &str)] = &[
    ("cash", "Cash"),
    ("card", "Card"),
    ("qris", "QRIS"),
    ("bank_transfer", "Bank transfer"),
    ("voucher", "Voucher"),
    ("points", "Points"),
    ("exchange", "Exchange"),
];

/// Each word of receipts and shift reports.
pub(super) const INDONESIAN: &[(&str, &str)] = &[
    // Receipts.
    ("Tax no.", "NPWP"),
    ("COPY", "SALINAN"),
    ("Receipt", "Struk"),
    ("Cashier", "Kasir"),
    ("GIFT RECEIPT", "STRUK HADIAH"),
    ("Returned, receipt", "Barang kembali, struk"),
    ("Points now", "Poin sekarang"),
    ("VOID", "BATAL"),
    ("Discount", "Diskon"),
    ("Tax contained", "Termasuk PPN"),
    ("Tax", "PPN"),
    ("Rounding", "Pembulatan"),
    ("Change", "Kembalian"),
    ("Points earned", "Poin didapat"),
    ("Points spent", "Poin ditukar"),
    ("Returned since", "Sudah diretur"),
    ("promotion", "promosi"),
    ("discount", "diskon"),
    ("RETURN", "RETUR"),
    ("Of receipt", "Dari struk"),
    ("REFUND", "PENGEMBALIAN"),
    ("Points taken back", "Poin ditarik"),
    ("Points given back", "Poin dikembalikan"),
    // Methods of payment.
    ("cash", "Tunai"),
    ("card", "Kartu"),
    ("qris", "QRIS"),
    ("bank_transfer", "Transfer"),
    ("voucher", "Voucer"),
    ("points", "Poin"),
    ("exchange", "Tukar barang"),
    // Shift reports.
    ("Z REPORT", "LAPORAN Z"),
    ("X REPORT", "LAPORAN X"),
    ("No", "No."),
    ("open", "terbuka"),
    ("ended", "selesai, belum dihitung"),
    ("closed", "ditutup"),
    ("interrupted", "terputus"),
    ("Store", "Toko"),
    ("Register", "Mesin kasir"),
    ("Stands at", "Berada di"),
    ("suspended", "dihentikan sementara"),
    ("Business date", "Tanggal usaha"),
    ("Opened", "Dibuka"),
    ("Closed", "Ditutup"),
    ("Closed by", "Ditutup oleh"),
    ("Printed", "Dicetak"),
    ("Sales", "Penjualan"),
    ("Items", "Barang"),
    ("Returns", "Retur"),
    ("Voids", "Pembatalan"),
    ("Price overrides", "Harga diubah"),
    ("First receipt", "Struk pertama"),
    ("Last receipt", "Struk terakhir"),
    ("Figures appear after the count", "Angka tampil setelah dihitung"),
    ("Gross sales", "Penjualan bruto"),
    ("Discounts", "Diskon"),
    ("Net sales", "Penjualan neto"),
    ("Returned", "Diretur"),
    ("Voided", "Dibatalkan"),
    ("Rounding of payments", "Pembulatan pembayaran"),
    ("Rounding of refunds", "Pembulatan retur"),
    ("on", "dari"),
    ("  Tax", "  PPN"),
    ("  Returned on", "  Diretur dari"),
    ("  Tax returned", "  PPN diretur"),
    ("payments", "pembayaran"),
    ("refunds", "pengembalian"),
    ("net", "neto"),
    ("Opening float", "Modal awal"),
    ("Cash sales", "Penjualan tunai"),
    ("Cash refunds", "Pengembalian tunai"),
    ("Paid in", "Kas masuk"),
    ("Paid out", "Kas keluar"),
    ("Drops", "Setoran ke brankas"),
    ("Expected", "Seharusnya"),
    ("Counted", "Dihitung"),
    ("Variance", "Selisih"),
    ("Recounted", "Dihitung ulang"),
];

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::{INDONESIAN, Language, Shown};
    use domain::model::base::currency::Currency;
    use domain::model::base::figures::{Money, Points, Quantity};
    use std::collections::BTreeSet;

    #[test]
    fn figures_are_read_in_thousands_and_amounts_with_the_decimals_of_their_currency() {
        for (code, amount, english, indonesian) in [
            ("IDR", 0, "0", "0"),
            ("IDR", 999, "999", "999"),
            ("JPY", -1_000, "-1,000", "-1.000"),
            ("IDR", i64::MIN, "-9,223,372,036,854,775,808", "-9.223.372.036.854.775.808"),
            ("EUR", 1250, "12.50", "12,50"),
            ("EUR", -5, "-0.05", "-0,05"),
            ("EUR", 123_456_789, "1,234,567.89", "1.234.567,89"),
            ("KWD", 1_234_500, "1,234.500", "1.234,500"),
        ] {
            let (money, currency) = (Money::new(amount), Currency::of(code).unwrap());
            assert_eq!(money.shown(Language::En, currency), english);
            assert_eq!(money.shown(Language::Id, currency), indonesian);
        }
        let euro = Currency::of("EUR").unwrap();
        assert_eq!(Points::new(1250).shown(Language::En, euro), "1,250");
        assert_eq!(Quantity::new(-1250).shown(Language::Id, euro), "-1.250");
    }

    #[test]
    fn figures_and_words_are_the_shops() {
        assert_eq!(
            (Language::En.group(-1_234_567), Language::Id.group(-1_234_567)),
            ("-1,234,567".into(), "-1.234.567".into())
        );
        assert_eq!((Language::En.say("Change"), Language::Id.say("Change")), ("Change", "Kembalian"));
        assert_eq!(Language::Id.say("gift card"), "gift card");
        assert_eq!(Language::En.method("bank_transfer"), "Bank transfer");
        assert_eq!(
            (Language::Id.method("cash"), Language::Id.method("gift_card")),
            ("Tunai".into(), "Gift card".into())
        );
        assert_eq!((Language::En.rate(1_100), Language::Id.rate(1_050)), ("11 %".into(), "10,5 %".into()));
        let words: BTreeSet<_> = INDONESIAN.iter().map(|(word, _)| word).collect();
        assert_eq!(words.len(), INDONESIAN.len(), "each word once");
    }
}
