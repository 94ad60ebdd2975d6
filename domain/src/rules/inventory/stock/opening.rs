//! Opening stock: the pieces on the shelves when the books begin.

use crate::model::base::event::{Event, Rows, fact};
use crate::model::base::figures::{Money, Quantity};
use crate::model::base::ids::{MovementId, Sku, UserId};
use crate::model::base::limits::{LINE_VALUE_MAX, PRICE_MAX, QTY_MAX};
use crate::model::base::money::{figure, product as times};
use crate::model::base::refusal::{FieldProblem, Refusal};
use crate::model::base::time::UtcMs;
use crate::model::books::ledger::LedgerBook;
use crate::model::inventory::product::Product;
use crate::model::inventory::stock::{Movement, MovementReason, Stock};
use crate::rules::inventory::stock::{Incoming, Moved, average};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Most rows of one opening: it is one commit, and one commit has a longest frame.
pub const OPENING_ROWS_MAX: usize = 20_000;

/// One sku of an opening.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpeningRow {
    /// The line of the file, to name it in a complaint.
    pub line: u64,
    /// SKU of the product.
    pub sku: Sku,
    /// Pieces on hand, 1–1,000,000.
    pub qty: Quantity,
    /// Cost of the pieces, for each piece or in total.
    pub cost: OpeningCost,
    /// It may have moved already: these pieces were there before its first movement, and are added to the movements
    /// since.
    #[serde(default)]
    pub late: bool,
}

/// Cost of an opening's pieces, in minor currency units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpeningCost {
    /// Cost of one piece.
    Unit(Money),
    /// Cost of all pieces together: one piece need not cost a whole number.
    Total(Money),
}

impl OpeningCost {
    /// Cost of this many pieces.
    fn of(self, qty: Quantity) -> i128 {
        match self {
            Self::Unit(cost) => times(qty, cost),
            Self::Total(cost) => i128::from(cost),
        }
    }

    /// Cost of one piece, rounded half up.
    fn per_piece(self, qty: Quantity) -> Money {
        match self {
            Self::Unit(cost) => cost,
            Self::Total(cost) => average(cost, qty),
        }
    }
}

/// Takes the first stock of every row into the books: all of them or none.
///
/// `products` holds at least the catalogue's rows of these skus, `movement_ids` one ID per row; `opened` are the skus that
/// have an opening, as far as they moved.
///
/// # Errors
/// `validation_failed` with every bad row as `line <n>`: unknown or twice, no stock kept for it, a figure
/// out of range, stock that has moved before where the row is not `late`, or that has an opening (an adjustment is the way to
/// change that).
pub fn open_stock(
    rows: &[OpeningRow],
    movement_ids: Vec<MovementId>,
    now: UtcMs,
    user_id: &UserId,
    (products, opened): (&BTreeMap<Sku, Product>, &BTreeSet<Sku>),
    book: &LedgerBook,
) -> Result<Event<fact::StockOpened>, Refusal> {
    if rows.is_empty() || rows.len() > OPENING_ROWS_MAX || movement_ids.len() != rows.len() {
        let problem = format!("must be 1 to {OPENING_ROWS_MAX}: split the file");
        return Err(Refusal::field("rows", problem));
    }
    let (mut movements, mut stock, mut problems) = (Vec::new(), Vec::new(), Vec::new());
    let mut seen = BTreeSet::new();
    for ((row, movement_id), line_no) in rows.iter().zip(movement_ids).zip(1_u32..) {
        let judged = if seen.insert(&row.sku) {
            judge(row, products, opened, book)
        } else {
            Err("appears twice in the file".to_owned())
        };
        match judged.and_then(|product| open(row, product, book, now)) {
            Ok((after, moved)) => {
                movements.push(movement(row, &after, moved, movement_id, line_no, user_id));
                stock.push(after);
            }
            Err(problem) => problems.push(FieldProblem {
                path: format!("line {}", row.line),
                problem: format!("sku \"{}\" {problem}", row.sku),
            }),
        }
    }
    if problems.is_empty() {
        Ok(Event::new(fact::StockOpened {}, Rows::of_stock(movements, stock)))
    } else {
        Err(Refusal::ValidationFailed(problems))
    }
}

fn judge<'a>(
    row: &OpeningRow,
    products: &'a BTreeMap<Sku, Product>,
    opened: &BTreeSet<Sku>,
    book: &LedgerBook,
) -> Result<&'a Product, String> {
    let product = products.get(&row.sku).ok_or("is not in the catalogue")?;
    if !product.track_stock {
        return Err("is a product of which no stock is kept".to_owned());
    }
    if !(1..=QTY_MAX).contains(&row.qty) {
        return Err(format!("has a qty that is not from 1 to {QTY_MAX}"));
    }
    let (name, cost, most) = match row.cost {
        OpeningCost::Unit(cost) => ("unit_cost", cost, PRICE_MAX),
        OpeningCost::Total(cost) => ("line_total", cost, LINE_VALUE_MAX),
    };
    if !(0..=most).contains(&cost) {
        return Err(format!("has a {name} that is not from 0 to {most}"));
    }
    let worth = row.cost.of(row.qty);
    if worth > i128::from(LINE_VALUE_MAX) {
        return Err(format!(
            "is worth {worth}; at most {LINE_VALUE_MAX}: check qty and {name} for extra digits"
        ));
    }
    // A row that was only seeded has no time: nothing has moved it.
    match book.stock.get(&row.sku) {
        Some(stock) if stock.updated_at != UtcMs::default() => match (row.late, opened.contains(&row.sku)) {
            (true, false) => Ok(product),
            (_, true) => Err("already has an opening stock: adjust the stock instead".to_owned()),
            (false, false) => {
                Err("already has stock movements: adjust the stock, or import with --opening the stock from \
                before the first movement"
                    .to_owned())
            }
        },
        _ => Ok(product),
    }
}

fn open(
    row: &OpeningRow,
    product: &Product,
    book: &LedgerBook,
    now: UtcMs,
) -> Result<(Stock, Moved), String> {
    let mut stock = book.stock.get(&row.sku).cloned().unwrap_or_else(|| Stock::seed(product));
    let moved = figure("cost", row.cost.of(row.qty))
        .and_then(|cost| stock.take_in(row.qty, Incoming::Priced(cost)))
        .map_err(|refusal| format!("is worth too much: {refusal}"))?;
    stock.updated_at = now;
    Ok((stock, moved))
}

fn movement(
    row: &OpeningRow,
    after: &Stock,
    moved: Moved,
    movement_id: MovementId,
    line_no: u32,
    user_id: &UserId,
) -> Movement {
    Movement {
        // The movement is its own document: nothing else is kept of an opening.
        reference_id: movement_id.0.clone(),
        movement_id,
        sku: row.sku.clone(),
        qty: row.qty,
        cost: moved.cost,
        correction: moved.correction,
        balance_after: after.qty,
        reason: MovementReason::Opening,
        reference_type: "opening".to_owned(),
        line_no,
        unit_cost: row.cost.per_piece(row.qty),
        user_id: user_id.clone(),
        at: after.updated_at,
        negative: after.qty < 0,
    }
}
