//! Where a shift stands: it is suspended, moved to another register, or shared by several.

use domain::model::base::event::{Event, fact};
use domain::model::base::figures::Money;
use domain::model::base::ids::{MovementId, PaymentId, RegisterId, ShiftId};
use domain::model::base::refusal::Refusal;
use domain::model::books::ledger::LedgerBook;
use domain::model::books::register::{Counters, Register};
use domain::model::books::shift::{Cash, Shift, ShiftBook, ShiftState};
use domain::model::people::authorization::Authorization;
use domain::model::people::user::{Principal, Role};
use domain::model::selling::transaction::Transaction;
use domain::rules::books::ledger;
use domain::rules::books::shift;
use domain::rules::books::shift::{CloseShift, MoveShift, OpenShift, SHARED_MAX};
use domain::rules::selling::sale;
use domain::rules::selling::sale::{PricingContext, TillContext};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use testkit::shop::*;

fn at<'a>(who: &'a Principal, register: &'a RegisterId) -> Authorization<'a> {
    Authorization { register_id: Some(register), ..Authorization::unapproved(who) }
}

/// A shop with the shift of Ani at `main`, and two more registers.
fn three_tills() -> Shop {
    let mut shop = open();
    for id in ["till-2", "till-3"] {
        shop.commit(fact::RegisterChanged { register: Register::new(id.into(), id.to_owned()) });
    }
    shop
}

fn moving(who: &Principal, registers: &[&str], shop: &mut Shop) -> Result<Shift, Refusal> {
    let cmd = MoveShift { register_ids: registers.iter().map(|id| RegisterId::from(*id)).collect() };
    let event = shift::relocate(&cmd, &Authorization::unapproved(who), &shop.shift)?;
    let moved = event.fact.shift.clone();
    ledger::may_stand(&moved.shift_id, moved.registers(), &shop.ledger)?;
    shop.commit(event);
    Ok(moved)
}

fn selling(who: &Principal, register: Option<&str>, shop: &Shop) -> Result<Transaction, Refusal> {
    let register = register.map(RegisterId::from);
    let authorization = Authorization { register_id: register.as_ref(), ..Authorization::unapproved(who) };
    let till = TillContext { authorization, ..shop.till(who, None) };
    let event = sale::create(&basket(vec![item("a", 1, 2000)]), "trx_9".into(), &till)?;
    Ok(event.fact.transaction)
}

fn taken(shop: &mut Shop) {
    let cmd = OpenShift { register_id: Some("till-2".into()), ..OpenShift::default() };
    let other = ledger::open_shift(&cmd, "shf_2".into(), NOW, &budi(), &shop.rules, &shop.ledger).unwrap();
    shop.ledger.evolve(&other.into());
}

fn unpaid(shop: &mut Shop) {
    shop.create(&basket(vec![item("a", 1, 2000)])).unwrap();
}

#[test]
fn moves_that_are_refused() {
    let (invalid, open_there) = ("validation_failed", "shift_already_open");
    run_table(
        three_tills,
        &[
            case("somebody else's", nothing, |s| moving(&budi(), &[], s), "insufficient_role", ""),
            case(
                "warehouse staff",
                nothing,
                |s| moving(&caller("ani", Role::WarehouseStaff), &["till-2"], s),
                "insufficient_role",
                "",
            ),
            case("an unknown register", nothing, |s| moving(&ani(), &["till-9"], s), invalid, "till-9"),
            case("no name", nothing, |s| moving(&ani(), &["till 9"], s), invalid, "register_ids[0]"),
            case("twice", nothing, |s| moving(&ani(), &["till-2", "till-2"], s), invalid, "register_ids[1]"),
            case(
                "more than can share",
                nothing,
                |s| moving(&ani(), &["main"; SHARED_MAX + 1], s),
                invalid,
                "register_ids",
            ),
            case(
                "another shift stands there",
                taken,
                |s| moving(&ani(), &["till-2"], s),
                open_there,
                "shf_2",
            ),
            case(
                "also one of several",
                taken,
                |s| moving(&boss(), &["main", "till-2"], s),
                open_there,
                "shf_2",
            ),
            case(
                "a disabled register",
                |s| {
                    let register = Register { disabled: true, ..Register::new("till-2".into(), "2".into()) };
                    s.commit(fact::RegisterChanged { register });
                },
                |s| moving(&ani(), &["till-2"], s),
                "insufficient_role",
                "",
            ),
            case(
                "a basket of the register that it leaves",
                unpaid,
                |s| moving(&ani(), &["till-2"], s),
                "shift_has_open_transactions",
                "trx_1",
            ),
            case("also to suspend it", unpaid, |s| moving(&ani(), &[], s), "shift_has_open_transactions", ""),
            case(
                "counted",
                |s| s.shift.shift.state = ShiftState::Closed,
                |s| moving(&ani(), &["till-2"], s),
                "invalid_state",
                r#""state":"closed""#,
            ),
        ],
    );
}

/// Where the shift stands, who sells, the register that speaks, and the refusal.
type Selling<'a> = (&'a [&'a str], Principal, Option<&'a str>, Option<&'a str>);

#[test]
fn who_sells_where_a_shift_stands() {
    let (role, state, fields) = ("insufficient_role", "invalid_state", "validation_failed");
    let one: &[&str] = &["main"];
    let away: &[&str] = &["till-2"];
    let two: &[&str] = &["main", "till-2"];
    let table: &[Selling<'_>] = &[
        (one, ani(), None, None),
        (one, ani(), Some("main"), None),
        (one, ani(), Some("till-2"), None),
        (away, ani(), None, None),
        (away, ani(), Some("main"), Some(state)),
        (one, budi(), Some("main"), Some(role)),
        (one, boss(), None, None),
        (two, ani(), Some("till-2"), None),
        (two, ani(), None, Some(fields)),
        (two, ani(), Some("till-3"), Some(state)),
        (two, budi(), Some("till-2"), None),
        (two, budi(), Some("till-3"), Some(role)),
        (two, budi(), None, Some(role)),
        (two, caller("w", Role::WarehouseStaff), Some("till-2"), Some(role)),
        (&[], ani(), Some("main"), Some(state)),
        (&[], ani(), None, Some(state)),
        (&[], budi(), Some("main"), Some(role)),
    ];
    for (registers, who, register, refused) in table {
        let mut shop = three_tills();
        moving(&ani(), registers, &mut shop).unwrap();
        let place = format!("{registers:?}, {} at {register:?}", who.name);
        match (selling(who, *register, &shop), refused) {
            (Ok(sale), None) => {
                let expected = register.filter(|id| registers.contains(id)).unwrap_or(registers[0]);
                assert_eq!(sale.register_id.as_str(), expected, "{place}");
                assert_eq!((&sale.cashier_id, sale.shift_id.as_str()), (&who.user_id, "shf_1"), "{place}");
            }
            (Err(refusal), Some(code)) => assert_eq!(refusal.code(), *code, "{place}"),
            (sold, _) => panic!("{place}: {sold:?}"),
        }
    }
}

#[test]
fn a_basket_of_a_register_that_stays_does_not_hinder() {
    let mut shop = three_tills();
    unpaid(&mut shop);
    let shared = moving(&ani(), &["till-2", "main"], &mut shop).unwrap();
    assert_eq!(shared.registers(), ["main".into(), "till-2".into()]);
    let back = moving(&boss(), &["main"], &mut shop).unwrap();
    assert_eq!((back.moved_to, shop.shift.open.len()), (None, 1), "as if it had never moved");
    assert_eq!(shop.replayed(), (shop.ledger.clone(), shop.shift.clone()));
}

#[test]
fn a_suspended_shift_frees_its_register_and_keeps_its_cashier() {
    let mut shop = three_tills();
    moving(&ani(), &[], &mut shop).unwrap();
    let opening = |who: &Principal, shop: &Shop| {
        let cmd = OpenShift::default();
        ledger::open_shift(&cmd, "shf_2".into(), NOW, who, &shop.rules, &shop.ledger)
    };
    assert_eq!(opening(&ani(), &shop).unwrap_err().code(), "shift_already_open", "one shift of one person");
    assert_eq!(opening(&budi(), &shop).unwrap().fact.shift.registers(), ["main".into()]);
    let counted = CloseShift::default();
    let closed = shift::close(&counted, NOW, &Authorization::unapproved(&ani()), &shop.rules, &shop.shift);
    assert!(closed.is_ok(), "it is counted wherever it is");
}

/// One action with shifts and registers, which may be refused.
#[derive(Debug, Clone)]
enum Step {
    Open { who: usize, at: usize },
    Move { which: usize, to: BTreeSet<usize> },
    Sell { which: usize, who: usize, at: usize, pieces: i64 },
    Close { which: usize },
}

const TILLS: [&str; 3] = ["till-1", "till-2", "till-3"];

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let (one, registers) = (0..TILLS.len(), prop::collection::btree_set(0..TILLS.len(), 0..=TILLS.len()));
    let step = prop_oneof![
        2 => (one.clone(), one.clone()).prop_map(|(who, at)| Step::Open { who, at }),
        3 => (one.clone(), registers).prop_map(|(which, to)| Step::Move { which, to }),
        6 => (one.clone(), one.clone(), one.clone(), 1..5_i64)
            .prop_map(|(which, who, at, pieces)| Step::Sell { which, who, at, pieces }),
        1 => one.prop_map(|which| Step::Close { which }),
    ];
    prop::collection::vec(step, 1..60)
}

/// A store whose shifts take the numbers of their registers as the shells have them do.
#[derive(Default)]
struct Store {
    ledger: LedgerBook,
    shifts: Vec<ShiftBook>,
    counters: BTreeMap<RegisterId, Counters>,
    sales: Vec<Transaction>,
    closed: Vec<Shift>,
    ids: usize,
}

impl Store {
    fn commit(&mut self, event: impl Into<Event>) {
        let event = event.into();
        self.ledger.evolve(&event);
        let counters = event.rows.counters.iter().map(|row| (row.register_id.clone(), row.clone()));
        self.counters.extend(counters);
        for book in &mut self.shifts {
            book.evolve(&event);
            if event.shift().is_some_and(|shift| shift.shift_id == book.shift.shift_id) {
                let new = |id: &RegisterId| Counters::new(id.clone());
                let of = |id: &RegisterId| self.counters.get(id).cloned().unwrap_or_else(|| new(id));
                book.counters = book.shift.registers().iter().map(of).collect();
            }
        }
    }

    fn next(&mut self, prefix: &str) -> String {
        self.ids += 1;
        format!("{prefix}{}", self.ids)
    }

    fn run(&mut self, step: &Step) -> Result<(), Refusal> {
        let rules = rules();
        let cashiers = [ani(), budi(), caller("citra", Role::Cashier)];
        match step {
            Step::Open { who, at } => {
                let cmd = OpenShift { register_id: Some(TILLS[*at].into()), ..OpenShift::default() };
                let id = ShiftId(self.next("shf_"));
                let event = ledger::open_shift(&cmd, id, NOW, &cashiers[*who], &rules, &self.ledger)?.into();
                self.shifts.push(fresh_book(&event));
                self.commit(event);
            }
            Step::Move { which, to } => {
                let Some(book) = self.shifts.get(*which) else { return Ok(()) };
                let cmd = MoveShift { register_ids: to.iter().map(|at| TILLS[*at].into()).collect() };
                let event = shift::relocate(&cmd, &Authorization::unapproved(&boss()), book)?;
                let moved = &event.fact.shift;
                ledger::may_stand(&moved.shift_id, moved.registers(), &self.ledger)?;
                self.commit(event);
            }
            Step::Sell { which, who, at: place, pieces } => {
                let (id, payment_id) = (self.next("trx_").into(), PaymentId(self.next("pay_")));
                let movements = vec![MovementId(self.next("mov_"))];
                let (products, promotions) = (catalogue(goods()), Vec::new());
                let pricing = PricingContext { products: &products, promotions: &promotions, member: None };
                let Some(book) = self.shifts.get(*which) else { return Ok(()) };
                let register = RegisterId::from(TILLS[*place]);
                let authorization = at(&cashiers[*who], &register);
                let till = TillContext { now: NOW, authorization, pricing, rules: &rules, book };
                let (cmd, cash) = (basket(vec![item("a", *pieces, 2000)]), payment("cash", 2220 * pieces));
                let draft = sale::sell(&cmd, &[cash], id, vec![payment_id], &till)?;
                let event = ledger::settle(*draft, movements, NOW, &rules, &self.ledger)?;
                assert!(book.shift.stands_at(&event.fact.transaction.register_id));
                self.sales.push(event.fact.transaction.clone());
                self.commit(event);
            }
            Step::Close { which } => {
                let Some(book) = self.shifts.get(*which) else { return Ok(()) };
                let cmd =
                    CloseShift { counted_cash: Cash::of(&book.shift).expected, ..CloseShift::default() };
                let event = shift::close(&cmd, NOW, &Authorization::unapproved(&boss()), &rules, book)?;
                let event = ledger::numbered(event, &self.ledger);
                self.closed.push(event.fact.shift.clone());
                self.commit(event);
                self.shifts.remove(*which);
            }
        }
        Ok(())
    }

    /// Each register has one shift at most, numbers have no gap, and each sale counts in its shift alone.
    fn check(&self) {
        let stands = self.shifts.iter().flat_map(|book| book.shift.registers());
        let stands: Vec<&RegisterId> = stands.collect();
        assert_eq!(stands.iter().collect::<BTreeSet<_>>().len(), stands.len(), "{stands:?}");
        for till in TILLS {
            let of = |sale: &&Transaction| sale.register_id.as_str() == till;
            for (place, sale) in self.sales.iter().filter(of).enumerate() {
                assert_eq!(sale.receipt_no, Some(format!("S001-{till}-{:08}", place + 1)));
            }
            let of = |shift: &&Shift| shift.register_id.as_str() == till;
            for (place, shift) in self.closed.iter().filter(of).enumerate() {
                assert_eq!(shift.z_no, Some(place as u64 + 1));
            }
        }
        for shift in self.shifts.iter().map(|book| &book.shift).chain(&self.closed) {
            let own = || self.sales.iter().filter(|sale| sale.shift_id == shift.shift_id);
            assert_eq!(shift.totals.sales_count, own().count() as i64);
            assert_eq!(Cash::of(shift).expected, own().map(|sale| sale.total).sum::<Money>());
        }
    }
}

proptest! {
    #[test]
    fn each_register_has_one_shift_and_numbers_without_a_gap(steps in steps()) {
        let mut store = Store::default();
        for till in TILLS {
            store.commit(fact::RegisterChanged { register: Register::new(till.into(), till.to_owned()) });
        }
        for step in &steps {
            let before = (store.ledger.clone(), store.shifts.clone());
            if store.run(step).is_err() {
                prop_assert_eq!(before, (store.ledger.clone(), store.shifts.clone()));
            }
            store.check();
        }
    }
}
