//! Entries by hand.

use crate::http::prelude::*;
use crate::office::finance::hand_entry::{New, Opening, Reversal};
use crate::office::finance::journal::{self, Whole};

const ENTRY: &str = r#"{"entry_id": "jrn_1", "entry_no": 7, "store_id": "", "entry_date": "2026-11-20",
    "reference_date": null, "kind": "manual", "cause": {"type": "manual", "id": "jrn_1", "event_id": null},
    "cause_key": "jrn_1", "group_id": null, "memo": "rent of November", "total": 5000000, "reverses": null,
    "reversed_by": null, "created_by": "usr_1", "created_at": "2026-11-20T02:06:34.739Z",
    "lines": [{"line_no": 1, "account": "6110", "debit": 5000000, "credit": 0},
        {"line_no": 2, "account": "1040", "debit": 0, "credit": 5000000}], "source": null, "entries": []}"#;

pub const ROUTES: &[Route<Hub>] = &[
    post("/api/finance/journal", FINANCE, "Finance").summary("Create a journal entry; lines in several books are balanced through account 1290")
    .refuses(&[Code::DayLocked, Code::Unbalanced, Code::ApprovalRequired])
    .creates::<New>(
        r#"{"date": "2026-11-20", "memo": "rent of November", "lines": [{"account": "6110", "debit": 5000000},
            {"account": "1040", "credit": 5000000}]}"#,
        ENTRY,
    ),
    post("/api/finance/journal/:entry_id/reverse", FINANCE, "Finance").summary("Reverse an entry by hand and every entry of its group")
    .refuses(&[Code::DayLocked, Code::Duplicate, Code::InvalidState, Code::NotReady])
    .creates::<Reversal>(r#"{"reason": "the wrong month"}"#, ENTRY),
    post("/api/finance/opening", FINANCE, "Finance").summary("Post a book's opening balances, once; the difference is posted to account 3010")
    .refuses(&[Code::DayLocked, Code::Duplicate])
    .creates::<Opening>(
        r#"{"store_id": "", "date": "2026-11-18", "lines": [{"account": "1040", "debit": 20000000}]}"#,
        ENTRY,
    ),
];

/// The written entries: the entry of the first book, and the entries of all books.
#[derive(Serialize, JsonSchema)]
pub struct Posted {
    #[serde(flatten)]
    entry: Whole,
    /// The entries of all books, including this one.
    entries: Vec<Whole>,
}

impl Command for New {
    const ACTION: &'static str = "finance.entry_written";
    type Answer = Posted;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Posted>, Failure> {
        let (writer, finance) = (tx.writer().await?, tx.settings().await?.finance);
        let written = writer.post(tx.connection, &self, finance.manual_limit).await?;
        posted(tx, &written).await
    }
}

impl Command for Reversal {
    const ACTION: &'static str = "finance.entry_reversed";
    type Answer = Posted;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Posted>, Failure> {
        let (writer, finance) = (tx.writer().await?, tx.settings().await?.finance);
        let limit = finance.manual_limit;
        let written = writer.reverse(tx.connection, tx.path.get("entry_id"), &self, limit).await?;
        posted(tx, &written).await
    }
}

impl Command for Opening {
    const ACTION: &'static str = "finance.book_opened";
    type Answer = Posted;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Posted>, Failure> {
        let (writer, finance) = (tx.writer().await?, tx.settings().await?.finance);
        let written = writer.open_book(tx.connection, &self, finance.manual_limit).await?;
        posted(tx, &[written]).await
    }
}

async fn posted(tx: &mut Tx<'_>, written: &[String]) -> Result<Changed<Posted>, Failure> {
    let missing = || Failure::from(ApiError::internal("an entry that was just written is not there"));
    let mut read = Vec::new();
    for entry_id in written.iter().chain(written.first()) {
        read.push(journal::read(tx.connection, entry_id).await?.ok_or_else(missing)?);
    }
    let entry = read.pop().ok_or_else(missing)?;
    let posted = Posted { entry, entries: read };
    let entry = &posted.entry.entry;
    let location = format!("/api/finance/journal/{}", entry.entry_id);
    let details = json!({"entry_id": entry.entry_id, "store_id": entry.store_id, "date": entry.entry_date,
        "memo": entry.memo, "reverses": entry.reverses, "total": entry.total, "books": written.len()});
    Ok(Changed::created(location, &posted, details))
}
