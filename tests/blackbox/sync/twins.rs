//! One disk becomes two machines that run at the same time, both selling and both connected to the hub: one stays the
//! active store, the other sells nothing from then on, and no sale of either is lost.

use super::clones::Twins;
use super::trade::sell;
use super::{epochs, outbox};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;
use testkit::Reply;
use testkit::ends::same;
use testkit::hub::Hub;
use testkit::process;
use testkit::store::Store;
use testkit::till::Till;
use testkit::wait;

/// Sales of the active store after the other was fenced.
const SALES_AFTER: usize = 5;

/// A store whose till sells on its own thread until it is refused.
struct Trading {
    store: Store,
    sold: Arc<AtomicUsize>,
    till: JoinHandle<(Till, Reply)>,
}

impl Trading {
    #[track_caller]
    fn start(store: Store, mut till: Till) -> Self {
        let sold = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&sold);
        let till = std::thread::spawn(move || {
            loop {
                match till.try_to_sell() {
                    Ok(()) => counted.fetch_add(1, Ordering::Relaxed),
                    Err(refused) => return (till, refused),
                };
            }
        });
        Self { store, sold, till }
    }

    fn sold(&self) -> usize {
        self.sold.load(Ordering::Relaxed)
    }

    #[track_caller]
    fn sells_on(&self) {
        let goal = self.sold() + SALES_AFTER;
        wait::until("the active store continues to sell", || {
            assert!(!self.till.is_finished(), "the active store was refused");
            (self.sold() >= goal).then_some(())
        });
    }

    /// Waits until the till is refused with the expected reason. Returns the store and the number of its sales.
    #[track_caller]
    fn refused(self) -> (Store, usize) {
        wait::until("the till is refused", || self.till.is_finished().then_some(()));
        let (till, refused) = self.till.join().unwrap();
        let refused = refused.refused(409, "invalid_state");
        assert_eq!(refused["state"], json!("fenced"), "{refused}");
        (self.store, till.sold.len())
    }
}

#[track_caller]
fn is_fenced(store: &Store) -> bool {
    outbox(store)["fenced"] == json!(true)
}

/// Runs both until one of them is fenced. Returns the active store, still selling, and the other one with its number of
/// sales.
#[track_caller]
fn one_reports(shop: Trading, clone: Trading) -> (Trading, Store, usize) {
    let first = wait::until("one of the two is fenced", || {
        [&shop, &clone].iter().position(|trading| is_fenced(&trading.store))
    });
    let (winner, reported) = if first == 0 { (clone, shop) } else { (shop, clone) };
    let (reported, sold) = reported.refused();
    winner.sells_on();
    assert!(!is_fenced(&winner.store), "the other one stays active");
    (winner, reported, sold)
}

/// Makes the fenced copy the active one while the other one sells, and then the reverse.
#[track_caller]
fn both_rejoin(hub: &Hub, winner: Trading, reported: Store, sold: usize) {
    rejoin(&reported, "epoch 2-");
    let (winner, sold_by_winner) = winner.refused();
    same(hub, &reported);
    rejoin(&winner, "epoch 3-");
    let books = same(hub, &winner);
    let all = i64::try_from(sold + sold_by_winner).unwrap();
    assert_eq!(books.sales["sales_count"], all, "{sold} and {sold_by_winner} were sold: {books:?}");
    assert_eq!(epochs(hub).len(), 3);
    // A copy without new records is fenced at its next action.
    reported.login("till-1").at_register("till-1").post("/api/shifts/open", &json!({})).data(201);
    wait::until("the copy is fenced again", || is_fenced(&reported).then_some(()));
    assert!(!is_fenced(&winner));
    assert_eq!(same(hub, &winner), books);
    for mut store in [winner, reported] {
        store.stop();
        store.verify();
    }
}

#[track_caller]
fn rejoin(store: &Store, epoch: &str) {
    let reported = process::succeed(store.command(&["rejoin"]), "");
    assert!(reported.contains(epoch), "{reported}");
}

/// Asserts that the copy that is behind the hub's records of their epoch never becomes the active one, however soon it
/// sells.
#[track_caller]
fn one_is_ahead(test: &str, clone_is_ahead: bool) {
    let Twins { hub, shop, clone, mut till, .. } = Twins::open(test);
    let (mut ahead, mut behind) = if clone_is_ahead { (clone, shop) } else { (shop, clone) };
    ahead.start();
    till.log_in_again(&ahead);
    sell(&mut till, 3);
    same(&hub, &ahead);
    let mut late = till.twin(&ahead);
    let ahead = Trading::start(ahead, till);
    behind.start();
    late.log_in_again(&behind);
    let is_ahead = ahead.store.folder().to_owned();
    let (winner, reported, sold) = one_reports(ahead, Trading::start(behind, late));
    assert_eq!(winner.store.folder(), is_ahead, "the copy that is ahead stays active");
    both_rejoin(&hub, winner, reported, sold);
}

#[test]
fn a_clone_starts_beside_its_selling_shop() {
    one_is_ahead("shop ahead, both run", false);
}

#[test]
fn a_shop_starts_beside_its_selling_clone() {
    one_is_ahead("clone ahead, both run", true);
}

/// Starts both at once and sells. If the hub is `away`, both have records that it does not know.
#[track_caller]
fn both_start(test: &str, away: bool) {
    let Twins { mut hub, mut shop, mut clone, mut till, .. } = Twins::open(test);
    if away {
        hub.kill9();
    }
    shop.start();
    clone.start();
    till.log_in_again(&shop);
    let at_clone = till.twin(&clone);
    let (shop, clone) = (Trading::start(shop, till), Trading::start(clone, at_clone));
    if away {
        shop.sells_on();
        clone.sells_on();
        hub.start();
    }
    let (winner, reported, sold) = one_reports(shop, clone);
    if away {
        assert!(outbox(&reported)["pending"].as_u64().unwrap() > 0, "{}", outbox(&reported));
    }
    both_rejoin(&hub, winner, reported, sold);
}

#[test]
fn a_clone_and_its_shop_sell_at_the_same_moment() {
    both_start("neither ahead, both run", false);
}

#[test]
fn a_clone_and_its_shop_both_ahead_come_back_at_the_same_moment() {
    both_start("both ahead, both run", true);
}
