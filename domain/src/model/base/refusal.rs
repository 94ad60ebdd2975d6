//! Refusals by the rules. A refused command has changed nothing.

use crate::model::base::figures::{Money, Points, Quantity};
use crate::model::base::ids::MemberId;
use crate::model::inventory::product::TakenBarcode;
use jiff::civil::Date;
use serde::Serialize;
use serde_json::{Value, json};

mod counted;
mod limits;
mod not_ready;
mod state;
pub use counted::{CountConflict, CountedBy};
pub use limits::{NeedsApproval, OverReceived, ReturnLeft};
pub use not_ready::{NotReady, NotReadyCode};

/// Most problems that a message names.
const PROBLEMS_NAMED_MAX: usize = 5;

/// One field of a request and its problem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FieldProblem {
    /// Path of the field in the request, for example `items[0].qty`.
    pub path: String,
    /// Description of the problem, for people.
    pub problem: String,
}

/// A command that the rules do not allow. Its comment begins with the HTTP status.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// 404: nothing has this ID, or not for this caller.
    #[error("the {} was not found", noun(.0))]
    NotFound(&'static str),
    /// 409: the resource is in a state that does not allow this step.
    #[error("{}", state::words(state, .allowed))]
    InvalidState {
        /// State of the resource.
        state: String,
        /// The steps or states that are possible instead.
        allowed: Vec<String>,
    },
    /// 409: the register or the user has an open shift already.
    #[error("shift {shift_id} is already open: continue with it, or close it first")]
    ShiftAlreadyOpen {
        /// ID of the open shift.
        shift_id: String,
    },
    /// 409: the caller has no open shift.
    #[error("you have no open shift: open one first")]
    NoOpenShift,
    /// 409: a shift with unfinished transactions can't be closed.
    #[error("the shift has unfinished sales ({}): pay or void them first. Only a sale without payments can be held",
        .transactions.len())]
    ShiftHasOpenTransactions { transactions: Vec<String> },
    /// 409: there are too few pieces, and the store keeps no stock below zero.
    #[error("{}", limits::short_words(.items))]
    InsufficientStock {
        /// Each short sku with the stock on hand and the requested quantity.
        items: Vec<ShortItem>,
    },
    /// 409: another user counted these products in the same zone.
    #[error("{}", counted::words(.0))]
    AlreadyCounted(Vec<CountConflict>),
    /// 409: the member has too few points.
    #[error("{requested} points were requested, but only {available} are available: pay less with points")]
    InsufficientPoints {
        /// Member whose points are meant.
        member_id: MemberId,
        balance: Points,
        /// Points held by payments of other unfinished sales.
        reserved: Points,
        /// Points that may be spent now on this document.
        available: Points,
        /// Points that were requested.
        requested: Points,
    },
    /// 409: another user changed the document since it was read.
    #[error(
        "this document was changed elsewhere (the current revision is {revision}): load it again, and repeat the change"
    )]
    StaleRevision {
        /// State of the document.
        state: String,
        /// Current revision of the document.
        revision: u32,
    },
    /// 409: another user changed the basket since it was read.
    #[error("this basket was changed elsewhere: load it again, and repeat the change")]
    VersionConflict {
        /// Current version of the basket.
        version: String,
    },
    /// 409: another one with this ID, name or number exists.
    #[error("{what} already exists: {id}. Use that one, or choose another name or number")]
    Duplicate {
        /// Kind of the existing thing.
        what: &'static str,
        /// ID of the existing thing.
        id: String,
    },
    /// 409: other products that are sold have these barcodes. The list is never empty.
    #[error("{}", taken_words(.0))]
    BarcodeTaken(Vec<TakenBarcode>),
    /// 409: a scanned code names several products: head office and the store each gave it to one.
    #[error("barcode {code} belongs to {}: sell by SKU, and remove the barcode from all but one product",
        .skus.join(" and "))]
    BarcodeShared { code: String, skus: Vec<String> },
    /// 409: another member has this phone number, e-mail address or code.
    #[error("member {0} already has this phone number, e-mail address or code: use that member")]
    MemberExists(String),
    /// 422: the request's shape or figures are wrong.
    #[error("some fields are wrong: {}", field_words(.0))]
    ValidationFailed(Vec<FieldProblem>),
    /// 422: these skus are not in the catalogue.
    #[error("not in the catalogue: {}. Check the code, or have the product added", .0.join(", "))]
    UnknownSku(Vec<String>),
    /// 422: no such member.
    #[error("there is no member {0}: search again, or register the customer")]
    UnknownMember(String),
    /// 422: the payments do not match the amount due.
    #[error("{problem}")]
    PaymentMismatch {
        /// Description of the mismatch.
        problem: String,
        /// Amount due in minor currency units.
        amount_due: Money,
    },
    /// 422: more pieces are returned than were sold.
    #[error("{}", limits::returned_words(.0))]
    ReturnExceedsSold(Vec<ReturnLeft>),
    /// 422: more pieces are received than were ordered or sent.
    #[error("{}", limits::received_words(.0))]
    OverReceipt(Box<OverReceived>),
    /// 409: the date of a document or an entry is locked in its book.
    #[error("{date} is locked in this book: use {next_open_date} or a later date, or have the day unlocked")]
    DayLocked {
        /// Store whose book it is. Empty for head office's own book.
        store_id: String,
        date: Date,
        /// First later day that is open.
        next_open_date: Date,
    },
    /// 409: other steps have to be done first.
    #[error("this can't be done yet: {}", not_ready::words(.0))]
    NotReady(Vec<NotReady>),
    /// 422: debit and credit of an entry differ.
    #[error("the lines do not balance: debit {debit}, credit {credit}")]
    Unbalanced {
        /// Sum of the debits.
        debit: Money,
        /// Sum of the credits.
        credit: Money,
    },
    /// 403: the role does not allow this.
    #[error("your role does not allow this: ask a manager to do it")]
    InsufficientRole,
    /// 403: a manager has to approve this.
    #[error("{}", .0.words())]
    ApprovalRequired(Box<NeedsApproval>),
    /// 403: the amount is above the limit of the role.
    #[error("{amount} is above the limit of {limit}: ask an administrator to do it")]
    AboveLimit {
        /// The largest amount without an administrator.
        limit: Money,
        /// Amount that was requested.
        amount: Money,
    },
    /// 403: the user who made a document can't approve it.
    #[error("you created this: somebody else must approve it")]
    OwnApproval,
    /// 403: the register is disabled.
    #[error("register {0} is disabled: use another one, or have a manager enable it")]
    RegisterDisabled(String),
}

fn field_words(fields: &[FieldProblem]) -> String {
    let problem = |field: &FieldProblem| format!("{} {}", field.path, field.problem);
    fields.iter().take(PROBLEMS_NAMED_MAX).map(problem).collect::<Vec<_>>().join("; ")
}

/// Most barcodes that a message names.
const BARCODES_NAMED_MAX: usize = 3;

fn taken_words(taken: &[TakenBarcode]) -> String {
    let one = |taken: &TakenBarcode| {
        let line = taken.line.map(|line| format!("line {line}: ")).unwrap_or_default();
        format!("{line}barcode {} can't be added to {}: {} has it", taken.code, taken.sku, taken.taken_by)
    };
    let words: Vec<String> = taken.iter().take(BARCODES_NAMED_MAX).map(one).collect();
    let more = taken.len().saturating_sub(BARCODES_NAMED_MAX);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    format!("{}{more}. Remove it there first, or give each product its own barcode", words.join("; "))
}

/// A sku with too little stock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShortItem {
    /// Path of the item in the request, for example `lines[0].qty`. `None` if the pieces belong to several items, or
    /// to none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// SKU that is short.
    pub sku: String,
    /// Pieces that there are.
    #[serde(flatten)]
    pub stock: ShortStock,
    /// Pieces that were requested.
    pub requested: Quantity,
}

/// The stock that is too small, with its pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ShortStock {
    /// Pieces that can be sold.
    OnHand(Quantity),
    /// Pieces that were put aside as damaged.
    Damaged(Quantity),
}

impl Refusal {
    /// Refuses one field.
    pub fn field(path: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::ValidationFailed(vec![FieldProblem { path: path.into(), problem: problem.into() }])
    }

    /// Names the line of the document in [`Refusal::OverReceipt`]; other refusals stay as they are.
    pub(crate) fn at_line(self, place: usize) -> Self {
        match self {
            Self::OverReceipt(over) => {
                Self::OverReceipt(Box::new(OverReceived { path: format!("lines[{place}].qty"), ..*over }))
            }
            other => other,
        }
    }

    /// Description of the problem for a person who does not see the details: each field with its problem.
    pub fn words(&self) -> String {
        match self {
            Self::ValidationFailed(fields) => field_words(fields),
            other => other.to_string(),
        }
    }

    /// The stable code of the error table.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotFound(_) => "not_found",
            Self::InvalidState { .. } | Self::StaleRevision { .. } => "invalid_state",
            Self::VersionConflict { .. } => "version_conflict",
            Self::ShiftAlreadyOpen { .. } => "shift_already_open",
            Self::NoOpenShift => "no_open_shift",
            Self::ShiftHasOpenTransactions { .. } => "shift_has_open_transactions",
            Self::InsufficientStock { .. } => "insufficient_stock",
            Self::InsufficientPoints { .. } => "insufficient_points",
            Self::AlreadyCounted(_) => "already_counted",
            Self::Duplicate { .. }
            | Self::BarcodeTaken(_)
            | Self::BarcodeShared { .. }
            | Self::MemberExists(_) => "duplicate",
            Self::ValidationFailed(_) => "validation_failed",
            Self::UnknownSku(_) => "unknown_sku",
            Self::UnknownMember(_) => "unknown_member",
            Self::PaymentMismatch { .. } => "payment_mismatch",
            Self::ReturnExceedsSold(_) => "return_exceeds_sold",
            Self::OverReceipt(_) => "over_receipt",
            Self::InsufficientRole | Self::RegisterDisabled(_) => "insufficient_role",
            Self::ApprovalRequired(_) | Self::AboveLimit { .. } | Self::OwnApproval => "approval_required",
            Self::DayLocked { .. } => "day_locked",
            Self::NotReady(_) => "not_ready",
            Self::Unbalanced { .. } => "unbalanced",
        }
    }

    /// The `details` object of the error answer.
    pub fn details(&self) -> Value {
        match self {
            Self::NotFound(what) => json!({"what": noun(what).replace(' ', "_").to_lowercase()}),
            Self::InvalidState { state, allowed } => json!({"state": state, "allowed": allowed}),
            Self::StaleRevision { state, revision } => json!({"state": state, "revision": revision}),
            Self::VersionConflict { version } => json!({"version": version}),
            Self::AboveLimit { limit, amount } => json!({"limit": limit, "amount": amount}),
            Self::ShiftAlreadyOpen { shift_id } => json!({"shift_id": shift_id}),
            Self::ShiftHasOpenTransactions { transactions } => json!({"transactions": transactions}),
            Self::InsufficientStock { items } => json!({"items": items}),
            Self::InsufficientPoints { member_id, balance, reserved, available, requested } => json!({
                "member_id": member_id,
                "balance": balance,
                "reserved": reserved,
                "available": available,
                "requested": requested,
            }),
            Self::AlreadyCounted(conflicts) => json!({"counts": conflicts}),
            Self::Duplicate { what, id } => json!({"what": what, "id": id}),
            Self::BarcodeTaken(taken) => {
                let id = taken.first().map(|one| &one.taken_by);
                json!({"what": "barcode", "id": id, "barcodes": taken})
            }
            Self::BarcodeShared { code, skus } => json!({"what": "barcode", "id": code, "skus": skus}),
            Self::ValidationFailed(fields) => json!({"fields": fields}),
            Self::UnknownSku(skus) => json!({"skus": skus}),
            Self::UnknownMember(id) | Self::MemberExists(id) => json!({"member_id": id}),
            Self::PaymentMismatch { amount_due, .. } => json!({"amount_due": amount_due}),
            Self::ReturnExceedsSold(items) => json!({"items": items}),
            Self::OverReceipt(over) => json!(over),
            Self::ApprovalRequired(needs) => json!(needs),
            Self::DayLocked { store_id, date, next_open_date } => {
                json!({"store_id": store_id, "date": date, "next_open_date": next_open_date})
            }
            Self::NotReady(problems) => not_ready::details(problems),
            Self::Unbalanced { debit, credit } => json!({"debit": debit, "credit": credit}),
            _ => json!({}),
        }
    }
}

/// The name of a thing without its article.
fn noun(what: &str) -> &str {
    what.strip_prefix("the ").unwrap_or(what)
}
