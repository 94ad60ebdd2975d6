//! `verify` recomputes the sums of a shift from its events and gets those of its row.

use domain::model::base::event::{Event, Fact};
use domain::model::base::figures::Money;
use domain::model::base::ids::{StoreId, TransactionId};
use domain::model::base::time::UtcMs;
use domain::model::books::shift::CashKind;
use domain::model::people::authorization::Authorization;
use domain::rules::books::shift;
use domain::rules::books::shift::CloseShift;
use storage::{Commit, Options, Storage, VerifyReport, verify};
use tempfile::TempDir;
use testkit::acts::sale_of;
use testkit::shop::{Shop, ani, basket, boss, item, pay_by, payment, product, rules};

const SEED: u64 = 0x5eed_0005;
const SHIFTS: u64 = 6;
const ACTS: u64 = 80;

struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// Runs one action of a person. A refusal is allowed and changes nothing.
fn act(shop: &mut Shop, paid: &mut Vec<TransactionId>, random: &mut Random) {
    let qty = 1 + i64::try_from(random.below(3)).unwrap();
    let sku = if random.below(2) == 0 { "A" } else { "B" };
    let price = if sku == "A" { 3_333 } else { 9_990 };
    let chosen = |random: &mut Random, of: &[TransactionId]| {
        (!of.is_empty()).then(|| of[usize::try_from(random.below(of.len() as u64)).unwrap()].clone())
    };
    let open: Vec<TransactionId> = shop.shift.open.keys().cloned().collect();
    let _ = match random.below(9) {
        0 => shop.sell(vec![item(sku, qty, price)]).map(|sale| paid.push(sale.transaction_id)),
        1 => shop.create(&basket(vec![item(sku, qty, price), item("B", 1, 9_990)])).and_then(|id| {
            let due = shop.shift.open[&id].total;
            shop.pay(&id, &pay_by("card", due.get() / 2)).map(|_| ())
        }),
        2 => match chosen(random, &open) {
            Some(id) => {
                let due = shop.shift.open[&id].amount_due;
                shop.pay(&id, &pay_by("cash", due.get())).map(|_| paid.push(id))
            }
            None => Ok(()),
        },
        3 => match chosen(random, &open) {
            Some(id) => {
                let payment = shop.shift.open[&id].payments.last().map(|payment| payment.payment_id.clone());
                payment.map_or(Ok(()), |payment| shop.reverse(&id, &payment))
            }
            None => Ok(()),
        },
        4 => chosen(random, &open).map_or(Ok(()), |id| shop.void_open_as(&boss(), &id).map(|_| ())),
        5 => chosen(random, paid).map_or(Ok(()), |id| shop.void_paid(&boss(), &id).map(|_| ())),
        6 => chosen(random, paid).map_or(Ok(()), |id| {
            let sale = sale_of(shop, &id);
            let wrong = sale.payments.iter().find(|payment| payment.counts());
            wrong.map_or(Ok(()), |wrong| {
                shop.correct(&id, &wrong.payment_id, payment("qris", wrong.amount.get()))
            })
        }),
        7 => chosen(random, paid).map_or(Ok(()), |id| {
            let back = shop.take_back(&id, sku, 1)?;
            if random.below(2) == 0 { shop.void_return(&boss(), &back) } else { Ok(()) }
        }),
        _ => {
            let kinds = [CashKind::PayIn, CashKind::PayOut, CashKind::Drop, CashKind::NoSale];
            let kind = kinds[usize::try_from(random.below(4)).unwrap()];
            shop.cash(kind, if kind == CashKind::NoSale { 0 } else { qty * 1_000 })
        }
    };
}

fn add(sum: &mut Money, more: i64) {
    *sum = sum.saturating_add(more.into());
}

/// Returns a shift of random actions, closed or left open.
fn lived(seed: u64, close: bool) -> Shop {
    let mut rules = rules();
    rules.cash_rounding = Money::new(100);
    let mut shop = Shop::open(rules, [product("A", 3_333), product("B", 9_990)]);
    let (mut random, mut paid) = (Random(seed), Vec::new());
    for _ in 0..ACTS {
        act(&mut shop, &mut paid, &mut random);
    }
    if close {
        for id in shop.shift.open.keys().cloned().collect::<Vec<_>>() {
            shop.void_open_as(&boss(), &id).unwrap();
        }
        let command = CloseShift { counted_cash: Money::new(1), ..CloseShift::default() };
        let who = ani();
        let event =
            shift::close(&command, shop.now, &Authorization::unapproved(&who), &shop.rules, &shop.shift)
                .unwrap();
        shop.commit(event);
    }
    shop
}

/// Returns the result of `verify` in a store with these events.
async fn found(events: Vec<Event>) -> VerifyReport {
    let folder: TempDir = tempfile::tempdir().unwrap();
    Storage::init(folder.path(), &StoreId::from("S001"), "1-0123456789abcdef").unwrap();
    let options =
        Options { cache_bytes: 8 << 20, min_free_bytes: 0, segment_bytes: 64 * 1024, ..Options::default() };
    let storage = Storage::open(folder.path(), &options).unwrap();
    for (place, event) in events.into_iter().enumerate() {
        let at = UtcMs(testkit::shop::NOW.0 + i64::try_from(place).unwrap());
        let commit = Commit { events: vec![event], records: Vec::new(), keyed: None, at, hlc: None };
        storage.commit(commit).await.unwrap();
    }
    storage.close().unwrap();
    verify(folder.path(), &mut |_| ()).unwrap()
}

#[tokio::test]
async fn the_sums_of_random_shifts_add_up() {
    let mut seen = std::collections::BTreeSet::new();
    for round in 0..SHIFTS {
        let shop = lived(SEED + round, round % 2 == 0);
        for event in &shop.events {
            let stored = serde_json::to_value(event).unwrap();
            seen.extend(stored["fact"].as_object().unwrap().keys().cloned());
        }
        let report = found(shop.events).await;
        assert!(report.clean(), "seed {SEED:#x}, round {round}: {:#?}", report.problems);
    }
    for name in [
        "transaction_open",
        "transaction_paid",
        "transaction_voided",
        "sale_voided",
        "tender_corrected",
        "return_posted",
        "return_voided",
        "cash_moved",
        "shift_closed",
    ] {
        assert!(seen.contains(name), "no {name} in {seen:?}: the test is too weak");
    }
}

/// `verify` names a sum that is off by one, in the row of any such event.
#[tokio::test]
async fn a_wrong_sum_is_named_wherever_it_is_born() {
    type Wrong = fn(&mut Event) -> bool;
    let cases: [(&str, Wrong); 4] = [
        ("cash", |event| match event.fact {
            Fact::CashMoved(_) => {
                add(&mut event.rows.shifts[0].totals.pay_in, 1);
                true
            }
            _ => false,
        }),
        ("return", |event| match event.fact {
            Fact::ReturnPosted(_) => {
                add(&mut event.rows.shifts[0].totals.returns_tax, 1);
                true
            }
            _ => false,
        }),
        ("void", |event| match event.fact {
            Fact::SaleVoided(_) => {
                add(&mut event.rows.shifts[0].totals.voids_total, -1);
                true
            }
            _ => false,
        }),
        ("tender", |event| match event.fact {
            Fact::TenderCorrected(_) => {
                add(
                    &mut event.rows.shifts[0].totals.by_method.entry("qris".to_owned()).or_default().sales,
                    1,
                );
                true
            }
            _ => false,
        }),
    ];
    for (what, spoil) in cases {
        let mut events = lived(SEED, false).events;
        let last = events.iter().rposition(|event| spoil(&mut event.clone())).unwrap();
        assert!(spoil(&mut events[last]), "{what}");
        // No later event may correct the sum.
        events.truncate(last + 1);
        let report = found(events).await;
        let named = report.problems.iter().any(|problem| problem.contains("shift shf_1"));
        assert!(named, "{what}: {:#?}", report.problems);
    }
}
