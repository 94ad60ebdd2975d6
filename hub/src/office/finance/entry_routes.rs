//! What a person writes into the books.

use crate::db::failure::Failure;
use crate::http::change;
use crate::http::{Answered, Request};
use crate::office::finance::hand_entry::{New, Opening, Reversal};
use crate::office::finance::journal::{self, Whole};
use crate::office::finance::writer::begun_alone;
use crate::state::idempotency::Keyed;
use domain::model::base::answer::Answer;
use edge::{ApiError, Code, Doc};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

const ENTRY: &str = r#"{"entry_id": "jrn_1", "entry_no": 7, "store_id": "", "entry_date": "2026-11-20",
    "reference_date": null, "kind": "manual", "cause": {"type": "manual", "id": "jrn_1", "event_id": null},
    "cause_key": "jrn_1", "group_id": null, "memo": "rent of November", "total": 5000000, "reverses": null,
    "reversed_by": null, "created_by": "usr_1", "created_at": "2026-11-20T02:06:34.739Z",
    "lines": [{"line_no": 1, "account": "6110", "debit": 5000000, "credit": 0},
        {"line_no": 2, "account": "1040", "debit": 0, "credit": 5000000}], "source": null, "entries": []}"#;

pub const POST: Doc = Doc::of(
    "Finance",
    "Create a journal entry; lines in several books are balanced through account 1290",
)
.body::<New>(
    r#"{"date": "2026-11-20", "memo": "rent of November", "lines": [{"account": "6110", "debit": 5000000},
            {"account": "1040", "credit": 5000000}]}"#,
)
.creates::<Posted>(ENTRY)
.refuses(&[Code::DayLocked, Code::Unbalanced, Code::ApprovalRequired]);
pub const REVERSE: Doc = Doc::of("Finance", "Reverse a manual entry and every entry of its group")
    .body::<Reversal>(r#"{"reason": "the wrong month"}"#)
    .creates::<Posted>(ENTRY)
    .refuses(&[Code::DayLocked, Code::Duplicate, Code::InvalidState, Code::NotReady]);
pub const OPENING: Doc =
    Doc::of("Finance", "Post a book's opening balances, once; the difference is posted to 3010")
        .body::<Opening>(
            r#"{"store_id": "", "date": "2026-11-18", "lines": [{"account": "1040", "debit": 20000000}]}"#,
        )
        .creates::<Posted>(ENTRY)
        .refuses(&[Code::DayLocked, Code::Duplicate]);

/// The written entries: the entry of the first book, and the entries of all books.
#[derive(Serialize, JsonSchema)]
struct Posted {
    #[serde(flatten)]
    entry: Whole,
    /// The entries of all books, including this one.
    entries: Vec<Whole>,
}

/// `POST /api/finance/journal`
pub async fn post(request: Request) -> Answered {
    let new: New = request.json()?;
    let (mut keyed, writer) = begun_alone!(request);
    let limit = request.state.settings(&mut keyed.write).await?.finance.manual_limit;
    let written = writer.post(&mut keyed.write, &new, limit).await?;
    answer(&request, keyed, "finance.entry_written", &written).await
}

/// `POST /api/finance/journal/:entry_id/reverse`
pub async fn reverse(request: Request) -> Answered {
    let asked: Reversal = request.json()?;
    let (mut keyed, writer) = begun_alone!(request);
    let written = writer.reverse(&mut keyed.write, request.param("entry_id"), &asked).await?;
    answer(&request, keyed, "finance.entry_reversed", &written).await
}

/// `POST /api/finance/opening`
pub async fn opening(request: Request) -> Answered {
    let opening: Opening = request.json()?;
    let (mut keyed, writer) = begun_alone!(request);
    let written = writer.open_book(&mut keyed.write, &opening).await?;
    answer(&request, keyed, "finance.book_opened", &[written]).await
}

async fn answer(request: &Request, mut keyed: Box<Keyed>, action: &str, written: &[String]) -> Answered {
    let missing = || Failure::from(ApiError::internal("an entry that was just written is not there"));
    let mut read = Vec::new();
    for entry_id in written.iter().chain(written.first()) {
        read.push(journal::read(&mut keyed.write, entry_id).await?.ok_or_else(missing)?);
    }
    let entry = read.pop().ok_or_else(missing)?;
    let posted = Posted { entry, entries: read };
    let entry = &posted.entry.entry;
    let location = format!("/api/finance/journal/{}", entry.entry_id);
    let details = json!({"entry_id": entry.entry_id, "store_id": entry.store_id, "date": entry.entry_date,
        "memo": entry.memo, "reverses": entry.reverses, "total": entry.total, "books": written.len()});
    change::finish_audited(request, keyed, (action, details), Answer::created(location, &posted)).await
}
