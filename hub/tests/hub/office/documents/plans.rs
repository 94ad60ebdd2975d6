//! Pages of the lists of stores' documents use an index, however many documents there are: no table is scanned, and
//! only small results are sorted.

use crate::support::server::Server;
use cloud_hub::db::filter::Conditions;
use cloud_hub::office::documents::day::DaysQuery;
use cloud_hub::office::documents::deposit::DepositsQuery;
use cloud_hub::office::documents::return_document::ReturnsQuery;
use cloud_hub::office::documents::shift::ShiftsQuery;
use cloud_hub::office::documents::transaction::TransactionsQuery;
use cloud_hub::office::documents::{day, deposit, return_document, shift, transaction};
use cloud_hub::office::goods::receipt::ReceivingQuery;
use cloud_hub::office::goods::transfer_document::TransfersQuery;
use cloud_hub::office::goods::{goods_document, transfer_document};
use cloud_hub::office::members::member::{self, Filter};
use cloud_hub::office::orders::order_list;
use cloud_hub::office::payables::invoice_list::{self, InvoicesQuery};
use cloud_hub::office::products::product::{self, Wanted};
use cloud_hub::office::reports::day_figures;
use cloud_hub::office::stock::movement::{self, MovementsQuery};
use domain::model::base::time::UtcMs;
use serde_json::{Value, json};
use sqlx::{AnyConnection, Executor, Row};

/// Rows per table. A planner with statistics scans small tables, so `ONLY_INDEXES` makes PostgreSQL use every usable
/// index.
const ROWS: usize = 20_000;
/// Makes PostgreSQL scan and sort whole tables only if no index can be used.
const ONLY_INDEXES: &str = "SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_hashjoin = off; \
                            SET enable_mergejoin = off; SET enable_sort = off";

/// Fills every table that the lists read, with three stores and twenty days.
async fn filled(server: &Server) {
    let tables = [
        "sales (store_id, event_id, transaction_id, receipt_no, shift_id, register_id, cashier_id, member_id, \
         business_date, local_hour, paid_at, items_count, gross, discount, tax, rounding, total, updated_at) \
         {n} SELECT {store}, 'evt_' || i, 'trx_' || i, 'no_' || i, 'shf_' || (i % 200), 'main', 'usr_' || (i % 4), \
         'mbr_' || (i % 5000), {day}, 'x', i, 1, 1, 0, 0, 0, 1, i FROM n",
        "sale_lines (store_id, event_id, position, business_date, sku, name, qty, gross, discount, tax, \
         tax_rate_bp, total, cost, balance_after, is_first) {n} SELECT {store}, 'evt_' || i, 0, {day}, 'sku_' || (i % 5), \
         'x', 1, 1, 0, 0, 0, 1, 1, 1, 1 FROM n",
        "payments (store_id, event_id, position, business_date, payment_id, method, amount, rounding, paid_at, is_first) \
         {n} SELECT {store}, 'evt_' || i, 0, {day}, 'pay_' || i, 'm_' || (i % 7), 1, 0, i, 1 FROM n",
        "journal (store_id, entry_no, entry_id, entry_date, reference_date, kind, cause_type, cause_id, cause_store_id, \
         event_id, cause_key, debit_total, credit_total, created_at) {n} SELECT {store}, i, 'jrn_' || i, {day}, \
         CASE WHEN i % 1000 = 0 THEN {day} END, 'event', 'transaction', 'trx_' || i, {store}, 'evt_' || i, 'evt_' || i, \
         1, 1, i FROM n",
        "returns (store_id, event_id, return_id, receipt_no, transaction_id, shift_id, cashier_id, business_date, \
         local_hour, refund_total, tax, rounding, created_at, updated_at) {n} SELECT {store}, 'evt_' || i, 'ret_' || i, 'nr_' || i, \
         'trx_' || i, 'shf_1', 'usr_1', {day}, 'x', 1, 0, 0, i, i FROM n",
        "return_lines (store_id, event_id, position, business_date, sku, qty, refund, tax, tax_rate_bp, cost, \
         disposition, balance_after, is_first) {n} SELECT {store}, 'evt_' || i, 0, {day}, 'sku_' || (i % 5), 1, 1, 0, 0, 1, \
         CASE WHEN i % 2 = 0 THEN 'damaged' ELSE 'none' END, 1, 1 FROM n",
        "movements (store_id, event_id, position, business_date, sku, qty, cost, correction, balance_after, reason, \
         reference_type, reference_id, user_id, moved_at) {n} SELECT {store}, 'evt_' || i, 0, {day}, 'sku_' || (i % 5), 1, 1, \
         0, 1, 'receiving', 'receiving', 'x', 'usr_1', i FROM n",
        "goods_documents (store_id, kind, document_id, part, event_id, state, step, business_date, created_at, value) \
         {n} SELECT {store}, CASE WHEN i % 2 = 0 THEN 'receiving' ELSE 'adjustment' END, 'doc_' || i, 1, 'evt_' || i, \
         'posted', 1, {day}, i, 1 FROM n",
        "transfers (transfer_id, from_store, to_store, state, sent, business_date, document) \
         {n} SELECT 'trf_' || i, {store}, 'S9', 'received', 1, {day}, '{}' FROM n",
        "shifts (store_id, shift_id, event_id, register_id, business_date, state, opened_by, opened_at, opening_float, updated_at) \
         {n} SELECT {store}, 'shf_' || i, 'evt_' || i, 'main', {day}, 'closed', 'usr_1', i, 0, i FROM n",
        "events (store_id, event_id, text_hash, epoch, seq) {n} SELECT {store}, 'evt_' || i, 'x', 'e', i FROM n",
        "records (store_id, epoch, seq, hash, record, encoding, state, received_at, clock_skew) \
         {n} SELECT {store}, 'e', i, 'x', '{}', 0, 'applied', i, 0 FROM n",
        "deposits (store_id, event_id, deposit_id, business_date, amount, bag_no, bank_account, deposited_at) \
         {n} SELECT {store}, 'evt_' || i, 'csh_' || i, {day}, 1, 'B', 'x', i FROM n",
        "sales_days (store_id, business_date, entry_date, sales_count, items_count, gross, discount, tax, total, \
         rounding, returns_count, returns_total, returns_tax, returns_rounding) \
         {n} SELECT {store}, {day}, 'e' || i, 1, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0 FROM n",
        "products (sku, name, category, version, document, folded, updated_at) \
         {n} SELECT 'sku_' || i, 'x', 'c', 'v', '{}', 'x', i FROM n",
        "shared_records (resource, id, version, created_at, updated_at, made_by, made_on) \
         {n} SELECT 'member', 'mbr_' || i, 'v', i, i, {store}, {day} FROM n",
        "purchase_orders (po_id, supplier_id, store_id, state, submitted, made_on, expected_at, calling_off, updated_at, \
         document) {n} SELECT 'po_' || i, 'sup_' || (i % 9), {store}, 'sent', 0, {day}, '', 0, i, '{}' FROM n",
        "invoices (invoice_id, supplier_id, number_key, invoice_no, invoice_date, due_date, state, total, open, updated_at, \
         document) {n} SELECT 'inv_' || i, 'sup_' || (i % 9), 'n' || i, 'n' || i, {day}, {day}, 'approved', 1, 1, i, '{}' FROM n",
        "store_days (store_id, business_date, sealed, stamp) {n} SELECT 'S' || i, {day}, 0, '' FROM n",
    ];
    let numbers = format!("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {ROWS})");
    for table in tables {
        let sql = table.replace("{n}", &numbers).replace("{store}", "'S00' || (i % 3)");
        let sql = format!("INSERT INTO {}", sql.replace("{day}", "'2023-11-' || (10 + i % 20)"));
        sqlx::query(sqlx::AssertSqlSafe(sql)).execute(server.hub.db.pool()).await.unwrap();
    }
    if postgres() {
        sqlx::query("ANALYZE").execute(server.hub.db.pool()).await.unwrap();
    }
}

fn postgres() -> bool {
    std::env::var("HUB_TEST_POSTGRES").is_ok()
}

/// Returns the steps of a statement's plan.
async fn plan(connection: &mut AnyConnection, (conditions, sql): (Conditions, String)) -> Vec<String> {
    let explain = if postgres() { "EXPLAIN (COSTS OFF) " } else { "EXPLAIN QUERY PLAN " };
    let rows = conditions.query(&format!("{explain}{sql}")).fetch_all(connection).await.unwrap();
    let column = if postgres() { "QUERY PLAN" } else { "detail" };
    rows.iter().map(|row| row.get::<String, _>(column)).collect()
}

/// Asserts that the plan uses an index, by its name or the name of one of its partitions.
async fn answers(
    connection: &mut AnyConnection,
    index: &str,
    statement: (Conditions, String),
) -> Vec<String> {
    let mut names = vec![index.to_owned()];
    if postgres() {
        let sql = "SELECT CAST(relid AS TEXT) FROM pg_partition_tree(CAST($1 AS regclass))";
        names.extend(sqlx::query_scalar(sql).bind(index).fetch_all(&mut *connection).await.unwrap());
    }
    let steps = plan(connection, statement).await;
    let named = |step: &String| names.iter().any(|name| step.contains(name));
    assert!(steps.iter().any(named), "{index}: {steps:#?}");
    steps
}

/// Returns the first step that scans a table or sorts everything that it found. `few`: the result is small.
fn slow(steps: &[String], few: bool) -> Option<&String> {
    steps.iter().find(|step| {
        let step = step.trim_start_matches(['-', '>', ' ']);
        let whole = step.starts_with("Seq Scan") || (step.starts_with("SCAN ") && !step.contains("INDEX"));
        // A subquery for each document must use the document's own key.
        let own = ["store_id=? AND event_id=?", "cause_key=?", "reverses=?", "item_id=?"]
            .iter()
            .any(|key| step.contains(key));
        let whole = whole || (step.contains(" EXISTS USING ") && !own);
        // An index by store alone does not find a small result.
        let whole = whole || (few && step.ends_with("(store_id=?)"));
        let sorted = step.starts_with("Sort ") || step == "Sort" || step == "USE TEMP B-TREE FOR ORDER BY";
        whole || (sorted && !step.starts_with("Sort Key") && !few)
    })
}

fn ask<T: serde::de::DeserializeOwned>(filters: &Value) -> T {
    serde_json::from_value(filters.clone()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_each_list_is_found_by_an_index() {
    let server = Server::start().await;
    filled(&server).await;
    let mut connection = server.hub.db.pool().acquire().await.unwrap();
    if postgres() {
        connection.execute(ONLY_INDEXES).await.unwrap();
    }
    let day = "2023-11-20".parse().unwrap();
    let place = || Some((day, 7, "trx_7".to_owned(), "S001".to_owned(), "evt_7".to_owned(), 7));
    let mut plans = Vec::new();
    // Sales of a receipt or a member, and late entries, are few and may be sorted.
    for (filters, few) in [
        (json!({}), false),
        (json!({"store_id": "S001"}), false),
        (json!({"from": "2023-11-12", "to": "2023-11-19"}), false),
        (json!({"store_id": "S001", "to": "2023-11-19"}), false),
        (json!({"cashier_id": "usr_1"}), false),
        (json!({"cashier_id": "usr_1", "store_id": "S001"}), false),
        (json!({"method": "m_1"}), false),
        (json!({"method": "m_1", "store_id": "S001", "to": "2023-11-19"}), false),
        (json!({"sku": "sku_1"}), false),
        (json!({"sku": "sku_1", "method": "m_1", "store_id": "S001"}), false),
        (json!({"state": "paid"}), false),
        (json!({"late": false}), false),
        (json!({"sku": "sku_1", "cashier_id": "usr_1"}), false),
        (json!({"receipt_no": "no_7"}), true),
        (json!({"receipt_no": "no_7", "store_id": "S001", "cashier_id": "usr_1"}), true),
        (json!({"member_id": "mbr_7", "store_id": "S001", "from": "2023-11-12"}), true),
        (json!({"member_id": "mbr_7"}), true),
        (json!({"shift_id": "shf_7", "sku": "sku_1", "store_id": "S001"}), true),
        (json!({"member_id": "mbr_7", "sku": "sku_1", "method": "m_1"}), true),
        (json!({"late": true}), true),
        (json!({"late": true, "sku": "sku_1", "store_id": "S001"}), true),
    ] {
        for place in [None, place()] {
            let statement = transaction::statement(&ask::<TransactionsQuery>(&filters), place, 51);
            plans.push((format!("sales {filters}"), few, plan(&mut connection, statement).await));
        }
    }
    for (filters, few) in [
        (json!({}), false),
        (json!({"store_id": "S001", "from": "2023-11-12"}), false),
        (json!({"disposition": "damaged"}), false),
        (json!({"receipt_no": "nr_7"}), true),
        (json!({"transaction_id": "trx_7", "disposition": "damaged", "store_id": "S001"}), true),
    ] {
        for place in [None, place()] {
            let statement = return_document::statement(&ask::<ReturnsQuery>(&filters), place, 51);
            plans.push((format!("returns {filters}"), few, plan(&mut connection, statement).await));
        }
    }
    for filters in [json!({}), json!({"store_id": "S001", "to": "2023-11-19"}), json!({"state": "closed"})] {
        for place in [None, place().map(|(day, at, id, store, _, changed)| (day, at, id, store, changed))] {
            let statement = shift::statement(&ask::<ShiftsQuery>(&filters), place, 51);
            plans.push((format!("shifts {filters}"), false, plan(&mut connection, statement).await));
        }
    }
    for filters in [json!({}), json!({"store_id": "S7"}), json!({"to": "2023-11-19"})] {
        for place in [None, place().map(|(day, _, _, store, ..)| (day, store))] {
            let statement = day::statement(&ask::<DaysQuery>(&filters), place, 51);
            plans.push((format!("days {filters}"), false, plan(&mut connection, statement).await));
        }
    }
    for filters in
        [json!({}), json!({"store_id": "S001"}), json!({"state": "on_the_way"}), json!({"state": "missing"})]
    {
        for place in [None, place().map(|(day, at, id, store, event, _)| (day, at, id, store, event))] {
            let statement = deposit::statement(&ask::<DepositsQuery>(&filters), place, 51);
            plans.push((format!("deposits {filters}"), false, plan(&mut connection, statement).await));
        }
    }
    for filters in [json!({}), json!({"store_id": "S001", "from": "2023-11-12"}), json!({"state": "posted"})]
    {
        for place in [None, place().map(|(day, at, id, store, ..)| (day, at, id, store))] {
            let ask = ask::<ReceivingQuery>(&filters);
            let statement = goods_document::statement(&ask.filter(), place, 51);
            plans.push((format!("receiving {filters}"), false, plan(&mut connection, statement).await));
        }
    }
    for filters in [json!({}), json!({"store_id": "S001"}), json!({"to": "2023-11-19"})] {
        for place in [None, place().map(|(day, _, id, ..)| (day, id))] {
            let statement = transfer_document::statement(&ask::<TransfersQuery>(&filters), place, 51);
            plans.push((format!("transfers {filters}"), false, plan(&mut connection, statement).await));
        }
    }
    // The newest rows of three tables are few and may be sorted.
    for filters in [json!({}), json!({"store_id": "S001", "to": "2023-11-19"}), json!({"reason": "sale"})] {
        for place in [None, place().map(|(day, at, _, store, event, _)| (day, at, store, event, 0))] {
            let statement = movement::statement("sku_1", &ask::<MovementsQuery>(&filters), place, 51);
            let mut steps = plan(&mut connection, statement).await;
            steps.retain(|step| step != "SCAN m" && !step.starts_with("SCAN newest_"));
            plans.push((format!("movements {filters}"), true, steps));
        }
    }
    // The figures next to a page of days are looked up day by day.
    let days = [("$1", "'S001'"), ("$2", "'2023-11-20'"), ("$3", "'S002'"), ("$4", "'2023-11-19'")];
    let sql = days.iter().fold(day_figures::of_days_sql(2), |sql, (place, value)| sql.replace(place, value));
    let steps = plan(&mut connection, (Conditions::default(), sql)).await;
    let looked_up = |step: &String| step.contains("business_date =") || step.contains("business_date=?");
    assert!(steps.iter().any(looked_up), "{steps:#?}");
    for (index, sql) in [
        (
            "points_steps_no",
            "SELECT pool_no, points, value FROM points_steps WHERE pool_no > 7 ORDER BY pool_no LIMIT 1000",
        ),
        ("ledger_days_account", "SELECT debit FROM ledger_days WHERE account = '1010'"),
        (
            "journal_kind",
            "SELECT entry_id FROM journal WHERE kind = 'manual' AND kind <> 'event' \
             ORDER BY entry_date DESC, store_id DESC, entry_no DESC LIMIT 51",
        ),
    ] {
        answers(&mut connection, index, (Conditions::default(), sql.to_owned())).await;
    }
    for filters in [json!({"state": "voided"}), json!({"state": "voided", "store_id": "S001"})] {
        let statement = transaction::statement(&ask::<TransactionsQuery>(&filters), place(), 51);
        answers(&mut connection, "sales_voided", statement).await;
    }
    for (of, few, steps) in plans {
        assert!(!steps.is_empty(), "{of}");
        assert_eq!(slow(&steps, few), None, "{of}: {steps:#?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_changes_is_found_by_the_index_of_its_list() {
    let server = Server::start().await;
    filled(&server).await;
    let mut connection = server.hub.db.pool().acquire().await.unwrap();
    if postgres() {
        connection.execute(ONLY_INDEXES).await.unwrap();
    }
    let since = |more: Value| {
        let mut filters = json!({"updated_from": "1970-01-01T00:00:00.005Z"});
        filters.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        filters
    };
    let day = "2023-11-20".parse().unwrap();
    let text = |text: &str| text.to_owned();
    let of_event = || (day, 7, text("trx_7"), text("S001"), text("evt_7"), 7);
    let days = json!({"store_id": "S001", "from": "2023-11-12", "to": "2023-11-19"});
    let mut asked = Vec::new();
    for is_first in [true, false] {
        let place = |(day, at, id, store, event, changed)| {
            (!is_first).then_some((day, at, id, store, event, changed))
        };
        for more in [
            json!({}),
            days.clone(),
            json!({"sku": "sku_1", "method": "m_1"}),
            json!({"cashier_id": "usr_1"}),
            json!({"state": "paid"}),
            json!({"late": false}),
        ] {
            let ask = ask::<TransactionsQuery>(&since(more));
            asked.push(("sales_updated", transaction::statement(&ask, place(of_event()), 51)));
        }
        for more in [json!({}), days.clone(), json!({"disposition": "damaged"})] {
            let ask = ask::<ReturnsQuery>(&since(more));
            asked.push(("returns_updated", return_document::statement(&ask, place(of_event()), 51)));
        }
        let after = |id: &str| (!is_first).then(|| (text(id), 7));
        for more in [json!({}), days.clone(), json!({"state": "closed"})] {
            let place = (!is_first).then(|| (day, 7, text("shf_7"), text("S001"), 7));
            asked.push(("shifts_updated", shift::statement(&ask::<ShiftsQuery>(&since(more)), place, 51)));
        }
        for more in [json!({}), json!({"supplier_id": "sup_1", "from": "2023-11-12", "due_to": "2023-11-19"})]
        {
            let place = (!is_first).then(|| (day, text("inv_7"), 7));
            let ask = ask::<InvoicesQuery>(&since(more));
            asked.push(("invoices_updated", invoice_list::statement(&ask, place, 51)));
        }
        for more in [json!({}), json!({"supplier_id": "sup_1", "store_id": "S001", "from": "2023-11-12"})] {
            let place = (!is_first).then(|| (text("2023-11-20"), text("po_7"), 7));
            let statement = order_list::statement(&ask(&since(more)), place, day, 51);
            asked.push(("purchase_orders_updated", statement));
        }
        let changes = Wanted { updated_from: Some(UtcMs(5)), category: "c", ..Wanted::default() };
        asked.push(("products_updated", product::statement(&changes, after("sku_7"), 51)));
        let changes = Filter { updated_from: Some(UtcMs(5)), ..Filter::default() };
        asked.push(("shared_records_updated", member::statement(&changes, after("mbr_7"), 51)));
    }
    for (index, statement) in asked {
        let steps = answers(&mut connection, index, statement).await;
        assert_eq!(slow(&steps, false), None, "{index}: {steps:#?}");
    }
}
