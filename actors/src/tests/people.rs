//! Changes of a user by head office and by the store at the same moment.

use crate::RequestContext;
use crate::commands;
use crate::tests::support::hub::{FakeHub, OnPull, OnPush};
use crate::tests::support::shop::{Shop, ask, config, rules, shop_of};
use domain::model::base::ids::{StoreId, UserId};
use domain::model::base::time::UtcMs;
use domain::model::people::user::{FieldTimes, Role, User};
use domain::rules::people::user::account_change::Change;
use domain::rules::people::user::change::ChangeUser;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

const ROUNDS: u64 = 8;

async fn until(what: &str, mut there: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !there() {
        assert!(Instant::now() < deadline, "never: {what}");
        tokio::task::yield_now().await;
    }
}

fn admin() -> RequestContext {
    let mut ask = ask(9, None);
    Arc::make_mut(&mut ask.caller).role = Role::Admin;
    ask
}

/// Returns a record of head office about a user.
fn said(id: &str, version: u64, disabled: bool) -> Value {
    let payload = json!({"user_id": id, "username": id, "name": "As said", "role": "cashier",
        "store_id": "S001", "password_hash": null, "times": FieldTimes::all(UtcMs(1_795_140_000_000)), "token_version": version,
        "disabled": disabled, "grant": 1, "created_at": "2026-11-20T02:06:34.739Z", "given": true});
    json!({"cursor": "fed", "kind": "user", "id": id, "version": format!("1795140000000-0000{version}-hub"),
        "deleted": false, "effective_at": null, "payload": payload})
}

/// Returns the record of a user that the store created, and may therefore rename.
fn own(mut said: Value) -> Value {
    said["payload"]["given"] = json!(false);
    said
}

/// Makes the hub send the feed from its beginning, without waiting for the answer.
fn reported(shop: &Shop) {
    let forced = shop.handle.clone();
    tokio::spawn(async move { forced.force_sync(true).await });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_denial_of_head_office_is_not_lost_to_a_rename_here() {
    let hub = FakeHub::start(OnPush::Take, OnPull::End).await;
    let shop = shop_of(config(2), rules(), Some(hub.identity())).await;
    let storage = shop.handle.storage().clone();
    let user = |id: &UserId| storage.users().user(id).unwrap();
    for round in 0..ROUNDS {
        let name = format!("usr_{round}");
        let id = UserId(name.clone());
        hub.lock().page = vec![own(said(&name, 1, false))];
        reported(&shop);
        until("the user has arrived", || user(&id).is_some()).await;
        let given = hub.lock().paged;
        hub.lock().page = vec![own(said(&name, 2, true))];
        reported(&shop);
        let mut number = 0;
        while user(&id).is_none_or(|user| user.token_version < 2) {
            number += 1;
            assert!(number < 100_000, "the denial arrives");
            let change = ChangeUser { name: Some(format!("Here {number}")), ..ChangeUser::default() };
            let update = Change::Update { id: id.clone(), change, hash: None };
            shop.handle.run(admin(), commands::ChangeUsers(update)).await.unwrap();
        }
        until("the change was reported", || hub.lock().paged > given).await;
        assert!(user(&id).unwrap().disabled, "round {round}");
    }
    shop.supervision.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_denial_counts_also_where_its_record_can_not_be_used() {
    let hub = FakeHub::start(OnPush::Take, OnPull::End).await;
    let shop = shop_of(config(2), rules(), Some(hub.identity())).await;
    let storage = shop.handle.storage().clone();
    let disabled = || storage.users().user(&UserId("usr_a".to_owned())).unwrap().map(|user| user.disabled);
    hub.lock().page = vec![said("usr_a", 1, false)];
    reported(&shop);
    until("the user has arrived", || disabled() == Some(false)).await;
    let mut dear = said("usr_a", 2, true);
    dear["payload"]["password_hash"] =
        json!("$argon2id$v=19$m=4194304,t=9,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNo");
    hub.lock().page = vec![dear];
    reported(&shop);
    until("the denial is applied", || disabled() == Some(true)).await;
    let mut granted = said("usr_a", 3, false);
    granted["payload"]["grant"] = json!(2);
    hub.lock().page = vec![granted];
    reported(&shop);
    until("a later grant lifts it", || disabled() == Some(false)).await;
    shop.supervision.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_login_name_stays_with_its_user_and_a_denial_still_applies() {
    let hub = FakeHub::start(OnPush::Take, OnPull::End).await;
    let shop = shop_of(config(2), rules(), Some(hub.identity())).await;
    let storage = shop.handle.storage().clone();
    let own = User {
        user_id: UserId("usr_own".to_owned()),
        username: "wanted".to_owned(),
        name: "Own".to_owned(),
        role: Role::Admin,
        store_id: StoreId::from("S001"),
        password_hash: Some("hash".to_owned()),
        times: FieldTimes::default(),
        token_version: 1,
        disabled: false,
        created_at: UtcMs(1),
        updated_at: UtcMs(1),
    };
    shop.handle.add_user(own.clone()).await.unwrap();
    hub.lock().page = vec![said("usr_given", 1, false)];
    reported(&shop);
    let given = UserId("usr_given".to_owned());
    until("the user has arrived", || storage.users().user(&given).unwrap().is_some()).await;
    // Head office denies a user of the store, and renames the user to a name that is taken.
    let mut renamed = said("usr_given", 2, true);
    renamed["payload"]["username"] = json!("wanted");
    hub.lock().page = vec![renamed];
    reported(&shop);
    until("the user is denied", || storage.users().user(&given).unwrap().unwrap().disabled).await;
    assert_eq!(
        storage.users().user(&given).unwrap().unwrap().username,
        "usr_given",
        "the user keeps the name"
    );
    assert_eq!(storage.users().user_by_name("wanted").unwrap(), Some(own), "the name stays with its user");
    until("the problem is noted", || {
        storage.sync().untaken(9).unwrap().iter().any(|note| note.id == "usr_given")
    })
    .await;
    // The name becomes free, and the rest of the record is applied at once.
    let change = ChangeUser { username: Some("other".to_owned()), ..ChangeUser::default() };
    let update = Change::Update { id: UserId("usr_own".to_owned()), change, hash: None };
    shop.handle.run(admin(), commands::ChangeUsers(update)).await.unwrap();
    until("the new name is applied", || storage.users().user(&given).unwrap().unwrap().username == "wanted")
        .await;
    until("no note is left", || storage.sync().untaken(9).unwrap().is_empty()).await;
    assert!(storage.users().user(&given).unwrap().unwrap().disabled, "the user is still denied");
    shop.supervision.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_of_head_office_that_a_later_word_here_replaced_stands_in_nobodys_way() {
    let hub = FakeHub::start(OnPush::Take, OnPull::End).await;
    let shop = shop_of(config(2), rules(), Some(hub.identity())).await;
    let storage = shop.handle.storage().clone();
    let id = UserId("usr_a".to_owned());
    let user = || storage.users().user(&id).unwrap();
    let rename = |id: &str, name: &str| {
        let change = ChangeUser { username: Some(name.to_owned()), ..ChangeUser::default() };
        let update = Change::Update { id: UserId(id.to_owned()), change, hash: None };
        shop.handle.run(admin(), commands::ChangeUsers(update))
    };
    hub.lock().page = vec![own(said("usr_a", 1, false)), own(said("usr_b", 1, false))];
    reported(&shop);
    until("both users have arrived", || storage.users().users().unwrap().len() >= 2).await;
    // Head office's name for her belongs to another user by now.
    rename("usr_a", "ani").await.unwrap();
    rename("usr_b", "usr_a").await.unwrap();
    let mut named = own(said("usr_a", 2, false));
    named["payload"]["name"] = json!("Said later");
    named["payload"]["times"]["name"] = json!(UtcMs(4_000_000_000_000));
    hub.lock().page = vec![named];
    reported(&shop);
    until("the record is applied", || user().is_some_and(|user| user.name == "Said later")).await;
    assert_eq!(user().map(|user| user.username).as_deref(), Some("ani"));
    assert!(storage.sync().untaken(9).unwrap().is_empty(), "no record asks for the other name");
    shop.supervision.stop().await;
}
