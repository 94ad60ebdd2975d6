//! Counts of a warehouse's stock.

use crate::db::column::Columns;
use crate::db::failure::Failure;
use crate::office::warehouses::warehouse::Warehouse;
use crate::office::warehouses::warehouse_book::{self, Products};
use crate::office::warehouses::warehouse_document::stores_own;
use crate::secret;
use crate::table::{product, warehouse_rows};
use domain::model::base::event::{Event, fact};
use domain::model::base::ids::{OpnameId, Sku};
use domain::model::base::refusal::Refusal;
use domain::model::books::ledger::LedgerBook;
use domain::model::inventory::opname::{Opname, OpnameLine, OpnameState, Scope};
use domain::model::inventory::stock::Stock;
use domain::model::people::user::Role;
use domain::rules::inventory::opname::{
    self, CountOpname, NewOpname, OpnameView, PostOpname, RecountOpname, line_view,
};
use domain::rules::inventory::stock::StockContext;
use domain::wire::record;
use edge::ApiError;
use sqlx::AnyConnection;
use std::collections::BTreeSet;
use std::iter;

/// Products that are looked at together.
const PAGE: i64 = 1_000;

/// Step of an existing count, beside counting and posting.
#[derive(Debug, Clone)]
pub enum CountStep {
    /// The counting is closed.
    Submit,
    /// Some products are counted again.
    Recount(RecountOpname),
    /// Gives it up.
    Cancel,
}

/// The warehouse in which a count is under way, or was given up.
///
/// # Errors
/// 404; 409 `invalid_state` for one that is posted, or a store's.
pub async fn place(connection: &mut AnyConnection, id: &str) -> Result<String, Failure> {
    if let Some(opname) = warehouse_rows::count(connection, id).await? {
        return Ok(opname.store_id.0);
    }
    let sql = "SELECT s.kind FROM goods_documents d JOIN stores s ON s.store_id = d.store_id \
               WHERE d.document_id = $1 AND d.kind = 'opname' ORDER BY s.kind DESC LIMIT 1";
    let kind: Option<String> = sqlx::query_scalar(sql).bind(id).fetch_optional(connection).await?;
    match kind.as_deref() {
        Some("warehouse") => Err(ApiError::from(OpnameState::Posted.refusal()).into()),
        Some(_) => Err(stores_own("the store does its own counts").into()),
        None => Err(ApiError::not_found("the count").into()),
    }
}

/// Starts a count.
///
/// # Errors
/// 422; 409 `duplicate` for products that another open count has.
pub async fn start(
    connection: &mut AnyConnection,
    warehouse: &mut Warehouse<'_>,
    command: &NewOpname,
) -> Result<Opname, Failure> {
    command.check().map_err(ApiError::from)?;
    let skus = command.skus.iter().flatten();
    let (products, mut book) = warehouse_book::load(connection, warehouse, skus).await?;
    let lines_total = match command.scope {
        Scope::Skus => 0,
        _ => in_scope(connection, command.category.as_deref()).await?,
    };
    if command.scope == Scope::Category && lines_total == 0 {
        return Err(ApiError::field("category", "must be a category with products").into());
    }
    for open in warehouse_rows::open_counts(connection, warehouse.store_id()).await? {
        book.opnames.insert(open.opname_id.clone(), open);
    }
    let id = OpnameId(format!("opn_{}", secret::mark()));
    let event = opname::start(command, id, lines_total, &products, &warehouse.context(&book));
    let event = event.map_err(ApiError::from)?;
    warehouse_rows::put_count(connection, &event.fact.opname).await?;
    Ok(event.fact.opname)
}

/// Number of products in a count by category, or of all: the products with stock keeping.
async fn in_scope(connection: &mut AnyConnection, category: Option<&str>) -> Result<u64, sqlx::Error> {
    let (mut total, mut after) = (0_u64, String::new());
    let sql = "SELECT sku, document FROM products WHERE sku > $1 AND (category = $2 OR $2 = '') ORDER BY sku LIMIT $3";
    loop {
        let query = sqlx::query(sql).bind(after.clone()).bind(category.unwrap_or_default()).bind(PAGE);
        let rows = query.fetch_all(&mut *connection).await?;
        let Some(last) = rows.last() else { return Ok(total) };
        after = last.cell("sku")?;
        for row in &rows {
            total = total.saturating_add(u64::from(product::document(row)?.track_stock));
        }
    }
}

/// A count with the rows that a step looks at.
struct Counting {
    id: OpnameId,
    products: Products,
    book: LedgerBook,
}

/// Loads a count with its counted lines of these products.
async fn load(
    connection: &mut AnyConnection,
    warehouse: &Warehouse<'_>,
    id: &str,
    skus: impl Iterator<Item = &Sku>,
) -> Result<Counting, Failure> {
    let skus: BTreeSet<Sku> = skus.cloned().collect();
    let (products, mut book) = warehouse_book::load(connection, warehouse, skus.iter()).await?;
    let id = OpnameId(id.to_owned());
    let lines = warehouse_rows::count_lines_of(connection, (warehouse.store_id(), &id), &skus).await?;
    known(connection, &id, lines, &mut book).await?;
    Ok(Counting { id, products, book })
}

async fn known(
    connection: &mut AnyConnection,
    id: &OpnameId,
    lines: Vec<OpnameLine>,
    book: &mut LedgerBook,
) -> Result<(), Failure> {
    if let Some(opname) = warehouse_rows::count(connection, id.as_str()).await? {
        book.opnames.insert(id.clone(), opname);
    }
    for line in lines {
        book.counted.insert((id.clone(), line.sku.clone()), line);
    }
    Ok(())
}

async fn kept(
    connection: &mut AnyConnection,
    warehouse: &Warehouse<'_>,
    event: &Event<fact::OpnameChanged>,
) -> Result<(), sqlx::Error> {
    warehouse_rows::put_count(connection, &event.fact.opname).await?;
    warehouse_rows::put_count_lines(connection, warehouse.store_id(), &event.fact.lines).await
}

/// Takes counts, which are compared with the stock on hand at this moment.
///
/// # Errors
/// 422; 409 `invalid_state`.
pub async fn count(
    connection: &mut AnyConnection,
    warehouse: &mut Warehouse<'_>,
    id: &str,
    (mut command, role): (CountOpname, Role),
) -> Result<OpnameView, Failure> {
    command.check().map_err(ApiError::from)?;
    warehouse_book::scanned(connection, &mut command.counts).await?;
    let skus = command.counts.iter().map(|count| &count.sku);
    let Counting { id, products, mut book } = load(connection, warehouse, id, skus).await?;
    warehouse_book::load_moves(connection, warehouse, &mut book).await?;
    let event = opname::count(&command, &id, &products, &warehouse.context(&book)).map_err(ApiError::from)?;
    kept(connection, warehouse, &event).await?;
    let fact::OpnameChanged { opname, lines } = event.fact;
    let none = Stock::default();
    let row = |line: &OpnameLine| book.stock.get(&line.sku).unwrap_or(&none);
    let lines = lines.iter().map(|line| line_view(&opname, line, row(line), role)).collect();
    Ok(OpnameView { opname, lines, next_cursor: None })
}

/// Takes the next step of an existing count, as its rules allow.
///
/// # Errors
/// 422; 409 `invalid_state`.
pub async fn take_step(
    connection: &mut AnyConnection,
    warehouse: &mut Warehouse<'_>,
    id: &str,
    step: &CountStep,
) -> Result<Opname, Failure> {
    let event = match step {
        CountStep::Recount(command) => {
            command.check().map_err(ApiError::from)?;
            let Counting { id, book, .. } = load(connection, warehouse, id, command.skus.iter()).await?;
            opname::recount(command, &id, &warehouse.context(&book))
        }
        CountStep::Submit => {
            let Counting { id, book, .. } = load(connection, warehouse, id, iter::empty()).await?;
            opname::submit(&id, &warehouse.context(&book))
        }
        CountStep::Cancel => {
            let Counting { id, book, .. } = load(connection, warehouse, id, iter::empty()).await?;
            opname::cancel(&id, &warehouse.context(&book))
        }
    };
    let event = event.map_err(ApiError::from)?;
    kept(connection, warehouse, &event).await?;
    Ok(event.fact.opname)
}

/// Posts a count: differences move, with the present stock.
///
/// # Errors
/// 422 with every product that moved between its counts, unless they are accepted; 409 `invalid_state`.
pub async fn post(
    connection: &mut AnyConnection,
    warehouse: &mut Warehouse<'_>,
    id: &str,
    command: &PostOpname,
) -> Result<Opname, Failure> {
    let store_id = warehouse.store_id().to_owned();
    let id = OpnameId(id.to_owned());
    let lines = warehouse_rows::count_lines(connection, &store_id, &id).await?;
    let (_, mut book) =
        warehouse_book::load(connection, warehouse, lines.iter().map(|line| &line.sku)).await?;
    let ids = warehouse.movement_ids(lines.len());
    known(connection, &id, lines, &mut book).await?;
    let rule =
        |context: &StockContext<'_>| -> Result<_, Refusal> { opname::post(command, &id, ids, context) };
    let event = rule(&warehouse.context(&book)).map_err(ApiError::from)?;
    let fact::OpnameChanged { opname, lines } = event.fact;
    let records = record::opname_posted(|| warehouse.stamp(), &opname, &lines);
    warehouse.apply(connection, records, &event.rows.stock).await?;
    warehouse_rows::remove_count(connection, &store_id, &id).await?;
    Ok(opname)
}
