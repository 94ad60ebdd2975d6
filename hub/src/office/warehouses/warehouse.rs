//! A warehouse of head office: it has no Store Router, so the hub writes its records, in an epoch of its own, by the rules
//! and the projection of stores.

use crate::columns;
use crate::db::column::time_zone;
use crate::db::failure::{Failure, is_data};
use crate::db::signed;
use crate::http::command::{Changed, Tx};
use crate::ingest::apply::{self, BatchContext};
use crate::ingest::lock::lock;
use crate::office::stores::store_setting;
use crate::office::warehouses::warehouse_document::manager;
use crate::office::warehouses::warehouse_inbox;
use crate::projection::envelope::Incoming;
use crate::state::hub::Hub;
use crate::{ingest, secret};
use domain::model::base::ids::{EventId, MovementId, StoreId};
use domain::model::base::settings::Rules;
use domain::model::base::time::UtcMs;
use domain::model::books::day::Day;
use domain::model::books::ledger::LedgerBook;
use domain::model::hub::chain;
use domain::model::hub::stamp::Stamp;
use domain::model::inventory::stock::Stock;
use domain::model::people::authorization::Authorization;
use domain::model::people::user::Principal;
use domain::rules::base::store_settings;
use domain::rules::inventory::stock::StockContext;
use domain::wire::record;
use domain::wire::sync::PushEvent;
use edge::ApiError;
use jiff::civil::Date;
use sqlx::AnyConnection;
use std::collections::BTreeSet;
use std::sync::PoisonError;

/// A warehouse during an action: its row is locked until the transaction ends.
pub struct Warehouse<'a> {
    hub: &'a Hub,
    /// Rules of the warehouse: the defaults, and those that head office set for it.
    pub rules: Rules,
    /// Time of the action.
    pub now: UtcMs,
    caller: Principal,
    epoch: String,
    seq: u64,
    hash: String,
    moved: BTreeSet<String>,
}

impl<'a> Warehouse<'a> {
    /// Locks a warehouse.
    ///
    /// # Errors
    /// 422 on `store_id` for a store, which does this itself, and for an unknown one; 403 `store_disabled`.
    pub async fn open(
        hub: &'a Hub,
        connection: &mut AnyConnection,
        store_id: &str,
        caller: Principal,
        now: UtcMs,
    ) -> Result<Self, Failure> {
        let sql = "UPDATE stores SET contacted_at = $2 WHERE store_id = $1 RETURNING kind";
        let kind: Option<String> =
            sqlx::query_scalar(sql).bind(store_id).bind(now.0).fetch_optional(&mut *connection).await?;
        match kind.as_deref() {
            None => return Err(ApiError::field("store_id", "is not a warehouse").into()),
            Some("warehouse") => {}
            Some(_) => {
                return Err(
                    ApiError::field("store_id", "must be a warehouse: a store records this itself").into()
                );
            }
        }
        let locked = lock(&mut *connection, &hub.identity, store_id, now).await?;
        let zone = time_zone(&locked.timezone)?;
        let set = store_setting::in_force(&mut *connection, store_id).await?;
        let rules = store_settings::without_file(StoreId(store_id.to_owned()), zone, &set);
        let epoch = locked.current_epoch.unwrap_or_default();
        let sql = "SELECT seq, hash FROM epochs WHERE store_id = $1 AND epoch = $2";
        let row = sqlx::query(sql).bind(store_id).bind(&epoch).fetch_one(&mut *connection).await?;
        let (seq, hash): (u64, String) = columns!(row => (seq, hash));
        Ok(Self { hub, rules, now, caller, epoch, seq, hash, moved: BTreeSet::new() })
    }

    pub fn store_id(&self) -> &str {
        self.rules.store_id.as_str()
    }

    pub fn today(&self) -> Date {
        self.rules.business_date(self.now)
    }

    /// Context of the stock room's rules.
    pub fn context<'b>(&'b self, book: &'b LedgerBook) -> StockContext<'b> {
        let authorization = Authorization::unapproved(&self.caller);
        StockContext { now: self.now, authorization, rules: &self.rules, book }
    }

    /// The stamp of a record.
    pub fn stamp(&self) -> Stamp {
        let mut clock = self.hub.clock.lock().unwrap_or_else(PoisonError::into_inner);
        let at = clock.now(self.now);
        Stamp { now: self.now, at, event_id: EventId(format!("evt_{}", secret::mark())) }
    }

    /// New IDs for `count` movements.
    pub fn movement_ids(&self, count: usize) -> Vec<MovementId> {
        (0..count).map(|_| MovementId(format!("mov_{}", secret::mark()))).collect()
    }

    /// Chains these records and applies them as if a store had reported them; `stock` are the rows afterwards.
    ///
    /// # Errors
    /// 422 for figures that the database does not count.
    pub async fn apply(
        &mut self,
        connection: &mut AnyConnection,
        records: Vec<String>,
        stock: &[Stock],
    ) -> Result<(), Failure> {
        let store_id = self.rules.store_id.0.clone();
        let mut events = Vec::with_capacity(records.len());
        for record in records {
            (self.seq, self.hash) = (self.seq.saturating_add(1), chain::next(&self.hash, &record));
            events.push(Incoming::read(
                PushEvent { seq: self.seq, hash: self.hash.clone(), record },
                &store_id,
            ));
        }
        let zone = self.rules.timezone.clone();
        let batch = BatchContext {
            store_id: &store_id,
            epoch: &self.epoch,
            zone: &zone,
            clock: &self.hub.clock,
            now: self.now,
        };
        let outcome = apply::whole(&mut *connection, &batch, &events).await.map_err(refused)?;
        if let Some(parked) = outcome.parked.first() {
            return Err(ApiError::field("lines", format!("can't be posted: {}", parked.message)).into());
        }
        self.moved.extend(outcome.moved);
        let sql = "UPDATE epochs SET seq = $3, hash = $4 WHERE store_id = $1 AND epoch = $2";
        let query =
            sqlx::query(sql).bind(&store_id).bind(&self.epoch).bind(signed(self.seq)).bind(&self.hash);
        query.execute(&mut *connection).await?;
        let sql = "UPDATE stores SET last_seen_at = $2 WHERE store_id = $1";
        sqlx::query(sql).bind(&store_id).bind(self.now.0).execute(&mut *connection).await?;
        self.note_days(connection, &events).await?;
        for row in stock {
            let sql = "UPDATE stock SET last_cost = $3 WHERE store_id = $1 AND sku = $2";
            let query = sqlx::query(sql).bind(&store_id).bind(row.sku.as_str()).bind(row.last_cost.get());
            query.execute(&mut *connection).await?;
        }
        outcome.later.announce(connection, self.now).await.map_err(refused)?;
        Ok(())
    }

    /// Days on which goods moved are sealed one day: goods alone make no day of a store.
    async fn note_days(
        &self,
        connection: &mut AnyConnection,
        events: &[Incoming],
    ) -> Result<(), sqlx::Error> {
        let days = events.iter().filter_map(|event| event.understood.as_ref().ok()?.business_date);
        for day in days.collect::<BTreeSet<Date>>() {
            let sql = "INSERT INTO store_days (store_id, business_date, sealed, stamp) VALUES ($1, $2, 0, '') \
                       ON CONFLICT (store_id, business_date) DO NOTHING";
            sqlx::query(sql).bind(self.store_id()).bind(day.to_string()).execute(&mut *connection).await?;
        }
        Ok(())
    }

    /// Seals its days that are over: each as soon as the next one has begun.
    async fn seal_ended(&mut self, connection: &mut AnyConnection) -> Result<(), Failure> {
        let sql = "SELECT business_date FROM store_days WHERE store_id = $1 AND sealed = 0 AND business_date < $2 \
                   ORDER BY business_date";
        let query = sqlx::query_scalar(sql).bind(self.store_id().to_owned()).bind(self.today().to_string());
        let ended: Vec<String> = query.fetch_all(&mut *connection).await?;
        let sealed = |day: &String| {
            let business_date = day.parse().ok()?;
            let (shift_ids, sealed_at) = (Vec::new(), self.now);
            let day = Day { business_date, shift_ids, sealed_by: None, sealed_at, reason: None };
            Some(record::day_sealed(&self.stamp(), &day))
        };
        let records: Vec<String> = ended.iter().filter_map(sealed).collect();
        if records.is_empty() { Ok(()) } else { self.apply(connection, records, &[]).await }
    }

    /// Seals its days that are over, and returns its in-memory data for use after the commit. It is the last step of
    /// the transaction: a seal locks the book, which comes after the locks of documents.
    ///
    /// # Errors
    /// A database error.
    pub async fn written(mut self, connection: &mut AnyConnection) -> Result<Written, Failure> {
        self.seal_ended(connection).await?;
        let Self { rules, epoch, seq, moved, .. } = self;
        Ok(Written { store_id: rules.store_id.0, epoch, seq, moved })
    }
}

fn refused(error: sqlx::Error) -> Failure {
    if is_data(&error) {
        return ApiError::field("lines", "make a total that is too large").into();
    }
    error.into()
}

/// Result of an action in a warehouse, to be noted once it is committed.
pub struct Written {
    store_id: String,
    epoch: String,
    seq: u64,
    moved: BTreeSet<String>,
}

impl Written {
    /// Notes the warehouse's position, and tries the records that waited for it. Returns the aggregates that moved.
    ///
    /// # Errors
    /// The disk's.
    pub async fn note(self, hub: &Hub) -> Result<BTreeSet<String>, Failure> {
        hub.cursors.note(&self.store_id, &self.epoch, self.seq).map_err(ApiError::internal)?;
        if let Err(error) = ingest::replay::waiting(hub, &self.moved).await {
            tracing::warn!(%error, "records that waited for a warehouse could not be retried");
        }
        Ok(self.moved)
    }
}

impl<'a> Tx<'a> {
    /// Locks the warehouse in which the caller acts as a manager.
    ///
    /// # Errors
    /// The errors of [`Warehouse::open`].
    pub async fn warehouse(&mut self, store_id: &str) -> Result<Warehouse<'a>, Failure> {
        let manager = manager(self.caller);
        Warehouse::open(self.hub, self.connection, store_id, manager, self.now).await
    }
}

impl Warehouse<'_> {
    /// Ends a change in a warehouse.
    ///
    /// # Errors
    /// A database error.
    pub async fn finish<T>(self, tx: &mut Tx<'_>, changed: Changed<T>) -> Result<Changed<T>, Failure> {
        let written = self.written(tx.connection).await?;
        Ok(changed.then(|hub| async move {
            let moved = written.note(&hub).await?;
            // Another warehouse may be the destination.
            warehouse_inbox::take_in(&hub, &moved).await;
            Ok(())
        }))
    }
}
