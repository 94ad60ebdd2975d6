//! Cached rows are those of the last commit, whatever was read before it.

use crate::shop::{Shop, folder, open};
use domain::model::base::event::{Event, fact};
use domain::model::base::figures::Money;
use domain::model::base::time::UtcMs;
use domain::model::hub::sync::local::Change;
use domain::model::inventory::product::{Barcode, Product, ProductState};
use domain::model::selling::price::{Price, PriceDown, PriceMoment};
use storage::Storage;

fn product(price: i64, codes: &[&str]) -> Product {
    let code = |code: &&str| Barcode { code: (*code).to_owned(), pack_qty: 1.into() };
    let barcodes = codes.iter().map(code).collect();
    Product { barcodes, ..Product::new("A".into(), "Tea".to_owned(), Money::new(price), UtcMs(1)) }
}

/// Returns a price of this store that starts at this time.
fn price(begins: i64, amount: i64) -> Price {
    let price = PriceDown {
        price_id: format!("prc_{amount}"),
        sku: "A".into(),
        store_id: "S001".into(),
        price: Money::new(amount),
        from: Some(on(begins).date),
        set_at: UtcMs(1),
        withdrawn_at: None,
    };
    Price { price, effective_at: UtcMs(begins) }
}

fn changed(change: Change) -> Event {
    fact::SyncChanged { change }.into()
}

fn on(day: i64) -> PriceMoment {
    let date = jiff::civil::date(2020, 1, 1).saturating_add(jiff::Span::new().days(day));
    PriceMoment { at: UtcMs(day), date }
}

/// Reads the price at a time twice, the second time from the cache.
fn price_at(storage: &Storage, now: i64) -> Option<i64> {
    let ask = || storage.products().sold(&"A".into(), on(now)).unwrap().map(|product| product.price);
    let first = ask();
    assert_eq!(ask(), first);
    first.map(Money::get)
}

fn products_with(storage: &Storage, code: &str) -> usize {
    let ask = || storage.products().sold_by_barcode(code, on(10)).unwrap().len();
    let first = ask();
    assert_eq!(ask(), first);
    first
}

#[tokio::test]
async fn a_product_has_the_price_of_each_time_after_each_change() {
    let folder = folder();
    let storage = open(folder.path());
    let mut till = Shop::new("till-1");
    let mut commit = async |event: Event| {
        storage.commit(till.commit(vec![event])).await.unwrap();
    };
    assert_eq!((price_at(&storage, 10), products_with(&storage, "C1")), (None, 0));
    commit(Event::product_changed(product(100, &["C1"]))).await;
    assert_eq!(
        (price_at(&storage, 10), products_with(&storage, "C1"), products_with(&storage, "C2")),
        (Some(100), 1, 0)
    );
    commit(changed(Change::Price { price: price(20, 150) })).await;
    commit(changed(Change::Price { price: price(30, 170) })).await;
    // Reads alternate between times, because a cached price is valid only for its time.
    for (now, amount) in
        [(10, 100), (19, 100), (20, 150), (29, 150), (30, 170), (25, 150), (5, 100), (99, 170)]
    {
        assert_eq!(price_at(&storage, now), Some(amount), "at {now}");
    }
    commit(changed(Change::PriceGone { price: price(30, 170) })).await;
    assert_eq!((price_at(&storage, 30), price_at(&storage, 10)), (Some(150), Some(100)));
    commit(Event::product_changed(product(90, &["C2"]))).await;
    assert_eq!(
        (price_at(&storage, 10), products_with(&storage, "C1"), products_with(&storage, "C2")),
        (Some(90), 0, 1)
    );
    let idle = Product { state: ProductState::Inactive, ..product(90, &["C2"]) };
    commit(Event::product_changed(idle)).await;
    assert_eq!(products_with(&storage, "C2"), 0);
    storage.close().unwrap();
    let storage = open(folder.path());
    assert_eq!((price_at(&storage, 10), price_at(&storage, 20)), (Some(90), Some(150)), "after a start");
}

#[tokio::test]
async fn the_head_of_a_basket_is_that_of_its_row() {
    let folder = folder();
    let storage = open(folder.path());
    let mut till = Shop::new("till-1");
    storage.commit(till.open_shift()).await.unwrap();
    storage.commit(till.basket()).await.unwrap();
    let id = till.transaction_id(till.made + 1);
    let whole = storage.sales().current_transaction(&id).unwrap().unwrap();
    assert_eq!(storage.sales().current_head(&id).unwrap(), Some(whole.into()));
}
