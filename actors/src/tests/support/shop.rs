//! A shop with a real storage, for the tests of the actors.

use crate::commands;
use crate::{
    ActorsConfig, Failure, RequestContext, RequestKey, Source, StoreHandle, Supervision, SyncConfig,
};
use domain::model::base::command_print::CommandPrint;
use domain::model::base::event::{Event, fact};
use domain::model::base::figures::{BasisPoints, Money};
use domain::model::base::ids::{RegisterId, SessionId, ShiftId, Sku, StoreId, TransactionId, UserId};
use domain::model::base::settings::{NegativeStock, Policy, PriceOverride, RoundingMode, Rules};
use domain::model::base::time::UtcMs;
use domain::model::hub::stamp::HubIdentity;
use domain::model::inventory::product::Product;
use domain::model::people::user::costs::Costs;
use domain::model::people::user::{Principal, Role};
use domain::rules::books::shift::OpenShift;
use domain::rules::selling::payment::NewPayment;
use domain::rules::selling::sale::{CreateSale, NewItem, PaySale};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use storage::{Commit, Options, Storage};
use tempfile::TempDir;

pub static NEXT: AtomicU64 = AtomicU64::new(1);

/// Returns noon of 2100-01-01: a future day, so only its seal ends it.
pub fn now() -> UtcMs {
    UtcMs(4_102_488_000_000 + i64::try_from(NEXT.fetch_add(1, Ordering::Relaxed)).unwrap())
}

pub fn id(prefix: &str) -> String {
    format!("{prefix}{:012}", NEXT.fetch_add(1, Ordering::Relaxed))
}

pub fn rules() -> Rules {
    Rules {
        store_id: StoreId::from("S001"),
        timezone: jiff_utc(),
        day_start: "00:00".parse().unwrap(),
        default_rate_bp: 1100,
        prices_include_tax: false,
        methods: ["cash", "card"].map(str::to_owned).to_vec(),
        cash_rounding: Money::ZERO,
        cash_rounding_mode: RoundingMode::Nearest,
        earn_per: Money::new(1000),
        redeem_value: Money::new(1),
        price_override: PriceOverride::Flag,
        negative_stock: NegativeStock::Allow,
        registers_closed: false,
        next_terms: None,
        policy: Policy { discount_limit_bp: BasisPoints::ZERO, ..Policy::default() },
    }
}

pub fn jiff_utc() -> jiff::tz::TimeZone {
    jiff::tz::TimeZone::UTC
}

/// Name of the key of every shop of these tests.
pub const OWN_KID: &str = "own";

pub fn config(max_restarts: u32) -> ActorsConfig {
    let sync = SyncConfig {
        batch_events: 500,
        retain_days: 35,
        backoff_min: Duration::from_secs(1),
        backoff_max: Duration::from_secs(300),
        pull_wait: Duration::from_secs(30),
        token: Arc::new(|_, _| Some("token".to_owned())),
        own_key: Arc::new(|kid| kid == OWN_KID),
        authority: None,
        version: "test".to_owned(),
        currency: "IDR".to_owned(),
        drill: Arc::new(|| None),
        costs_max: Costs::DEFAULT.most(),
    };
    ActorsConfig {
        confirmed: None,
        max_restarts,
        period: Duration::from_secs(60),
        source: Source { now, id },
        sync,
    }
}

pub struct Shop {
    pub handle: StoreHandle,
    pub supervision: Supervision,
    pub folder: TempDir,
}

pub async fn shop(max_restarts: u32) -> Shop {
    shop_of(config(max_restarts), rules(), None).await
}

/// Opens a shop with other rules.
pub async fn shop_by(rules: Rules) -> Shop {
    shop_of(config(5), rules, None).await
}

/// Opens a shop with one product, enrolled at a hub if there is one.
pub async fn shop_of(config: ActorsConfig, rules: Rules, hub: Option<HubIdentity>) -> Shop {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("data");
    Storage::init(&path, &StoreId::from("S001"), "1-00000000000000aa").unwrap();
    let storage = Storage::open(&path, &Options::default()).unwrap();
    let product = Product::new(Sku::from("A"), "Apple".to_owned(), Money::new(1000), UtcMs(0));
    let product = Product { tax_rate_bp: Some(0), cost: Some(Money::new(600)), ..product };
    let mut events = vec![Event::product_changed(product)];
    events.extend(hub.map(|hub| fact::HubEnrolled { hub }.into()));
    let commit = Commit { events, records: Vec::new(), keyed: None, at: UtcMs(0), hlc: None };
    storage.commit(commit).await.unwrap();
    let (handle, supervision) = crate::start(storage, rules, config).await.unwrap();
    Shop { handle, supervision, folder }
}

pub fn ask(till: usize, key: Option<u64>) -> RequestContext {
    let caller = Principal {
        user_id: UserId(format!("usr_{till}")),
        name: "Cashier".to_owned(),
        role: Role::Cashier,
        store_id: StoreId::from("S001"),
        session_id: SessionId::from("ses_1"),
    };
    let key = key.map(|key| {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&key.to_le_bytes());
        bytes[8..16].copy_from_slice(&(till as u64).to_le_bytes());
        RequestKey { key: bytes, command: CommandPrint::kept("body=07".to_owned()) }
    });
    let register_id = Some(RegisterId(format!("till-{till}")));
    RequestContext { caller: Arc::new(caller), approver: None, register_id, key }
}

pub fn data(answer: &domain::model::base::answer::Answer) -> Value {
    serde_json::from_slice::<Value>(&answer.body).unwrap()["data"].clone()
}

pub fn basket() -> CreateSale {
    let item =
        NewItem { sku: Sku::from("A"), qty: 1.into(), price: Some(Money::new(1000)), ..NewItem::default() };
    CreateSale {
        items: vec![item],
        member_id: None,
        shift_id: None,
        discount: None,
        discount_reason: None,
        note: None,
        payments: None,
    }
}

pub fn cash() -> PaySale {
    let payment =
        NewPayment { method: "cash".to_owned(), amount: Money::new(1000), tendered: None, reference: None };
    PaySale { payments: vec![payment] }
}

pub async fn open(shop: &Shop, till: usize) -> ShiftId {
    let command = OpenShift { register_id: None, opening_float: None, note: None };
    let done = shop.handle.open_shift(ask(till, None), command).await.unwrap();
    ShiftId(data(&done.answer)["shift_id"].as_str().unwrap().to_owned())
}

/// Repeats with the same key until there is an answer, as a till would.
pub async fn insist<F, T>(mut call: impl FnMut() -> F) -> T
where
    F: Future<Output = Result<T, Failure>>,
{
    for _ in 0..1000 {
        match call().await {
            Ok(done) => return done,
            Err(Failure::Unavailable(_) | Failure::Unconfirmed(_) | Failure::InProgress) => {
                tokio::task::yield_now().await
            }
            Err(failure) => panic!("{failure:?}"),
        }
    }
    panic!("no answer after 1000 tries");
}

/// Sells once and returns the receipt number.
pub async fn sell(shop: &Shop, till: usize) -> String {
    let key = NEXT.fetch_add(1, Ordering::Relaxed);
    let created = insist(|| {
        let ask = ask(till, Some(key));
        async move { shop.handle.run(ask, commands::CreateSale(basket())).await }
    })
    .await;
    let id = TransactionId(data(&created.answer)["transaction_id"].as_str().unwrap().to_owned());
    let key = NEXT.fetch_add(1, Ordering::Relaxed);
    let paid = insist(|| {
        let (ask, id) = (ask(till, Some(key)), id.clone());
        async move { shop.handle.run(ask, commands::PaySale(id.clone(), cash())).await }
    })
    .await;
    assert_eq!(data(&paid.answer)["state"], "paid");
    data(&paid.answer)["receipt_no"].as_str().unwrap().to_owned()
}
