//! Users, roles and sessions.

use crate::ids::{SessionId, StoreId, UserId};
use crate::time::UtcMs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub mod administrator;
pub mod came_back;
pub mod change;
pub mod costs;
pub mod devices;
pub mod passkey;
pub mod people;
pub mod rotation;
pub mod told;

/// What a person may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Everything.
    Admin,
    /// Cloud Hub: finance, settlement, reports.
    HoFinance,
    /// Cloud Hub: purchase orders, suppliers, receiving.
    HoPurchasing,
    /// Store Router: all store endpoints.
    StoreManager,
    /// Store Router: POS and members (limited).
    Cashier,
    /// Store Router: inventory, receiving.
    WarehouseStaff,
}

impl Role {
    /// Every role, for tables and messages.
    pub const ALL: [Self; 6] = [
        Self::Admin,
        Self::HoFinance,
        Self::HoPurchasing,
        Self::StoreManager,
        Self::Cashier,
        Self::WarehouseStaff,
    ];

    /// Those that have a part in a store.
    pub const STORE: [Self; 4] = [Self::Admin, Self::StoreManager, Self::Cashier, Self::WarehouseStaff];
    /// Those that have a part in head office.
    pub const HEAD_OFFICE: [Self; 3] = [Self::Admin, Self::HoFinance, Self::HoPurchasing];

    /// The role's name as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::HoFinance => "ho_finance",
            Self::HoPurchasing => "ho_purchasing",
            Self::StoreManager => "store_manager",
            Self::Cashier => "cashier",
            Self::WarehouseStaff => "warehouse_staff",
        }
    }

    /// The role of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }

    /// Managers and administrators: any shift, every figure.
    pub fn manages(self) -> bool {
        matches!(self, Self::Admin | Self::StoreManager)
    }
}

/// A person who can log in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    /// `usr_…`
    pub user_id: UserId,
    /// Login name, lower-cased.
    pub username: String,
    /// Display name.
    pub name: String,
    /// What the person may do.
    pub role: Role,
    /// The store that the person belongs to; empty for head office.
    pub store_id: StoreId,
    /// argon2id in PHC form; none: no password login.
    pub password_hash: Option<String>,
    /// Raised to kill every token at once.
    pub token_version: u64,
    /// Disabled users can't log in and their tokens are refused.
    pub disabled: bool,
    /// When the user was made.
    pub created_at: UtcMs,
    /// When the user was last changed.
    pub updated_at: UtcMs,
}

/// What a login opened; it dies by expiry, logout or revocation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// `ses_…`
    pub session_id: SessionId,
    /// Whose.
    pub user_id: UserId,
    /// The user's `token_version` at login.
    pub token_version: u64,
    /// When it was opened.
    pub opened_at: UtcMs,
    /// When the last token of the session expires.
    pub expires_at: UtcMs,
}

/// Who is asking: what a verified token, and the rows behind it, say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The user.
    pub user_id: UserId,
    /// Display name.
    pub name: String,
    /// What the person may do.
    pub role: Role,
    /// The store that the person belongs to; empty for head office.
    pub store_id: StoreId,
    /// The session of the token.
    pub session_id: SessionId,
}
