//! A store that was restored from a backup continues while some of its own records are still at head office. Whatever
//! is counted in the meantime, all copies with the same records have the same shift and the same safe.

use domain::model::base::event::{Event, Fact, fact};
use domain::model::base::figures::Money;
use domain::model::base::ids::{
    AdjustmentId, MemberId, OpnameId, ReceivingId, RegisterId, ReturnId, ShiftId, Sku, TransactionId,
    TransferId, UserId,
};
use domain::model::base::time::UtcMs;
use domain::model::books::deposit::{Safe, SafeOpening};
use domain::model::books::ledger::LedgerBook;
use domain::model::books::register::{Counters, Register};
use domain::model::books::shift::{CashKind, CashMovement, Shift, ShiftBook, ShiftState};
use domain::model::hub::stamp::Stamp;
use domain::model::inventory::receiving::Receiving;
use domain::model::inventory::stock::Stock;
use domain::model::inventory::transfer::Transfer;
use domain::model::people::authorization::Authorization;
use domain::model::people::member::Member;
use domain::model::people::points::PointsAccount;
use domain::model::people::user::User;
use domain::model::people::user::costs::Costs;
use domain::model::selling::returns::{Return, SaleAfter};
use domain::model::selling::transaction::Transaction;
use domain::rules::books::deposit;
use domain::rules::books::deposit::{NewDeposit, OpenSafe, Share};
use domain::rules::books::ledger;
use domain::rules::books::shift;
use domain::rules::books::shift::{CloseShift, MoveCash, OpenShift, RecountShift, ReverseCash};
use domain::rules::hub::recovery::{Book, Rows};
use domain::wire::feed::UserDown;
use domain::wire::record;
use jiff::civil::Date;
use proptest::prelude::*;
use std::collections::{BTreeMap, HashSet};
use std::convert::Infallible;
use testkit::shop::{NOW, boss, rules};

mod sales_and_days;

type Read<T> = Result<T, Infallible>;

/// The rows of one copy that concern cash.
#[derive(Debug, Clone, Default)]
struct Till {
    shifts: BTreeMap<ShiftId, Shift>,
    sales: BTreeMap<TransactionId, Transaction>,
    safe: Safe,
    opening: Option<SafeOpening>,
    events: HashSet<String>,
    /// The copy's own records for head office.
    records: Vec<String>,
    drops: Vec<CashMovement>,
    counters: Counters,
    clock: i64,
}

impl Rows for Till {
    type Error = Infallible;

    fn stock(&self, _: &Sku) -> Read<Stock> {
        Ok(Stock::default())
    }
    fn account(&self, _: &MemberId) -> Read<Option<PointsAccount>> {
        Ok(None)
    }
    fn sale(&self, id: &TransactionId) -> Read<Option<Transaction>> {
        Ok(self.sales.get(id).cloned())
    }
    fn after(&self, _: &TransactionId) -> Read<Option<SaleAfter>> {
        Ok(None)
    }
    fn posted_return(&self, _: &ReturnId) -> Read<Option<Return>> {
        Ok(None)
    }
    fn shift(&self, id: &ShiftId) -> Read<Option<Shift>> {
        Ok(self.shifts.get(id).cloned())
    }
    fn register(&self, _: &RegisterId) -> Read<Option<Register>> {
        Ok(None)
    }
    fn safe(&self) -> Read<Safe> {
        Ok(self.safe.clone())
    }
    fn safe_opening(&self) -> Read<Option<SafeOpening>> {
        Ok(self.opening.clone())
    }
    fn last_day_change(&self, _: &Date) -> Read<Option<UtcMs>> {
        Ok(None)
    }
    fn counters(&self, _: &RegisterId) -> Read<Counters> {
        Ok(self.counters.clone())
    }
    fn receiving(&self, _: &ReceivingId) -> Read<Option<Receiving>> {
        Ok(None)
    }
    fn transfer(&self, _: &TransferId) -> Read<Option<Transfer>> {
        Ok(None)
    }
    fn has_document(&self, _: &str) -> Read<bool> {
        Ok(false)
    }
    fn adjustment(&self, _: &AdjustmentId) -> Read<Option<&'static str>> {
        Ok(None)
    }
    fn has_posted(&self, _: &OpnameId) -> Read<bool> {
        Ok(false)
    }
    fn known_member(&self, _: &MemberId) -> Read<Option<Member>> {
        Ok(None)
    }
    fn has_event(&self, event_id: &str) -> Read<bool> {
        Ok(self.events.contains(event_id))
    }
    fn known_user(&self, _: &UserId) -> Read<Option<User>> {
        Ok(None)
    }
    fn office_record_of_user(&self, _: &UserId) -> Read<Option<UserDown>> {
        Ok(None)
    }
    fn costs_max(&self) -> Costs {
        Costs::DEFAULT
    }
}

/// One action, which may be refused.
#[derive(Debug, Clone)]
enum Step {
    Drop { amount: i64 },
    Undrop,
    PayIn { amount: i64 },
    Close { counted: i64 },
    Count { counted: i64 },
    Deposit { amount: i64 },
    Say { amount: i64 },
}

impl Till {
    fn stamp(&mut self, name: &str) -> Stamp {
        self.clock += 1_000;
        let now = UtcMs(NOW.0 + self.clock);
        let event_id = format!("evt_{name}{}", self.records.len()).into();
        Stamp { now, at: format!("{:013}-00000-S001", now.0), event_id }
    }

    fn fold(&mut self, event: &Event) {
        for shift in event.shifts() {
            self.shifts.insert(shift.shift_id.clone(), shift.clone());
        }
        if let Some(safe) = event.rows.safe.as_deref() {
            self.safe = safe.clone();
        }
        if let Fact::SafeOpened(it) = &event.fact {
            self.opening = Some(it.opening.clone());
        }
    }

    /// Commits as the ledger does, except for refusals of the safe.
    fn commit(&mut self, event: impl Into<Event>, text: String) {
        let mut event = event.into();
        let before = event.shift().and_then(|shift| self.shifts.get(&shift.shift_id)).map(Share::of);
        event.rows.safe = Some(Box::new(self.safe.after(&event, before.unwrap_or_default()).unwrap()));
        self.fold(&event);
        self.events.insert(record::event_id(&text).unwrap().into_owned());
        self.records.push(text);
    }

    fn run(&mut self, name: &str, step: &Step) {
        let (stamp, rules, book, boss) = (self.stamp(name), rules(), LedgerBook::default(), boss());
        let by = Authorization::unapproved(&boss);
        let id = format!("csh_{name}{}", self.records.len()).into();
        let Some(shift) = self.shifts.values().next().cloned() else {
            let cmd = OpenShift { opening_float: Some(Money::new(300)), ..OpenShift::default() };
            let event = ledger::open_shift(&cmd, "shf_1".into(), stamp.now, &boss, &rules, &book).unwrap();
            let text = record::shift_opened(&stamp, &event.fact.shift);
            return self.commit(event, text);
        };
        let (counters, series) = (vec![self.counters.clone()], String::new());
        let till =
            ShiftBook { shift: shift.clone(), counters, series, open: BTreeMap::new(), blind_tries: 0 };
        let moves =
            |kind, amount| MoveCash { kind, amount, reason: "x".to_owned(), reason_code: None, bag_no: None };
        match step {
            Step::Drop { amount } | Step::PayIn { amount } => {
                let drops = matches!(step, Step::Drop { .. });
                let cmd = moves(if drops { CashKind::Drop } else { CashKind::PayIn }, Money::new(*amount));
                let Ok(event) = shift::move_cash(&cmd, id, stamp.now, &by, &rules, &till) else { return };
                self.drops.extend(drops.then(|| event.fact.movement.clone()));
                let text = record::cash_moved(&stamp, &event.fact.movement);
                self.commit(event, text);
            }
            Step::Undrop => {
                let (Some(wrong), cmd) = (self.drops.last(), ReverseCash { reason: "x".to_owned() }) else {
                    return;
                };
                let Ok(event) = shift::reverse_cash(&cmd, wrong, id, stamp.now, &by, &rules, &till) else {
                    return;
                };
                let text = record::cash_moved(&stamp, &event.fact.movement);
                self.commit(event, text);
            }
            Step::Close { counted } => {
                let cmd = CloseShift { counted_cash: Money::new(*counted), ..CloseShift::default() };
                if shift.state != ShiftState::Open {
                    return;
                }
                let event = shift::close(&cmd, stamp.now, &by, &rules, &till).unwrap();
                let event = ledger::numbered(event, &book);
                let text = record::shift_closed(&stamp, &event.fact.shift);
                self.commit(event, text);
            }
            Step::Count { counted } => {
                let cmd = RecountShift { counted_cash: Money::new(*counted), reason: "again".to_owned() };
                let Ok(event) = shift::recount(&cmd, stamp.now, &by, &shift, &rules, &book) else { return };
                let text = match shift.state {
                    ShiftState::Interrupted => {
                        record::shift_counted(&stamp, &event.fact.shift, shift.business_date)
                    }
                    _ => record::shift_recounted(&stamp, &event.fact.shift),
                };
                self.commit(event, text);
            }
            Step::Deposit { amount } => {
                let (bag_no, bank_account) = ("B-1".to_owned(), "1".to_owned());
                let cmd = NewDeposit { amount: (*amount).into(), bag_no, bank_account, deposited_at: None };
                let Ok(event) = deposit::deposit(
                    &cmd,
                    id,
                    stamp.now,
                    &by,
                    &rules,
                    &LedgerBook { safe: self.safe.clone(), ..book },
                ) else {
                    return;
                };
                let text = record::cash_deposited(&stamp, &event.fact.deposit);
                self.commit(event, text);
            }
            Step::Say { amount } => {
                let cmd = OpenSafe { amount: (*amount).into(), reason: "counted".to_owned() };
                let before = self.opening.as_ref();
                let opening = deposit::open_safe(&cmd, before, stamp.now, &by, &rules, &book).unwrap();
                let text = record::safe_opened(&stamp, &opening);
                self.commit(fact::SafeOpened { opening }, text);
            }
        }
    }

    /// Takes records that come back, some of them before the rows are read again.
    fn take(&mut self, texts: &[String]) {
        let mut events = Vec::new();
        let mut book = Book::new(self);
        for text in texts {
            events.extend(book.take(text).unwrap());
        }
        events.iter().for_each(|event| self.fold(event));
        self.events.extend(texts.iter().map(|text| record::event_id(text).unwrap().into_owned()));
    }

    /// Returns a copy that continues at the same time in the same shift.
    fn cloned(&self, clock: i64) -> Self {
        Self { records: Vec::new(), clock, ..self.clone() }
    }

    /// Returns the store that a backup becomes.
    fn restored(&self, clock: i64) -> Self {
        let mut here = self.cloned(clock);
        here.interrupt();
        here
    }

    /// Interrupts a shift of an earlier epoch, which sells no more.
    fn interrupt(&mut self) {
        for shift in self.shifts.values_mut().filter(|shift| shift.state == ShiftState::Open) {
            shift.state = ShiftState::Interrupted;
        }
    }

    /// Returns the rows about cash.
    fn books(&self) -> (Vec<Shift>, Safe, Option<SafeOpening>) {
        (self.shifts.values().cloned().collect(), self.safe.clone(), self.opening.clone())
    }
}

fn steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    let amount = || 1..200_i64;
    let step = prop_oneof![
        4 => amount().prop_map(|amount| Step::Drop { amount }),
        1 => Just(Step::Undrop),
        2 => amount().prop_map(|amount| Step::PayIn { amount }),
        2 => amount().prop_map(|counted| Step::Close { counted }),
        3 => amount().prop_map(|counted| Step::Count { counted }),
        1 => amount().prop_map(|amount| Step::Deposit { amount }),
        1 => amount().prop_map(|amount| Step::Say { amount }),
    ];
    prop::collection::vec(step, 0..most)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn counts_made_while_records_are_missing_are_merged_alike_everywhere(
        before in steps(6),
        since in steps(8),
        meanwhile in prop::collection::vec((0..3_usize, steps(3)), 0..5),
        // One of the clocks shows the same milliseconds.
        clock in prop_oneof![Just(Some(100_007_i64)), Just(Some(7)), Just(Some(-90_000)), Just(None)],
        cloned in any::<bool>(),
    ) {
        let mut burnt = Till::default();
        burnt.run("a", &Step::Undrop);
        before.iter().for_each(|step| burnt.run("a", step));
        let (backed_up, clock) = (burnt.records.len(), clock.unwrap_or(burnt.clock));
        let mut here = burnt.cloned(clock);
        let together = if cloned { meanwhile.len().div_ceil(2) } else { 0 };
        let (together, meanwhile) = meanwhile.split_at(together);
        together.iter().flat_map(|(_, steps)| steps).for_each(|step| here.run("b", step));
        here.interrupt();
        let own = here.safe.drops.get() - burnt.safe.drops.get();
        since.iter().for_each(|step| burnt.run("a", step));
        let mut late = &burnt.records[backed_up..];
        for (come, steps) in meanwhile {
            steps.iter().for_each(|step| here.run("b", step));
            let (now, rest) = late.split_at((*come).min(late.len()));
            here.take(now);
            late = rest;
        }
        here.take(late);
        // A copy that lacked nothing, and one that has only the records.
        let mut rebuilt = Till::default();
        rebuilt.take(&[burnt.records.clone(), here.records.clone()].concat());
        prop_assert_eq!(here.books(), rebuilt.books());
        let (was, is) = (&burnt.safe, &here.safe);
        prop_assert_eq!((was.floats, (was.drops.get() + own).into()), (is.floats, is.drops), "nothing that came back is lost");
    }
}

#[test]
fn a_shift_that_two_copies_sold_in_has_what_both_did_and_the_later_word_of_one_millisecond_is_one() {
    let mut one = Till::default();
    for step in [Step::Undrop, Step::PayIn { amount: 700 }] {
        one.run("a", &step);
    }
    let mut other = one.cloned(one.clock);
    for step in [Step::Drop { amount: 50 }, Step::Say { amount: 9 }, Step::Close { counted: 900 }] {
        one.run("a", &step);
    }
    for step in [Step::Drop { amount: 400 }, Step::Say { amount: 8 }] {
        other.run("b", &step);
    }
    let (of_one, of_other) = (one.records[2..].to_vec(), other.records.clone());
    other.take(&of_one);
    let shift = other.shifts.values().next().unwrap();
    let totals = (shift.totals.drops, shift.z_no, shift.expected_cash);
    assert_eq!(totals, (450.into(), Some(1), Some(550.into())));
    one.take(&of_other);
    assert_eq!(one.opening, other.opening, "both have the same millisecond");
    one.run("a", &Step::Say { amount: 1 });
    one.clock -= 1_000;
    one.run("a", &Step::Say { amount: 2 });
    let opening = one.opening.as_ref().unwrap();
    assert_eq!((opening.amount, opening.before), (2.into(), Some(1.into())));
    let mut rebuilt = Till::default();
    rebuilt.take(&[&one.records[2..], &other.records].concat());
    assert_eq!(
        rebuilt.opening.map(|opening| opening.amount),
        Some(2.into()),
        "the last change, of a clock that stood still"
    );
}

#[test]
fn a_drop_that_comes_back_after_the_count_is_in_the_safe_and_the_later_word_stands() {
    let mut burnt = Till::default();
    for step in [Step::Undrop, Step::PayIn { amount: 700 }] {
        burnt.run("a", &step);
    }
    let (backed_up, mut here) = (burnt.records.len(), burnt.restored(500_000));
    for step in [Step::Drop { amount: 400 }, Step::Say { amount: 50 }, Step::Close { counted: 580 }] {
        burnt.run("a", &step);
    }
    for step in [Step::Say { amount: 60 }, Step::Count { counted: 590 }] {
        here.run("b", &step);
    }
    let variance = |till: &Till| till.shifts.values().next().unwrap().variance;
    assert_eq!(variance(&here), Some((-410).into()), "the drop is still at head office");
    let late = &burnt.records[backed_up..];
    here.take(&late[..2]);
    assert_eq!((variance(&here), here.safe.drops), (Some((-10).into()), 400.into()));
    here.take(&late[2..]);
    let shift = here.shifts.values().next().unwrap();
    let counts: Vec<i64> = shift.recounts.iter().map(|recount| recount.counted_cash.get()).collect();
    assert_eq!((shift.z_no, shift.counted_cash, counts), (Some(1), Some(580.into()), vec![590]));
    let again = (shift.variance, shift.recounts[0].before, shift.recounts[0].variance);
    assert_eq!(again, (Some((-20).into()), 580.into(), (-10).into()));
    let Safe { balance, opening, counted, .. } = here.safe;
    assert_eq!((opening, counted, balance), (Some(60.into()), 590.into(), (60 + 400 + 590 - 300).into()));
}
