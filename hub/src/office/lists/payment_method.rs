//! Methods that customers pay with, and the accounts where their money is until it is settled.

use crate::db::failure::Failure;
use crate::office::finance::mapping;
use crate::office::finance::writer::Writer;
use crate::office::lists::entry::{self, Entry, Problems, State};
use domain::rules::books::posting::MappingOf;
use edge::ApiError;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;

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
    pub method: String,
    /// Display name of the payment method.
    pub name: String,
    /// Account that payments by this method are mapped to from today. Null to leave the mapping as it is.
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
    pub name: Option<String>,
    /// Account that payments by this method are mapped to from today. Null to leave the mapping as it is.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub account: Option<String>,
    /// Whether the entry can still be used.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub state: Option<State>,
}

/// Adds a method, with its mapping.
///
/// # Errors
/// 422; 409 `duplicate`, `day_locked`.
pub async fn create(
    connection: &mut AnyConnection,
    new: NewPaymentMethod,
    writer: &Writer<'_>,
) -> Result<PaymentMethod, Failure> {
    let NewPaymentMethod { method, name, account, state } = new;
    let method = PaymentMethod { method, name: name.trim().to_owned(), account, state };
    check(&method)?;
    entry::add(connection, &method).await?;
    map(connection, &method, writer).await?;
    Ok(method)
}

/// Changes a method; another account is a further mapping.
///
/// # Errors
/// 404; 422; 409 `invalid_state` for an account that was named the same day and that something was posted to, `day_locked`.
pub async fn change(
    connection: &mut AnyConnection,
    method: &str,
    asked: PaymentMethodChange,
    writer: &Writer<'_>,
) -> Result<[PaymentMethod; 2], Failure> {
    let mut method: PaymentMethod = entry::locked(connection, method).await?;
    // Mappings are made elsewhere too: the one in force counts, not the one that the list has from its last change.
    let in_force = mapping::of_method(connection, &method.method, writer.today).await?;
    let before = PaymentMethod { account: in_force.clone(), ..method.clone() };
    method.name = asked.name.map_or(method.name, |name| name.trim().to_owned());
    method.state = asked.state.unwrap_or(method.state);
    let maps = asked.account.is_some() && asked.account != in_force;
    if maps && let Some(from) = mapping::later(connection, &method.method, writer.today).await? {
        let problem = format!(
            "has another mapping from {from} on: use POST /api/finance/mappings to set the first day of the new one"
        );
        return Err(ApiError::field("account", problem).into());
    }
    method.account = asked.account.or(in_force);
    check(&method)?;
    entry::put(connection, &method).await?;
    if maps {
        map(connection, &method, writer).await?;
    }
    Ok([before, method])
}

/// Those after a place, each with the account that counts today.
pub async fn list(
    connection: &mut AnyConnection,
    (after, limit): (&str, i64),
    today: Date,
) -> Result<Vec<PaymentMethod>, sqlx::Error> {
    let mut methods: Vec<PaymentMethod> = entry::list(&mut *connection, after, limit).await?;
    for method in &mut methods {
        method.account = mapping::of_method(connection, &method.method, today).await?;
    }
    Ok(methods)
}

async fn map(
    connection: &mut AnyConnection,
    method: &PaymentMethod,
    writer: &Writer<'_>,
) -> Result<(), Failure> {
    let Some(account) = method.account.clone() else { return Ok(()) };
    // What was said earlier the same day is put right, as long as nothing was posted by it.
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
