//! A till: logs in, opens its shift, sells and takes back through REST, closes, and remembers what it saw.

use crate::rest::{Api, CallError, figure, text};
use crate::stage::Person;
use crate::trade::figures::Account;
use crate::trade::month::Line;
use crate::trade::plan::{Back, BackLine, Payment, Sale};
use anyhow::Context;
use serde_json::{Value, json};
use std::collections::BTreeMap;

mod answers;

/// What came of a step.
pub enum Done {
    /// A sale is paid: its transaction.
    Sold(String),
    TakenBack,
    /// The store refused it: status, code, message.
    Refused(String),
}

/// What a till saw.
#[derive(Default)]
pub struct Seen {
    /// Its sales and returns, by name.
    pub documents: BTreeMap<String, Account>,
    /// Cash in the drawer in the beginning.
    pub opening_float: i64,
    /// Cash in the drawer.
    pub drawer: i64,
    /// Names by id of transaction and return.
    pub made: BTreeMap<String, String>,
    /// Receipt numbers by id of transaction and return.
    pub receipts: BTreeMap<String, String>,
}

/// A till with its open shift.
pub struct Till {
    api: Api,
    pub shift_id: String,
    /// The day that its sales count for.
    pub business_date: String,
    pub seen: Seen,
}

/// What was answered, or the word of the store that refused it.
type Answer = Result<Value, String>;

impl Till {
    /// Opens the shift of `api`'s register.
    pub async fn open(api: Api, opening_float: i64) -> anyhow::Result<Self> {
        let body = json!({"opening_float": opening_float});
        let shift = api.post("/api/shifts/open", "open-shift", &body).await.context("opening a shift")?;
        Ok(Self {
            api,
            shift_id: text(&shift, "shift_id")?,
            business_date: text(&shift, "business_date")?,
            seen: Seen { opening_float, drawer: opening_float, ..Seen::default() },
        })
    }

    /// The client signed in at the till.
    pub fn speaker(&self) -> Api {
        self.api.clone()
    }

    async fn ask(&self, path: &str, key: &str, body: &Value) -> anyhow::Result<Answer> {
        match self.api.post(path, key, body).await {
            Ok(answer) => Ok(Ok(answer)),
            Err(CallError::Refused { status, code, message }) if status < 500 => {
                Ok(Err(format!("{status} {code}: {message}")))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Rings a sale up and takes the money.
    pub async fn sell(&mut self, sale: &Sale, member: Option<&str>) -> anyhow::Result<Done> {
        let line = |line: &Line| json!({"sku": line.sku, "qty": line.qty, "price": line.price});
        let items: Vec<Value> = sale.lines.iter().map(line).collect();
        let body = json!({"items": items, "member_id": member});
        let basket = match self.ask("/api/pos/transactions", &format!("{}-create", sale.name), &body).await? {
            Ok(basket) => basket,
            Err(why) => return Ok(Done::Refused(why)),
        };
        let id = text(&basket, "transaction_id")?;
        let payment = |Payment { method, amount, tendered }| json!({"method": method, "amount": amount, "tendered": tendered});
        let payments: Vec<Value> =
            sale.payments(figure(&basket, "/total")?).into_iter().map(payment).collect();
        let path = format!("/api/pos/transactions/{id}/pay");
        let paid =
            self.api.post(&path, &format!("{}-pay", sale.name), &json!({"payments": payments})).await?;
        self.remember(&sale.name, &id, &paid, answers::sale(&paid)?)?;
        Ok(Done::Sold(id))
    }

    /// Takes goods back, against the sale of `transaction` or, by the word of `approver`, without one.
    pub async fn take_back(
        &mut self,
        back: &Back,
        transaction: Option<&str>,
        approver: &Person,
    ) -> anyhow::Result<Done> {
        let item = |part: &BackLine| {
            let Line { sku, qty, price } = &part.line;
            match part.sold_line {
                Some(line_no) => json!({"sku": sku, "qty": qty, "line_no": line_no, "restock": true}),
                None => json!({"sku": sku, "qty": qty, "price": price, "restock": true}),
            }
        };
        let items: Vec<Value> = back.lines.iter().map(item).collect();
        let Person { username, password, .. } = approver;
        let body = match transaction {
            Some(id) => json!({"transaction_id": id, "items": items}),
            None => json!({"items": items, "approval": {"username": username, "password": password}}),
        };
        let posted = match self.ask("/api/pos/returns", &back.name, &body).await? {
            Ok(posted) => posted,
            Err(why) => return Ok(Done::Refused(why)),
        };
        let id = text(&posted, "return_id")?;
        self.remember(&back.name, &id, &posted, answers::back(&posted)?)?;
        Ok(Done::TakenBack)
    }

    fn remember(&mut self, name: &str, id: &str, answer: &Value, account: Account) -> anyhow::Result<()> {
        self.seen.drawer += account.cash();
        self.seen.documents.insert(name.to_owned(), account);
        self.seen.made.insert(id.to_owned(), name.to_owned());
        self.seen.receipts.insert(id.to_owned(), text(answer, "receipt_no")?);
        Ok(())
    }

    /// Closes with what is in the drawer; returns the shift's summary.
    pub async fn close(&self) -> anyhow::Result<Value> {
        let path = format!("/api/shifts/{}/close", self.shift_id);
        let summary = self.api.post(&path, "close-shift", &json!({"counted_cash": self.seen.drawer})).await;
        summary.context("closing a shift")
    }
}

/// Sells one piece, paid by card, and gives the paid transaction.
pub async fn sell_piece(api: &Api, name: &str, sku: &str, price: i64) -> anyhow::Result<Value> {
    let basket = json!({"items": [{"sku": sku, "qty": 1, "price": price}]});
    let made = api.post("/api/pos/transactions", &format!("{name}-create"), &basket).await;
    let made = made.context("a basket")?;
    let path = format!("/api/pos/transactions/{}/pay", text(&made, "transaction_id")?);
    let paid = json!({"method": "card", "amount": made.get("total")});
    api.post(&path, &format!("{name}-pay"), &paid).await.context("a payment")
}
