//! Money for suppliers: paid, allocated later, taken back.

use crate::config::Purchasing;
use crate::db::failure::Failure;
use crate::office::finance::account::Chart;
use crate::office::finance::writer::{Writer, check_text};
use crate::office::payables::credit_note;
use crate::office::payables::invoice::{locked, save};
use crate::office::payables::poster::{Cause, post};
use crate::table::journal::Kind;
use crate::table::payables::expected_payment::expect_payment;
use crate::table::payables::payable_moves::Move;
use crate::table::payables::supplier_payment::{TABLE, put};
use crate::table::{counter, store};
use domain::model::base::figures::Money;
use domain::model::base::limits::{ACCOUNT_DIGITS, ID_BYTES_MAX, PRICE_MAX, SHORT_ID_BYTES_MAX};
use domain::model::base::refusal::Refusal;
use domain::model::books::payables::{Allocation, CreditUse, PaymentPart, PaymentState, SupplierPayment};
use domain::rules::books::payables::{Documents, NewPayment, PaymentPlan, allocate, plan};
use domain::rules::books::posting::AccountUse;
use domain::rules::books::posting::plan::{Account, SAFE};
use edge::{ApiError, ids};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;
use sqlx::AnyConnection;
use std::collections::BTreeSet;

/// The longest reference, in bytes.
const REFERENCE_BYTES_MAX: usize = 64;
/// Most invoices, and most credit notes, of one request: as many as a proposal looks at.
pub(super) const ALLOCATIONS_MAX: usize = 5000;

/// Allocation of a payment to an invoice.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewAllocation")]
pub struct NewAllocation {
    /// ID of the invoice.
    #[schemars(length(min = 1, max = ID_BYTES_MAX))]
    pub invoice_id: String,
    /// Settled amount, including the discount, in minor currency units.
    #[schemars(range(min = 1, max = PRICE_MAX))]
    pub amount: Money,
    /// Early-payment discount of the invoice, in minor currency units.
    #[serde(default)]
    #[schemars(range(min = 0, max = PRICE_MAX))]
    pub discount: Money,
}

impl From<NewAllocation> for Allocation {
    fn from(new: NewAllocation) -> Self {
        let NewAllocation { invoice_id, amount, discount } = new;
        Self { invoice_id, amount, discount }
    }
}

/// A new payment to a supplier.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewSupplierPayment")]
pub struct New {
    /// Supplier that was paid.
    #[schemars(length(min = 1, max = ID_BYTES_MAX))]
    pub supplier_id: String,
    /// Date of the payment, not after today.
    pub date: Date,
    /// Account that the money left: a bank's account, or account 1020 with a store.
    #[schemars(length(equal = ACCOUNT_DIGITS))]
    pub account: String,
    /// Store whose safe paid. Required for account 1020, and omitted otherwise.
    #[schemars(length(min = 1, max = SHORT_ID_BYTES_MAX))]
    pub store_id: Option<String>,
    /// Amount that left the account, in minor currency units.
    #[schemars(range(min = 0, max = PRICE_MAX))]
    pub amount: Money,
    /// Reference of the payment at the bank. Null for none.
    #[schemars(length(min = 1, max = REFERENCE_BYTES_MAX))]
    pub reference: Option<String>,
    /// Invoices that the payment settles.
    #[serde(default)]
    #[schemars(length(max = ALLOCATIONS_MAX))]
    pub allocations: Vec<NewAllocation>,
    /// Credit notes that are used with the payment. Each is a part of the allocation to its invoice.
    #[serde(default)]
    #[schemars(length(max = ALLOCATIONS_MAX))]
    pub credits: Vec<CreditUse>,
}

/// Request body that allocates an advance to invoices.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "AllocateSupplierPayment")]
pub struct Allocate {
    /// Invoices of the supplier.
    #[schemars(length(max = ALLOCATIONS_MAX))]
    pub allocations: Vec<NewAllocation>,
}

/// Stores a payment and posts it.
///
/// # Errors
/// 422, `payment_mismatch`; 409 `invalid_state`, `day_locked`; 403 `approval_required`.
pub async fn create(
    connection: &mut AnyConnection,
    new: New,
    writer: &Writer<'_>,
    set: &Purchasing,
) -> Result<SupplierPayment, Failure> {
    writer.check_not_later("date", new.date)?;
    if let Some(reference) = &new.reference {
        check_text("reference", reference)?;
        if reference.len() > REFERENCE_BYTES_MAX {
            return Err(ApiError::field("reference", "must be at most 64 bytes").into());
        }
    }
    let is_known = "SELECT COUNT(*) FROM suppliers WHERE supplier_id = $1";
    check_known(connection, "supplier_id", is_known, &new.supplier_id).await?;
    let account = account(connection, &new).await?;
    let allocations: Vec<Allocation> = new.allocations.into_iter().map(Into::into).collect();
    let mut documents = documents(connection, &allocations, &new.credits).await?;
    let asked = NewPayment {
        supplier_id: &new.supplier_id,
        date: new.date,
        account,
        safe_of: new.store_id.as_deref(),
        amount: new.amount,
        allocations: &allocations,
        credits: &new.credits,
        role: writer.role,
    };
    let PaymentPlan { posting, parts, unallocated } = plan(&asked, &mut documents).map_err(ApiError::from)?;
    let payment = SupplierPayment {
        payment_id: ids::new("spm_"),
        doc_no: counter::next(connection, "PM", writer.today.year()).await?,
        supplier_id: new.supplier_id,
        date: new.date,
        account: new.account,
        store_id: new.store_id.unwrap_or_default(),
        amount: new.amount,
        reference: new.reference,
        allocations,
        credits: new.credits,
        unallocated,
        parts,
        state: PaymentState::Posted,
        reversed_reason: None,
        created_by: writer.by.to_owned(),
        created_at: writer.now,
    };
    put(connection, &payment).await?;
    let moves = moves(&payment.payment_id, &payment.parts, &documents, unallocated.saturating_neg());
    saved(connection, documents, set).await?;
    let cause = Cause {
        kind: Kind::Payment,
        id: &payment.payment_id,
        step: "post",
        date: payment.date,
        on_its_day: true,
        memo: &payment.doc_no,
        payables: (&payment.supplier_id, &moves),
    };
    post(writer, connection, &posting, cause).await?;
    expect_payment(connection, &payment).await?;
    Ok(payment)
}

/// Settles invoices with an advance.
///
/// # Errors
/// 404; 422, `payment_mismatch`; 409 `invalid_state`.
pub async fn settle(
    connection: &mut AnyConnection,
    payment_id: &str,
    asked: Allocate,
    writer: &Writer<'_>,
    set: &Purchasing,
) -> Result<SupplierPayment, Failure> {
    let found: Option<SupplierPayment> = TABLE.locked(connection, payment_id).await?;
    let mut payment = found.ok_or_else(|| ApiError::not_found("the payment"))?;
    if payment.state != PaymentState::Posted {
        let (state, allowed) = (payment.state.name().to_owned(), Vec::new());
        return Err(ApiError::from(Refusal::InvalidState { state, allowed }).into());
    }
    let allocations: Vec<Allocation> = asked.allocations.into_iter().map(Into::into).collect();
    let mut documents = documents(connection, &allocations, &[]).await?;
    let planned = allocate(&payment.supplier_id, payment.unallocated, &allocations, &mut documents);
    let PaymentPlan { posting, parts, unallocated } = planned.map_err(ApiError::from)?;
    let step = format!("allocate#{}", payment.allocations.len());
    let used = payment.unallocated.saturating_sub(unallocated);
    let moves = moves(&payment.payment_id, &parts, &documents, used);
    payment.allocations.extend(allocations);
    payment.parts.extend(parts);
    payment.unallocated = unallocated;
    put(connection, &payment).await?;
    saved(connection, documents, set).await?;
    let cause = Cause {
        kind: Kind::Payment,
        id: &payment.payment_id,
        step: &step,
        date: writer.today,
        on_its_day: false,
        memo: &payment.doc_no,
        payables: (&payment.supplier_id, &moves),
    };
    post(writer, connection, &posting, cause).await?;
    Ok(payment)
}

/// The account that money leaves, with the store whose safe it is.
async fn account(connection: &mut AnyConnection, new: &New) -> Result<Account, Failure> {
    let account = paying(connection, &new.account).await?;
    if (account == SAFE) != new.store_id.is_some() {
        return Err(ApiError::field(
            "store_id",
            "is required for account 1020, and must be omitted for others",
        )
        .into());
    }
    if let Some(store_id) = &new.store_id {
        store::check_known(connection, "store_id", store_id).await?;
    }
    Ok(account)
}

/// An account that pays: a bank's, or stores' safes.
///
/// # Errors
/// 422 for another one.
pub async fn paying(connection: &mut AnyConnection, account: &str) -> Result<Account, Failure> {
    let chart = Chart::read(connection).await?;
    Ok(chart.check_use("account", account, AccountUse::Paying)?.account)
}

/// The documents that are named, locked in one order.
async fn documents(
    connection: &mut AnyConnection,
    allocations: &[Allocation],
    credits: &[CreditUse],
) -> Result<Documents, Failure> {
    check_count("allocations", allocations.len())?;
    check_count("credits", credits.len())?;
    let ids: BTreeSet<&String> = allocations.iter().map(|one| &one.invoice_id).collect();
    if ids.len() != allocations.len() {
        return Err(ApiError::field("allocations", "must name each invoice once").into());
    }
    for (place, id) in allocations.iter().map(|one| &one.invoice_id).enumerate() {
        let path = format!("allocations[{place}].invoice_id");
        check_known(connection, &path, "SELECT COUNT(*) FROM invoices WHERE invoice_id = $1", id).await?;
    }
    for (place, id) in credits.iter().map(|one| &one.credit_note_id).enumerate() {
        let path = format!("credits[{place}].credit_note_id");
        check_known(connection, &path, "SELECT COUNT(*) FROM credit_notes WHERE credit_note_id = $1", id)
            .await?;
    }
    taken(connection, ids, credits).await
}

/// 422 for too many documents.
pub(super) fn check_count(path: &str, count: usize) -> Result<(), ApiError> {
    if count > ALLOCATIONS_MAX {
        return Err(ApiError::field(path, format!("must have at most {ALLOCATIONS_MAX} entries")));
    }
    Ok(())
}

/// 422 for a document that is not there.
async fn check_known(
    connection: &mut AnyConnection,
    path: &str,
    sql: &'static str,
    id: &str,
) -> Result<(), Failure> {
    let count: i64 = sqlx::query_scalar(sql).bind(id.to_owned()).fetch_one(connection).await?;
    match count {
        0 => Err(ApiError::field(path, "does not exist").into()),
        _ => Ok(()),
    }
}

/// Invoices, then credit notes, each by their IDs.
pub(super) async fn taken(
    connection: &mut AnyConnection,
    invoices: BTreeSet<&String>,
    credits: &[CreditUse],
) -> Result<Documents, Failure> {
    let mut documents = Documents::default();
    for id in invoices {
        documents.invoices.insert(id.clone(), locked(connection, id).await?);
    }
    let notes: BTreeSet<&String> = credits.iter().map(|one| &one.credit_note_id).collect();
    for id in notes {
        documents.credit_notes.insert(id.clone(), credit_note::locked(connection, id).await?);
    }
    Ok(documents)
}

/// Moves of account 2010 by parts: less is owed of an invoice, a credit note or an advance is used up.
pub(super) fn moves(
    document_id: &str,
    parts: &[PaymentPart],
    documents: &Documents,
    advance: Money,
) -> Vec<Move> {
    let part = |part: &PaymentPart| {
        let owed = documents.invoices.contains_key(&part.document_id);
        let amount = if owed { part.amount.saturating_neg() } else { part.amount };
        Move { document_id: part.document_id.clone(), store_id: part.store_id.clone(), amount }
    };
    let advance = Move { document_id: document_id.to_owned(), store_id: String::new(), amount: advance };
    let advance = Some(advance).filter(|advance| advance.amount != 0);
    parts.iter().map(part).chain(advance).collect()
}

pub(super) async fn saved(
    connection: &mut AnyConnection,
    documents: Documents,
    set: &Purchasing,
) -> Result<(), Failure> {
    for invoice in documents.invoices.values() {
        save(connection, invoice, set).await?;
    }
    for note in documents.credit_notes.values() {
        credit_note::save(connection, note, set).await?;
    }
    Ok(())
}
