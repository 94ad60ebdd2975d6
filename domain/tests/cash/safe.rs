//! The balance of the safe follows from shifts and deposits, and nothing takes out more than the safe has.

use domain::model::base::event::{Event, fact};
use domain::model::base::figures::Money;
use domain::model::base::ids::{CashId, RegisterId, ShiftId};
use domain::model::base::refusal::Refusal;
use domain::model::books::deposit::Deposit;
use domain::model::books::ledger::LedgerBook;
use domain::model::books::shift::{CashKind, CashMovement, Shift, ShiftBook, ShiftState};
use domain::model::people::authorization::Authorization;
use domain::model::people::user::{Principal, Role};
use domain::rules::books::deposit;
use domain::rules::books::deposit::{NewDeposit, OpenSafe, ReverseDeposit, settle_safe};
use domain::rules::books::ledger;
use domain::rules::books::shift;
use domain::rules::books::shift::{CloseShift, MoveCash, OpenShift, RecountShift, ReverseCash};
use proptest::prelude::*;
use testkit::shop::{NOW, boss, caller, fresh_book, rules};

/// One action that moves cash at the safe, and may be refused.
#[derive(Debug, Clone)]
enum Step {
    Open { float: i64 },
    Drop { which: usize, amount: i64 },
    Undrop { which: usize },
    Close { which: usize, counted: i64 },
    Recount { which: usize, counted: i64 },
    Deposit { amount: i64 },
    Undeposit { which: usize },
    Say { amount: i64 },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let (which, amount) = (0..6_usize, 0..1_500_i64);
    let step = prop_oneof![
        3 => amount.clone().prop_map(|float| Step::Open { float }),
        2 => (which.clone(), amount.clone()).prop_map(|(which, amount)| Step::Drop { which, amount }),
        1 => which.clone().prop_map(|which| Step::Undrop { which }),
        2 => (which.clone(), amount.clone()).prop_map(|(which, counted)| Step::Close { which, counted }),
        1 => (which.clone(), amount.clone()).prop_map(|(which, counted)| Step::Recount { which, counted }),
        3 => amount.clone().prop_map(|amount| Step::Deposit { amount }),
        1 => which.prop_map(|which| Step::Undeposit { which }),
        1 => amount.prop_map(|amount| Step::Say { amount }),
    ];
    prop::collection::vec(step, 1..40)
}

#[derive(Default)]
struct Store {
    book: LedgerBook,
    shifts: Vec<ShiftBook>,
    drops: Vec<(usize, CashMovement)>,
    deposits: Vec<Deposit>,
    events: Vec<Event>,
    ids: usize,
}

impl Store {
    fn id(&mut self) -> String {
        self.ids += 1;
        format!("csh_{}", self.ids)
    }

    /// Commits as the ledger does: the event and the safe, or nothing.
    fn settle<F: Clone>(
        &mut self,
        event: Event<F>,
        before: Option<&Shift>,
        who: &Principal,
    ) -> Result<Event, Refusal>
    where
        Event<F>: Into<Event>,
    {
        let event = settle_safe(event, before, &Authorization::unapproved(who), &self.book)?;
        Ok(self.fold(event.into()))
    }

    fn fold(&mut self, event: Event) -> Event {
        self.book.evolve(&event);
        self.shifts.iter_mut().for_each(|shift| fold_into(shift, &event));
        self.events.push(event.clone());
        event
    }

    fn run(&mut self, step: &Step) -> Result<(), Refusal> {
        let rules = rules();
        let boss = boss();
        let place = |which: usize, store: &Self| which.checked_rem(store.shifts.len());
        let none = || Refusal::NotFound("shift");
        match step {
            Step::Open { float } => {
                let number = self.shifts.len();
                let who = caller(&format!("till{number}"), Role::Cashier);
                let register_id = Some(RegisterId::from(format!("till-{number}")));
                let cmd = OpenShift { register_id, opening_float: Some(Money::new(*float)), note: None };
                let id = ShiftId::from(format!("shf_{number}"));
                let event = ledger::open_shift(&cmd, id, NOW, &who, &rules, &self.book)?;
                let opened = self.settle(event, None, &who)?;
                self.shifts.push(fresh_book(&opened));
            }
            Step::Drop { which, amount } => {
                let place = place(*which, self).ok_or_else(none)?;
                let (kind, reason) = (CashKind::Drop, "safe".to_owned());
                let cmd =
                    MoveCash { kind, amount: Money::new(*amount), reason, reason_code: None, bag_no: None };
                let (id, before) = (CashId(self.id()), self.shifts[place].shift.clone());
                let event = shift::move_cash(
                    &cmd,
                    id,
                    NOW,
                    &Authorization::unapproved(&boss),
                    &rules,
                    &self.shifts[place],
                )?;
                let movement = event.fact.movement.clone();
                self.settle(event, Some(&before), &boss)?;
                self.drops.push((place, movement));
            }
            Step::Undrop { which } => {
                let found = which.checked_rem(self.drops.len()).ok_or_else(none)?;
                let (place, wrong) = self.drops[found].clone();
                let (id, before) = (CashId(self.id()), self.shifts[place].shift.clone());
                let cmd = ReverseCash { reason: "x".to_owned() };
                let by = Authorization::unapproved(&boss);
                let event = shift::reverse_cash(&cmd, &wrong, id, NOW, &by, &rules, &self.shifts[place])?;
                self.settle(event, Some(&before), &boss)?;
            }
            Step::Close { which, counted } => {
                let place = place(*which, self).ok_or_else(none)?;
                let cmd = CloseShift { counted_cash: Money::new(*counted), ..CloseShift::default() };
                let before = self.shifts[place].shift.clone();
                let event =
                    shift::close(&cmd, NOW, &Authorization::unapproved(&boss), &rules, &self.shifts[place])?;
                self.settle(event, Some(&before), &boss)?;
            }
            Step::Recount { which, counted } => {
                let place = place(*which, self).ok_or_else(none)?;
                let cmd = RecountShift { counted_cash: Money::new(*counted), reason: "x".to_owned() };
                let before = self.shifts[place].shift.clone();
                let event = shift::recount(
                    &cmd,
                    NOW,
                    &Authorization::unapproved(&boss),
                    &before,
                    &rules,
                    &self.book,
                )?;
                self.settle(event, Some(&before), &boss)?;
            }
            Step::Deposit { amount } => {
                let cmd = bag(*amount);
                let id = CashId(self.id());
                let event =
                    deposit::deposit(&cmd, id, NOW, &Authorization::unapproved(&boss), &rules, &self.book)?;
                let deposit = event.fact.deposit.clone();
                self.fold(event.into());
                assert!(self.book.safe.balance >= 0, "{:?} after {deposit:?}", self.book.safe);
                self.deposits.push(deposit);
            }
            Step::Undeposit { which } => {
                let found = which.checked_rem(self.deposits.len()).ok_or_else(none)?;
                let (wrong, cmd) = (self.deposits[found].clone(), ReverseDeposit { reason: "x".to_owned() });
                let reversed =
                    self.deposits.iter().any(|one| one.reverses.as_ref() == Some(&wrong.deposit_id));
                let (id, by) = (CashId(self.id()), Authorization::unapproved(&boss));
                let event = deposit::reverse(&cmd, &wrong, reversed, id, NOW, &by, &rules, &self.book)?;
                let deposit = event.fact.deposit.clone();
                self.fold(event.into());
                self.deposits.push(deposit);
            }
            Step::Say { amount } => self.say(*amount)?,
        }
        Ok(())
    }

    fn say(&mut self, amount: i64) -> Result<(), Refusal> {
        let (cmd, boss) = (OpenSafe { amount: amount.into(), reason: "counted".to_owned() }, boss());
        let by = Authorization::unapproved(&boss);
        let opening = deposit::open_safe(&cmd, None, NOW, &by, &rules(), &self.book)?;
        self.settle(Event::of(fact::SafeOpened { opening }), None, &boss).map(drop)
    }

    /// Returns the balance from the rows, without the running sum.
    fn added_up(&self) -> i64 {
        let shift = |book: &ShiftBook| {
            let shift = &book.shift;
            let counted = shift.recounts.last().map(|recount| recount.counted_cash).or(shift.counted_cash);
            counted.unwrap_or_default().get() + shift.totals.drops.get() - shift.opening_float.get()
        };
        let shifts: i64 = self.shifts.iter().map(shift).sum();
        let deposits: i64 = self.deposits.iter().map(|deposit| deposit.amount).sum();
        self.book.safe.opening.unwrap_or_default().get() + shifts - deposits
    }
}

fn fold_into(book: &mut ShiftBook, event: &Event) {
    if event.shift().is_some_and(|shift| shift.shift_id == book.shift.shift_id) {
        book.evolve(event);
    }
}

fn bag(amount: i64) -> NewDeposit {
    let (bag_no, bank_account) = ("B-1".to_owned(), "1".to_owned());
    NewDeposit { amount: amount.into(), bag_no, bank_account, deposited_at: None }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn the_safe_is_what_its_shifts_and_deposits_say_and_never_below_zero(said in any::<bool>(), steps in steps()) {
        let mut store = Store::default();
        if said {
            store.say(1_000).unwrap();
        }
        for step in &steps {
            let before = store.book.clone();
            if store.run(step).is_err() {
                prop_assert_eq!(&store.book, &before, "{:?} changed something", step);
            }
            prop_assert_eq!(store.book.safe.balance, store.added_up(), "after {:?}", step);
            prop_assert!(!said || store.book.safe.balance >= 0, "{:?} after {:?}", store.book.safe, step);
        }
        let mut replayed = LedgerBook::default();
        store.events.iter().for_each(|event| replayed.evolve(event));
        prop_assert_eq!(replayed.safe, store.book.safe);
    }
}

#[test]
fn a_float_above_the_safes_balance_needs_a_manager_once_the_safe_was_counted() {
    let (till, manager) = (caller("ani", Role::Cashier), boss());
    let opened = |store: &Store, approver: Option<&Principal>| {
        let cmd = OpenShift { opening_float: Some(Money::new(600)), ..OpenShift::default() };
        let event = ledger::open_shift(&cmd, "shf_9".into(), NOW, &till, &rules(), &store.book).unwrap();
        settle_safe(event, None, &Authorization { approver, ..Authorization::unapproved(&till) }, &store.book)
    };
    let mut store = Store::default();
    assert!(opened(&store, None).unwrap().rows.safe.is_some(), "the balance is unknown");
    store.say(500).unwrap();
    let refused = opened(&store, None).unwrap_err();
    assert_eq!(refused.code(), "approval_required");
    let details = refused.details();
    let figures = (&details["path"], &details["value"], &details["limit"]);
    assert_eq!(figures, (&"opening_float".into(), &600.into(), &500.into()), "{details}");
    let event = opened(&store, Some(&manager)).unwrap();
    let safe = event.rows.safe.unwrap();
    assert_eq!(
        (event.fact.shift.state, safe.balance, safe.floats),
        (ShiftState::Open, (-100).into(), 600.into())
    );
}

#[test]
fn deposited_cash_can_not_be_removed_by_a_recount() {
    let mut store = Store::default();
    store.say(0).unwrap();
    store.run(&Step::Open { float: 0 }).unwrap();
    store.run(&Step::Close { which: 0, counted: 700 }).unwrap();
    store.run(&Step::Deposit { amount: 700 }).unwrap();
    let refused = store.run(&Step::Recount { which: 0, counted: 699 }).unwrap_err();
    assert!(refused.details().to_string().contains("reverse a wrong deposit, or set"), "{refused:?}");
    store.run(&Step::Undeposit { which: 0 }).unwrap();
    store.run(&Step::Recount { which: 0, counted: 699 }).unwrap();
    assert_eq!(store.run(&Step::Deposit { amount: 700 }).unwrap_err().code(), "validation_failed");
}
