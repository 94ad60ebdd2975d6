//! The settings behind approvals, limits and lifetimes. 0 means no limit where the setting says so.

use crate::model::base::figures::{BasisPoints, Money, Points};
use crate::model::base::settings::ReceiptTexts;
use crate::model::selling::reasons::Reasons;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Policy of a shop; the default is `config.toml`'s.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// Time that a hold waits before its sale is voided, in milliseconds; 0 for ever.
    pub hold_expire_after_ms: i64,
    /// Basis points of a basket at the catalogue's prices above which an amount taken off by hand, by a discount or a
    /// lower price, needs an approval; 0 for no limit.
    pub discount_limit_bp: BasisPoints,
    /// Days after which a return needs an approval.
    pub return_window_days: u32,
    /// Refund above which a cashier needs an approval; 0: no limit.
    pub return_cashier_limit: Money,
    /// The largest refund without a receipt; 0: no limit.
    pub unreceipted_max: Money,
    /// Without a receipt more than today's price may go back.
    pub unreceipted_any_price: bool,
    /// A variance beyond this needs an approval; 0: off.
    pub variance_tolerance: Money,
    /// Hide expected figures from the cashier until the shift is closed.
    pub blind: bool,
    /// No new sale in a shift whose date has ended.
    pub refuse_overdue: bool,
    /// Value above which an adjustment needs a manager; 0: no limit.
    pub adjustment_value: Money,
    /// The pay-outs of a shift, together, above which a cashier needs an approval; 0: no limit.
    pub pay_out_value: Money,
    /// Basis points by which more than ordered may be received.
    pub over_tolerance_bp: BasisPoints,
    /// Country code of phone numbers written without one.
    pub country_code: String,
    /// Most points of one member that may be redeemed while head office is away.
    pub points_offline_limit: Points,
    /// Days that points live; 0: for ever.
    pub points_expire_days: u32,
    /// Days that given-back points of an expired lot live again.
    pub points_restore_days: u32,
    /// Points that a tier's members earn, in basis points of what others earn.
    pub tiers: BTreeMap<String, BasisPoints>,
    pub reasons: Reasons,
    /// Values of notes and coins, in minor currency units.
    pub denominations: Vec<Money>,
    /// Shared: rules are copied for each shift.
    pub receipt: Arc<ReceiptTexts>,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            hold_expire_after_ms: 0,
            discount_limit_bp: BasisPoints::new(2000),
            return_window_days: 30,
            return_cashier_limit: Money::new(1_000_000),
            unreceipted_max: Money::ZERO,
            unreceipted_any_price: false,
            variance_tolerance: Money::ZERO,
            blind: false,
            refuse_overdue: false,
            adjustment_value: Money::new(1_000_000),
            pay_out_value: Money::new(500_000),
            over_tolerance_bp: BasisPoints::ZERO,
            country_code: "62".to_owned(),
            points_offline_limit: Points::new(1000),
            points_expire_days: 0,
            points_restore_days: 30,
            tiers: BTreeMap::new(),
            reasons: Reasons::default(),
            denominations: Vec::new(),
            receipt: Arc::default(),
        }
    }
}
