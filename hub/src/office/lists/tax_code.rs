//! Tax codes: why a product is taxed as it is.

use crate::db::failure::Failure;
use crate::office::lists::entry::{self, Entry, Problems};
use domain::model::base::refusal::Refusal;
use edge::ApiError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;

/// All of a price, in basis points.
const RATE_BP_MAX: u32 = 10_000;

/// Kind of tax.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaxKind {
    /// Standard rate.
    Standard,
    /// Taxed at 0 %.
    Zero,
    /// Exempt from tax.
    Exempt,
    /// Rate for luxury goods.
    Luxury,
}

/// A tax code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TaxCode {
    /// Tax code, as products and sales name it.
    pub tax_code: String,
    /// Display name of the tax code.
    pub name: String,
    /// Tax rate in basis points; 0 if no tax is charged.
    pub rate_bp: u32,
    /// Kind of tax.
    pub kind: TaxKind,
}

impl Entry for TaxCode {
    const LIST: &'static str = "tax_codes";
    const WHAT: &'static str = "the tax code";
    fn key(&self) -> String {
        self.tax_code.clone()
    }
}

/// Request body of `PATCH /api/tax-codes/:tax_code`. Omitted fields stay as they are.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaxCodeChange {
    /// Display name of the tax code.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub name: Option<String>,
    /// Tax rate in basis points. It can change until something was sold with the code.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub rate_bp: Option<u32>,
    /// Kind of tax. It can change until something was sold with the code.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub kind: Option<TaxKind>,
}

/// Request body of `POST /api/tax-codes`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewTaxCode {
    /// Tax code, as products and sales name it.
    pub tax_code: String,
    /// Display name of the tax code.
    pub name: String,
    /// The rate in basis points.
    pub rate_bp: u32,
    /// Kind of tax.
    pub kind: TaxKind,
}

/// Adds a tax code.
///
/// # Errors
/// 422; 409 `duplicate`.
pub async fn create(connection: &mut AnyConnection, new: NewTaxCode) -> Result<TaxCode, Failure> {
    let NewTaxCode { tax_code, name, rate_bp, kind } = new;
    let code = TaxCode { tax_code, name: name.trim().to_owned(), rate_bp, kind };
    check(&code)?;
    entry::add(connection, &code).await?;
    Ok(code)
}

/// Changes a tax code.
///
/// # Errors
/// 404; 422; 409 `invalid_state` for the rate or the kind of one that something was sold under.
pub async fn change(
    connection: &mut AnyConnection,
    tax_code: &str,
    asked: TaxCodeChange,
) -> Result<[TaxCode; 2], Failure> {
    let before: TaxCode = entry::locked(connection, tax_code).await?;
    let mut code = before.clone();
    code.name = asked.name.map_or(code.name, |name| name.trim().to_owned());
    code.rate_bp = asked.rate_bp.unwrap_or(code.rate_bp);
    code.kind = asked.kind.unwrap_or(code.kind);
    check(&code)?;
    if (code.rate_bp, code.kind) != (before.rate_bp, before.kind) && is_used(connection, tax_code).await? {
        let (state, allowed) = ("used".to_owned(), vec!["name".to_owned()]);
        return Err(ApiError::from(Refusal::InvalidState { state, allowed }).into());
    }
    entry::put(connection, &code).await?;
    Ok([before, code])
}

fn check(code: &TaxCode) -> Result<(), ApiError> {
    let mut problems = Problems::default();
    problems.code("tax_code", &code.tax_code);
    problems.name(&code.name);
    let untaxed = matches!(code.kind, TaxKind::Zero | TaxKind::Exempt);
    problems.rule(!untaxed || code.rate_bp == 0, "rate_bp", "must be 0 for a tax code without tax");
    problems.rule(code.rate_bp <= RATE_BP_MAX, "rate_bp", "must be 0 to 10000");
    problems.done()
}

/// Whether something was sold under it.
async fn is_used(connection: &mut AnyConnection, tax_code: &str) -> Result<bool, sqlx::Error> {
    let sql = "SELECT COUNT(*) FROM (SELECT 1 AS one FROM sales_taxes WHERE tax_code = $1 LIMIT 1) t";
    Ok(sqlx::query_scalar::<_, i64>(sql).bind(tax_code).fetch_one(connection).await? > 0)
}
