//! Entries of the books, made from the postings of records: numbered without a gap in each book, with the sums of every
//! account and day.

use crate::db::insert::{self, NewRow};
use crate::projection::envelope::{Incoming, ToPost, Understood};
use crate::projection::in_transit::{self, TransitMove};
use crate::projection::payables::uninvoiced;
use crate::projection::points_pool::LockedPool;
use crate::projection::rollups::{self, RollupRecord, StoredDocuments};
use crate::projection::settlement::items::{self, ExpectedItem};
use crate::table::day_lock;
use crate::table::exception::Found;
use crate::table::journal::{self, Kind, NewEntry};
use crate::table::mapping::Mappings;
use crate::table::member;
use crate::table::rollup::{Part, RollupSums, TRANSIT, TRANSIT_DAYS};
use crate::{columns, row, secret};
use domain::model::base::figures::Money;
use domain::model::base::ids::StoreId;
use domain::model::base::time::UtcMs;
use domain::rules::books::entry_by_hand::EntryLine;
use domain::rules::books::locked_days::LockedDays;
use domain::rules::books::posting::plan::Account;
use domain::rules::books::posting::points_pool::moves_points;
use domain::rules::books::posting::{
    Context, Counted, Made, Mapped, RecordEntries, RecordToPost, Row, TransferContext, of_record, posts,
};
use domain::rules::books::settlement::items_of;
use domain::wire::record::AnyPayload;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use sqlx::AnyConnection;
use std::collections::{BTreeMap, BTreeSet};

mod accounts;
mod noticed;

use noticed::{Noticed, flag};

/// Facts about events from the rows of their documents, once these are written.
#[derive(Default)]
pub(crate) struct Beside {
    /// Amount that a count adds to the figures of its shift in the books.
    pub counted: BTreeMap<String, Counted>,
    /// Transfers between other stores.
    pub foreign: BTreeSet<String>,
    /// Categories of the products of the lines, by sku.
    pub categories: BTreeMap<String, String>,
    /// No entries are made, only items and sums of reports: for measurements of the cost of entries.
    pub unposted: bool,
}

/// Locks the books that these events are posted in, in one order, and before them the transfers.
pub(crate) async fn lock<'a>(
    connection: &mut AnyConnection,
    store_id: &str,
    events: impl Iterator<Item = &'a Incoming>,
) -> Result<(), sqlx::Error> {
    let payloads = events.filter_map(|event| Some(&event.understood.as_ref().ok()?.payload));
    let transfers: BTreeSet<&str> = payloads
        .filter_map(|payload| Some(in_transit::transfer(payload)?.transfer.transfer_id.as_str()))
        .collect();
    let mut books = BTreeSet::from([store_id.to_owned()]);
    for transfer_id in transfers {
        let sql = "UPDATE transfers SET sent = sent WHERE transfer_id = $1 AND $2 IN (from_store, to_store) \
                   RETURNING from_store";
        let query = sqlx::query_scalar(sql).bind(transfer_id).bind(store_id);
        books.extend(query.fetch_optional(&mut *connection).await?);
    }
    for book in books {
        journal::numbers(connection, &book, 0).await?;
    }
    Ok(())
}

/// Adds the entries to their books, and returns the items that they expect from providers and banks. The rows of their
/// documents are written: their locks come first, then those of the books in their order, then the points' pool.
pub(crate) async fn write(
    connection: &mut AnyConnection,
    (store_id, zone): (&str, &TimeZone),
    reported: Vec<ToPost<'_>>,
    beside: Beside,
    now: UtcMs,
) -> Result<Vec<ExpectedItem>, sqlx::Error> {
    let reported: Vec<ToPost<'_>> = reported.into_iter().filter(|(_, event)| posts(&event.payload)).collect();
    if reported.is_empty() {
        return Ok(Vec::new());
    }
    let documents = StoredDocuments::known(connection, store_id, &reported).await?;
    let members = reported.iter().filter_map(|(_, event)| rollups::member(&event.payload));
    let tiers = member::tiers(connection, members.map(|id| id.0.clone()).collect()).await?;
    let days = reported.iter().filter_map(|(_, event)| event.business_date);
    let earliest = days.min().unwrap_or_default();
    let mut books = BTreeMap::new();
    for book in books_of(store_id, &reported, &beside) {
        let next_no = journal::numbers(connection, book, 0).await?;
        let locked = day_lock::of_book(connection, book, earliest).await?;
        books.insert(book.to_owned(), Book { next_no, locked, entries: Vec::new() });
    }
    let pool = match reported.iter().any(|(_, event)| moves_points(&event.payload)) {
        true => Some(LockedPool::lock(connection).await?),
        false => None,
    };
    let mappings = Mappings::load(connection).await?;
    let listed = items::listed(connection, store_id, &reported).await?;
    let mut desk = Desk {
        store_id,
        zone,
        now,
        books,
        mappings,
        pool,
        beside,
        documents,
        tiers,
        batch_tiers: BTreeMap::new(),
        contexts: Vec::new(),
        went_to: BTreeMap::new(),
        listed,
        expected: Vec::new(),
        paid_out: Vec::new(),
        rollups: RollupSums::default(),
    };
    for (event_id, event) in reported {
        desk.post(connection, event_id, event).await?;
    }
    desk.write(connection).await
}

/// The books that events are posted in.
fn books_of<'a>(store_id: &'a str, reported: &[ToPost<'a>], beside: &Beside) -> BTreeSet<&'a str> {
    let sender = |(event_id, event): &ToPost<'a>| match &event.payload {
        AnyPayload::TransferReceived(it) if !beside.foreign.contains(*event_id) => {
            Some(it.transfer.from_store_id.as_str())
        }
        _ => None,
    };
    reported.iter().filter_map(sender).chain([store_id]).collect()
}

/// Context in which entries are made: the books and the pool are locked.
struct Desk<'a> {
    store_id: &'a str,
    zone: &'a TimeZone,
    now: UtcMs,
    books: BTreeMap<String, Book>,
    mappings: Mappings,
    pool: Option<LockedPool>,
    beside: Beside,
    documents: StoredDocuments,
    /// Present tiers of members.
    tiers: BTreeMap<String, String>,
    /// Tiers of the events of this batch, whose contexts are not written yet.
    batch_tiers: BTreeMap<String, Option<String>>,
    contexts: Vec<NewRow>,
    /// The accounts that entries of documents went to in this transaction.
    went_to: BTreeMap<String, Mapped>,
    /// Items of these events that are in the store's list.
    listed: BTreeSet<String>,
    /// New items.
    expected: Vec<ExpectedItem>,
    /// Cash paid to suppliers, as it is added to the uninvoiced goods.
    paid_out: Vec<NewRow>,
    rollups: RollupSums,
}

/// A book, which is locked until the transaction ends.
struct Book {
    next_no: i64,
    locked: LockedDays,
    entries: Vec<NewEntry>,
}

impl Desk<'_> {
    async fn post(
        &mut self,
        connection: &mut AnyConnection,
        event_id: &str,
        event: &Understood,
    ) -> Result<(), sqlx::Error> {
        let (store_id, payload, moved) = (self.store_id, &event.payload, event.moved());
        let mut context = self.context(connection, event_id, event).await?;
        let plain = Context::default();
        if self.beside.unposted {
            self.roll_up(event_id, event, &context);
            return Ok(());
        }
        let reported = RecordToPost { payload, store_id, moved, context: &plain };
        if let Some(record) = in_transit::transfer(payload) {
            let left = in_transit::context(connection, &reported, record, &mut context).await?;
            self.on_the_way(&record.transfer.from_store_id, record.business_date, left);
        }
        let Some(entries) = of_record(&RecordToPost { context: &context, ..reported }) else { return Ok(()) };
        let cause = entries.cause.id.clone();
        self.went_to.insert(cause, context.accounts.clone());
        self.roll_up(event_id, event, &context);
        if context != plain {
            let context =
                serde_json::to_string(&context).map_err(|error| sqlx::Error::Encode(error.into()))?;
            self.contexts.push(row! { store_id, event_id, context });
        }
        self.paid_out.extend(uninvoiced::paid_out((store_id, event_id), payload, &entries.own.rows));
        for (book, made, suffix) in parts(store_id, &entries) {
            self.enter(book, event_id, &entries, (made, suffix));
        }
        let found = Found { store_id, event_id, now: self.now };
        flag(connection, found, payload, &entries).await
    }

    /// Adds the new items of an event, on the accounts that it is posted to; returns the others.
    fn expect(
        &mut self,
        event_id: &str,
        payload: &AnyPayload,
        accounts: &Mapped,
    ) -> BTreeMap<String, (Account, Money)> {
        let mut told_before = BTreeMap::new();
        for item in items_of(payload) {
            let account = item.account(accounts);
            if self.listed.insert(item.item_id.clone()) {
                self.expected.push(ExpectedItem { event_id: event_id.to_owned(), account, item });
            } else {
                told_before.insert(item.item_id, (account, item.amount));
            }
        }
        told_before
    }

    /// Adds the figures of an event to the sums of its days.
    fn roll_up(&mut self, event_id: &str, event: &Understood, context: &Context) {
        let Some(day) = event.business_date else { return };
        let reported = RollupRecord {
            store_id: self.store_id,
            zone: self.zone,
            days: (day, context.entry_date.unwrap_or(day)),
            event,
            counted: context.counted,
            stored: self.documents.of(event_id),
            categories: Some(&self.beside.categories).filter(|_| rollups::has_new_lines(&event.payload)),
            tier: context.tier.as_deref().unwrap_or_default(),
        };
        rollups::fold(&mut self.rollups, &reported);
    }

    /// Subtracts goods that arrived from the sender's stock in transit, on their day in the sender's book.
    fn on_the_way(&mut self, sender: &StoreId, day: Date, left: Vec<TransitMove>) {
        let entry_date = self.entry_date(sender.as_str(), day).to_string();
        for TransitMove { sku, qty, value } in left {
            let [sender, day, sku] = [sender.as_str(), &entry_date, sku.as_str()].map(Part::from);
            let figures = [("qty", qty.saturating_neg().get()), ("value", value.saturating_neg().get())];
            self.rollups.add(&TRANSIT, vec![sender.clone(), sku.clone()], figures);
            self.rollups.add(&TRANSIT_DAYS, vec![sender, day, sku], figures);
        }
    }

    /// Facts of head office about an event.
    async fn context(
        &mut self,
        connection: &mut AnyConnection,
        event_id: &str,
        event: &Understood,
    ) -> Result<Context, sqlx::Error> {
        let payload = &event.payload;
        let points = match &mut self.pool {
            Some(pool) if moves_points(payload) => pool.fold(connection, event_id, payload).await?,
            _ => Default::default(),
        };
        let accounts = self.accounts(connection, event_id, event).await?;
        let foreign = self.beside.foreign.contains(event_id);
        let transfer = TransferContext { foreign, ..TransferContext::default() };
        let dated = event.business_date.map(|day| (day, self.entry_date(self.store_id, day)));
        let entry_date =
            dated.filter(|(day, entry_date)| day != entry_date).map(|(_, entry_date)| entry_date);
        let (counted, tier) = (self.beside.counted.remove(event_id), self.tier(event_id, payload));
        let told_before = self.expect(event_id, payload, &accounts);
        Ok(Context { accounts, points, counted, transfer, entry_date, told_before, tier })
    }

    /// The tier of an event's member; a reversal has the tier of the document that it reverses.
    fn tier(&mut self, event_id: &str, payload: &AnyPayload) -> Option<String> {
        let taken_back = self.documents.of(event_id).filter(|document| document.event_id != event_id);
        let tier = match taken_back {
            Some(document) => {
                let in_batch = self.batch_tiers.get(&document.event_id).cloned();
                in_batch.unwrap_or_else(|| document.tier.clone())
            }
            None => rollups::member(payload).and_then(|id| self.tiers.get(id.as_str())).cloned(),
        };
        self.batch_tiers.insert(event_id.to_owned(), tier.clone());
        tier
    }

    /// The entry date in a book for a fact of `day`.
    fn entry_date(&self, book: &str, day: Date) -> Date {
        self.books.get(book).map_or(day, |book| book.locked.first_open(day))
    }

    /// Makes one entry, the next of its book.
    fn enter(&mut self, book: &str, event_id: &str, entries: &RecordEntries, (made, suffix): (&Made, &str)) {
        let RecordEntries { business_date, cause, memo, .. } = entries;
        let (day, entry_date) = (*business_date, self.entry_date(book, *business_date));
        let Some(entered) = self.books.get_mut(book) else { return };
        let cause_key = format!("{event_id}{suffix}");
        let line = |row: &Row| {
            let (account, debit, credit) = (row.account.into(), row.debit, row.credit);
            EntryLine { account, debit, credit }
        };
        entered.entries.push(NewEntry {
            book: book.to_owned(),
            entry_no: entered.next_no,
            entry_id: entry_id(book, &cause_key),
            entry_date,
            reference_date: (entry_date != day).then_some(day),
            kind: Kind::Event,
            cause_type: cause.kind,
            cause_id: cause.id.clone(),
            cause_store_id: self.store_id.to_owned(),
            event_id: Some(event_id.to_owned()),
            cause_key,
            group_id: None,
            memo: memo.clone(),
            reverses: None,
            created_by: None,
            lines: made.rows.iter().map(line).collect(),
        });
        entered.next_no = entered.next_no.saturating_add(1);
    }

    async fn write(self, connection: &mut AnyConnection) -> Result<Vec<ExpectedItem>, sqlx::Error> {
        let (mut entries, mut noticed) = (Vec::new(), Vec::new());
        for (book, entered) in self.books {
            noticed.push(Noticed::of(&book, &entered));
            journal::numbers(connection, &book, entered.entries.len()).await?;
            entries.extend(entered.entries);
        }
        journal::add(connection, entries, self.now).await?;
        for noticed in noticed {
            noticed.tell(connection, self.now).await?;
        }
        insert::rows(connection, "posting_contexts", "", self.contexts).await?;
        uninvoiced::add_paid_out(connection, self.paid_out).await?;
        self.rollups.write(connection).await?;
        if let Some(pool) = self.pool {
            pool.write(connection, self.store_id).await?;
        }
        Ok(self.expected)
    }
}

/// The entries of a record that are not empty: of the sender, and of the store itself.
pub(crate) fn parts<'a>(
    store_id: &'a str,
    entries: &'a RecordEntries,
) -> Vec<(&'a str, &'a Made, &'static str)> {
    let sender = entries.sender.iter().map(|(sender, made)| (sender.as_str(), made, "#sender"));
    sender.chain([(store_id, &entries.own, "")]).filter(|(_, made, _)| !made.rows.is_empty()).collect()
}

/// ID of an entry. It is the same if the entry is made again after a restore.
pub(crate) fn entry_id(book: &str, cause_key: &str) -> String {
    let digest = secret::digest(&format!("{book} {cause_key}"));
    format!("jrn_{}", digest.get(..32).unwrap_or(&digest))
}

/// Problems of the books themselves, summed in two parts so that no sum is too large for the database: gaps, unbalanced
/// entries, days that differ from their entries.
pub(crate) async fn problems(connection: &mut AnyConnection) -> Result<Vec<String>, sqlx::Error> {
    let checks = [
        (
            "entry numbers have a gap",
            "SELECT b.store_id AS book, b.store_id AS place FROM books b WHERE b.next_entry_no <> \
             (SELECT COUNT(*) + 1 FROM journal j WHERE j.store_id = b.store_id) OR b.next_entry_no <> \
             (SELECT COALESCE(MAX(j.entry_no), 0) + 1 FROM journal j WHERE j.store_id = b.store_id)",
        ),
        (
            "lines differ from their entry",
            "SELECT j.store_id AS book, j.entry_id AS place FROM journal j LEFT JOIN journal_lines l \
             ON l.store_id = j.store_id AND l.entry_no = j.entry_no \
             GROUP BY j.store_id, j.entry_no, j.entry_id, j.debit_total \
             HAVING COALESCE(SUM(l.debit / 1048576) * 1048576 + SUM(l.debit % 1048576), 0) <> j.debit_total \
             OR COALESCE(SUM(l.credit / 1048576) * 1048576 + SUM(l.credit % 1048576), 0) <> j.debit_total",
        ),
        (
            "a day differs from the sum of its entries",
            "SELECT book, place FROM (SELECT store_id AS book, entry_date || ' ' || account AS place, debit, credit \
             FROM ledger_days UNION ALL SELECT j.store_id, j.entry_date || ' ' || l.account, -l.debit, -l.credit \
             FROM journal j JOIN journal_lines l ON l.store_id = j.store_id AND l.entry_no = j.entry_no) moved \
             GROUP BY book, place HAVING SUM(debit / 1048576) * 1048576 + SUM(debit % 1048576) <> 0 \
             OR SUM(credit / 1048576) * 1048576 + SUM(credit % 1048576) <> 0",
        ),
    ];
    let mut problems = Vec::new();
    for (problem, sql) in checks {
        for row in sqlx::query(sql).fetch_all(&mut *connection).await? {
            let (book, place): (String, String) = columns!(row => (book, place));
            problems.push(format!("{book}: {problem}: {place}"));
        }
    }
    Ok(problems)
}
