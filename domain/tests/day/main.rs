//! A day with everything in it: conservation of money, goods and points, and the books.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "a test fails loudly")]

#[path = "../support/acts.rs"]
mod acts;
#[path = "../support/books.rs"]
mod books;
#[path = "../support/shop.rs"]
mod shop;

use acts::*;
use domain::adjustment::{self, AdjustmentReason};
use domain::event::Event;
use domain::hold;
use domain::ids::TransactionId;
use domain::opname::Scope;
use domain::points::{AdjustPoints, Cause, PointsAccount};
use domain::promotion::Promotion;
use domain::returns::{Disposition, NewReturn, Return};
use domain::sale::{ChangeSale, CreateSale, NewItem, NewPayment, PaySale};
use domain::settings::{NegativeStock, Policy, Rules};
use domain::shift::CashKind;
use domain::transaction::Transaction;
use domain::transfer;
use proptest::prelude::*;
use shop::*;

mod laws;
mod steps;

use laws::*;
use steps::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_day_with_everything_in_it_adds_up_and_replays(rules in any_rules(), steps in steps()) {
        let mut shop = a_shop(rules);
        for step in &steps {
            run(&mut shop, step);
        }
        books::goods_are_conserved(&shop, &SKUS);
        points_are_conserved(&shop);
        refunds_never_exceed_their_sale(&shop);
        books::numbers_have_no_gap(&shop);
        books::totals_are_those_of_the_documents(&shop);
        books::books_agree(&shop);

        prop_assert_eq!(shop.replayed(), (shop.ledger, shop.shift));
    }
}
