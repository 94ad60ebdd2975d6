//! Store and hub of two real versions: the one before, built from this repository's history, and this one.
//! Whichever is upgraded first, and with whatever was unsent and open, both have the same in the end.

use super::trade::{everything, sell};
use super::{QUICK, outbox};
use crate::support::counter::{basket, text};
use crate::support::ends::same;
use crate::support::hub::Hub;
use crate::support::previous::{self, Build};
use crate::support::process;
use crate::support::random::Random;
use crate::support::store::{STORE_ID, Store};
use crate::support::till::Till;
use crate::support::wait;
use Build::{Current, Previous};
use serde_json::json;

const SALES: &str = "/api/pos/transactions";
const HOLDS: &str = "/api/pos/holds";
/// Sold by nobody here but to see what it costs.
const PRICED: &str = "8990011";

/// A shop and its head office, each of one version or the other.
struct Pair {
    hub: Hub,
    store: Store,
    till: Till,
    /// Prices that head office has said so far.
    said: i64,
}

impl Pair {
    #[track_caller]
    fn open(test: &str, store: Build, hub: Build) -> Self {
        let hub = Hub::open_of(hub);
        let mut store = Store::prepare_of(store, STORE_ID, QUICK, 2);
        hub.enrol(&store);
        store.start();
        let mut random = Random::announced(test);
        let till = Till::open(&store, 1, &mut random);
        Self { hub, store, till, said: 0 }
    }

    /// Everything that a shop does, and everything that head office says; both have the same.
    #[track_caller]
    fn trades(&mut self) {
        everything(&self.store, 1);
        sell(&mut self.till, 2);
        self.product_comes_down();
        self.revoked_user_is_out();
        same(&self.hub, &self.store);
    }

    #[track_caller]
    fn product_comes_down(&mut self) {
        self.said += 1;
        let sku = format!("870{:04}", self.said);
        let product = json!({"sku": sku, "name": "New", "price": 500 + self.said});
        self.hub.login().post("/api/products", &product).data(201);
        self.costs(&sku, 500 + self.said);
    }

    /// A price that the previous version keeps and does not know how to use.
    #[track_caller]
    fn price_is_kept(&self, price: i64) {
        let body = json!({"sku": PRICED, "price": price, "from": "2026-01-01"});
        self.hub.login().post("/api/prices", &body).data(201);
        let rows = self.store.login("manager").post("/api/sync/force", &json!({})).data(200);
        assert_eq!(rows["completed"], json!(true), "{rows}");
    }

    /// The till's price of a product, once it is this one.
    #[track_caller]
    fn costs(&self, sku: &str, price: i64) {
        let mut till = self.store.login("till-1").at_register("till-1");
        wait::until(&format!("{sku} costs {price}"), || {
            let reply = till.get(&format!("/api/pos/products/{sku}"));
            (reply.status == 200 && reply.data(200)["price"] == json!(price)).then_some(())
        });
    }

    #[track_caller]
    fn revoked_user_is_out(&mut self) {
        let mut admin = self.hub.login();
        let username = format!("aide-{}@s001.example", self.said);
        let user = json!({"username": username, "name": "Aide", "role": "cashier", "store_id": STORE_ID,
            "password": "another good secret"});
        let id = text(&admin.post("/api/users", &user).data(201), "user_id");
        let mut manager = self.store.login("manager");
        wait::until("the person is known", || {
            manager.get("/api/users").text().contains(&username).then_some(())
        });
        let body = json!({"username": username, "password": "another good secret"});
        let token = text(&self.store.client().post("/api/auth/login", &body).data(200), "token");
        let mut aide = self.store.client().with_token(&token);
        aide.get("/api/auth/me").data(200);
        admin.post(&format!("/api/users/{id}/revoke-tokens"), &json!({})).data(200);
        wait::until("the token is dead", || (aide.get("/api/auth/me").status == 401).then_some(()));
    }

    /// The other version of the hub takes the place of this one; sales wait for it meanwhile.
    #[track_caller]
    fn hub_becomes(&mut self, build: Build) {
        self.hub.kill9();
        sell(&mut self.till, 2);
        assert!(outbox(&self.store)["pending"].as_u64().unwrap() > 0);
        self.hub.replace(build);
        self.hub.start();
        same(&self.hub, &self.store);
        if build == Current {
            process::succeed(self.hub.command(&["verify"]), "");
        }
    }

    /// The other version of the store opens the data as it was left: records unsent, a shift open, a basket begun
    /// and another one put aside.
    #[track_caller]
    fn store_becomes(&mut self, build: Build) {
        self.hub.kill9();
        sell(&mut self.till, 2);
        let mut till = self.store.login("till-1").at_register("till-1");
        let begun = text(&till.post(SALES, &basket(&[("8990009", 1)])).data(201), "transaction_id");
        let aside = text(&till.post(HOLDS, &basket(&[("8990009", 2)])).data(201), "hold_id");
        let waits = outbox(&self.store)["pending"].clone();
        self.till.hang_up();
        self.store.stop();
        self.store.replace(build);
        self.store.verify();
        self.store.start();
        assert_eq!(outbox(&self.store)["pending"], waits, "nothing is lost of what was not sent");
        self.till.log_in_again(&self.store);
        let mut till = self.store.login("till-1").at_register("till-1");
        let begun = till.get(&format!("{SALES}/{begun}")).data(200);
        let recalled = till.post(&format!("{HOLDS}/{aside}/recall"), &json!({})).data(200);
        for basket in [begun, recalled] {
            let pay = json!({"method": "cash", "amount": basket["total"]});
            till.post(&format!("{SALES}/{}/pay", text(&basket, "transaction_id")), &pay).data(200);
        }
        sell(&mut self.till, 2);
        self.hub.start();
        same(&self.hub, &self.store);
    }

    /// The hub's machine burns; what came after its backup is told once more.
    #[track_caller]
    fn hub_restored(&mut self) {
        let backup = self.hub.backup();
        sell(&mut self.till, 3);
        same(&self.hub, &self.store);
        self.hub.restore(&backup);
        sell(&mut self.till, 1);
        same(&self.hub, &self.store);
    }

    /// The shift that was open all the time is closed, and what lies on the disk is whole.
    #[track_caller]
    fn ends(mut self) {
        let counted = json!({"counted_cash": 0});
        let close = format!("/api/shifts/{}/close", self.till.shift_id);
        self.store.login("till-1").at_register("till-1").post(&close, &counted).data(200);
        self.trades_no_more();
        process::succeed(self.hub.command(&["verify"]), "");
        self.till.hang_up();
        self.store.stop();
        self.store.verify();
    }

    #[track_caller]
    fn trades_no_more(&self) {
        let books = same(&self.hub, &self.store);
        assert!(books.sales["sales_count"] > 20, "{books:?}");
    }
}

#[test]
fn the_hub_is_upgraded_before_its_store() {
    if !previous::is_here("the_hub_is_upgraded_before_its_store") {
        return;
    }
    let mut pair = Pair::open("hub first", Previous, Previous);
    pair.trades();
    pair.hub_becomes(Current);
    pair.trades();
    pair.hub_restored();
    pair.price_is_kept(8);
    pair.store_becomes(Current);
    pair.costs(PRICED, 8);
    pair.trades();
    pair.ends();
}

#[test]
fn the_store_is_upgraded_before_its_hub() {
    if !previous::is_here("the_store_is_upgraded_before_its_hub") {
        return;
    }
    let mut pair = Pair::open("store first", Previous, Previous);
    pair.trades();
    pair.price_is_kept(7);
    pair.store_becomes(Current);
    pair.costs(PRICED, 7);
    pair.trades();
    pair.hub_restored();
    pair.hub_becomes(Current);
    pair.trades();
    pair.ends();
}
