//! Texts of balances and sums, as banks write them.

use edge::sheet::{currency_code, is_month};

/// Beginnings of the texts of rows without a day.
const BEGINNINGS: [&str; 26] = [
    "saldo awal",
    "saldo akhir",
    "mutasi debet",
    "mutasi debit",
    "mutasi kredit",
    "total",
    "jumlah",
    "grand total",
    "subtotal",
    "opening balance",
    "closing balance",
    "beginning balance",
    "ending balance",
    "starting balance",
    "balance brought forward",
    "balance carried forward",
    "brought forward",
    "carried forward",
    "beginsaldo",
    "eindsaldo",
    "anfangssaldo",
    "endsaldo",
    "kontostand",
    "saldo per",
    "sum of",
    "totals",
];
/// Whole texts, also of rows with a day. Only a date or an amount may follow: `Saldo Jaya` may be a customer.
const WHOLE: [&str; 85] = [
    "saldo awal",
    "saldo akhir",
    "saldo pindahan",
    "saldo dipindahkan",
    "saldo sebelumnya",
    "saldo lalu",
    "saldo terakhir",
    "saldo berjalan",
    "total transaksi",
    "total mutasi",
    "total debet",
    "total debit",
    "total kredit",
    "jumlah transaksi",
    "jumlah mutasi",
    "grand total",
    "subtotal",
    "opening balance",
    "opening bal",
    "closing balance",
    "closing bal",
    "beginning balance",
    "beginning bal",
    "ending balance",
    "ending bal",
    "starting balance",
    "previous balance",
    "prev balance",
    "prior balance",
    "initial balance",
    "final balance",
    "current balance",
    "running balance",
    "ledger balance",
    "available balance",
    "balance brought forward",
    "balance carried forward",
    "brought forward",
    "carried forward",
    "balance forward",
    "balance b/f",
    "balance b/fwd",
    "balance c/f",
    "balance c/fwd",
    "bal b/f",
    "bal c/f",
    "b/f",
    "c/f",
    "total transactions",
    "total debits",
    "total credits",
    "total credit",
    "saldovortrag",
    "saldo vortrag",
    "alter kontostand",
    "neuer kontostand",
    "alter saldo",
    "neuer saldo",
    "anfangssaldo",
    "endsaldo",
    "schlusssaldo",
    "zwischensaldo",
    "startsaldo",
    "beginsaldo",
    "eindsaldo",
    "vorig saldo",
    "nieuw saldo",
    "ancien solde",
    "nouveau solde",
    "solde initial",
    "solde final",
    "solde précédent",
    "saldo inicial",
    "saldo final",
    "saldo anterior",
    "saldo actual",
    "saldo iniziale",
    "saldo finale",
    "ingående saldo",
    "utgående saldo",
    "indgående saldo",
    "udgående saldo",
    "slutsaldo",
    "primosaldo",
    "ultimosaldo",
];
/// Words that are a balance alone or before a date or an amount.
const ALONE: [&str; 8] = ["saldo", "balance", "solde", "kontostand", "total", "jumlah", "summe", "totals"];
/// Words between a balance and its date.
const BETWEEN: [&str; 39] = [
    "per", "tanggal", "tgl", "bulan", "hari", "ini", "periode", "s", "d", "sd", "as", "at", "of", "on",
    "the", "for", "period", "month", "day", "date", "vom", "zum", "am", "den", "der", "du", "au", "le",
    "del", "al", "de", "el", "op", "pr", "cr", "db", "dr", "k", "th",
];

/// Whether a text denotes a balance or a sum. Beside a day the whole text has to.
pub fn is_balance(text: &str, has_day: bool) -> bool {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let behind = |known: &&str| {
        let rest = text.strip_prefix(*known);
        rest.filter(|rest| !rest.starts_with(char::is_alphanumeric)).map(str::to_owned)
    };
    let alone = || {
        let rests = ALONE.iter().filter_map(behind);
        rests.into_iter().any(|rest| {
            let says_nothing = !rest.contains(char::is_alphanumeric);
            says_nothing || (rest.contains(|c: char| c.is_ascii_digit()) && is_date_or_amount(&rest))
        })
    };
    is_whole_balance(&text) || alone() || (!has_day && BEGINNINGS.iter().any(|known| behind(known).is_some()))
}

/// Whether a text in any column denotes a balance or a sum as a whole: `Saldo` alone may be a payment method.
pub fn is_whole_balance(text: &str) -> bool {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let behind = |known: &&str| {
        let rest = text.strip_prefix(*known);
        rest.filter(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    WHOLE.iter().filter_map(behind).any(is_date_or_amount)
}

/// Whether nothing but a date or an amount follows.
fn is_date_or_amount(rest: &str) -> bool {
    let mut words = rest.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    words.all(|word| BETWEEN.contains(&word) || is_month(word) || currency_code(word).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_balance_is_known_by_its_whole_text() {
        for text in [
            "SALDO PINDAHAN",
            "Saldo Sebelumnya",
            "Saldo",
            "Saldo  awal bulan",
            "Opening Bal",
            "Previous balance",
            "Balance b/f",
            "Balance c/f",
            "BALANCE FORWARD",
            "Ledger balance",
            "Saldovortrag",
            "Alter Kontostand",
            "Neuer Kontostand vom 18. November 2026",
            "Ancien solde au 18/11/2026",
            "Nouveau solde",
            "Solde initial",
            "Saldo inicial",
            "Saldo anterior",
            "Ingående saldo",
            "Utgående saldo",
            "Total transaksi",
            "Total transaksi : 3",
            "Saldo 18/11/2026 Rp 10.000.000",
        ] {
            assert!(is_balance(text, true) && is_balance(text, false), "{text}");
        }
        for text in
            ["Saldo Jaya", "SALDO JAYA 18/11", "Balance Fitness", "Total Energies", "Solde Chaussures"]
        {
            assert!(!is_balance(text, true), "{text}");
        }
        assert!(is_balance("Total 20 payments", false) && !is_balance("Saldonya", false));
    }
}
