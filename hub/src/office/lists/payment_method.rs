//! Methods that customers pay with, and the accounts where their money is until it is settled.

use crate::http::prelude::*;
use crate::office::finance::mapping;
use crate::office::finance::writer::Writer;
use crate::office::lists::entry::{self, Entry, Problems, State};
use domain::model::base::limits::{ACCOUNT_DIGITS, NAME_CHARS_MAX, SHORT_ID_BYTES_MAX};
use domain::rules::books::posting::MappingOf;
use sqlx::AnyConnection;

const METHOD: &str = r#"{"method": "gopay", "name": "GoPay", "account": "1120", "state": "active"}"#;

pub const ROUTES: &[Route<Hub>] = &[
    get("/api/payment-methods", ADMIN, "Lists")
        .summary("List payment methods, ordered by code")
        .lists::<PaymentMethods>(METHOD),
    post("/api/payment-methods", ADMIN, "Lists")
        .summary("Create a payment method; an account also creates its mapping, from today")
        .refuses(&[Code::Duplicate, Code::DayLocked])
        .creates::<NewPaymentMethod>(r#"{"method": "gopay", "name": "GoPay", "account": "1120"}"#, METHOD),
    patch("/api/payment-methods/:method", ADMIN, "Lists")
        .summary("Update a payment method; a new account creates a mapping from today")
        .refuses(&[Code::Duplicate, Code::DayLocked])
        .command::<PaymentMethodChange>(r#"{"state": "inactive"}"#, METHOD),
];

/// A payment method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaymentMethod {
    /// Code of the method, as tills send it.
    pub method: String,
    /// Display name of the payment method.
    pub name: String,
    /// Account that payments by this method are mapped to today. Null for the account of the standard chart.
    pub account: Option<String>,
    /// Whether the entry can still be used.
    pub state: State,
}

impl Entry for PaymentMethod {
    const LIST: &'static str = "payment_methods";
    const WHAT: &'static str = "the payment method";
    fn key(&self) -> String {
        self.method.clone()
    }
}

/// Request body of `POST /api/payment-methods`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPaymentMethod {
    /// Code of the method, as tills send it.
    #[schemars(length(min = 1, max = SHORT_ID_BYTES_MAX))]
    pub method: String,
    /// Display name of the payment method.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX))]
    pub name: String,
    /// Account that payments by this method are mapped to from today. Null to leave the mapping as it is.
    #[schemars(length(equal = ACCOUNT_DIGITS))]
    pub account: Option<String>,
    /// Whether the entry can still be used.
    #[serde(default)]
    pub state: State,
}

/// Request body of `PATCH /api/payment-methods/:method`. Omitted fields stay as they are.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PaymentMethodChange {
    /// Display name of the payment method.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    #[schemars(length(min = 1, max = NAME_CHARS_MAX))]
    pub name: Option<String>,
    /// Account that payments by this method are mapped to from today. Null to leave the mapping as it is.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    #[schemars(length(equal = ACCOUNT_DIGITS))]
    pub account: Option<String>,
    /// Whether the entry can still be used.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub state: Option<State>,
}

impl Command for NewPaymentMethod {
    const ACTION: &'static str = "payment_method.created";
    type Answer = PaymentMethod;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<PaymentMethod>, Failure> {
        let writer = tx.writer().await?;
        let NewPaymentMethod { method, name, account, state } = self;
        let method = PaymentMethod { method, name: entry::named(&name)?, account, state };
        check(&method)?;
        entry::add(tx.connection, &method).await?;
        map(tx.connection, &method, &writer).await?;
        entry::created("/api/payment-methods", &method)
    }
}

impl Command for PaymentMethodChange {
    const ACTION: &'static str = "payment_method.changed";
    type Answer = PaymentMethod;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<PaymentMethod>, Failure> {
        let writer = tx.writer().await?;
        let mut method: PaymentMethod = entry::locked(tx.connection, tx.path.get("method")).await?;
        // Mappings are also made elsewhere: the one in force counts, not the one that the list has from its last
        // change.
        let in_force = mapping::of_method(tx.connection, &method.method, tx.today).await?;
        let before = PaymentMethod { account: in_force.clone(), ..method.clone() };
        if let Some(name) = &self.name {
            method.name = entry::named(name)?;
        }
        method.state = self.state.unwrap_or(method.state);
        let maps = self.account.is_some() && self.account != in_force;
        if maps && let Some(from) = mapping::later(tx.connection, &method.method, tx.today).await? {
            let problem = format!(
                "has another mapping from {from} on: use POST /api/finance/mappings to set the first day of the new one"
            );
            return Err(ApiError::field("account", problem).into());
        }
        method.account = self.account.or(in_force);
        check(&method)?;
        entry::put(tx.connection, &method).await?;
        if maps {
            map(tx.connection, &method, &writer).await?;
        }
        entry::changed(&before, &method)
    }
}

/// The list of payment methods, each with the account that counts today.
pub struct PaymentMethods;

impl PagedList for PaymentMethods {
    type Query = Page;
    type Item = PaymentMethod;
    type Position = String;
    async fn read(page: PageOf<'_, Self>) -> Result<Vec<PaymentMethod>, Failure> {
        let (pool, today) = (page.pool, page.request.state.today(clock::now()));
        let mut connection = pool.acquire().await?;
        let mut methods: Vec<PaymentMethod> =
            entry::list(&mut *connection, &page.after.unwrap_or_default(), page.limit).await?;
        for method in &mut methods {
            method.account = mapping::of_method(&mut connection, &method.method, today).await?;
        }
        Ok(methods)
    }
    fn position(method: &PaymentMethod) -> String {
        method.key()
    }
}

async fn map(
    connection: &mut AnyConnection,
    method: &PaymentMethod,
    writer: &Writer<'_>,
) -> Result<(), Failure> {
    let Some(account) = method.account.clone() else { return Ok(()) };
    // A mapping made earlier the same day is corrected, as long as no entry has used it.
    if let Some(before) = mapping::of_day(connection, &method.method, writer.today).await? {
        mapping::remove(connection, &before).await?;
    }
    let mapping = mapping::New::of(MappingOf::Method, method.method.clone(), account, writer.today);
    mapping::create(connection, mapping, (writer.by, writer.now)).await.map(drop)
}

fn check(method: &PaymentMethod) -> Result<(), ApiError> {
    let mut problems = Problems::default();
    problems.code("method", &method.method);
    problems.name(&method.name);
    problems.done()
}
