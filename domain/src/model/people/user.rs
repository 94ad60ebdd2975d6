//! Users, roles and sessions.

use crate::model::base::ids::{SessionId, StoreId, UserId};
use crate::model::base::time::UtcMs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub mod costs;

/// Role of a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// All rights.
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

/// A year before the last moment that can be written down, which leaves room for values that are set after the latest
/// one.
pub const LATEST_WORD: UtcMs = UtcMs(253_370_764_800_000);

/// When each field of a person that both the store and head office may set was last set by either of them; the later
/// value counts (docs/decisions/0019-whose-people-and-names.md). A value always comes after the one before it,
/// whatever the clock shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct FieldTimes {
    /// When the login name was set.
    pub username: UtcMs,
    /// When the display name was set.
    pub name: UtcMs,
    /// When the role was set.
    pub role: UtcMs,
    /// When the password was set; the beginning of time if nobody set one.
    pub password: UtcMs,
}

impl FieldTimes {
    /// All of it at once.
    pub fn all(at: UtcMs) -> Self {
        Self { username: at, name: at, role: at, password: at }
    }

    /// The latest of them.
    pub fn latest(self) -> UtcMs {
        self.username.max(self.name).max(self.role).max(self.password)
    }

    /// Times capped at a day before [`LATEST_WORD`]: a store accepts none after that, and there is room for later ones.
    #[must_use]
    pub fn capped(self) -> Self {
        const DAY_MS: i64 = 86_400_000;
        let cap = |at: UtcMs| if at > LATEST_WORD { UtcMs(LATEST_WORD.0.saturating_sub(DAY_MS)) } else { at };
        let Self { username, name, role, password } = self;
        Self { username: cap(username), name: cap(name), role: cap(role), password: cap(password) }
    }

    /// Time of a value that is set `now`, after one of `before`.
    pub fn after(before: UtcMs, now: UtcMs) -> UtcMs {
        now.max(UtcMs(before.0.saturating_add(1)))
    }
}

/// A person who can log in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    /// ID of the user, `usr_…`.
    pub user_id: UserId,
    /// Login name, lower-cased.
    pub username: String,
    pub name: String,
    /// Role of the user.
    pub role: Role,
    /// Store that the user belongs to. Empty for head office.
    pub store_id: StoreId,
    /// Password hash: argon2id in PHC form. `None` for a user without log-in by password.
    pub password_hash: Option<String>,
    /// When each of these fields was last set.
    pub times: FieldTimes,
    /// Raised to kill every token at once.
    pub token_version: u64,
    /// Disabled users can't log in and their tokens are refused.
    pub disabled: bool,
    /// When the user was created.
    pub created_at: UtcMs,
    /// When the user was last changed.
    pub updated_at: UtcMs,
}

impl User {
    /// Sets another password; the caller handles the tokens.
    pub fn set_password(&mut self, hash: String, now: UtcMs) {
        self.password_hash = Some(hash);
        self.times.password = FieldTimes::after(self.times.password, now);
    }
}

/// Session that a login opens. It ends by expiry, logout or revocation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// `ses_…`
    pub session_id: SessionId,
    /// User of the session.
    pub user_id: UserId,
    /// The user's `token_version` at login.
    pub token_version: u64,
    /// When the session was opened.
    pub opened_at: UtcMs,
    /// When the last token of the session expires.
    pub expires_at: UtcMs,
}

/// The caller, from a verified token and the rows behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    pub user_id: UserId,
    pub name: String,
    /// Role of the user.
    pub role: Role,
    /// Store that the user belongs to. Empty for head office.
    pub store_id: StoreId,
    /// The session of the token.
    pub session_id: SessionId,
}

/// The longest login name, in bytes.
pub const NAME_BYTES_MAX: usize = 128;

/// A login name as it is compared: trimmed and lower-cased.
pub fn login_name(text: &str) -> String {
    text.trim().to_lowercase()
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passkey {
    /// ID that the authenticator gave the device, in base64url.
    pub credential_id: String,
    /// User who owns the device.
    pub user_id: UserId,
    /// The owner's `token_version` when it was registered: it dies with the tokens of that version.
    pub token_version: u64,
    /// Name that the owner gave the device.
    pub name: String,
    /// Signature counter of the device; always 0 for devices that keep none.
    pub counter: u32,
    /// When the device was registered.
    pub created_at: UtcMs,
    /// When the device last opened a session or approved something. `None` if it never did.
    pub last_used_at: Option<UtcMs>,
    /// The public key and its parameters as JSON, in its library's own format.
    pub document: String,
}

/// A person's PIN at this store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pin {
    /// User who chose the PIN.
    pub user_id: UserId,
    /// The owner's `token_version` when the PIN was set: it dies with the tokens of that version.
    pub token_version: u64,
    /// Hash of the PIN: argon2id in PHC form.
    pub hash: String,
    /// Tries since the last right PIN, password or device. Each is counted before the PIN is compared.
    pub tries: u32,
    /// Wrong tries before right PINs since the last log-in by password or device.
    pub missed: u32,
    /// When the PIN was set.
    pub set_at: UtcMs,
}

/// The living refresh token of a session that was refreshed before, and the one spent for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rotation {
    /// ID of the token that is alive.
    pub current: String,
    /// When it was issued: with its ID all that is needed to sign the same token again.
    pub issued_at: UtcMs,
    /// ID of the token that was spent for it.
    pub spent: String,
    /// Fingerprint of the idempotency key that it was spent under.
    pub key: Option<String>,
}
