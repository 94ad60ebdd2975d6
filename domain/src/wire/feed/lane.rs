//! Lanes of the feed. Changes that must not wait, such as a disabled user, are in the first ones.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Lanes in priority order; each has its own cursor.
pub const LANES: [&str; 4] = [USERS, PRICES, MEMBERS, REST];

/// Lane of `user` and `token_revocation`.
pub const USERS: &str = "users";

/// Lane of `settings`, `register`, `store`, `price` and `promotion`.
pub const PRICES: &str = "prices";

/// Lane of `member` and `points`.
pub const MEMBERS: &str = "members";

/// Lane of `product`, `supplier`, `purchase_order` and `transfer`.
pub const REST: &str = "rest";

/// Kind of a change of the feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The tokens of a user below a version are revoked.
    TokenRevocation,
    /// A user that head office gives to the store.
    User,
    /// A setting of a product in the store, or all that head office set for the store.
    Settings,
    /// A till of the store.
    Register,
    /// A store of the company.
    Store,
    /// A price from a day on.
    Price,
    /// A promotion.
    Promotion,
    /// A member.
    Member,
    /// A member's points.
    Points,
    /// A product.
    Product,
    /// A supplier.
    Supplier,
    /// A purchase order of the store.
    PurchaseOrder,
    /// Goods on their way to or from the store.
    Transfer,
}

/// Every kind that this version knows, in the order of the lanes.
pub const KINDS: [Kind; 13] = [
    Kind::TokenRevocation,
    Kind::User,
    Kind::Settings,
    Kind::Register,
    Kind::Store,
    Kind::Price,
    Kind::Promotion,
    Kind::Member,
    Kind::Points,
    Kind::Product,
    Kind::Supplier,
    Kind::PurchaseOrder,
    Kind::Transfer,
];

impl Kind {
    /// Kind of that name. `None` if this version does not know it.
    pub fn of(name: &str) -> Option<Self> {
        KINDS.into_iter().find(|kind| kind.name() == name)
    }

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::TokenRevocation => "token_revocation",
            Self::User => "user",
            Self::Settings => "settings",
            Self::Register => "register",
            Self::Store => "store",
            Self::Price => "price",
            Self::Promotion => "promotion",
            Self::Member => "member",
            Self::Points => "points",
            Self::Product => "product",
            Self::Supplier => "supplier",
            Self::PurchaseOrder => "purchase_order",
            Self::Transfer => "transfer",
        }
    }

    /// Lane in which the kind is sent.
    pub fn lane(self) -> &'static str {
        match self {
            Self::TokenRevocation | Self::User => USERS,
            Self::Settings | Self::Register | Self::Store | Self::Price | Self::Promotion => PRICES,
            Self::Member | Self::Points => MEMBERS,
            Self::Product | Self::Supplier | Self::PurchaseOrder | Self::Transfer => REST,
        }
    }
}
