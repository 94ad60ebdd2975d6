//! The chart of accounts, listed, added to and changed.

use crate::http::prelude::*;
use crate::office::finance::account::{self, Chart, State};
use domain::rules::books::posting::plan::AccountType;

const ACCOUNT: &str = r#"{"account": "6110", "name": "Rent", "type": "expense", "contra": false, "system": false,
    "control": false, "parent": null, "state": "active", "export_code": null}"#;

pub const ROUTES: &[Route<Hub>] = &[
    get("/api/finance/accounts", FINANCE, "Finance")
        .summary("List accounts, ordered by number")
        .lists::<AccountsQuery>(ACCOUNT),
    post("/api/finance/accounts", FINANCE, "Finance")
        .summary("Create an account")
        .refuses(&[Code::Duplicate])
        .creates::<account::New>(r#"{"account": "6110", "name": "Rent", "type": "expense"}"#, ACCOUNT),
    patch("/api/finance/accounts/:account", FINANCE, "Finance")
        .summary("Update an account; for accounts of the standard chart only the name and the export code can change")
        .refuses(&[Code::NotReady])
        .command::<account::Change>(r#"{"name": "Rent of shops"}"#, ACCOUNT),
];

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AccountsQuery {
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
    #[serde(rename = "type")]
    kind: Option<AccountType>,
    state: Option<State>,
}

page_query!(AccountsQuery);

impl PagedList for AccountsQuery {
    type Query = Self;
    type Item = account::View;
    type Position = String;
    async fn read(page: PageOf<'_, Self>) -> Result<Vec<account::View>, Failure> {
        let chart = Chart::read(&mut *page.pool.acquire().await?).await?;
        Ok(chart.list(
            &page.after.unwrap_or_default(),
            page.query.kind,
            page.query.state,
            page.query.limit.one_more(),
        ))
    }
    fn position(account: &account::View) -> String {
        account.account.clone()
    }
}

impl Command for account::New {
    const ACTION: &'static str = "finance.account_created";
    type Answer = account::View;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<account::View>, Failure> {
        tx.writer().await?;
        let made = account::create(tx.connection, self).await?;
        let location = format!("/api/finance/accounts/{}/entries", made.account);
        Ok(Changed::created(location, &made, details(&made)))
    }
}

impl Command for account::Change {
    const ACTION: &'static str = "finance.account_changed";
    type Answer = account::View;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<account::View>, Failure> {
        tx.writer().await?;
        let [before, after] = account::change(tx.connection, tx.path.get("account"), self).await?;
        Ok(Changed::document([&before, &after], details(&after)))
    }
}

fn details(account: &account::View) -> Value {
    let account::View { name, kind, state, .. } = account;
    let number: Option<u16> = account.account.parse().ok();
    json!({"account": number, "name": name, "type": kind, "state": state})
}
