//! Mappings of methods and reasons to accounts, listed, added and withdrawn.

use crate::http::change::{self, begun};
use crate::http::{Answered, Request, bound_page};
use crate::office::finance::mapping::{self, Bookmark};
use crate::office::finance::writer::{Writer, begun_alone};
use domain::model::base::answer::Answer;
use edge::identity::EmptyBody;
use edge::page::Page;
use edge::{Code, Doc, Reply, clock};
use serde_json::json;

const MAPPING: &str = r#"{"mapping_id": "map_1", "of": "cash_reason", "key": "rent", "account": "6110", "from": "2026-11-20",
    "created_at": "2026-11-20T02:06:34.739Z", "created_by": "usr_1"}"#;

pub const LIST: Doc =
    Doc::of("Finance", "List account mappings that override the standard chart, latest start date first")
        .query::<Page>()
        .lists::<mapping::View>(MAPPING);
pub const ADD: Doc =
    Doc::of("Finance", "Map a payment method, a reason or a bank text to an account, from a date")
        .body::<mapping::New>(
            r#"{"of": "cash_reason", "key": "rent", "account": "6110", "from": "2026-11-20"}"#,
        )
        .creates::<mapping::View>(MAPPING)
        .refuses(&[Code::Duplicate, Code::DayLocked]);
pub const WITHDRAW: Doc =
    Doc::of("Finance", "Delete a mapping that no entry used; the previous mapping applies again")
        .optional_body::<EmptyBody>("{}")
        .answers::<mapping::View>(MAPPING)
        .refuses(&[Code::InvalidState]);

/// `GET /api/finance/mappings`
pub async fn list(request: Request) -> Answered {
    let page: Page = request.query()?;
    let after: Option<Bookmark> = bound_page::after_in(&request, page.cursor.as_ref())?;
    let items = mapping::list(request.state.db.pool(), after.as_ref(), change::one_more(page.limit)).await?;
    let place = |item: &mapping::View| (item.from, item.of.name().to_owned(), item.key.clone());
    Ok(Reply::ok(&bound_page::cut_in(&request, items, page.limit, place)?))
}

/// `POST /api/finance/mappings`
pub async fn add(request: Request) -> Answered {
    let new: mapping::New = request.json()?;
    let now = clock::now();
    let mut keyed = begun!(request, now);
    let by = Writer::alone(&mut keyed.write, &request, now).await?.by;
    let made = mapping::create(&mut keyed.write, new, (by, now)).await?;
    let account = format!("account {}", made.account);
    let details = json!({"of": made.of, "key": made.key, "from": made.from, "account": account});
    let done = ("finance.mapping_created", details);
    change::finish_audited(&request, keyed, done, Answer::created("/api/finance/mappings".to_owned(), &made))
        .await
}

/// `DELETE /api/finance/mappings/:id`
pub async fn withdraw(request: Request) -> Answered {
    let EmptyBody {} = request.json()?;
    let (mut keyed, _) = begun_alone!(request);
    let gone = mapping::withdraw(&mut keyed.write, request.param("id")).await?;
    let account = format!("account {}", gone.account);
    let details = json!({"of": gone.of, "key": gone.key, "from": gone.from, "account": account});
    change::finish_audited(&request, keyed, ("finance.mapping_withdrawn", details), Answer::ok(&gone)).await
}
