//! Current rows and the outbox: the rows that each event leaves, now and after a rebuild.

use crate::shop::{EPOCH, Shop, folder, open, options};
use domain::model::base::event::{Event, Fact, Rows, fact};
use domain::model::base::figures::Money;
use domain::model::base::ids::{SessionId, Sku, StoreId};
use domain::model::base::time::UtcMs;
use domain::model::hub::stamp::{AckMark, HubIdentity};
use domain::model::inventory::purchase::{
    OrderLine, OrderProgress, OrderState, PurchaseOrder, Supplier, SupplierState,
};
use domain::model::inventory::receiving::Receiving;
use domain::model::people::user::{FieldTimes, Role, Rotation, Session, User};
use domain::model::selling::transaction::TransactionState;
use std::fs;
use storage::Storage;

/// Runs the checks on the live rows, after a start, and after a rebuild from the journal alone.
async fn thrice(events: Vec<Vec<Event>>, check: impl Fn(&Storage)) {
    let folder = folder();
    let storage = open(folder.path());
    let mut shop = Shop::new("till-1");
    for events in events {
        storage.commit(shop.commit(events)).await.unwrap();
    }
    check(&storage);
    storage.close().unwrap();
    let storage = open(folder.path());
    check(&storage);
    storage.close().unwrap();
    fs::remove_dir_all(folder.path().join("rows")).unwrap();
    check(&open(folder.path()));
}

fn user(username: &str) -> User {
    User {
        user_id: "usr_1".into(),
        username: username.into(),
        name: "Ana".into(),
        role: Role::Cashier,
        store_id: StoreId::from("S001"),
        password_hash: Some("$argon2id$".into()),
        times: FieldTimes::default(),
        token_version: 1,
        disabled: false,
        created_at: UtcMs(1),
        updated_at: UtcMs(2),
    }
}

fn session(id: &str) -> Session {
    Session {
        session_id: id.into(),
        user_id: "usr_1".into(),
        token_version: 1,
        opened_at: UtcMs(1),
        expires_at: UtcMs(9),
    }
}

#[tokio::test]
async fn users_and_sessions() {
    let events = vec![
        vec![fact::UserChanged { user: user("ana") }.into()],
        vec![fact::SessionOpened { session: session("ses_1"), expired: vec![] }.into()],
        vec![fact::SessionOpened { session: session("ses_2"), expired: vec![] }.into()],
        vec![fact::UserChanged { user: user("anna") }.into()],
        vec![fact::SessionClosed { session_id: "ses_1".into() }.into()],
    ];
    thrice(events, |storage| {
        assert_eq!(storage.users().user_by_name("ana").unwrap(), None, "the old name is free");
        assert_eq!(storage.users().user_by_name("anna").unwrap(), Some(user("anna")));
        assert_eq!(storage.users().users().unwrap(), [user("anna")]);
        assert_eq!(storage.users().session(&"ses_1".into()).unwrap(), None);
        assert_eq!(storage.users().session(&"ses_2".into()).unwrap(), Some(session("ses_2")));
    })
    .await;
}

#[tokio::test]
async fn expired_sessions_go_with_the_next_log_in() {
    let opened = |number: i64, expired: Vec<SessionId>| {
        let mut session = session(&format!("ses_{number}"));
        session.expires_at = UtcMs(number * 10);
        vec![fact::SessionOpened { session, expired }.into()]
    };
    let events = vec![
        opened(1, vec![]),
        opened(2, vec![]),
        opened(3, vec![]),
        opened(4, vec!["ses_1".into(), "ses_2".into()]),
    ];
    thrice(events, |storage| {
        let left = |number: i64| storage.users().session(&format!("ses_{number}").into()).unwrap().is_some();
        assert_eq!([1, 2, 3, 4].map(left), [false, false, true, true]);
        assert_eq!(storage.users().expired_sessions(UtcMs(29), 64).unwrap(), []);
        assert_eq!(storage.users().expired_sessions(UtcMs(30), 64).unwrap(), ["ses_3".into()]);
        assert_eq!(storage.users().expired_sessions(UtcMs(99), 1).unwrap(), ["ses_3".into()], "oldest first");
    })
    .await;
}

#[tokio::test]
async fn hub_feed_and_receiving() {
    let hub = HubIdentity { hub_id: "hub".into(), url: "https://hub".into(), generation: "g".into() };
    let receiving = Receiving {
        receiving_id: "rcv_1".into(),
        state: "posted".into(),
        store_id: "S001".into(),
        po_id: None,
        supplier_id: Some("sup".into()),
        delivery_note_no: Some("D-7".into()),
        reference: None,
        lines: Vec::new(),
        total_cost: Money::ZERO,
        note: None,
        resubmits: None,
        replaced_by: None,
        business_date: jiff::civil::date(2026, 11, 20),
        created_by: "usr_1".into(),
        created_at: UtcMs(5),
        warnings: Vec::new(),
    };
    let posted = fact::ReceivingPosted { receiving: receiving.clone() }.into();
    let events = vec![
        vec![fact::HubEnrolled { hub: hub.clone() }.into()],
        vec![fact::FeedApplied { cursor: "c1".into(), hub_time: UtcMs(3) }.into()],
        vec![posted, fact::FeedApplied { cursor: "c2".into(), hub_time: UtcMs(4) }.into()],
    ];
    thrice(events, |storage| {
        assert_eq!(storage.sync().hub().unwrap(), Some(hub.clone()));
        assert_eq!(storage.sync().feed_cursor().unwrap(), Some(("c2".into(), UtcMs(4))));
        assert_eq!(storage.purchasing().receiving(&"rcv_1".into()).unwrap(), Some(receiving.clone()));
        assert_eq!(storage.purchasing().receiving(&"rcv_2".into()).unwrap(), None);
        for number in ["D-7", "d 7", "D\u{2013}7", "#d_7"] {
            let known = storage.purchasing().delivery_note("sup", number).unwrap();
            assert_eq!(known, Some("rcv_1".into()), "{number}");
        }
        assert_eq!(
            storage.purchasing().delivery_notes().unwrap(),
            [("sup".into(), "D7".into(), "rcv_1".into())]
        );
    })
    .await;
}

#[tokio::test]
async fn products_come_in_pages_in_order() {
    let mut shop = Shop::new("till-1");
    let skus = ["b", "a", "c", "ab"];
    let events = skus.iter().map(|sku| shop.product(sku).events).collect();
    thrice(events, |storage| {
        let skus = |page: Vec<domain::model::inventory::product::Product>| -> Vec<String> {
            page.into_iter().map(|product| product.sku.0).collect()
        };
        assert_eq!(skus(storage.products().products(None, 2).unwrap()), ["a", "ab"]);
        assert_eq!(skus(storage.products().products(Some(&Sku::from("ab")), 9).unwrap()), ["b", "c"]);
        assert_eq!(storage.products().product_count().unwrap(), 4);
        assert_eq!(storage.stock().stock(&Sku::from("a")).unwrap(), None);
    })
    .await;
}

#[tokio::test]
async fn a_close_ends_the_shift_and_its_baskets() {
    let mut till = Shop::new("till-1");
    let mut events = vec![till.open_shift().events, till.basket().events];
    let Fact::TransactionOpen(basket) = &events[1][0].fact else { panic!("a basket") };
    let mut voided = basket.transaction.clone();
    voided.state = TransactionState::Voided;
    let mut close = till.close_shift().events;
    if let Fact::ShiftClosed(closed) = &mut close[0].fact {
        closed.voided.push(voided.clone());
    }
    events.push(close);
    let shift = till.shift.clone();
    thrice(events, |storage| {
        assert!(storage.shifts().open_shifts().unwrap().is_empty());
        assert!(storage.sales().open_transactions(&shift.shift_id).unwrap().is_empty());
        assert_eq!(storage.shifts().shift(&shift.shift_id).unwrap(), Some(shift.clone()));
        assert_eq!(storage.sales().transaction(&voided.transaction_id).unwrap(), Some(voided.clone()));
        assert_eq!(storage.shifts().register(&shift.register_id).unwrap().map(|till| till.z_no), Some(1));
    })
    .await;
}

#[tokio::test]
async fn records_are_chained_per_epoch_and_acknowledged() {
    const SECOND: &str = "2-fedcba9876543210";
    let folder = folder();
    let storage = open(folder.path());
    let mut till = Shop::new("till-1");
    let mut poke = storage.watch_seq();
    for _ in 0..5 {
        storage.commit(till.sale()).await.unwrap();
    }
    poke.changed().await.unwrap();
    assert_eq!(*poke.borrow_and_update(), 5);
    let first_at = UtcMs(crate::shop::START_MS + 1_000);
    let backlog = storage.outbox().backlog().unwrap();
    assert_eq!((backlog.pending, backlog.oldest_pending_at), (5, Some(first_at)));
    let hash = storage.outbox().records(EPOCH, 2, 1, 9).unwrap().1[0].hash.clone();
    let mark = AckMark { epoch: EPOCH.into(), seq: 3, hash: hash.clone(), stable_seq: 0 };
    storage.commit(till.commit(vec![fact::RecordsAcknowledged { mark: mark.clone() }.into()])).await.unwrap();
    assert_eq!(storage.outbox().ack_mark().unwrap(), mark);
    let mut opened = till.sale();
    opened.events.insert(0, fact::EpochOpened { epoch: SECOND.into() }.into());
    assert_eq!(
        storage.commit(opened).await.unwrap().seq,
        1,
        "records of that commit belong to the new epoch"
    );
    storage.commit(till.sale()).await.unwrap();
    let check = |storage: &Storage| {
        let lineage = storage.outbox().lineage().unwrap();
        let epochs: Vec<_> = lineage.iter().map(|state| (state.epoch.as_str(), state.head_seq)).collect();
        assert_eq!(epochs, [(EPOCH, 5), (SECOND, 2)]);
        assert_eq!((lineage[0].acked_seq, &lineage[0].acked_hash), (3, &hash));
        assert_eq!(lineage[1].head_hash, storage.head().hash);
        assert_eq!(storage.outbox().backlog().unwrap().pending, 4);
        let (previous, first) = storage.outbox().records(EPOCH, 3, 100, 1 << 20).unwrap();
        assert_eq!((previous, first.len()), (hash.clone(), 2), "an epoch ends where the next begins");
        let (previous, second) = storage.outbox().records(SECOND, 0, 100, 1 << 20).unwrap();
        assert_eq!((previous.as_str(), second.len()), (domain::model::hub::chain::GENESIS, 2));
        let chained = domain::model::hub::chain::next(&second[0].hash, &second[1].record);
        assert_eq!(chained, second[1].hash);
        assert!(storage.outbox().records(SECOND, 2, 100, 1 << 20).unwrap().1.is_empty());
        assert!(storage.outbox().records("3-0", 0, 100, 1 << 20).unwrap().1.is_empty());
    };
    check(&storage);
    storage.close().unwrap();
    fs::remove_dir_all(folder.path().join("rows")).unwrap();
    check(&open(folder.path()));
}

#[tokio::test]
async fn a_clock_that_jumps_forgets_no_recent_key() {
    const YEAR_MS: i64 = 365 * 24 * 60 * 60 * 1_000;
    let folder = folder();
    let storage = open(folder.path());
    let mut till = Shop::new("till-1");
    for jump in [0, YEAR_MS, -2 * YEAR_MS, YEAR_MS] {
        till.now += jump;
        for _ in 0..80 {
            storage.commit(till.sale()).await.unwrap();
        }
    }
    assert!(storage.stats().segments > 4);
    let check = |storage: &Storage| {
        for number in 1..=till.made {
            assert!(
                storage.log().answer(&till.key(number)).unwrap().is_some(),
                "sale {number} would be sold twice"
            );
        }
    };
    check(&storage);
    storage.close().unwrap();
    check(&open(folder.path()));
}

#[tokio::test]
async fn an_answer_counts_for_seven_days_or_for_as_long_as_is_set() {
    const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
    let folder = folder();
    let storage = open(folder.path());
    let mut till = Shop::new("till-1");
    let mut days = Vec::new();
    for _ in 0..10 {
        for _ in 0..80 {
            storage.commit(till.sale()).await.unwrap();
        }
        days.push(till.made);
        till.now += DAY_MS;
    }
    let check = |storage: &Storage| {
        let counts = |number: u64| storage.log().answer(&till.key(number)).unwrap().is_some();
        assert!(!counts(days[0]) && !counts(1), "ten days ago");
        assert!(counts(days[9]) && counts(days[4]), "this week");
        assert!(storage.sales().transaction(&till.transaction_id(1)).unwrap().is_some(), "history is kept");
    };
    check(&storage);
    storage.close().unwrap();
    let storage = open(folder.path());
    check(&storage);
    storage.close().unwrap();
    for (answers_days, counts) in [(9, false), (10, true), (0, false)] {
        let options = storage::Options { answers_days, ..options() };
        let storage = Storage::open(folder.path(), &options).unwrap();
        assert_eq!(storage.log().answer(&till.key(1)).unwrap().is_some(), counts, "{answers_days} days");
        assert!(storage.log().answer(&till.key(days[4])).unwrap().is_some(), "never less than seven");
        storage.close().unwrap();
    }
}

#[tokio::test]
async fn a_session_has_one_living_refresh_token_until_it_ends() {
    let refreshed = |current: &str, spent: &str| {
        fact::SessionRefreshed {
            session: session("ses_1"),
            rotation: Rotation {
                current: current.into(),
                issued_at: UtcMs(3),
                spent: spent.into(),
                key: Some("k".into()),
            },
        }
        .into()
    };
    let events = vec![vec![refreshed("b", "a")], vec![refreshed("c", "b")]];
    thrice(events.clone(), |storage| {
        let living = storage.users().rotation(&"ses_1".into()).unwrap().unwrap();
        assert_eq!((living.current.as_str(), living.spent.as_str()), ("c", "b"));
        assert_eq!(storage.users().sessions().unwrap(), [session("ses_1")]);
    })
    .await;
    let ended = vec![fact::SessionClosed { session_id: "ses_1".into() }.into()];
    thrice([events, vec![ended]].concat(), |storage| {
        assert_eq!(storage.users().rotation(&"ses_1".into()).unwrap(), None);
        assert!(storage.users().sessions().unwrap().is_empty());
    })
    .await;
}

#[tokio::test]
async fn suppliers_and_orders_with_what_came_of_them() {
    let supplier = Supplier {
        supplier_id: "sup_1".to_owned(),
        code: "ACME".to_owned(),
        name: "Acme".to_owned(),
        tax_id: None,
        phone: None,
        email: None,
        address: None,
        payment_terms_days: Some(30),
        lead_time_days: None,
        state: SupplierState::Active,
        updated_at: UtcMs(1),
    };
    let order = |po_id: &str, state| PurchaseOrder {
        po_id: po_id.to_owned(),
        supplier_id: "sup_1".to_owned(),
        store_id: StoreId::from("S001"),
        po_no: String::new(),
        state,
        revision: 0,
        expected_at: None,
        lines: vec![OrderLine {
            line_no: 1,
            sku: "A".into(),
            qty: 5.into(),
            unit_cost: Money::new(10),
            ..OrderLine::default()
        }],
        total: Money::new(50),
        note: None,
        created_by: "usr_1".to_owned(),
        created_at: UtcMs(1),
        writers: Vec::new(),
        proposed: None,
        submitted_by: None,
        submitted_at: None,
        rejected_reason: None,
        approved_by: None,
        approved_total: None,
        sent_at: None,
        cancel_requested_at: None,
        cancel_final: false,
        closed_reason: None,
        warnings: Vec::new(),
        updated_at: UtcMs(1),
    };
    let changed = |po_id: &str, state| fact::PurchaseOrderChanged { order: order(po_id, state) }.into();
    let progress = OrderProgress::of(&order("po_1", OrderState::Sent));
    let progressed = Rows { progress: Some(Box::new(progress.clone())), ..Rows::default() };
    let events = vec![
        vec![fact::SupplierChanged { supplier: supplier.clone() }.into()],
        vec![changed("po_1", OrderState::Sent), changed("po_2", OrderState::Sent)],
        vec![Event::new(fact::StockOpened {}, progressed).into()],
        vec![changed("po_2", OrderState::Cancelled)],
    ];
    thrice(events, |storage| {
        assert_eq!(storage.purchasing().suppliers(None, 9).unwrap(), std::slice::from_ref(&supplier));
        assert_eq!(storage.purchasing().supplier("sup_1").unwrap().unwrap().name, "Acme");
        assert_eq!(storage.purchasing().purchase_orders(None, 9).unwrap(), [order("po_1", OrderState::Sent)]);
        let over = storage.purchasing().purchase_order("po_2").unwrap().unwrap();
        assert_eq!(over.state, OrderState::Cancelled, "its goods may be in transit");
        assert_eq!(storage.purchasing().order_progress("po_1").unwrap(), Some(progress.clone()));
    })
    .await;
}
