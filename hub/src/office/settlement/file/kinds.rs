//! What the type, the status or the text of a row says that the row is.

use crate::office::settlement::file::format::Format;
use crate::office::settlement::file::set_aside::Reason;
use domain::rules::books::settlement::LineKind;

/// Types that providers write, as they write them in lower case, where the source does not say what they mean.
const TYPES: [(&str, &str); 33] = [
    ("charge", "sale"),
    ("capture", "sale"),
    ("captured", "sale"),
    ("settled", "sale"),
    ("purchase", "sale"),
    ("website payment", "sale"),
    ("express checkout payment", "sale"),
    ("mobile payment", "sale"),
    ("pembayaran", "sale"),
    ("refunded", "refund"),
    ("payment refund", "refund"),
    ("payment_refund", "refund"),
    ("pengembalian", "refund"),
    ("dispute", "chargeback"),
    ("dispute_reversal", "chargeback_reversal"),
    ("chargebackreversed", "chargeback_reversal"),
    ("fees", "fee"),
    ("transaction fee", "fee"),
    ("stripe_fee", "fee"),
    ("biaya", "fee"),
    ("merchantpayout", "payout"),
    ("general withdrawal", "payout"),
    ("withdrawal", "payout"),
    ("settlement", "payout"),
    ("depositcorrection", "adjustment"),
    ("invoicededuction", "adjustment"),
    ("balancetransfer", "transfer"),
    ("general authorization", "pending"),
    ("authorised", "pending"),
    ("authorized", "pending"),
    ("authorization", "pending"),
    ("refused", "failed"),
    ("general currency conversion", "ignore"),
];
/// Statuses of money that moved.
const COUNTS: [&str; 20] = [
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
    "captured",
    "paid",
    "lunas",
    "booked",
    "book",
    "posted",
    "done",
    "approved",
    "ok",
    "available",
];
/// Statuses of money that may still move.
const PENDING: [&str; 12] = [
    "pend",
    "pending",
    "pdng",
    "tertunda",
    "menunggu",
    "in progress",
    "processing",
    "authorised",
    "authorized",
    "open",
    "on hold",
    "created",
];
/// Statuses of money that never moved.
const FAILED: [&str; 14] = [
    "failed",
    "failure",
    "gagal",
    "expired",
    "kedaluwarsa",
    "kadaluarsa",
    "cancelled",
    "canceled",
    "batal",
    "declined",
    "denied",
    "rejected",
    "void",
    "voided",
];
/// Beginnings of the texts of balances and sums.
const BALANCES: [&str; 26] = [
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
/// Those that also stand as the text of a row with a day: `total` may begin a payer's name.
const BALANCES_WITH_A_DAY: [&str; 14] = [
    "saldo awal",
    "saldo akhir",
    "opening balance",
    "closing balance",
    "beginning balance",
    "ending balance",
    "starting balance",
    "balance brought forward",
    "balance carried forward",
    "beginsaldo",
    "eindsaldo",
    "anfangssaldo",
    "endsaldo",
    "saldo per",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKind {
    /// A line of the statement.
    Line(LineKind),
    /// No line, for this reason.
    Aside(Reason),
}

impl RowKind {
    /// The kind of that name: a type of a line, or what is none.
    pub fn parse(name: &str) -> Option<Self> {
        let name = name.trim().to_lowercase();
        match name.as_str() {
            "pending" => Some(Self::Aside(Reason::Pending)),
            "failed" | "expired" => Some(Self::Aside(Reason::Status)),
            "ignore" => Some(Self::Aside(Reason::Ignored)),
            name => LineKind::parse(name).map(Self::Line),
        }
    }

    /// Meaning of a type that the source does not map.
    pub fn usual(text: &str) -> Option<Self> {
        let text = text.trim().to_lowercase();
        let known = TYPES.iter().find(|(known, _)| *known == text).map(|(_, name)| *name);
        Self::parse(known.unwrap_or(&text))
    }
}

/// Meaning of a text in the column of types: the source's own types, or the usual ones where it lists none of that text.
pub fn kind_of(text: &str, format: &Format) -> Option<RowKind> {
    let lower = text.trim().to_lowercase();
    let listed = format.types.iter().find(|(known, _)| known.trim().to_lowercase() == lower);
    match listed {
        Some((_, kind)) => RowKind::parse(kind),
        None => RowKind::usual(text),
    }
}

/// Meaning of a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Money moved; the row counts.
    Counts,
    /// Money may still move.
    Pending,
    /// No money moved.
    Failed,
}

/// Meaning of a status. `None` if it is not known. `words` are those that count, or empty for the usual ones.
pub fn status(text: &str, words: &[String]) -> Option<Status> {
    let text = text.trim().to_lowercase();
    let has = |known: &[&str]| known.contains(&text.as_str());
    let counts = match words {
        [] => has(&COUNTS),
        words => words.iter().any(|word| word.trim().to_lowercase() == text),
    };
    match () {
        () if counts => Some(Status::Counts),
        () if has(&PENDING) => Some(Status::Pending),
        () if has(&FAILED) => Some(Status::Failed),
        () => None,
    }
}

/// Whether the place of a day holds a word for what is not booked yet.
pub fn is_pending_word(text: &str) -> bool {
    let text = text.trim().to_lowercase();
    PENDING.contains(&text.as_str())
}

/// Whether a text is that of a balance or a sum.
pub fn is_balance(text: &str, has_day: bool) -> bool {
    let text = text.trim().to_lowercase();
    let begins = |known: &&str| {
        let rest = text.strip_prefix(*known);
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    if has_day { BALANCES_WITH_A_DAY.iter().any(begins) } else { BALANCES.iter().any(begins) }
}
