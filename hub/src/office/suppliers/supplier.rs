//! Suppliers: made and changed here, known to every store.

use crate::db::document::{Table, encode, table};
use crate::feed::{self, Entry};
use crate::http::prelude::*;
use domain::model::base::figures::Money;
use domain::model::base::limits::TEXT_CHARS_MAX;
use domain::model::base::patch::Given;
use domain::model::base::refusal::{FieldProblem, Refusal};
use domain::model::base::time::UtcMs;
use domain::model::inventory::purchase::{Supplier, SupplierState};
use domain::wire::feed::Kind;
use edge::ids;
use sqlx::AnyConnection;

const NEW: &str = r#"{"code": "TEA", "name": "Tea Ltd", "payment_terms_days": 30}"#;
const SUPPLIER: &str = r#"{"supplier_id": "sup_1", "code": "TEA", "name": "Tea Ltd", "tax_id": null, "phone": null,
    "email": null, "address": null, "payment_terms_days": 30, "lead_time_days": 7, "state": "active",
    "updated_at": "2026-11-20T02:06:34.739Z", "discount_days": 10, "discount_bp": 200, "min_order_total": null,
    "price_tolerance_bp": 200, "price_tolerance_amount": null, "default_tax_rate_bp": 1100, "bank_account": null}"#;

pub const ROUTES: &[Route<Hub>] = &[
    get("/api/suppliers", GOODS, "Purchasing").summary("List suppliers").lists::<SuppliersQuery>(""),
    post("/api/suppliers", PURCHASING, "Purchasing")
        .summary("Create a supplier")
        .refuses(&[Code::Duplicate])
        .creates::<CreateSupplier>(NEW, SUPPLIER),
    get("/api/suppliers/:id", GOODS, "Purchasing")
        .summary("Retrieve a supplier")
        .answers::<Known>(SUPPLIER, answers!(read)),
    patch("/api/suppliers/:id", PURCHASING, "Purchasing")
        .summary("Update a supplier")
        .refuses(&[Code::Duplicate])
        .command::<UpdateSupplier>(r#"{"phone": "+6221"}"#, SUPPLIER),
];

/// The most days of terms and lead times.
const DAYS_MAX: u32 = 3650;

/// Table of the documents.
pub const TABLE: Table = table!("suppliers", "supplier_id");

/// The highest amount of a term.
const AMOUNT_MAX: i64 = 1_000_000_000_000;
/// All of a price, in basis points.
const RATE_BP_MAX: u32 = 10_000;

/// A supplier with its terms. Stores receive the supplier without the terms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SupplierWithTerms")]
pub struct Known {
    /// The supplier, as stores know it.
    #[serde(flatten)]
    pub supplier: Supplier,
    /// Terms agreed with the supplier.
    #[serde(flatten)]
    pub terms: Terms,
}

/// Terms agreed with a supplier. Null if nothing was agreed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "SupplierTerms")]
pub struct Terms {
    /// Days after the invoice date within which the early-payment discount applies. Null for none.
    pub discount_days: Option<u32>,
    /// Early-payment discount, in basis points. Null for none.
    pub discount_bp: Option<u32>,
    /// Minimum total of an order, in minor currency units. Null for none.
    pub min_order_total: Option<Money>,
    /// Allowed difference between a billed price and the order's, in basis points. Null for none.
    pub price_tolerance_bp: Option<u32>,
    /// Allowed difference between a billed price and the order's, per piece, in minor currency units. The larger of the
    /// two tolerances applies. Null for none.
    pub price_tolerance_amount: Option<Money>,
    /// Usual tax rate of the supplier's invoices, in basis points. Null for none.
    pub default_tax_rate_bp: Option<u32>,
    /// Bank account that payments go to. Null for none.
    pub bank_account: Option<String>,
}

/// Fields of a supplier. A new supplier needs `code` and `name`. In a change, omitted fields stay as they are, and null
/// removes a term.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SupplierFields")]
pub struct Fields {
    /// Code of the supplier, short and unique.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX))]
    pub code: Option<String>,
    /// Name of the supplier.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX))]
    pub name: Option<String>,
    /// Tax number. Empty for none.
    #[serde(default)]
    #[schemars(length(max = TEXT_CHARS_MAX))]
    pub tax_id: Given<String>,
    /// Telephone number. Empty for none.
    #[serde(default)]
    #[schemars(length(max = TEXT_CHARS_MAX))]
    pub phone: Given<String>,
    /// E-mail address. Empty for none.
    #[serde(default)]
    #[schemars(length(max = TEXT_CHARS_MAX))]
    pub email: Given<String>,
    /// Address. Empty for none.
    #[serde(default)]
    #[schemars(length(max = TEXT_CHARS_MAX))]
    pub address: Given<String>,
    /// Days from the date of an invoice until it is due. Null if none were agreed.
    #[serde(default)]
    #[schemars(range(min = 0, max = DAYS_MAX))]
    pub payment_terms_days: Given<u32>,
    /// Days from order to delivery. Null if they are not known.
    #[serde(default)]
    #[schemars(range(min = 0, max = DAYS_MAX))]
    pub lead_time_days: Given<u32>,
    /// Whether the supplier may be ordered from.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub state: Option<SupplierState>,
    /// Days after the invoice date within which the early-payment discount applies. Null for none.
    #[serde(default)]
    #[schemars(range(min = 0, max = DAYS_MAX))]
    pub discount_days: Given<u32>,
    /// Early-payment discount, in basis points. Null for none.
    #[serde(default)]
    #[schemars(range(min = 0, max = RATE_BP_MAX))]
    pub discount_bp: Given<u32>,
    /// Minimum total of an order, in minor currency units. Null for none.
    #[serde(default)]
    #[schemars(range(min = 0, max = AMOUNT_MAX))]
    pub min_order_total: Given<Money>,
    /// Allowed difference between a billed price and the order's, in basis points. Null for none.
    #[serde(default)]
    #[schemars(range(min = 0, max = RATE_BP_MAX))]
    pub price_tolerance_bp: Given<u32>,
    /// Allowed difference between a billed price and the order's, per piece, in minor currency units. The larger of the
    /// two tolerances applies. Null for none.
    #[serde(default)]
    #[schemars(range(min = 0, max = AMOUNT_MAX))]
    pub price_tolerance_amount: Given<Money>,
    /// Usual tax rate of the supplier's invoices, in basis points. Null for none.
    #[serde(default)]
    #[schemars(range(min = 0, max = RATE_BP_MAX))]
    pub default_tax_rate_bp: Given<u32>,
    /// Bank account that payments go to. Empty for none.
    #[serde(default)]
    #[schemars(length(max = TEXT_CHARS_MAX))]
    pub bank_account: Given<String>,
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
            ("code", self.code.as_ref()),
            ("name", self.name.as_ref()),
            ("tax_id", self.tax_id.value()),
            ("phone", self.phone.value()),
            ("email", self.email.value()),
            ("address", self.address.value()),
            ("bank_account", self.bank_account.value()),
        ];
        for (path, text) in texts {
            if text.is_some_and(|text| text.contains('\0')) {
                problem(path, "must not contain NUL");
            }
            if text.is_some_and(|text| text.chars().count() > TEXT_CHARS_MAX) {
                problem(path, "must be at most 500 characters");
            }
        }
        for (path, days) in [
            ("payment_terms_days", self.payment_terms_days.value()),
            ("lead_time_days", self.lead_time_days.value()),
            ("discount_days", self.discount_days.value()),
        ] {
            if days.is_some_and(|days| *days > DAYS_MAX) {
                problem(path, "must be 0 to 3650");
            }
        }
        for (path, rate) in [
            ("discount_bp", self.discount_bp.value()),
            ("price_tolerance_bp", self.price_tolerance_bp.value()),
            ("default_tax_rate_bp", self.default_tax_rate_bp.value()),
        ] {
            if rate.is_some_and(|rate| *rate > RATE_BP_MAX) {
                problem(path, "must be 0 to 10000");
            }
        }
        for (path, amount) in [
            ("min_order_total", self.min_order_total.value()),
            ("price_tolerance_amount", self.price_tolerance_amount.value()),
        ] {
            if amount.is_some_and(|amount| !(0..=AMOUNT_MAX).contains(amount)) {
                problem(path, "must be 0 to 1000000000000");
            }
        }
        if wrong.is_empty() { Ok(()) } else { Err(ApiError::validation(&wrong)) }
    }

    fn apply(self, known: &mut Known, now: UtcMs) {
        let Known { supplier, terms } = known;
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
            (&mut terms.bank_account, self.bank_account),
        ] {
            *field = text.over(field.take()).and_then(filled);
        }
        supplier.payment_terms_days = self.payment_terms_days.over(supplier.payment_terms_days);
        supplier.lead_time_days = self.lead_time_days.over(supplier.lead_time_days);
        supplier.state = self.state.unwrap_or(supplier.state);
        supplier.updated_at = now;
        terms.discount_days = self.discount_days.over(terms.discount_days);
        terms.discount_bp = self.discount_bp.over(terms.discount_bp);
        terms.min_order_total = self.min_order_total.over(terms.min_order_total);
        terms.price_tolerance_bp = self.price_tolerance_bp.over(terms.price_tolerance_bp);
        terms.price_tolerance_amount = self.price_tolerance_amount.over(terms.price_tolerance_amount);
        terms.default_tax_rate_bp = self.default_tax_rate_bp.over(terms.default_tax_rate_bp);
    }
}

with_body!(CreateSupplier(Fields), UpdateSupplier(Fields));

impl Command for CreateSupplier {
    const ACTION: &'static str = "purchasing.supplier_created";
    type Answer = Known;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Known>, Failure> {
        let Self(fields) = self;
        fields.check(true)?;
        let supplier = Supplier {
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
            updated_at: tx.now,
        };
        let mut known = Known { supplier, terms: Terms::default() };
        fields.apply(&mut known, tx.now);
        let supplier = &known.supplier;
        let sql = "INSERT INTO suppliers (supplier_id, code, document) VALUES ($1, $2, $3) ON CONFLICT (code) DO NOTHING";
        let query = sqlx::query(sql).bind(&supplier.supplier_id).bind(&supplier.code).bind(encode(&known)?);
        if query.execute(&mut *tx.connection).await?.rows_affected() == 0 {
            return Err(taken(supplier));
        }
        tell(tx.connection, supplier, tx.now).await?;
        let details = json!({"supplier_id": supplier.supplier_id, "code": supplier.code});
        Ok(Changed::created(format!("/api/suppliers/{}", supplier.supplier_id), &known, details))
    }
}

impl Command for UpdateSupplier {
    const ACTION: &'static str = "purchasing.supplier_changed";
    type Answer = Known;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Known>, Failure> {
        let Self(fields) = self;
        fields.check(false)?;
        let found: Option<Known> = TABLE.locked(tx.connection, tx.path.get("id")).await?;
        let before = found.ok_or_else(|| ApiError::not_found("the supplier"))?;
        let mut known = before.clone();
        fields.apply(&mut known, tx.now);
        let supplier = &known.supplier;
        let sql = "UPDATE suppliers SET code = $2, document = $3 WHERE supplier_id = $1 \
                   AND NOT EXISTS (SELECT 1 FROM suppliers o WHERE o.code = $2 AND o.supplier_id <> $1)";
        let query = sqlx::query(sql).bind(&supplier.supplier_id).bind(&supplier.code).bind(encode(&known)?);
        match query.execute(&mut *tx.connection).await {
            Ok(done) if done.rows_affected() > 0 => {}
            Ok(_) => return Err(taken(supplier)),
            // Another transaction took the code after the check, within the same statement.
            Err(sqlx::Error::Database(error)) if error.is_unique_violation() => return Err(taken(supplier)),
            Err(error) => return Err(error.into()),
        }
        tell(tx.connection, supplier, tx.now).await?;
        Ok(Changed::document([&before, &known], json!({"supplier_id": supplier.supplier_id})))
    }
}

fn taken(supplier: &Supplier) -> Failure {
    ApiError::from(Refusal::Duplicate { what: "supplier", id: supplier.code.clone() }).into()
}

async fn tell(connection: &mut AnyConnection, supplier: &Supplier, now: UtcMs) -> Result<(), sqlx::Error> {
    let entry = Entry::for_all(Kind::Supplier, &supplier.supplier_id, encode(supplier)?);
    feed::publish(connection, vec![entry], now).await
}

/// Query parameters of the list of suppliers.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SupplierSearch")]
pub struct SuppliersQuery {
    /// Text in the name or the code.
    q: Option<String>,
    /// Only those in this state.
    state: Option<SupplierState>,
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}
page_query!(SuppliersQuery, q);

impl PagedList for SuppliersQuery {
    type Query = Self;
    type Item = Known;
    type Position = String;
    async fn read(page: PageOf<'_, Self>) -> Result<Vec<Known>, Failure> {
        let q = page.query.q.as_deref().unwrap_or_default().to_lowercase();
        let wanted = |one: &Known| {
            let contains = |text: &str| text.to_lowercase().contains(&q);
            let one = &one.supplier;
            (contains(&one.name) || contains(&one.code))
                && page.query.state.is_none_or(|state| one.state == state)
        };
        let (pool, after, limit) = (page.pool, page.after.unwrap_or_default(), page.limit);
        Ok(TABLE.list_where(pool, &after, limit, |one: &Known| &one.supplier.supplier_id, wanted).await?)
    }
    fn position(known: &Known) -> String {
        known.supplier.supplier_id.clone()
    }
}

async fn read(request: Request) -> Answered {
    let found: Option<Known> = TABLE.read(request.state.db.pool(), request.param("id")).await?;
    Ok(Reply::ok(&found.ok_or_else(|| ApiError::not_found("the supplier"))?))
}
