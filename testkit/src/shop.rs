//! A small shop for the tests of the rules: people, goods, a shift.

use domain::model::base::event::{Event, Fact};
use domain::model::base::figures::{BasisPoints, Money};
use domain::model::base::ids::{MemberId, MovementId, PaymentId, ShiftId, Sku, TransactionId};
use domain::model::base::refusal::Refusal;
use domain::model::base::settings::{Policy, Rules};
use domain::model::base::time::UtcMs;
use domain::model::books::ledger::LedgerBook;
use domain::model::books::register::Counters;
use domain::model::books::shift::ShiftBook;
use domain::model::inventory::product::{Product, ProductState};
use domain::model::inventory::stock::Stock;
use domain::model::people::authorization::Authorization;
use domain::model::people::member::{Member, MemberBook, MemberState};
use domain::model::people::user::{Principal, Role};
use domain::model::selling::promotion::Promotion;
use domain::model::selling::transaction::Transaction;
use domain::rules::books::deposit::Share;
use domain::rules::books::ledger;
use domain::rules::books::shift::OpenShift;
use domain::rules::inventory::stock::StockContext;
use domain::rules::selling::payment::NewPayment;
use domain::rules::selling::sale;
use domain::rules::selling::sale::{
    CreateSale, NewItem, PayOutcome, PaySale, PricingContext, SaleDraft, TillContext,
};
use std::collections::BTreeMap;

pub const NOW: UtcMs = UtcMs(1_795_140_394_739);

pub fn rules() -> Rules {
    Rules {
        store_id: "S001".into(),
        timezone: jiff::tz::TimeZone::get("Asia/Jakarta").unwrap(),
        day_start: jiff::civil::time(0, 0, 0, 0),
        default_rate_bp: 1100,
        prices_include_tax: false,
        methods: ["cash", "card", "qris", "bank_transfer", "voucher", "points"].map(str::to_owned).to_vec(),
        cash_rounding: Money::ZERO,
        cash_rounding_mode: Default::default(),
        earn_per: Money::new(1000),
        redeem_value: Money::new(1),
        price_override: Default::default(),
        negative_stock: Default::default(),
        registers_closed: false,
        next_terms: None,
        // Defaults that require a manager are tested where they are set.
        policy: Policy {
            discount_limit_bp: BasisPoints::ZERO,
            return_cashier_limit: Money::ZERO,
            unreceipted_any_price: true,
            adjustment_value: Money::ZERO,
            pay_out_value: Money::ZERO,
            ..Policy::default()
        },
    }
}

pub fn caller(name: &str, role: Role) -> Principal {
    Principal {
        user_id: format!("usr_{name}").into(),
        name: name.to_owned(),
        role,
        store_id: "S001".into(),
        session_id: "ses_1".into(),
    }
}

pub fn ani() -> Principal {
    caller("ani", Role::Cashier)
}

pub fn budi() -> Principal {
    caller("budi", Role::Cashier)
}

pub fn boss() -> Principal {
    caller("boss", Role::StoreManager)
}

pub fn product(sku: &str, price: i64) -> Product {
    Product::new(sku.into(), format!("product {sku}"), Money::new(price), NOW)
}

pub fn service() -> Product {
    Product { track_stock: false, ..product("wrap", 500) }
}

/// Returns two goods, a service, and a product that is no longer sold.
pub fn goods() -> Vec<Product> {
    let gone = Product { state: ProductState::Inactive, ..product("gone", 700) };
    vec![product("a", 2000), product("b", 3000), service(), gone]
}

/// Opens the shop with which most tests begin.
pub fn open() -> Shop {
    Shop::open(rules(), goods())
}

pub fn member(id: &str) -> Member {
    Member {
        name: format!("member {id}"),
        phone: Some(format!("+62812{}", id.len())),
        ..Member::blank(id.into(), NOW)
    }
}

pub fn catalogue(products: impl IntoIterator<Item = Product>) -> BTreeMap<Sku, Product> {
    products.into_iter().map(|product| (product.sku.clone(), product)).collect()
}

pub fn item(sku: &str, qty: i64, price: i64) -> NewItem {
    NewItem { sku: sku.into(), qty: qty.into(), price: Some(Money::new(price)), ..NewItem::default() }
}

pub fn basket(items: Vec<NewItem>) -> CreateSale {
    CreateSale {
        items,
        member_id: None,
        shift_id: None,
        discount: None,
        discount_reason: None,
        note: None,
        payments: None,
    }
}

pub fn payment(method: &str, amount: i64) -> NewPayment {
    NewPayment { method: method.to_owned(), amount: Money::new(amount), tendered: None, reference: None }
}

pub fn pay_by(method: &str, amount: i64) -> PaySale {
    PaySale { payments: vec![payment(method, amount)] }
}

/// A shop with one open shift of one cashier, and all its events.
#[derive(Debug, Clone)]
pub struct Shop {
    pub rules: Rules,
    pub products: BTreeMap<Sku, Product>,
    pub ledger: LedgerBook,
    pub shift: ShiftBook,
    pub events: Vec<Event>,
    pub promotions: Vec<Promotion>,
    pub members: MemberBook,
    pub now: UtcMs,
    ids: u64,
}

impl Shop {
    pub fn open(rules: Rules, products: impl IntoIterator<Item = Product>) -> Self {
        let mut ledger = LedgerBook::default();
        let id = ShiftId::from("shf_1");
        let opened: Event =
            ledger::open_shift(&OpenShift::default(), id, NOW, &ani(), &rules, &ledger).unwrap().into();
        ledger.evolve(&opened);
        let shift = fresh_book(&opened);
        let products = catalogue(products);
        let (promotions, members) = (Vec::new(), MemberBook::default());
        Self { rules, products, ledger, shift, events: vec![opened], promotions, members, now: NOW, ids: 0 }
    }

    pub fn next(&mut self, prefix: &str) -> String {
        self.ids += 1;
        format!("{prefix}{}", self.ids)
    }

    /// Sets the stock on the shelf before the test begins.
    pub fn stock(&mut self, sku: &str, qty: i64, value: i64) {
        let last_cost = value / qty;
        let row = Stock {
            sku: sku.into(),
            qty: qty.into(),
            value: Money::new(value),
            last_cost: Money::new(last_cost),
            ..Stock::default()
        };
        self.ledger.stock.insert(sku.into(), row);
    }

    /// Commits like the shells: both owners apply each event, and the safe changes with cash movements.
    pub fn commit(&mut self, event: impl Into<Event>) {
        let mut event = event.into();
        let before = event.shift().map(|_| self.shift.shift.clone());
        let safe =
            self.ledger.safe.after(&event, before.as_ref().map(Share::of).unwrap_or_default()).unwrap();
        event.rows.safe = (safe != self.ledger.safe).then(|| Box::new(safe));
        self.ledger.evolve(&event);
        self.shift.evolve(&event);
        if let Fact::MemberChanged(changed) = &event.fact {
            self.members.evolve(changed);
        }
        self.events.push(event);
    }

    /// A user in the stock room, now.
    pub fn stock_context<'a>(&'a self, who: &'a Principal) -> StockContext<'a> {
        StockContext {
            now: self.now,
            authorization: Authorization::unapproved(who),
            rules: &self.rules,
            book: &self.ledger,
        }
    }

    /// Returns the books made from the events alone, as a journal returns them: as JSON. Each event is applied twice,
    /// because events carry the resulting values, so a replay can't double anything.
    pub fn replayed(&self) -> (LedgerBook, ShiftBook) {
        let (mut ledger, mut shift) = (LedgerBook::default(), fresh_book(&self.events[0]));
        for event in &self.events {
            let stored: Event = serde_json::from_str(&serde_json::to_string(event).unwrap()).unwrap();
            for _ in 0..2 {
                ledger.evolve(&stored);
                shift.evolve(&stored);
            }
        }
        (ledger, shift)
    }

    /// Inputs for the prices of that member's basket.
    pub fn pricing(&self, member: Option<&MemberId>) -> PricingContext<'_> {
        let member = member.and_then(|id| self.members.members.get(id));
        PricingContext { products: &self.products, promotions: &self.promotions, member }
    }

    /// A user at the till, now, with the inputs for the prices of that member's basket.
    pub fn till<'a>(&'a self, who: &'a Principal, member: Option<&MemberId>) -> TillContext<'a> {
        let (authorization, pricing) = (Authorization::unapproved(who), self.pricing(member));
        TillContext { now: self.now, authorization, pricing, rules: &self.rules, book: &self.shift }
    }

    pub fn create_as(&mut self, who: &Principal, cmd: &CreateSale) -> Result<TransactionId, Refusal> {
        let id = TransactionId(self.next("trx_"));
        let event = sale::create(cmd, id.clone(), &self.till(who, cmd.member_id.as_ref()))?;
        self.commit(event);
        Ok(id)
    }

    pub fn create(&mut self, cmd: &CreateSale) -> Result<TransactionId, Refusal> {
        self.create_as(&ani(), cmd)
    }

    /// The paid sale, or `None` while an amount is due.
    pub fn pay(&mut self, id: &TransactionId, cmd: &PaySale) -> Result<Option<Transaction>, Refusal> {
        self.pay_as(&ani(), id, cmd)
    }

    pub fn pay_as(
        &mut self,
        who: &Principal,
        id: &TransactionId,
        cmd: &PaySale,
    ) -> Result<Option<Transaction>, Refusal> {
        let ids = cmd.payments.iter().map(|_| PaymentId(self.next("pay_"))).collect();
        let authorization = Authorization::unapproved(who);
        let member = self.shift.open.get(id).and_then(|basket| basket.member_id.as_ref());
        let member = member.and_then(|id| self.members.members.get(id));
        let paid = sale::pay(cmd, id, ids, self.now, &authorization, member, &self.rules, &self.shift)?;
        let active = |member: &&Member| member.state == MemberState::Active;
        let idle = self.members.members.values().filter(|member| !active(member));
        self.ledger.idle = idle.map(|member| member.member_id.clone()).collect();
        match paid {
            PayOutcome::Partial(event) => {
                let transaction = &event.fact.transaction;
                ledger::check_part(transaction, self.now, &self.rules, &self.ledger)?;
                self.commit(*event);
                Ok(None)
            }
            PayOutcome::Complete(draft) => self.settle(*draft).map(Some),
        }
    }

    fn settle(&mut self, draft: SaleDraft) -> Result<Transaction, Refusal> {
        let lines = draft.transaction.items.len();
        let ids = (0..lines).map(|_| MovementId(self.next("mov_"))).collect();
        let event = ledger::settle(draft, ids, self.now, &self.rules, &self.ledger)?;
        let paid = event.fact.transaction.clone();
        self.commit(event);
        Ok(paid)
    }

    /// Makes a whole sale with one command.
    pub fn sell_at_once(
        &mut self,
        cmd: &CreateSale,
        payments: &[NewPayment],
    ) -> Result<Transaction, Refusal> {
        let id = TransactionId(self.next("trx_"));
        let ids = payments.iter().map(|_| PaymentId(self.next("pay_"))).collect();
        let draft = sale::sell(cmd, payments, id, ids, &self.till(&ani(), cmd.member_id.as_ref()))?;
        self.settle(*draft)
    }

    /// Makes a sale and pays it in cash.
    pub fn sell(&mut self, items: Vec<NewItem>) -> Result<Transaction, Refusal> {
        let id = self.create(&basket(items))?;
        let due = self.shift.open[&id].total;
        let cash = if due == 0 { PaySale { payments: vec![] } } else { pay_by("cash", due.get()) };
        self.pay(&id, &cash).map(|paid| paid.expect("the sale is fully paid"))
    }
}

/// Returns the book of a shift that was just opened.
pub fn fresh_book(opened: &Event) -> ShiftBook {
    let (Some(shift), Some(register)) = (opened.shift(), &opened.rows.register) else { panic!("not opened") };
    ShiftBook {
        shift: shift.clone(),
        counters: vec![Counters::new(register.register_id.clone())],
        series: String::new(),
        open: BTreeMap::new(),
        blind_tries: 0,
    }
}

type When = dyn Fn(&mut Shop) -> Option<Refusal>;

/// One row of a table of refusals: given a shop, when a command, then a refusal.
pub struct Case {
    name: &'static str,
    given: fn(&mut Shop),
    when: Box<When>,
    code: &'static str,
    detail: &'static str,
}

/// The refusal has this code, and the detail is somewhere in its details.
pub fn case<T: 'static>(
    name: &'static str,
    given: fn(&mut Shop),
    when: fn(&mut Shop) -> Result<T, Refusal>,
    code: &'static str,
    detail: &'static str,
) -> Case {
    Case { name, given, when: Box::new(move |shop| when(shop).err()), code, detail }
}

pub fn nothing(_: &mut Shop) {}

/// Runs a table. A refusal must change nothing.
pub fn run_table(shop: fn() -> Shop, cases: &[Case]) {
    for case in cases {
        let mut shop = shop();
        (case.given)(&mut shop);
        let before = (shop.ledger.clone(), shop.shift.clone(), shop.events.len());
        let refusal = (case.when)(&mut shop).expect(case.name);
        assert_eq!(refusal.code(), case.code, "{}: {refusal:?}", case.name);
        let details = refusal.details().to_string();
        assert!(details.contains(case.detail), "{}: {details}", case.name);
        assert_eq!((shop.ledger, shop.shift, shop.events.len()), before, "{} changed something", case.name);
    }
}
