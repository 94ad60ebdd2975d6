//! Returns, exchanges and voids: refusals and refunds.

use domain::model::base::event::Fact;
use domain::model::base::figures::Money;
use domain::model::base::ids::TransactionId;
use domain::model::base::refusal::{Refusal, ShortItem, ShortStock};
use domain::model::base::settings::NegativeStock;
use domain::model::books::shift::{Cash, ShiftState};
use domain::model::people::user::Role;
use domain::model::selling::returns::{Disposition, Return};
use domain::rules::selling::payment::NewPayment;
use domain::rules::selling::returns::{NewRefund, NewReturn, NewReturnItem};
use domain::rules::selling::sale::{CreateSale, PaySale};
use testkit::acts::*;
use testkit::shop::*;

mod elsewhere;
mod exchanges;
mod goods;
mod refused;
mod rounding;

fn open() -> Shop {
    let mut shop = Shop::open(rules(), [product("a", 1000), product("b", 3000)]);
    shop.stock("a", 10, 6_000);
    shop
}

/// Sells three pieces of `a`, 3,330 with tax, with these payments.
fn sold(shop: &mut Shop, payments: Vec<NewPayment>) -> TransactionId {
    let id = shop.create(&basket(vec![item("a", 3, 1000)])).unwrap();
    shop.pay(&id, &PaySale { payments }).unwrap().expect("the sale is fully paid");
    id
}

fn in_cash(shop: &mut Shop) -> TransactionId {
    sold(shop, vec![payment("cash", 3330)])
}

fn last(shop: &Shop) -> TransactionId {
    let paid = shop.events.iter().rev().find_map(|event| match &event.fact {
        Fact::TransactionPaid(it) => Some(it.transaction.transaction_id.clone()),
        _ => None,
    });
    paid.unwrap()
}

fn of(shop: &Shop, items: Vec<NewReturnItem>) -> NewReturn {
    NewReturn { transaction_id: Some(last(shop)), items, ..NewReturn::default() }
}

fn refund(shop: &mut Shop, change: impl FnOnce(&mut NewReturn)) -> Result<Return, Refusal> {
    let mut cmd = of(shop, vec![back("a", 1)]);
    change(&mut cmd);
    shop.give_back(&ani(), &cmd)
}

fn bare(price: Option<i64>) -> NewReturn {
    NewReturn {
        items: vec![NewReturnItem { price: price.map(Money::new), ..back("a", 1) }],
        ..NewReturn::default()
    }
}

fn given_sale(shop: &mut Shop) {
    in_cash(shop);
}
