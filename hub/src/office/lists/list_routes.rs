//! The company's lists, read, added to and changed.

use crate::db::failure::Failure;
use crate::http::change::{self, begun};
use crate::http::{Answered, Request, bound_page};
use crate::office::finance::writer::begun_alone;
use crate::office::lists::category::{self, Category, CategoryChange, NewCategory};
use crate::office::lists::entry::{self, Entry};
use crate::office::lists::payment_method::{self, NewPaymentMethod, PaymentMethod, PaymentMethodChange};
use crate::office::lists::reason::{self, NewReason, Reason, ReasonChange};
use crate::office::lists::tax_code::{self, NewTaxCode, TaxCode, TaxCodeChange};
use crate::office::lists::tier::{self, NewTier, Tier, TierChange};
use crate::state::idempotency::Keyed;
use domain::model::base::answer::Answer;
use edge::page::Page;
use edge::{ApiError, Code, Doc, Reply, clock};
use serde_json::Value;

const CATEGORY: &str = r#"{"code": "Tea", "name": "Tea and coffee", "parent": null, "state": "active"}"#;
const TAX_CODE: &str = r#"{"tax_code": "PPN11", "name": "PPN 11 %", "rate_bp": 1100, "kind": "standard"}"#;
const TIER: &str = r#"{"tier": "gold", "name": "Gold", "multiplier_bp": 15000}"#;
const REASON: &str = r#"{"list": "returns", "code": "torn", "name": "Torn"}"#;
const METHOD: &str = r#"{"method": "gopay", "name": "GoPay", "account": "1120", "state": "active"}"#;

pub const CATEGORIES: Doc =
    Doc::of("Lists", "List categories, ordered by code").query::<Page>().lists::<Category>(CATEGORY);
pub const ADD_CATEGORY: Doc = Doc::of("Lists", "Create a category")
    .body::<NewCategory>(r#"{"code": "Tea", "name": "Tea and coffee"}"#)
    .creates::<Category>(CATEGORY)
    .refuses(&[Code::Duplicate]);
pub const CHANGE_CATEGORY: Doc = Doc::of("Lists", "Update a category")
    .body::<CategoryChange>(r#"{"parent": "", "state": "inactive"}"#)
    .answers::<Category>(CATEGORY);
pub const TAX_CODES: Doc =
    Doc::of("Lists", "List tax codes, ordered by code").query::<Page>().lists::<TaxCode>(TAX_CODE);
pub const ADD_TAX_CODE: Doc = Doc::of("Lists", "Create a tax code")
    .body::<NewTaxCode>(TAX_CODE)
    .creates::<TaxCode>(TAX_CODE)
    .refuses(&[Code::Duplicate]);
pub const CHANGE_TAX_CODE: Doc =
    Doc::of("Lists", "Update a tax code; a rate that was used in a sale can't change")
        .body::<TaxCodeChange>(r#"{"name": "PPN"}"#)
        .answers::<TaxCode>(TAX_CODE)
        .refuses(&[Code::InvalidState]);
pub const TIERS: Doc =
    Doc::of("Lists", "List member tiers, ordered by code").query::<Page>().lists::<Tier>(TIER);
pub const ADD_TIER: Doc =
    Doc::of("Lists", "Create a member tier; stores get it through their setting `tiers`")
        .body::<NewTier>(TIER)
        .creates::<Tier>(TIER)
        .refuses(&[Code::Duplicate]);
pub const CHANGE_TIER: Doc = Doc::of("Lists", "Update a member tier")
    .body::<TierChange>(r#"{"multiplier_bp": 20000}"#)
    .answers::<Tier>(TIER);
pub const REASONS: Doc =
    Doc::of("Lists", "List reasons, ordered by list and code").query::<Page>().lists::<Reason>(REASON);
pub const ADD_REASON: Doc =
    Doc::of("Lists", "Create a reason; stores get it through their setting `reasons`")
        .body::<NewReason>(REASON)
        .creates::<Reason>(REASON)
        .refuses(&[Code::Duplicate]);
pub const CHANGE_REASON: Doc = Doc::of("Lists", "Rename a reason")
    .body::<ReasonChange>(r#"{"name": "Torn or broken"}"#)
    .answers::<Reason>(REASON);
pub const METHODS: Doc =
    Doc::of("Lists", "List payment methods, ordered by code").query::<Page>().lists::<PaymentMethod>(METHOD);
pub const ADD_METHOD: Doc =
    Doc::of("Lists", "Create a payment method; an account also creates its mapping, from today")
        .body::<NewPaymentMethod>(r#"{"method": "gopay", "name": "GoPay", "account": "1120"}"#)
        .creates::<PaymentMethod>(METHOD)
        .refuses(&[Code::Duplicate, Code::DayLocked]);
pub const CHANGE_METHOD: Doc =
    Doc::of("Lists", "Update a payment method; a new account creates a mapping from today")
        .body::<PaymentMethodChange>(r#"{"state": "inactive"}"#)
        .answers::<PaymentMethod>(METHOD)
        .refuses(&[Code::Duplicate, Code::DayLocked]);

async fn listed<T: Entry + schemars::JsonSchema>(request: Request) -> Answered {
    let page: Page = request.query()?;
    let after: String = bound_page::after_in(&request, page.cursor.as_ref())?.unwrap_or_default();
    let items: Vec<T> = entry::list(request.state.db.pool(), &after, change::one_more(page.limit)).await?;
    Ok(Reply::ok(&bound_page::cut_in(&request, items, page.limit, Entry::key)?))
}

/// Details of an entry for the audit log: its fields. An account number is not a figure.
fn details<T: Entry>(entry: &T) -> Result<Value, Failure> {
    let mut details = serde_json::to_value(entry).map_err(ApiError::internal)?;
    if let Some(account) = details.get_mut("account")
        && let Some(number) = account.as_str()
    {
        *account = format!("account {number}").into();
    }
    Ok(details)
}

async fn added<T: Entry>(
    request: &Request,
    keyed: Box<Keyed>,
    (action, path): (&str, &str),
    entry: &T,
) -> Answered {
    let done = (action, details(entry)?);
    change::finish_audited(request, keyed, done, Answer::created(path.to_owned(), entry)).await
}

async fn changed<T: Entry>(
    request: &Request,
    keyed: Box<Keyed>,
    action: &str,
    [before, after]: &[T; 2],
) -> Answered {
    let done = (action, details(after)?);
    change::finish_changed(request, keyed, done, [before, after]).await
}

/// `GET /api/categories`
pub async fn categories(request: Request) -> Answered {
    listed::<Category>(request).await
}

/// `POST /api/categories`
pub async fn add_category(request: Request) -> Answered {
    let new: NewCategory = request.json()?;
    let mut keyed = begun!(request, clock::now());
    let made = category::create(&mut keyed.write, new).await?;
    added(&request, keyed, ("category.created", "/api/categories"), &made).await
}

/// `PATCH /api/categories/:code`
pub async fn change_category(request: Request) -> Answered {
    let asked: CategoryChange = request.json()?;
    let mut keyed = begun!(request, clock::now());
    let both = category::change(&mut keyed.write, request.param("code"), asked).await?;
    changed(&request, keyed, "category.changed", &both).await
}

/// `GET /api/tax-codes`
pub async fn tax_codes(request: Request) -> Answered {
    listed::<TaxCode>(request).await
}

/// `POST /api/tax-codes`
pub async fn add_tax_code(request: Request) -> Answered {
    let new: NewTaxCode = request.json()?;
    let mut keyed = begun!(request, clock::now());
    let made = tax_code::create(&mut keyed.write, new).await?;
    added(&request, keyed, ("tax_code.created", "/api/tax-codes"), &made).await
}

/// `PATCH /api/tax-codes/:tax_code`
pub async fn change_tax_code(request: Request) -> Answered {
    let asked: TaxCodeChange = request.json()?;
    let mut keyed = begun!(request, clock::now());
    let both = tax_code::change(&mut keyed.write, request.param("tax_code"), asked).await?;
    changed(&request, keyed, "tax_code.changed", &both).await
}

/// `GET /api/tiers`
pub async fn tiers(request: Request) -> Answered {
    listed::<Tier>(request).await
}

/// `POST /api/tiers`
pub async fn add_tier(request: Request) -> Answered {
    let new: NewTier = request.json()?;
    let mut keyed = begun!(request, clock::now());
    let made = tier::create(&mut keyed.write, new).await?;
    added(&request, keyed, ("tier.created", "/api/tiers"), &made).await
}

/// `PATCH /api/tiers/:tier`
pub async fn change_tier(request: Request) -> Answered {
    let asked: TierChange = request.json()?;
    let mut keyed = begun!(request, clock::now());
    let both = tier::change(&mut keyed.write, request.param("tier"), asked).await?;
    changed(&request, keyed, "tier.changed", &both).await
}

/// `GET /api/reasons`
pub async fn reasons(request: Request) -> Answered {
    listed::<Reason>(request).await
}

/// `POST /api/reasons`
pub async fn add_reason(request: Request) -> Answered {
    let new: NewReason = request.json()?;
    let mut keyed = begun!(request, clock::now());
    let made = reason::create(&mut keyed.write, new).await?;
    added(&request, keyed, ("reason.created", "/api/reasons"), &made).await
}

/// `PATCH /api/reasons/:list/:code`
pub async fn change_reason(request: Request) -> Answered {
    let asked: ReasonChange = request.json()?;
    let mut keyed = begun!(request, clock::now());
    let named = (request.param("list"), request.param("code"));
    let both = reason::change(&mut keyed.write, named, asked).await?;
    changed(&request, keyed, "reason.changed", &both).await
}

/// `GET /api/payment-methods`
pub async fn methods(request: Request) -> Answered {
    let page: Page = request.query()?;
    let after: String = bound_page::after_in(&request, page.cursor.as_ref())?.unwrap_or_default();
    let (pool, today) = (request.state.db.pool(), request.state.today(clock::now()));
    let mut connection = pool.acquire().await?;
    let limit = change::one_more(page.limit);
    let items = payment_method::list(&mut connection, (&after, limit), today).await?;
    Ok(Reply::ok(&bound_page::cut_in(&request, items, page.limit, Entry::key)?))
}

/// `POST /api/payment-methods`
pub async fn add_method(request: Request) -> Answered {
    let new: NewPaymentMethod = request.json()?;
    let (mut keyed, writer) = begun_alone!(request);
    let made = payment_method::create(&mut keyed.write, new, &writer).await?;
    added(&request, keyed, ("payment_method.created", "/api/payment-methods"), &made).await
}

/// `PATCH /api/payment-methods/:method`
pub async fn change_method(request: Request) -> Answered {
    let asked: PaymentMethodChange = request.json()?;
    let (mut keyed, writer) = begun_alone!(request);
    let both = payment_method::change(&mut keyed.write, request.param("method"), asked, &writer).await?;
    changed(&request, keyed, "payment_method.changed", &both).await
}
