//! Receipts of sales and returns as people read them: lines for a thermal printer, or a page.

mod day;
mod html;
mod layout;
mod text;
mod words;

pub(crate) use html::page;
pub use html::{escape, html};
pub use layout::{Layout, Part};
pub use text::{figured, lines, text, wrapped};
pub use words::{Language, Shown};

use domain::model::base::currency::Currency;
use domain::model::base::figures::Points;
use domain::model::base::settings::ReceiptTexts;
use domain::model::selling::returns::Return;
use domain::model::selling::transaction::Transaction;
use jiff::tz::TimeZone;

/// Lines that a shop prints on every receipt.
#[derive(Debug, Clone, Default)]
pub struct ReceiptHeader {
    pub texts: ReceiptTexts,
    /// Currency of all amounts.
    pub currency: Currency,
    /// Language of the paper.
    pub language: Language,
}

/// Document of a receipt.
#[derive(Debug, Clone)]
pub enum Subject {
    Sale(Box<Transaction>),
    /// Goods that came back.
    Return(Box<Return>),
}

/// A receipt to be printed.
#[derive(Debug)]
pub struct Receipt<'a> {
    pub head: &'a ReceiptHeader,
    /// Its clock on the wall.
    pub timezone: &'a TimeZone,
    /// Document of the receipt.
    pub subject: &'a Subject,
    /// Name of the person at the till.
    pub cashier: &'a str,
    /// Member of the sale, as it is now.
    pub member: Option<&'a Whose>,
    /// Returns that paid a part of the sale.
    pub exchanged: &'a [Return],
    /// Whether it was printed before.
    pub copy: bool,
    /// Without prices: for the person who is given the goods.
    pub gift: bool,
}

/// Name and points of a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Whose {
    pub name: String,
    pub points: Points,
}
