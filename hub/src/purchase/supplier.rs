//! Suppliers: made and changed here, known to every store.

use crate::document::{Table, encode, table};
use crate::failure::Failure;
use crate::feed::{self, Entry};
use domain::purchase::{Supplier, SupplierState};
use domain::refusal::{FieldProblem, Refusal};
use domain::sync::Kind;
use domain::time::UtcMs;
use edge::{ApiError, ids};
use schemars::JsonSchema;
use serde::Deserialize;
use sqlx::AnyConnection;

/// The longest text of a supplier, in bytes.
const TEXT_BYTES_MAX: usize = 500;
/// The most days of terms and lead times.
const DAYS_MAX: u32 = 3650;

/// Where they are.
pub const TABLE: Table = table!("suppliers", "supplier_id");

/// What somebody writes of a supplier; of a new one code and name are needed.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SupplierFields")]
pub struct Fields {
    /// Short and unique.
    pub code: Option<String>,
    /// Its name.
    pub name: Option<String>,
    /// Tax number; empty: none.
    pub tax_id: Option<String>,
    /// Telephone; empty: none.
    pub phone: Option<String>,
    /// E-mail; empty: none.
    pub email: Option<String>,
    /// Address; empty: none.
    pub address: Option<String>,
    /// Days until an invoice has to be paid.
    pub payment_terms_days: Option<u32>,
    /// Days from order to delivery.
    pub lead_time_days: Option<u32>,
    /// Whether it may be ordered from.
    pub state: Option<SupplierState>,
}

impl Fields {
    /// 422 with every field that is wrong.
    fn check(&self, new: bool) -> Result<(), ApiError> {
        let mut wrong = Vec::new();
        let mut problem = |path: &str, problem: &str| {
            wrong.push(FieldProblem { path: path.to_owned(), problem: problem.to_owned() });
        };
        for (path, text) in [("code", &self.code), ("name", &self.name)] {
            if text.as_ref().map_or(new, |text| text.trim().is_empty()) {
                problem(path, "must not be empty");
            }
        }
        let texts = [
            ("code", &self.code),
            ("name", &self.name),
            ("tax_id", &self.tax_id),
            ("phone", &self.phone),
            ("email", &self.email),
            ("address", &self.address),
        ];
        for (path, text) in texts {
            let long = |text: &String| text.len() > TEXT_BYTES_MAX;
            if text.as_ref().is_some_and(long) {
                problem(path, "must be at most 500 bytes");
            }
        }
        for (path, days) in
            [("payment_terms_days", self.payment_terms_days), ("lead_time_days", self.lead_time_days)]
        {
            if days.is_some_and(|days| days > DAYS_MAX) {
                problem(path, "must be 0 to 3650");
            }
        }
        if wrong.is_empty() { Ok(()) } else { Err(ApiError::validation(&wrong)) }
    }

    fn apply(self, supplier: &mut Supplier, now: UtcMs) {
        let filled = |text: String| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        if let Some(code) = self.code {
            code.trim().clone_into(&mut supplier.code);
        }
        if let Some(name) = self.name {
            name.trim().clone_into(&mut supplier.name);
        }
        for (field, text) in [
            (&mut supplier.tax_id, self.tax_id),
            (&mut supplier.phone, self.phone),
            (&mut supplier.email, self.email),
            (&mut supplier.address, self.address),
        ] {
            if let Some(text) = text {
                *field = filled(text);
            }
        }
        supplier.payment_terms_days = self.payment_terms_days.or(supplier.payment_terms_days);
        supplier.lead_time_days = self.lead_time_days.or(supplier.lead_time_days);
        supplier.state = self.state.unwrap_or(supplier.state);
        supplier.updated_at = now;
    }
}

/// Makes a supplier.
///
/// # Errors
/// 422; 409 `duplicate` for a code that exists.
pub async fn create(connection: &mut AnyConnection, fields: Fields, now: UtcMs) -> Result<Supplier, Failure> {
    fields.check(true)?;
    let mut supplier = Supplier {
        supplier_id: ids::new("sup_"),
        code: String::new(),
        name: String::new(),
        tax_id: None,
        phone: None,
        email: None,
        address: None,
        payment_terms_days: None,
        lead_time_days: None,
        state: SupplierState::Active,
        updated_at: now,
    };
    fields.apply(&mut supplier, now);
    let sql = "INSERT INTO suppliers (supplier_id, code, document) VALUES ($1, $2, $3) ON CONFLICT (code) DO NOTHING";
    let query = sqlx::query(sql).bind(&supplier.supplier_id).bind(&supplier.code).bind(encode(&supplier)?);
    if query.execute(&mut *connection).await?.rows_affected() == 0 {
        return Err(taken(&supplier));
    }
    tell(connection, &supplier, now).await?;
    Ok(supplier)
}

/// Changes a supplier.
///
/// # Errors
/// 404; 422; 409 `duplicate`.
pub async fn change(
    connection: &mut AnyConnection,
    supplier_id: &str,
    fields: Fields,
    now: UtcMs,
) -> Result<Supplier, Failure> {
    fields.check(false)?;
    let found: Option<Supplier> = TABLE.locked(connection, supplier_id).await?;
    let mut supplier = found.ok_or_else(|| ApiError::not_found("the supplier"))?;
    fields.apply(&mut supplier, now);
    let sql = "UPDATE suppliers SET code = $2, document = $3 WHERE supplier_id = $1 \
               AND NOT EXISTS (SELECT 1 FROM suppliers o WHERE o.code = $2 AND o.supplier_id <> $1)";
    let query = sqlx::query(sql).bind(supplier_id).bind(&supplier.code).bind(encode(&supplier)?);
    match query.execute(&mut *connection).await {
        Ok(done) if done.rows_affected() > 0 => {}
        Ok(_) => return Err(taken(&supplier)),
        // Somebody else took the code after the look, in the same statement.
        Err(sqlx::Error::Database(error)) if error.is_unique_violation() => return Err(taken(&supplier)),
        Err(error) => return Err(error.into()),
    }
    tell(connection, &supplier, now).await?;
    Ok(supplier)
}

fn taken(supplier: &Supplier) -> Failure {
    ApiError::from(Refusal::Duplicate { what: "supplier", id: supplier.code.clone() }).into()
}

async fn tell(connection: &mut AnyConnection, supplier: &Supplier, now: UtcMs) -> Result<(), sqlx::Error> {
    let entry = Entry::for_all(Kind::Supplier, &supplier.supplier_id, encode(supplier)?);
    feed::publish(connection, vec![entry], now).await
}
