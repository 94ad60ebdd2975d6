//! Opname: a stock count while the shop continues selling.

use crate::model::base::figures::{Money, Quantity};
use crate::model::base::ids::{MovementId, OpnameId, Sku, StoreId, UserId};
use crate::model::base::refusal::Refusal;
use crate::model::base::time::UtcMs;
use crate::model::inventory::product::Product;
use crate::model::people::user::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Scope of a count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// All products.
    All,
    /// Products of one category.
    Category,
    /// Named products only.
    Skus,
}

/// State of a count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OpnameState {
    /// Counting is in progress.
    Counting,
    /// The differences are under review.
    Review,
    /// The differences were posted to stock.
    Posted,
    /// Cancelled; nothing has moved.
    Cancelled,
}

/// A stock count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Opname {
    /// ID of the count, `opn_…`.
    pub opname_id: OpnameId,
    /// State of the count.
    pub state: OpnameState,
    /// Store of the count.
    pub store_id: StoreId,
    /// Scope of the count.
    pub scope: Scope,
    /// Name of the counted category, if `scope` is `category`. Null otherwise.
    pub category: Option<String>,
    /// Counted products, if `scope` is `skus`. Empty otherwise.
    pub skus: BTreeSet<Sku>,
    /// Categories of the counted products when the count was started.
    pub categories: BTreeSet<String>,
    /// Products to count again. Null if all products in scope can be counted.
    pub reopened: Option<BTreeSet<Sku>>,
    /// Whether the count hides the expected quantities from the people who count. Lists of stock still show them.
    pub blind: bool,
    /// Number of products in scope when the count was started.
    pub lines_total: u64,
    /// Number of products with a valid count. Products that are to be counted again are not included.
    pub lines_counted: u64,
    /// Sum of the signed costs that posting moved, in minor currency units. Null until the count is posted.
    pub variance_value: Option<Money>,
    /// Note in free text. Null for none.
    pub note: Option<String>,
    /// Business date of the document, by its own time.
    pub business_date: jiff::civil::Date,
    /// User who started the count.
    pub created_by: UserId,
    /// When the count was started.
    pub created_at: UtcMs,
    /// User who posted or cancelled the count. Null while the count is under way.
    pub ended_by: Option<UserId>,
    /// When the count was posted or cancelled. Null while the count is under way.
    pub ended_at: Option<UtcMs>,
}

impl OpnameState {
    /// The state's name as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Counting => "counting",
            Self::Review => "review",
            Self::Posted => "posted",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether the count was posted or cancelled.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Posted | Self::Cancelled)
    }

    /// `invalid_state`, with the steps that are possible in this state.
    pub fn refusal(self) -> Refusal {
        let steps: &[&str] = match self {
            Self::Counting => &["count", "submit", "post", "cancel"],
            Self::Review => &["recount", "post", "cancel"],
            _ => &[],
        };
        let allowed = steps.iter().map(|step| (*step).to_owned()).collect();
        Refusal::InvalidState { state: self.name().to_owned(), allowed }
    }
}

impl Opname {
    /// Whether a product is in the scope of the count.
    pub fn covers(&self, sku: &Sku, category: Option<&str>) -> bool {
        match self.scope {
            Scope::All => true,
            Scope::Category => self.category.as_deref() == category && category.is_some(),
            Scope::Skus => self.skus.contains(sku),
        }
    }

    /// Whether the count accepts counts of a product. During a recount it accepts only the reopened products.
    pub fn accepts(&self, product: &Product) -> bool {
        let open = self.reopened.as_ref().is_none_or(|skus| skus.contains(&product.sku));
        open && product.track_stock
            && !self.state.is_over()
            && self.covers(&product.sku, product.category.as_deref())
    }

    /// Whether expected quantities are hidden from a user of this role.
    pub fn hides_from(&self, role: Role) -> bool {
        self.blind && !role.manages() && !self.state.is_over()
    }

    /// Whether a product may be in the scope of both counts.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        match (self.scope, other.scope) {
            (Scope::All, _) | (_, Scope::All) => true,
            (Scope::Category, Scope::Category) => self.category == other.category,
            (Scope::Skus, Scope::Skus) => !self.skus.is_disjoint(&other.skus),
            (Scope::Category, Scope::Skus) => {
                self.category.as_ref().is_some_and(|category| other.categories.contains(category))
            }
            (Scope::Skus, Scope::Category) => other.overlaps(self),
        }
    }
}

/// Quantity counted in one zone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ZoneCount {
    /// Counted pieces.
    pub qty: Quantity,
    /// Number of movements of the SKU up to the time of counting.
    pub moves: u64,
    /// On hand at that moment.
    #[serde(default)]
    pub on_hand: Quantity,
    /// User who counted the pieces.
    pub user_id: UserId,
    /// Other users who counted a part of these pieces before, if counts of several people were added up.
    #[serde(default)]
    pub others: BTreeSet<UserId>,
    /// The product moved between the parts that were added up.
    #[serde(default)]
    pub moved: bool,
    /// When the pieces were counted.
    pub at: UtcMs,
}

impl ZoneCount {
    /// All users who counted these pieces.
    pub fn counters(&self) -> BTreeSet<UserId> {
        self.others.iter().cloned().chain([self.user_id.clone()]).collect()
    }
}

/// A counted sku of a count; a row of its own, since a count may be as long as the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct OpnameLine {
    /// The count that the line belongs to.
    pub opname_id: OpnameId,
    /// SKU of the product.
    pub sku: Sku,
    /// Name of the product at that time.
    pub name: String,
    /// Counts by zone, with `""` for pieces counted without a zone. Empty if the product is to be counted again.
    pub zones: BTreeMap<String, ZoneCount>,
    /// On hand at the latest count.
    pub expected: Quantity,
    /// User who last counted the product. Empty if nobody did.
    pub counted_by: UserId,
    /// When the product was last counted. 0 if it never was.
    pub counted_at: UtcMs,
    /// Posted although it moved between two counts.
    pub accepted: bool,
    /// Cost of what posting moved.
    pub variance_value: Option<Money>,
    /// Correction of earlier estimates that posting made.
    pub correction: Money,
    /// On hand after posting.
    pub balance_after: Option<Quantity>,
    /// The movement, where there was a difference.
    pub movement_id: Option<MovementId>,
}
