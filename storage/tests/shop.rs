//! A small shop: commits as the rest of the program makes them.

use domain::model::base::answer::Answer;
use domain::model::base::command_print::CommandPrint;
use domain::model::base::event::{Event, Fact, Rows, fact};
use domain::model::base::figures::{BasisPoints, Money};
use domain::model::base::ids::{MovementId, RegisterId, ShiftId, Sku, StoreId, TransactionId, UserId};
use domain::model::base::time::UtcMs;
use domain::model::books::register::{Counters, QuickKey, Register, receipt_no};
use domain::model::books::shift::{Shift, ShiftState, ShiftTotals, TaxTotals};
use domain::model::inventory::product::Product;
use domain::model::inventory::stock::{Movement, MovementReason, Stock};
use domain::model::people::user::Role;
use domain::model::selling::transaction::{Line, Payment, PaymentState, Transaction, TransactionState};
use domain::rules::selling::transaction::TransactionView;
use std::path::Path;
use storage::{Commit, Keyed, Options, Storage};
use tempfile::TempDir;

pub const STORE: &str = "S001";
pub const EPOCH: &str = "1-0123456789abcdef";
pub const START_MS: i64 = 1_795_140_394_000;

/// Small segments, so that a few hundred sales seal several of them.
pub fn options() -> Options {
    Options { cache_bytes: 8 << 20, min_free_bytes: 0, segment_bytes: 24 * 1024, ..Options::default() }
}

/// Returns a new folder with a store.
pub fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    Storage::init(folder.path(), &StoreId::from(STORE), EPOCH).unwrap();
    folder
}

pub fn open(folder: &Path) -> Storage {
    Storage::open(folder, &options()).unwrap()
}

/// State of a till's shift and of the ledger, which makes commits.
pub struct Shop {
    pub shift: Shift,
    pub counters: Counters,
    pub stock: Stock,
    pub now: i64,
    pub made: u64,
}

impl Shop {
    pub fn new(register: &str) -> Self {
        Self {
            shift: shift(register),
            counters: Counters { register_id: register.into(), ..Counters::default() },
            stock: Stock { sku: format!("sku-{register}").into(), ..Stock::default() },
            now: START_MS,
            made: 0,
        }
    }

    pub fn commit(&mut self, events: Vec<Event>) -> Commit {
        self.now += 1_000;
        Commit { events, records: Vec::new(), keyed: None, at: UtcMs(self.now), hlc: None }
    }

    pub fn open_shift(&mut self) -> Commit {
        let bag = QuickKey { sku: self.stock.sku.clone(), label: Some("Bag".into()) };
        let till = Register::new(self.shift.register_id.clone(), "Till".into());
        let register = Register { quick_keys: vec![bag], ..till };
        self.commit(vec![
            Event::new(
                fact::ShiftOpened { shift: self.shift.clone() },
                Rows { register: Some(Box::new(register)), ..Rows::default() },
            )
            .into(),
        ])
    }

    pub fn product(&mut self, sku: &str) -> Commit {
        let product = Product::new(sku.into(), format!("Product {sku}"), Money::new(1_000), UtcMs(self.now));
        let product = Product { tax_rate_bp: Some(1_100), cost: Some(Money::new(600)), ..product };
        self.commit(vec![Event::product_changed(product)])
    }

    /// Returns the commit of an open basket with one line.
    pub fn basket(&mut self) -> Commit {
        let transaction = self.transaction(self.made + 1, TransactionState::Open);
        self.commit(vec![fact::TransactionOpen { transaction }.into()])
    }

    /// Returns it with its answer under the key of that number: most of the answer is also in the event.
    pub fn answered_basket(&mut self, number: u64) -> Commit {
        let mut commit = self.basket();
        let Fact::TransactionOpen(open) = &commit.events[0].fact else { panic!("a basket") };
        let answer = Answer::ok(&TransactionView::new(&open.transaction, Role::Cashier));
        commit.keyed =
            Some(Keyed { key: self.key(number), command: CommandPrint::kept("body=07".to_owned()), answer });
        commit
    }

    /// Returns the commit of a paid sale with everything: stock, shift, counters, record, answer.
    pub fn sale(&mut self) -> Commit {
        self.made += 1;
        self.counters.receipt += 1;
        let mut transaction = self.transaction(self.made, TransactionState::Paid);
        let number = receipt_no(&StoreId::from(STORE), &self.shift.register_id, "", self.counters.receipt);
        transaction.receipt_no = Some(number.clone());
        self.stock.qty = self.stock.qty.saturating_sub(1.into());
        self.stock.value = self.stock.value.saturating_sub(600.into());
        self.shift.totals.sales_count += 1;
        self.shift.totals.items_count = self.shift.totals.items_count.saturating_add(1.into());
        let totals = &mut self.shift.totals;
        totals.gross_sales = totals.gross_sales.saturating_add(1_000.into());
        totals.tax = totals.tax.saturating_add(110.into());
        totals.total = totals.total.saturating_add(1_110.into());
        let cash = self.shift.totals.by_method.entry("cash".into()).or_default();
        (cash.sales, cash.sales_count) = (cash.sales.saturating_add(1_110.into()), cash.sales_count + 1);
        let sold = self.shift.totals.sales_count;
        let taxed = TaxTotals {
            tax_rate_bp: 1_100,
            base: Money::new(1_000 * sold),
            tax: Money::new(110 * sold),
            ..TaxTotals::default()
        };
        self.shift.totals.by_tax = vec![taxed];
        self.shift.totals.first_receipt.get_or_insert(number.clone());
        self.shift.totals.last_receipt = Some(number);
        let movement = self.movement(&transaction);
        let key = self.key(self.made);
        let answer = Answer::ok(&transaction.transaction_id);
        let mut commit = self.commit(vec![
            Event::new(
                fact::TransactionPaid { transaction },
                Rows {
                    movements: vec![movement],
                    stock: vec![self.stock.clone()],
                    shifts: vec![self.shift.clone()],
                    counters: vec![self.counters.clone()],
                    ..Rows::default()
                },
            )
            .into(),
        ]);
        commit.records.push(format!("{{\"event_id\":\"evt_{}_{}\"}}", self.shift.register_id, self.made));
        commit.hlc = Some(format!("{:013}-00000-{STORE}", self.now));
        commit.keyed = Some(Keyed { key, command: CommandPrint::kept("body=07".to_owned()), answer });
        commit
    }

    pub fn key(&self, number: u64) -> [u8; 32] {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&number.to_be_bytes());
        key[8..8 + self.shift.register_id.0.len()].copy_from_slice(self.shift.register_id.0.as_bytes());
        key
    }

    pub fn transaction_id(&self, number: u64) -> TransactionId {
        format!("trx_{}_{number}", self.shift.register_id).into()
    }

    pub fn close_shift(&mut self) -> Commit {
        self.shift.state = ShiftState::Closed;
        let till = Register::new(self.shift.register_id.clone(), "Till".into());
        let (shift, register) = (self.shift.clone(), Register { z_no: 1, ..till });
        self.commit(vec![
            Event::new(
                fact::ShiftClosed { shift, voided: Vec::new() },
                Rows { register: Some(Box::new(register)), ..Rows::default() },
            )
            .into(),
        ])
    }

    fn movement(&self, transaction: &Transaction) -> Movement {
        Movement {
            movement_id: MovementId(format!("mov_{}_{}", self.shift.register_id, self.made)),
            sku: self.stock.sku.clone(),
            qty: (-1).into(),
            cost: Money::new(-600),
            correction: Money::ZERO,
            balance_after: self.stock.qty,
            reason: MovementReason::Sale,
            reference_type: "transaction".into(),
            reference_id: transaction.transaction_id.0.clone(),
            line_no: 1,
            unit_cost: Money::new(600),
            user_id: UserId::from("usr_1"),
            at: UtcMs(self.now),
            negative: true,
        }
    }

    fn transaction(&self, number: u64, state: TransactionState) -> Transaction {
        let paid = state == TransactionState::Paid;
        let at = UtcMs(self.now);
        Transaction {
            transaction_id: self.transaction_id(number),
            earn_per: Money::new(1_000),
            multiplier_bp: BasisPoints::ZERO,
            points_expire: None,
            points_lots: Vec::new(),
            receipt_no: None,
            state,
            business_date: jiff::civil::date(2026, 11, 20),
            occurred_at: at,
            store_id: STORE.into(),
            register_id: self.shift.register_id.clone(),
            shift_id: self.shift.shift_id.clone(),
            cashier_id: UserId::from("usr_1"),
            member_id: None,
            items: vec![line(&self.stock.sku)],
            scans: Vec::new(),
            price_reasons: Vec::new(),
            prices_include_tax: false,
            subtotal: Money::new(1_000),
            discount: Money::ZERO,
            tax: Money::new(110),
            rounding: Money::ZERO,
            total: Money::new(1_110),
            points_earned: 0.into(),
            points_redeemed: 0.into(),
            payments: if paid { vec![payment(at)] } else { Vec::new() },
            amount_paid: if paid { Money::new(1_110) } else { Money::ZERO },
            amount_due: if paid { Money::ZERO } else { Money::new(1_110) },
            cash_due: if paid { Money::ZERO } else { Money::new(1_110) },
            change: Money::ZERO,
            refunded: Money::ZERO,
            flags: Vec::new(),
            created_at: at,
            paid_at: paid.then_some(at),
            voided_at: None,
            void_reason: None,
            note: None,
        }
    }
}

fn line(sku: &Sku) -> Line {
    Line {
        line_no: 1,
        sku: sku.clone(),
        name: "Tea".into(),
        qty: 1.into(),
        price: Money::new(1_000),
        list_price: Money::new(1_000),
        discounts: Vec::new(),
        discount: Money::ZERO,
        tax_rate_bp: 1_100,
        tax_code: None,
        tax: Money::new(110),
        total: Money::new(1_110),
        price_override: false,
        returned_qty: 0.into(),
        track_stock: true,
        cost: Some(Money::new(600)),
    }
}

fn payment(at: UtcMs) -> Payment {
    Payment {
        payment_id: "pay_1".into(),
        method: "cash".into(),
        amount: Money::new(1_110),
        tendered: Money::new(1_110),
        change: Money::ZERO,
        rounding: Money::ZERO,
        origin_rounding: Money::ZERO,
        reference: None,
        state: PaymentState::Accepted,
        origin: None,
        paid_at: at,
    }
}

fn shift(register: &str) -> Shift {
    Shift {
        shift_id: ShiftId(format!("shf_{register}")),
        ended_at: None,
        approved_by: None,
        recounts: Vec::new(),
        reversed: std::collections::BTreeSet::new(),
        store_id: STORE.into(),
        register_id: RegisterId::from(register),
        moved_to: None,
        business_date: jiff::civil::date(2026, 11, 20),
        state: ShiftState::Open,
        opened_by: UserId::from("usr_1"),
        opened_at: UtcMs(START_MS),
        opening_float: Money::ZERO,
        closed_by: None,
        closed_at: None,
        counted_cash: None,
        expected_cash: None,
        variance: None,
        counts: Default::default(),
        denominations: Vec::new(),
        z_no: None,
        note: None,
        terms: None,
        totals: ShiftTotals::default(),
    }
}
