//! The ledger's memory at its start.

use crate::runtime::context::Context;
use domain::model::books::day::Day;
use domain::model::books::ledger;
use domain::model::books::ledger::LedgerBook;
use domain::model::inventory::opname::OpnameLine;
use domain::model::inventory::stock::Stock;
use storage::StorageError;

/// Rows of a table that are read at once: the book is the only copy of all of them.
const ROWS_AT_ONCE: usize = 1_000;

/// Every row that two shifts can contend for.
pub(super) fn load(context: &Context) -> Result<LedgerBook, StorageError> {
    let mut book = LedgerBook::default();
    let storage = &context.storage;
    let stock = |after: Option<&Stock>| storage.stock().stocks(after.map(|stock| &stock.sku), ROWS_AT_ONCE);
    by_pages(stock, |stock| drop(book.stock.insert(stock.sku.clone(), stock)))?;
    for shift in context.storage.shifts().open_shifts()? {
        for basket in context.storage.sales().open_transactions(&shift.shift_id)? {
            book.reserve_points(&basket);
        }
        book.shifts.insert(shift.shift_id.clone(), ledger::OpenShiftEntry::of(&shift));
    }
    book.days = context.storage.days().unsealed_days()?.into_iter().map(|date| (date, date)).collect();
    book.days
        .extend(storage.days().reopened_days()?.into_iter().map(|day| (day.business_date, day.open_until)));
    let by_itself = |day: Day| (day.business_date, day.sealed_by.is_none());
    book.sealed = storage.days().sealed_days()?.into_iter().map(by_itself).collect();
    book.safe = storage.shifts().safe()?;
    for hold in context.storage.sales().holds()? {
        if let Some(basket) = context.storage.sales().current_transaction(&hold.transaction_id)? {
            book.holds.insert(hold.hold_id.clone(), ledger::HeldBasket { hold, basket });
        }
    }
    for adjustment in context.storage.stock_documents().pending_adjustments()? {
        book.adjustments.insert(adjustment.adjustment_id.clone(), adjustment);
    }
    let written_off = storage.stock_documents().written_off()?;
    book.written_off = written_off.into_iter().map(|row| (row.user_id.clone(), row)).collect();
    for transfer in context.storage.stock_documents().open_transfers()?.iter() {
        book.transfers.insert(transfer.transfer_id.clone(), transfer.clone());
    }
    for opname in context.storage.stock_documents().open_opnames()? {
        let lines = |after: Option<&OpnameLine>| {
            storage.stock_documents().opname_lines(
                &opname.opname_id,
                after.map(|line| &line.sku),
                ROWS_AT_ONCE,
            )
        };
        by_pages(lines, |line| {
            book.counted.insert((line.opname_id.clone(), line.sku.clone()), line);
        })?;
        book.opnames.insert(opname.opname_id.clone(), opname);
    }
    for register in context.storage.shifts().registers()? {
        book.registers.insert(register.register_id.clone(), register);
    }
    Ok(book)
}

/// Reads every row of a table by pages, each after the last row of the one before.
fn by_pages<T: Clone>(
    page: impl Fn(Option<&T>) -> Result<Vec<T>, StorageError>,
    mut take: impl FnMut(T),
) -> Result<(), StorageError> {
    let mut last = None;
    loop {
        let rows = page(last.as_ref())?;
        let Some(end) = rows.last().cloned() else { return Ok(()) };
        rows.into_iter().for_each(&mut take);
        last = Some(end);
    }
}
