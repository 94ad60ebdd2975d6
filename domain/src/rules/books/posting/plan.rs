//! The plan of accounts, as data (docs/arithmetic.md#postings). A local accountant confirms it before go-live.

use crate::model::base::limits::ACCOUNT_DIGITS;
use crate::model::selling::payment::{CASH, EXCHANGE, POINTS};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An account by its number: `1010`, …
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Account(u16);

impl Account {
    /// The account with that number, four digits without a leading 0: of the plan or of head office's own chart.
    pub fn parse(number: &str) -> Option<Self> {
        let digits = number.len() == ACCOUNT_DIGITS && number.bytes().all(|digit| digit.is_ascii_digit());
        number.parse().ok().filter(|number| digits && *number >= 1000).map(Self)
    }

    /// Whether every head office has it.
    pub fn in_plan(self) -> bool {
        PLAN.iter().any(|(account, _)| *account == self)
    }

    /// Its name in the plan; of another one empty.
    pub fn name(self) -> &'static str {
        PLAN.iter().find(|(account, _)| *account == self).map_or("", |(_, name)| name)
    }

    /// Account on which money of a payment method stays until it is settled.
    ///
    /// Methods that a store added (`payments.methods`) are settled by bank transfer.
    pub fn of_method(method: &str) -> Self {
        match method {
            CASH => TILLS,
            "card" => CARD,
            "qris" => QRIS,
            "voucher" => VOUCHER,
            POINTS => POINTS_LIABILITY,
            EXCHANGE => EXCHANGE_CLEARING,
            _ => BANK_TRANSFER,
        }
    }
}

/// Type of a ledger account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AccountType {
    /// Asset: something owned.
    Asset,
    /// Liability: something owed.
    Liability,
    /// Owners' equity.
    Equity,
    /// Income, for example from sales.
    Income,
    /// Expense, for example the cost of goods sold.
    Expense,
}

impl Account {
    /// Type of the account. An amount in suspense is an asset until it is explained.
    pub fn kind(self) -> AccountType {
        match self.0 / 1000 {
            2 => AccountType::Liability,
            3 => AccountType::Equity,
            4 | 7 => AccountType::Income,
            5 | 6 => AccountType::Expense,
            _ => AccountType::Asset,
        }
    }

    /// Whether it is a contra account: its balance reduces the accounts of its type.
    pub fn contra(self) -> bool {
        [DISCOUNTS, RETURNS, POINTS_DEFERRED].contains(&self)
    }

    /// Whether it has a list of head office behind it: no entry by hand is allowed.
    pub fn control(self) -> bool {
        const CONTROL: [Account; 14] = [
            TILLS,
            ON_THE_WAY,
            CARD,
            QRIS,
            BANK_TRANSFER,
            VOUCHER,
            EXCHANGE_CLEARING,
            INVENTORY,
            IN_TRANSIT,
            DAMAGED,
            BETWEEN_STORES,
            PAYABLES,
            NOT_INVOICED,
            POINTS_LIABILITY,
        ];
        CONTROL.contains(&self)
    }
}

impl From<Account> for String {
    fn from(account: Account) -> Self {
        format!("{:04}", account.0)
    }
}

impl TryFrom<String> for Account {
    type Error = String;

    fn try_from(number: String) -> Result<Self, Self::Error> {
        Self::parse(&number).ok_or_else(|| format!("{number} is not an account number"))
    }
}

macro_rules! plan {
    ($($number:literal $account:ident $name:literal),+ $(,)?) => {
        $(#[doc = $name] pub const $account: Account = Account($number);)+
        /// Every account with its name, by number.
        pub const PLAN: &[(Account, &str)] = &[$(($account, $name)),+];
    };
}

plan! {
    1010 TILLS "Cash in tills",
    1020 SAFE "Cash in safe",
    1030 ON_THE_WAY "Cash on its way to the bank",
    1040 BANK "Bank",
    1110 CARD "Card clearing",
    1120 QRIS "QRIS clearing",
    1130 BANK_TRANSFER "Bank transfer clearing",
    1140 VOUCHER "Voucher clearing",
    1150 EXCHANGE_CLEARING "Exchange clearing",
    1210 INVENTORY "Inventory",
    1220 IN_TRANSIT "Inventory in transit",
    1230 DAMAGED "Inventory, damaged or for the supplier",
    1240 VARIANCE_IN_STOCK "Purchase variance held in stock",
    1290 BETWEEN_STORES "Between stores",
    1310 INPUT_TAX "Input tax",
    2010 PAYABLES "Trade payables",
    2020 NOT_INVOICED "Received, not invoiced",
    2030 OUTPUT_TAX "Output tax",
    2040 POINTS_LIABILITY "Points liability",
    3010 OPENING "Opening balances",
    3020 RETAINED "Retained earnings",
    4010 SALES "Sales, before discounts, without tax",
    4020 DISCOUNTS "Discounts (contra)",
    4030 RETURNS "Returns (contra)",
    4040 POINTS_DEFERRED "Points deferred and released (contra)",
    5010 COST_OF_GOODS "Cost of goods sold",
    5020 COST_CORRECTION "Cost correction, stock below zero",
    5030 PRICE_VARIANCE "Purchase price variance",
    5040 PURCHASE_DISCOUNTS "Purchase discounts",
    5110 SHRINKAGE "Shrinkage: theft, loss",
    5120 THROWN_AWAY "Damaged, expired, thrown away",
    5130 COUNT_DIFFERENCES "Count differences, corrections",
    5140 TRANSFER_LOSSES "Transfer losses",
    5150 SAMPLES "Samples",
    6010 OVER_AND_SHORT "Cash over and short",
    6020 ROUNDING "Cash rounding",
    6030 PAYMENT_FEES "Payment fees",
    6040 LOYALTY "Loyalty expense",
    6050 PETTY_CASH "Petty cash",
    6060 SETTLEMENT_DIFFERENCES "Settlement differences, chargebacks",
    7010 OTHER_INCOME "Other income",
    9990 SUSPENSE "Suspense, to be explained",
}
