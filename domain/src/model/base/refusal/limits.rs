//! Details of a refusal by a limit: the line, the rest, and who may exceed it.

use crate::model::base::figures::Quantity;
use crate::model::base::refusal::{ShortItem, ShortStock};
use crate::model::people::user::Role;
use serde::{Deserialize, Serialize};

/// Most lines that a message names.
const WORDS_MAX: usize = 3;

/// A product with more returned pieces than the sale has left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReturnLeft {
    /// Path of the item in the request, for example `items[0]`.
    pub path: String,
    /// SKU of the product.
    pub sku: String,
    /// Pieces that were sold, in the lines that the request names.
    pub sold: Quantity,
    /// Pieces of them that came back before, in whatever store that is known.
    pub returned_qty: Quantity,
    /// Pieces that may still come back.
    pub left: Quantity,
    /// Pieces that were to come back.
    pub requested: Quantity,
}

impl ReturnLeft {
    /// Builds it from the pieces sold and the pieces that are left.
    pub fn new(path: String, sku: String, sold: Quantity, left: Quantity, requested: Quantity) -> Self {
        let left = left.clamp(Quantity::ZERO, sold.max(Quantity::ZERO));
        Self { path, sku, sold, returned_qty: sold.saturating_sub(left), left, requested }
    }
}

/// More than an order or a transfer has room for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct OverReceived {
    /// Path of the line in the request, for example `lines[0].qty`.
    pub path: String,
    /// SKU of the product.
    pub sku: String,
    /// The most that may be received in all.
    pub limit: Quantity,
    /// Pieces that were received before.
    pub received_qty: Quantity,
    /// Pieces that may still be received.
    pub left: Quantity,
    /// Pieces that were to be received now.
    pub requested: Quantity,
}

impl OverReceived {
    /// Builds it from the limit, the pieces received before, and those to be received now.
    pub fn new(sku: &str, limit: Quantity, received_qty: Quantity, requested: Quantity) -> Self {
        let left = limit.saturating_sub(received_qty).max(Quantity::ZERO);
        Self { path: String::new(), sku: sku.to_owned(), limit, received_qty, left, requested }
    }
}

/// Reason why an action needs a manager: the action, and the limit that it exceeds, if there is one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NeedsApproval {
    /// Action that needs the approval, for people.
    pub action: &'static str,
    /// Path of the figure in the request. Omitted if the request has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<i64>,
    /// The largest figure without a manager.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<i64>,
    /// The setting with the limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub setting: Option<&'static str>,
    /// Roles that may approve it.
    pub approvers: [&'static str; 2],
}

impl NeedsApproval {
    /// An action that always needs one.
    pub fn of(action: &'static str) -> Self {
        let approvers = [Role::StoreManager.name(), Role::Admin.name()];
        Self { action, path: None, value: None, limit: None, setting: None, approvers }
    }

    /// The figure that is beyond the limit of a setting.
    #[must_use]
    pub fn beyond(self, value: impl Into<i64>, limit: impl Into<i64>, setting: &'static str) -> Self {
        Self { value: Some(value.into()), limit: Some(limit.into()), setting: Some(setting), ..self }
    }

    /// Sets the path of the figure in the request.
    #[must_use]
    pub fn at(self, path: impl Into<String>) -> Self {
        Self { path: Some(path.into()), ..self }
    }

    /// Only the setting: the caller must not see the figures.
    #[must_use]
    pub fn by(self, limit: impl Into<i64>, setting: &'static str) -> Self {
        Self { limit: Some(limit.into()), setting: Some(setting), ..self }
    }

    pub(super) fn words(&self) -> String {
        let Self { action, value, limit, .. } = self;
        let figures = match (value, limit) {
            (Some(value), Some(limit)) => format!(" ({value}; without approval at most {limit})"),
            (None, Some(limit)) => format!(" (without approval at most {limit})"),
            _ => String::new(),
        };
        format!(
            "{action}{figures} needs an approval: ask a store manager or an administrator to approve it here"
        )
    }
}

pub(super) fn returned_words(items: &[ReturnLeft]) -> String {
    let one = |item: &ReturnLeft| {
        let ReturnLeft { sku, sold, left, requested, .. } = item;
        format!("{requested} of {sku} can't be returned: {sold} were sold, and {left} can still be returned")
    };
    let words: Vec<String> = items.iter().take(WORDS_MAX).map(one).collect();
    if words.is_empty() {
        return "more pieces are returned than were sold".to_owned();
    }
    format!("{}. Return at most that many", words.join("; "))
}

pub(super) fn received_words(over: &OverReceived) -> String {
    let OverReceived { sku, limit, received_qty, left, requested, .. } = over;
    format!(
        "{requested} of {sku} can't be received: {received_qty} of at most {limit} were received before, so {left} \
         can be received now. Receive those, and ask head office about the rest"
    )
}

pub(super) fn short_words(items: &[ShortItem]) -> String {
    let one = |item: &ShortItem| {
        let asked = format!("{} of {} were requested", item.requested, item.sku);
        match item.stock {
            ShortStock::OnHand(n) => format!("{asked}, but only {n} are on hand"),
            ShortStock::Damaged(n) => format!("{asked} from the damaged goods, but only {n} are damaged"),
        }
    };
    let words: Vec<String> = items.iter().take(WORDS_MAX).map(one).collect();
    let damaged = items.iter().any(|item| matches!(item.stock, ShortStock::Damaged(_)));
    let or = if damaged { "take them from the goods on hand" } else { "first record the goods that arrived" };
    format!("{}. Take fewer, or {or}", words.join("; "))
}
