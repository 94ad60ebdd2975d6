//! What is on paper beside names and figures, in the shop's language.

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
    /// A word of paper, or a code of the shop, in this language; as it is where the language has none for it.
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

    /// A figure by thousands.
    pub fn group(self, figure: impl Into<i64>) -> String {
        let grouped = super::group(figure.into());
        match self {
            Self::En => grouped,
            Self::Id => grouped.replace(',', "."),
        }
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
    ("Came back, receipt", "Barang kembali, struk"),
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
    ("Figures come after the count", "Angka tampil setelah dihitung"),
    ("Gross sales", "Penjualan kotor"),
    ("Discounts", "Diskon"),
    ("Net sales", "Penjualan bersih"),
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
    ("net", "bersih"),
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
    use super::{INDONESIAN, Language};
    use std::collections::BTreeSet;

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
