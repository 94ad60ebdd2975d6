//! Words of banks and providers for the status of a row: whether its money moved.

/// Statuses of money that moved.
const COUNTS: [&str; 60] = [
    "success",
    "successful",
    "succeeded",
    "sukses",
    "berhasil",
    "complete",
    "completed",
    "selesai",
    "settled",
    "settlement",
    "capture",
    "captured",
    "paid",
    "paid out",
    "lunas",
    "booked",
    "book",
    "posted",
    "done",
    "approved",
    "ok",
    "available",
    "dibayar",
    "terbayar",
    "dibayarkan",
    "gebucht",
    "abgeschlossen",
    "erfolgreich",
    "bezahlt",
    "ausgeführt",
    "ausgezahlt",
    "geslaagd",
    "uitgevoerd",
    "betaald",
    "verwerkt",
    "voltooid",
    "geboekt",
    "réussi",
    "effectué",
    "payé",
    "comptabilisé",
    "terminé",
    "exitoso",
    "completado",
    "completada",
    "pagado",
    "pagada",
    "contabilizado",
    "genomförd",
    "betald",
    "bokförd",
    "slutförd",
    "udført",
    "gennemført",
    "betalt",
    "bogført",
    "gjennomført",
    "executed",
    "processed",
    "credited",
];
/// Statuses of money that may still move.
const PENDING: [&str; 38] = [
    "pend",
    "pending",
    "pdng",
    "tertunda",
    "menunggu",
    "diproses",
    "in progress",
    "processing",
    "authorised",
    "authorized",
    "authorize",
    "open",
    "on hold",
    "created",
    "authorisation",
    "authorization",
    "menunggu pembayaran",
    "belum",
    "belum dibayar",
    "vorgemerkt",
    "ausstehend",
    "in bearbeitung",
    "offen",
    "openstaand",
    "gereserveerd",
    "in behandeling",
    "en attente",
    "en cours",
    "pendiente",
    "en proceso",
    "reserverad",
    "reserverat",
    "väntande",
    "reserveret",
    "venter",
    "afventer",
    "unpaid",
    "autorizzato",
];
/// Statuses of money that never moved.
const FAILED: [&str; 47] = [
    "failed",
    "failure",
    "gagal",
    "expired",
    "expire",
    "kedaluwarsa",
    "kadaluarsa",
    "cancelled",
    "canceled",
    "cancel",
    "batal",
    "dibatalkan",
    "declined",
    "denied",
    "deny",
    "rejected",
    "ditolak",
    "void",
    "voided",
    "reverted",
    "fehlgeschlagen",
    "abgebrochen",
    "abgelehnt",
    "storniert",
    "abgelaufen",
    "mislukt",
    "geannuleerd",
    "geweigerd",
    "verlopen",
    "échoué",
    "annulé",
    "refusé",
    "expiré",
    "fallido",
    "fallida",
    "cancelado",
    "cancelada",
    "rechazado",
    "rechazada",
    "anulado",
    "misslyckad",
    "avbruten",
    "nekad",
    "fejlet",
    "annulleret",
    "afvist",
    "negato",
];
/// Statuses of money that moved and may have been given back.
const RETURNED: [&str; 20] = [
    "refund",
    "refunded",
    "partially refunded",
    "partial refund",
    "partial refunded",
    "refund partial",
    "chargeback",
    "charged back",
    "reversed",
    "returned",
    "dikembalikan",
    "erstattet",
    "rückerstattet",
    "teilweise erstattet",
    "terugbetaald",
    "remboursé",
    "reembolsado",
    "devuelto",
    "återbetald",
    "refunderet",
];
/// Words beside a status that do not change its meaning.
const WITHOUT_MEANING: [&str; 11] = [
    "transaksi",
    "transaction",
    "payment",
    "pembayaran",
    "umsatz",
    "zahlung",
    "betaling",
    "paiement",
    "pago",
    "betalning",
    "status",
];
/// Titles of sections whose rows are not booked yet, as whole words.
const PENDING_TITLES: [&str; 27] = [
    "pending transactions",
    "pending transaction",
    "pending payments",
    "pending operations",
    "transactions pending",
    "transaksi tertunda",
    "transaksi pending",
    "mutasi tertunda",
    "vorgemerkte umsätze",
    "vorgemerkte buchungen",
    "umsätze vorgemerkt",
    "ausstehende umsätze",
    "offene umsätze",
    "openstaande transacties",
    "reserveringen",
    "gereserveerde bedragen",
    "opérations en attente",
    "opérations à venir",
    "opérations en cours",
    "movimientos pendientes",
    "operaciones pendientes",
    "reserverade belopp",
    "reserverade transaktioner",
    "kommande transaktioner",
    "afventende transaktioner",
    "reserverede beløb",
    "ventende posteringer",
];

/// Meaning of a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Money moved; the row counts.
    Counts,
    /// Money may still move.
    Pending,
    /// No money moved.
    Failed,
    /// Money moved, and may have been given back.
    Returned,
}

/// Meaning of a status. `None` if it is not known. `words` are the source's own words for [`Status::Counts`]; without
/// any, the usual ones apply.
pub fn status(text: &str, words: &[String]) -> Option<Status> {
    let text = text.trim().to_lowercase();
    let spaced = text.replace(['_', '-'], " ");
    let bare: Vec<&str> = spaced.split_whitespace().filter(|word| !WITHOUT_MEANING.contains(word)).collect();
    let bare = bare.join(" ");
    let has = |known: &[&str]| [&text, &spaced, &bare].iter().any(|text| known.contains(&text.as_str()));
    let counts = match words {
        [] => has(&COUNTS),
        words => words.iter().any(|word| word.trim().to_lowercase() == text),
    };
    if counts {
        Some(Status::Counts)
    } else if has(&PENDING) {
        Some(Status::Pending)
    } else if has(&FAILED) {
        Some(Status::Failed)
    } else if has(&RETURNED) {
        Some(Status::Returned)
    } else {
        None
    }
}

/// Whether a cell for a date has a word instead that means that the entry is not booked yet.
pub fn is_pending_word(text: &str) -> bool {
    let text = text.trim().to_lowercase();
    PENDING.contains(&text.as_str())
}

/// Whether a line is the title of rows that are not booked yet.
pub fn is_pending_title(text: &str) -> bool {
    let text = text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    PENDING_TITLES.contains(&text.as_str()) || is_pending_word(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_known_in_the_languages_of_banks() {
        for (texts, expected) in [
            (
                "capture|Paid out|Gebucht|Umsatz gebucht|Abgeschlossen|Erfolgreich|Udført|Terbayar|Dibayar|Selesai|\
                 Transaksi Berhasil|PAYMENT_SUCCESS|Paid|Uitgevoerd|Effectué",
                Some(Status::Counts),
            ),
            (
                "Vorgemerkt|Umsatz vorgemerkt|Venter|Tertunda|Belum Dibayar|En attente|En cours|En proceso|Pendiente|Reserverad",
                Some(Status::Pending),
            ),
            (
                "deny|expire|Dibatalkan|Transaksi Gagal|Fehlgeschlagen|REVERTED|Voided|Kedaluwarsa",
                Some(Status::Failed),
            ),
            ("refund|Refunded|Partially Refunded|partial_refund", Some(Status::Returned)),
            ("Nej|CA|?|Umsatz", None),
        ] {
            for text in texts.split('|') {
                assert_eq!(status(text, &[]), expected, "{text}");
            }
        }
        assert_eq!(status("Success", &["ok".to_owned()]), None);
        assert!(is_pending_title("Vorgemerkte Umsätze:") && !is_pending_title("Posted transactions"));
    }
}
