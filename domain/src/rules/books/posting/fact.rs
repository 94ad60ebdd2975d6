//! Posted facts: the figures of business events, as rules and tests write them down, and their accounts.

use crate::model::base::figures::Money;
use crate::model::books::shift::CashKind;
use crate::model::inventory::adjustment::AdjustmentReason;
use crate::model::inventory::stock::StockPlace;
use crate::model::inventory::transfer::Resolution;
use crate::model::selling::returns::Disposition;
use crate::rules::books::posting::entry::Draft;
use crate::rules::books::posting::plan::{
    Account, BANK, BETWEEN_STORES, COUNT_DIFFERENCES, DAMAGED, IN_TRANSIT, INVENTORY, LOYALTY, NOT_INVOICED,
    ON_THE_WAY, OPENING, OVER_AND_SHORT, POINTS_LIABILITY, SAFE, SETTLEMENT_DIFFERENCES, THROWN_AWAY, TILLS,
    TRANSFER_LOSSES,
};
use crate::rules::books::posting::{Mapped, cash, sale, stock};
use serde::{Deserialize, Serialize};

/// Treatment of tax in prices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaxMode {
    /// Added to the price.
    OnTop,
    /// Part of the price.
    Contained,
}

/// Accounting policy for points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PointsPolicy {
    /// A part of the price is deferred (IFRS 15 / PSAK 115).
    Deferral,
    /// The face value is an expense at once.
    #[default]
    Expense,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SaleLine {
    /// qty × price.
    pub gross: Money,
    /// Sum of the discounts, in minor currency units.
    pub discount: Money,
    /// Tax on, or contained in, the net.
    pub tax: Money,
    /// Basis points.
    pub rate_bp: u32,
    /// Cost of the goods.
    pub cost: Money,
    /// Correction that a void's goods made when they came back.
    #[serde(default)]
    pub correction: Money,
}

/// A line that came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReturnLine {
    /// Amount refunded for the line, tax included.
    pub refund: Money,
    /// The tax in it.
    pub tax: Money,
    /// Cost of the goods.
    pub cost: Money,
    /// Destination of the returned goods.
    pub disposition: Disposition,
    /// Correction of the estimated cost of pieces that were sold below zero stock, in minor currency units.
    #[serde(default)]
    pub correction: Money,
}

/// Money by one method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tendered {
    pub method: String,
    /// Amount before cash rounding, in minor currency units.
    pub amount: Money,
    #[serde(default)]
    pub rounding: Money,
}

/// Effect of a sale or return on the points liability.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PointsEffect {
    /// Accounting policy for points.
    pub policy: PointsPolicy,
    /// Amount that the sale's points added to the liability.
    pub earned_value: Money,
    /// Amount that the pool held for them. `None` for their face value.
    pub released: Option<Money>,
    /// Amount that a return took off the liability of the sale's points.
    pub reversed_value: Money,
    /// Amount that the pool takes for points that were given back. `None` for their face value.
    pub back_value: Option<Money>,
}

/// A sale, or its void.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sold {
    /// Treatment of tax in the prices.
    pub tax: TaxMode,
    /// Lines of the sale.
    pub sale_lines: Vec<SaleLine>,
    pub payments: Vec<Tendered>,
    #[serde(default)]
    pub points: PointsEffect,
}

/// A return, or its void.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Returned {
    /// Treatment of tax in the prices of the sale.
    pub tax: TaxMode,
    /// Lines of the return.
    pub return_lines: Vec<ReturnLine>,
    pub refunds: Vec<Tendered>,
    #[serde(default)]
    pub points: PointsEffect,
}

/// A business event with the figures that are posted. Costs and amounts are not negative except where marked as signed;
/// `correction` is signed everywhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Fact {
    Sale(Sold),
    Void(Sold),
    Return(Returned),
    ReturnVoided(Returned),
    ExchangeGivenBack(Tendered),
    TenderCorrected {
        amount: Money,
        from: String,
        to: String,
        #[serde(default)]
        from_rounding: Money,
        #[serde(default)]
        to_rounding: Money,
    },
    ShiftOpened {
        opening_float: Money,
    },
    ShiftClosed {
        expected: Money,
        counted: Money,
    },
    ShiftRecounted {
        before: Money,
        counted: Money,
    },
    CashMoved {
        #[serde(rename = "type")]
        kind: CashKind,
        amount: Money,
        #[serde(default)]
        account: Option<Account>,
    },
    CashDeposited {
        amount: Money,
    },
    DepositMatched {
        deposited: Money,
        banked: Money,
    },
    OpeningStock {
        cost: Money,
        #[serde(default)]
        correction: Money,
    },
    Receiving {
        cost: Money,
        #[serde(default)]
        correction: Money,
    },
    /// `correction`: what the receipt had corrected, if it is taken back at its own figures.
    ReceivingReversed {
        claim: Money,
        stock_cost: Money,
        #[serde(default)]
        correction: Money,
    },
    /// `bucket`: the stock that the goods were taken from.
    SupplierReturned {
        claim: Money,
        stock_cost: Money,
        #[serde(default)]
        bucket: StockPlace,
        #[serde(default)]
        invoiced: bool,
        #[serde(default)]
        tax: Money,
    },
    InvoiceApproved {
        receipt_value: Money,
        net: Money,
        tax: Money,
    },
    InvoicePaid {
        amount: Money,
        #[serde(default)]
        discount: Money,
    },
    TransferSent {
        cost: Money,
    },
    TransferReceived {
        cost: Money,
        #[serde(default)]
        correction: Money,
    },
    TransferResolved {
        resolution: Resolution,
        cost: Money,
        #[serde(default)]
        correction: Money,
    },
    TransferCancelled {
        cost: Money,
        #[serde(default)]
        correction: Money,
    },
    /// `value` is signed.
    Adjustment {
        reason: AdjustmentReason,
        value: Money,
        #[serde(default)]
        correction: Money,
    },
    /// `variance_value` is signed.
    Opname {
        variance_value: Money,
    },
    MovedToDamaged {
        value: Money,
        #[serde(default)]
        correction: Money,
    },
    DamagedWrittenOff {
        value: Money,
        #[serde(default)]
        account: Option<Account>,
    },
    SettlementLine {
        method: String,
        gross: Money,
        fee: Money,
        net: Money,
    },
    Chargeback {
        amount: Money,
    },
    /// `value` is signed.
    PointsAdjusted {
        value: Money,
    },
    /// Points that members had before this system kept them.
    PointsOpened {
        value: Money,
    },
    PointsExpired {
        policy: PointsPolicy,
        released: Money,
    },
    /// A person's entry: account, debit, credit.
    Manual {
        rows: Vec<(Account, Money, Money)>,
    },
}

impl Fact {
    /// Entry drafts for the store, and for the other store if there is one.
    pub(super) fn drafts(&self, accounts: &Mapped) -> (Draft, Option<Draft>) {
        match self {
            Fact::TransferReceived { cost, correction }
            | Fact::TransferResolved { resolution: Resolution::FoundAtDestination, cost, correction } => {
                let arrived = stock::into_stock(BETWEEN_STORES, *cost, *correction);
                (plain(BETWEEN_STORES, IN_TRANSIT, *cost), Some(arrived))
            }
            Fact::TransferResolved { resolution: Resolution::FoundAtSource, cost, correction }
            | Fact::TransferCancelled { cost, correction } => {
                (stock::into_stock(IN_TRANSIT, *cost, *correction), None)
            }
            Fact::TransferResolved { resolution: Resolution::Lost | Resolution::Damaged, cost, .. } => {
                (plain(TRANSFER_LOSSES, IN_TRANSIT, *cost), None)
            }
            Fact::TransferSent { cost } => (plain(IN_TRANSIT, INVENTORY, *cost), None),
            other => (alone(other, accounts), None),
        }
    }
}

fn plain(debit: Account, credit: Account, amount: Money) -> Draft {
    let mut draft = Draft::default();
    draft.transfer(debit, credit, amount);
    draft
}

/// Entry draft of a fact in one store alone.
fn alone(fact: &Fact, accounts: &Mapped) -> Draft {
    match fact {
        Fact::Sale(sold) => sale::sale(sold, accounts),
        Fact::Void(sold) => sale::sale(sold, accounts).mirrored(),
        Fact::Return(back) => sale::returned(back, accounts),
        Fact::ReturnVoided(back) => sale::returned(back, accounts).mirrored(),
        Fact::ExchangeGivenBack(refund) => sale::exchange_given_back(refund, accounts),
        Fact::TenderCorrected { amount, from, to, from_rounding, to_rounding } => {
            let money =
                |method: &String, rounding| Tendered { method: method.clone(), amount: *amount, rounding };
            sale::tender_corrected(&money(from, *from_rounding), &money(to, *to_rounding), accounts)
        }
        Fact::Adjustment { reason, value, correction } => {
            stock::into_stock(accounts.adjustment_reason(*reason), *value, *correction)
        }
        Fact::Opname { variance_value } => stock::into_stock(COUNT_DIFFERENCES, *variance_value, Money::ZERO),
        Fact::OpeningStock { cost, correction } => stock::into_stock(OPENING, *cost, *correction),
        Fact::Receiving { cost, correction } => stock::into_stock(NOT_INVOICED, *cost, *correction),
        Fact::ReceivingReversed { claim, stock_cost, correction } => {
            stock::receipt_reversed(*claim, *stock_cost, *correction)
        }
        Fact::SupplierReturned { claim, stock_cost, bucket, invoiced, tax } => {
            stock::supplier_returned(stock::place(*bucket), *claim, *stock_cost, *invoiced, *tax)
        }
        Fact::InvoiceApproved { receipt_value, net, tax } => {
            stock::invoice_approved(*receipt_value, *net, *tax)
        }
        Fact::InvoicePaid { amount, discount } => stock::invoice_paid(*amount, *discount),
        other => money(other, accounts),
    }
}

/// Entry draft of a fact that moves money alone.
fn money(fact: &Fact, accounts: &Mapped) -> Draft {
    match fact {
        Fact::ShiftOpened { opening_float } => plain(TILLS, SAFE, *opening_float),
        Fact::ShiftClosed { expected, counted } => cash::closed(*expected, *counted),
        Fact::ShiftRecounted { before, counted } => {
            plain(SAFE, OVER_AND_SHORT, counted.saturating_sub(*before))
        }
        Fact::CashMoved { kind, amount, account } => cash::moved(*kind, *amount, *account),
        Fact::CashDeposited { amount } => plain(ON_THE_WAY, SAFE, *amount),
        Fact::DepositMatched { deposited, banked } => cash::deposit_matched(*deposited, *banked),
        Fact::SettlementLine { method, gross, fee, net } => {
            cash::settled(accounts.method(method), *gross, *fee, *net)
        }
        Fact::Chargeback { amount } => plain(SETTLEMENT_DIFFERENCES, BANK, *amount),
        Fact::MovedToDamaged { value, correction } => {
            stock::into_stock(DAMAGED, value.saturating_neg(), *correction)
        }
        Fact::DamagedWrittenOff { value, account } => plain(account.unwrap_or(THROWN_AWAY), DAMAGED, *value),
        Fact::PointsAdjusted { value } => plain(LOYALTY, POINTS_LIABILITY, *value),
        Fact::PointsOpened { value } => plain(OPENING, POINTS_LIABILITY, *value),
        Fact::PointsExpired { policy, released } => {
            plain(POINTS_LIABILITY, sale::earning(*policy), *released)
        }
        Fact::Manual { rows } => {
            let mut draft = Draft::default();
            for (account, debit, credit) in rows {
                draft.debit(*account, *debit).credit(*account, *credit);
            }
            draft
        }
        // The rest is posted by [`Fact::drafts`] and [`alone`].
        _ => Draft::default(),
    }
}
