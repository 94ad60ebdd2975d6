//! Mappings of methods and reasons to accounts, listed, added and withdrawn.

use crate::http::prelude::*;
use crate::office::finance::mapping::{self, Bookmark};

const MAPPING: &str = r#"{"mapping_id": "map_1", "of": "cash_reason", "key": "rent", "account": "6110", "from": "2026-11-20",
    "created_at": "2026-11-20T02:06:34.739Z", "created_by": "usr_1"}"#;

pub const ROUTES: &[Route<Hub>] = &[
    get("/api/finance/mappings", FINANCE, "Finance")
        .summary("List account mappings that override the standard chart, latest start date first")
        .lists::<Mappings>(MAPPING),
    post("/api/finance/mappings", FINANCE, "Finance")
        .summary("Map a payment method, a reason or a bank text to an account, from a date")
        .refuses(&[Code::Duplicate, Code::DayLocked])
        .creates::<mapping::New>(
            r#"{"of": "cash_reason", "key": "rent", "account": "6110", "from": "2026-11-20"}"#,
            MAPPING,
        ),
    delete("/api/finance/mappings/:id", FINANCE, "Finance")
        .summary("Delete a mapping that no entry used; the previous mapping applies again")
        .refuses(&[Code::InvalidState])
        .step::<Withdraw>(MAPPING),
];

/// The list of mappings.
pub struct Mappings;

impl PagedList for Mappings {
    type Query = Page;
    type Item = mapping::View;
    type Position = Bookmark;
    async fn read(page: PageOf<'_, Self>) -> Result<Vec<mapping::View>, Failure> {
        Ok(mapping::list(page.pool, page.after.as_ref(), page.limit).await?)
    }
    fn position(mapping: &mapping::View) -> Bookmark {
        (mapping.from, mapping.of.name().to_owned(), mapping.key.clone())
    }
}

impl Command for mapping::New {
    const ACTION: &'static str = "finance.mapping_created";
    type Answer = mapping::View;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<mapping::View>, Failure> {
        let writer = tx.writer().await?;
        let made = mapping::create(tx.connection, self, (writer.by, writer.now)).await?;
        Ok(Changed::created("/api/finance/mappings".to_owned(), &made, details(&made)))
    }
}

without_body!(Withdraw);

impl Command for Withdraw {
    const ACTION: &'static str = "finance.mapping_withdrawn";
    type Answer = mapping::View;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<mapping::View>, Failure> {
        tx.writer().await?;
        let gone = mapping::withdraw(tx.connection, tx.path.get("id")).await?;
        Ok(Changed::answer(&gone, details(&gone)))
    }
}

/// Details of a mapping for the audit log. An account number is not a figure.
fn details(mapping: &mapping::View) -> Value {
    let account = format!("account {}", mapping.account);
    json!({"of": mapping.of, "key": mapping.key, "from": mapping.from, "account": account})
}
