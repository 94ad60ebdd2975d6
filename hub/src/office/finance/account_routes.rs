//! The chart of accounts, listed, added to and changed.

use crate::http::change;
use crate::http::{Answered, Request, bound_page};
use crate::office::finance::account::{self, Chart, State};
use crate::office::finance::writer::begun_alone;
use domain::model::base::answer::Answer;
use domain::rules::books::posting::plan::AccountType;
use edge::page::{Cursor, Limit};
use edge::{Code, Doc, Reply};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

const ACCOUNT: &str = r#"{"account": "6110", "name": "Rent", "type": "expense", "contra": false, "system": false,
    "control": false, "parent": null, "state": "active"}"#;

pub const LIST: Doc = Doc::of("Finance", "List accounts, ordered by number")
    .query::<AccountsQuery>()
    .lists::<account::View>(ACCOUNT);
pub const ADD: Doc = Doc::of("Finance", "Create an account")
    .body::<account::New>(r#"{"account": "6110", "name": "Rent", "type": "expense"}"#)
    .creates::<account::View>(ACCOUNT)
    .refuses(&[Code::Duplicate]);
pub const CHANGE: Doc =
    Doc::of("Finance", "Update an account; for accounts of the standard chart only the name can change")
        .body::<account::Change>(r#"{"name": "Rent of shops"}"#)
        .answers::<account::View>(ACCOUNT)
        .refuses(&[Code::NotReady]);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AccountsQuery {
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
    #[serde(rename = "type")]
    kind: Option<AccountType>,
    state: Option<State>,
}

/// `GET /api/finance/accounts`
pub async fn list(request: Request) -> Answered {
    let ask: AccountsQuery = request.query()?;
    let after = bound_page::after_in::<String>(&request, ask.cursor.as_ref())?.unwrap_or_default();
    let chart = Chart::read(&mut *request.state.db.pool().acquire().await?).await?;
    let items = chart.list(&after, ask.kind, ask.state, ask.limit.one_more());
    Ok(Reply::ok(&bound_page::cut_in(&request, items, ask.limit, |item| item.account.clone())?))
}

/// `POST /api/finance/accounts`
pub async fn add(request: Request) -> Answered {
    let new: account::New = request.json()?;
    let (mut keyed, _) = begun_alone!(request);
    let made = account::create(&mut keyed.write, new).await?;
    let location = format!("/api/finance/accounts/{}/entries", made.account);
    let done = ("finance.account_created", details(&made));
    change::finish_audited(&request, keyed, done, Answer::created(location, &made)).await
}

/// `PATCH /api/finance/accounts/:account`
pub async fn change(request: Request) -> Answered {
    let asked: account::Change = request.json()?;
    let (mut keyed, _) = begun_alone!(request);
    let [before, after] = account::change(&mut keyed.write, request.param("account"), asked).await?;
    let done = ("finance.account_changed", details(&after));
    change::finish_changed(&request, keyed, done, [&before, &after]).await
}

fn details(account: &account::View) -> Value {
    let account::View { name, kind, state, .. } = account;
    let number: Option<u16> = account.account.parse().ok();
    json!({"account": number, "name": name, "type": kind, "state": state})
}
