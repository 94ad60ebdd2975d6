//! Settings of the hub: defaults, overridden by `hub.toml` and then by the environment.

pub mod check;
mod company;

use domain::model::base::figures::Money;
use domain::rules::books::posting::PointsPolicy;
use edge::settings::{Settings, duration::Period};
use jiff::civil::Time;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

pub use company::Company;

/// Every setting of the hub, section by section.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Identity of this head office.
    pub hub: Hub,
    pub http: Http,
    pub database: Database,
    /// Folder of the keys.
    pub storage: Storage,
    pub backup: Backup,
    pub auth: Auth,
    pub sync: Sync,
    pub members: Members,
    pub catalogue: Catalogue,
    pub finance: Finance,
    /// Orders and suppliers' invoices.
    pub purchasing: Purchasing,
    /// Payouts of third parties and their settlement.
    pub settlement: Settlement,
    /// The company as its documents name it.
    pub company: Company,
    pub jobs: Jobs,
    /// Limits of imports and event streams.
    pub limits: Limits,
    pub webhooks: Webhooks,
    pub log: Log,
}

impl Settings for Config {
    const FILES: &'static [&'static str] = &["./hub.toml", "/etc/cloud-hub/hub.toml"];
    const ENV_PREFIX: &'static str = "CLOUD_HUB__";
    const MASKED: &'static [&'static str] = &["database.url"];

    fn completed(mut self) -> Self {
        if self.database.url.is_empty() {
            self.database.url = format!("sqlite://{}", self.storage.path.join("hub.sqlite").display());
        }
        self
    }

    fn problems(&self) -> Vec<(&'static str, String)> {
        check::problems(self)
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Hub {
    /// Name of the hub in tokens. Empty to have `init` make one up.
    pub id: String,
    /// Time zone of head office, which decides the day there.
    pub timezone: String,
}

impl Default for Hub {
    fn default() -> Self {
        Self { id: String::new(), timezone: "Asia/Jakarta".to_owned() }
    }
}

pub type Http = edge::settings::http::Http<HubPort>;

/// The default port of the hub.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HubPort;

impl edge::settings::http::Port for HubPort {
    const PORT: u16 = 8090;
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Database {
    /// `sqlite://FILE` or `postgres://…`. Empty in a file: `hub.sqlite` in `storage.path`.
    pub url: String,
    /// Connections to it at once, of one process.
    pub connections: u32,
}

impl Default for Database {
    fn default() -> Self {
        Self { url: String::new(), connections: 16 }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Storage {
    /// The folder of the keys.
    pub path: PathBuf,
}

impl Default for Storage {
    fn default() -> Self {
        Self { path: PathBuf::from("./data") }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Backup {
    /// Number of backups that `backup DIR` keeps in one folder.
    pub keep: usize,
    /// Longest time that a restore drill may take.
    pub drill_limit: Period,
}

impl Default for Backup {
    fn default() -> Self {
        Self { keep: 7, drill_limit: Period::hours(6) }
    }
}

pub type Auth = edge::settings::auth::Auth;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sync {
    /// Batches that are taken in at once; above it stores are asked to come back.
    pub batches_at_once: usize,
    /// Time for which an enrolment token may be used.
    pub enrolment_ttl: Period,
    /// Time for which the feed keeps a change after a later one of the same record.
    pub feed_retain: Period,
}

impl Default for Sync {
    fn default() -> Self {
        Self { batches_at_once: 64, enrolment_ttl: Period::hours(24), feed_retain: Period::days(92) }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Members {
    /// Stores that receive a member.
    pub reach: Reach,
}

/// Stores that receive a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    #[default]
    All,
    /// Members that the store made or asked for.
    Met,
}

impl Reach {
    /// The name in the settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Met => "met",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Catalogue {
    /// A product may only be put into a category that head office has listed.
    pub closed_categories: bool,
}

/// Settings of the section `[finance]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Finance {
    /// The first day of the fiscal year, `MM-DD`: the first of a month.
    pub fiscal_year_start: String,
    /// Accounting policy for loyalty points.
    pub points_policy: PointsPolicy,
    /// The largest entry that others than administrators write by hand; 0: any.
    pub manual_limit: Money,
    /// The largest invoice that others than administrators approve; 0: any.
    pub approval_limit: Money,
    /// The user who made an invoice or a credit note can't approve it.
    pub four_eyes: bool,
    /// Share of the earned points that is expected to be redeemed, in basis points.
    pub points_redemption_bp: u32,
}

impl Default for Finance {
    fn default() -> Self {
        Self {
            fiscal_year_start: "01-01".to_owned(),
            points_policy: PointsPolicy::default(),
            manual_limit: Money::ZERO,
            approval_limit: Money::ZERO,
            four_eyes: false,
            points_redemption_bp: 8000,
        }
    }
}

impl Finance {
    /// Month that a fiscal year begins with, 1 to 12. `None` if the setting is not valid.
    pub fn first_month(&self) -> Option<i8> {
        let month = self.fiscal_year_start.strip_suffix("-01").filter(|month| month.len() == 2)?;
        month.parse().ok().filter(|month| (1..=12).contains(month))
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settlement {
    /// Days for which a carried exception is not raised again.
    pub carry_days: u32,
}

impl Default for Settlement {
    fn default() -> Self {
        Self { carry_days: 30 }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Jobs {
    /// Time of the daily jobs, `HH:MM` at head office.
    pub at: String,
}

impl Default for Jobs {
    fn default() -> Self {
        Self { at: "03:00".to_owned() }
    }
}

impl Jobs {
    /// Time of day. `None` if the setting is not valid.
    pub fn time(&self) -> Option<Time> {
        Time::strptime("%H:%M", &self.at).ok().filter(|_| self.at.len() == 5)
    }
}

/// The highest setting of [`Limits::import_rows`].
pub const IMPORT_ROWS_MAX: usize = 1_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Most rows of a file, or lines of a statement, that are imported at once.
    pub import_rows: usize,
    /// Most bytes of it, before and after unpacking.
    pub import_bytes: usize,
    /// Most event streams at once, of one process.
    pub event_streams: usize,
    /// Most event streams of one person at once.
    pub event_streams_per_person: usize,
    /// Notices that are kept for readers that come back to a stream, or read it slowly.
    pub event_buffer: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            import_rows: 50_000,
            import_bytes: 16 * 1024 * 1024,
            event_streams: 256,
            event_streams_per_person: 8,
            event_buffer: 4096,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Webhooks {
    /// Networks that webhooks may lead to although they are not public, also without TLS.
    pub allowed_networks: Vec<ipnet::IpNet>,
}

/// Settings of the section `[purchasing]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Purchasing {
    /// The largest order that others than administrators approve; 0: any.
    pub approval_limit: Money,
    /// The user who made an order can't approve it.
    pub four_eyes: bool,
    /// Allowed difference between a billed price and the order's, in basis points, for suppliers without a
    /// tolerance of their own.
    pub price_tolerance_bp: u32,
    /// Or by this amount per piece, if that is more.
    pub price_tolerance_amount: Money,
    /// Largest excess of an invoice beyond the tolerance that users other than administrators may accept; 0
    /// for no limit.
    pub accept_limit: Money,
    /// The most that a supplier rounds an invoice by.
    pub invoice_rounding: Money,
    /// Suppliers restart their invoice numbers each year.
    pub invoice_number_per_year: bool,
    /// Goods without an order stop their invoice.
    pub no_order_stops: bool,
    /// Business days that sales rates are taken of.
    pub rate_days: u32,
    /// Days from order to delivery if no other number is set.
    pub lead_days: u32,
    /// Days that stock is kept beyond them.
    pub safety_days: u32,
    /// Days until the next order.
    pub review_days: u32,
}

impl Default for Purchasing {
    fn default() -> Self {
        Self {
            approval_limit: Money::ZERO,
            four_eyes: false,
            price_tolerance_bp: 0,
            price_tolerance_amount: Money::ZERO,
            accept_limit: Money::ZERO,
            invoice_rounding: Money::new(100),
            invoice_number_per_year: false,
            no_order_stops: false,
            rate_days: 28,
            lead_days: 7,
            safety_days: 3,
            review_days: 7,
        }
    }
}

pub type Log = edge::settings::log::Log;
