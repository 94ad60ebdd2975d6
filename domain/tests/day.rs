//! A day with every kind of event: conservation of money, goods and points, and the books.

use crate::books;
use domain::model::base::event::{Event, Fact, Rows, fact};
use domain::model::base::ids::TransactionId;
use domain::model::base::settings::{NegativeStock, Policy, Rules};
use domain::model::books::shift::CashKind;
use domain::model::inventory::adjustment::AdjustmentReason;
use domain::model::inventory::opname::Scope;
use domain::model::people::points::{Cause, PointsAccount};
use domain::model::selling::promotion::Promotion;
use domain::model::selling::returns::{Disposition, Return};
use domain::model::selling::transaction::Transaction;
use domain::rules::inventory::adjustment;
use domain::rules::inventory::transfer;
use domain::rules::people::points::AdjustPoints;
use domain::rules::selling::hold;
use domain::rules::selling::payment::NewPayment;
use domain::rules::selling::returns::NewReturn;
use domain::rules::selling::sale::{ChangeSale, CreateSale, NewItem, PaySale};
use proptest::prelude::*;
use testkit::acts::*;
use testkit::shop::*;

mod laws;
pub(crate) mod steps;

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
