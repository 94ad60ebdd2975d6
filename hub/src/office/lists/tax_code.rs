//! Tax codes: the rate and the kind of tax of a product.

use crate::http::prelude::*;
use crate::office::lists::entry::{self, Entry, Problems};
use domain::model::base::limits::{NAME_CHARS_MAX, SHORT_ID_BYTES_MAX};
use domain::model::base::refusal::Refusal;
use sqlx::AnyConnection;

const TAX_CODE: &str = r#"{"tax_code": "PPN11", "name": "PPN 11 %", "rate_bp": 1100, "kind": "standard"}"#;

pub const ROUTES: &[Route<Hub>] = &[
    get("/api/tax-codes", ADMIN, "Lists")
        .summary("List tax codes, ordered by code")
        .lists::<TaxCode>(TAX_CODE),
    post("/api/tax-codes", ADMIN, "Lists")
        .summary("Create a tax code")
        .refuses(&[Code::Duplicate])
        .creates::<NewTaxCode>(TAX_CODE, TAX_CODE),
    patch("/api/tax-codes/:tax_code", ADMIN, "Lists")
        .summary("Update a tax code; a rate that was used in a sale can't change")
        .refuses(&[Code::InvalidState])
        .command::<TaxCodeChange>(r#"{"name": "PPN"}"#, TAX_CODE),
];

/// The highest tax rate: 100 %, in basis points.
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
    #[schemars(length(min = 1, max = NAME_CHARS_MAX))]
    pub name: Option<String>,
    /// Tax rate in basis points. It can be changed until something was sold with the code.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    #[schemars(range(min = 0, max = RATE_BP_MAX))]
    pub rate_bp: Option<u32>,
    /// Kind of tax. It can be changed until something was sold with the code.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub kind: Option<TaxKind>,
}

/// Request body of `POST /api/tax-codes`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewTaxCode {
    /// Tax code, as products and sales name it.
    #[schemars(length(min = 1, max = SHORT_ID_BYTES_MAX))]
    pub tax_code: String,
    /// Display name of the tax code.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX))]
    pub name: String,
    /// The rate in basis points.
    #[schemars(range(min = 0, max = RATE_BP_MAX))]
    pub rate_bp: u32,
    /// Kind of tax.
    pub kind: TaxKind,
}

impl Command for NewTaxCode {
    const ACTION: &'static str = "tax_code.created";
    type Answer = TaxCode;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<TaxCode>, Failure> {
        let NewTaxCode { tax_code, name, rate_bp, kind } = self;
        let code = TaxCode { tax_code, name: entry::named(&name)?, rate_bp, kind };
        check(&code)?;
        entry::add(tx.connection, &code).await?;
        entry::created("/api/tax-codes", &code)
    }
}

impl Command for TaxCodeChange {
    const ACTION: &'static str = "tax_code.changed";
    type Answer = TaxCode;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<TaxCode>, Failure> {
        let before: TaxCode = entry::locked(tx.connection, tx.path.get("tax_code")).await?;
        let mut code = before.clone();
        if let Some(name) = &self.name {
            code.name = entry::named(name)?;
        }
        code.rate_bp = self.rate_bp.unwrap_or(code.rate_bp);
        code.kind = self.kind.unwrap_or(code.kind);
        check(&code)?;
        let taxes_otherwise = (code.rate_bp, code.kind) != (before.rate_bp, before.kind);
        if taxes_otherwise && is_used(tx.connection, &code.tax_code).await? {
            let (state, allowed) = ("used".to_owned(), vec!["name".to_owned()]);
            return Err(ApiError::from(Refusal::InvalidState { state, allowed }).into());
        }
        entry::put(tx.connection, &code).await?;
        entry::changed(&before, &code)
    }
}

fn check(code: &TaxCode) -> Result<(), ApiError> {
    let mut problems = Problems::default();
    problems.code("tax_code", &code.tax_code);
    problems.name(&code.name);
    let is_untaxed = matches!(code.kind, TaxKind::Zero | TaxKind::Exempt);
    problems.rule(!is_untaxed || code.rate_bp == 0, "rate_bp", "must be 0 for a tax code without tax");
    problems.rule(code.rate_bp <= RATE_BP_MAX, "rate_bp", "must be 0 to 10000");
    problems.done()
}

/// Whether something was sold with the tax code.
async fn is_used(connection: &mut AnyConnection, tax_code: &str) -> Result<bool, sqlx::Error> {
    let sql = "SELECT COUNT(*) FROM (SELECT 1 AS one FROM sales_taxes WHERE tax_code = $1 LIMIT 1) t";
    Ok(sqlx::query_scalar::<_, i64>(sql).bind(tax_code).fetch_one(connection).await? > 0)
}
