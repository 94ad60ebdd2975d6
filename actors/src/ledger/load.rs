//! What the ledger has in memory when it starts.

use crate::door::Door;
use domain::ledger::{self, LedgerBook};

/// Every row that two shifts can contend for.
pub(super) fn load(door: &Door) -> Result<LedgerBook, storage::StorageError> {
    let mut book = LedgerBook::default();
    for stock in door.storage.all_stock()? {
        book.stock.insert(stock.sku.clone(), stock);
    }
    for shift in door.storage.open_shifts()? {
        book.shifts.insert(shift.shift_id.clone(), ledger::OpenShiftEntry::of(&shift));
    }
    book.days = door.storage.unsealed_days()?.into_iter().collect();
    for hold in door.storage.holds()? {
        if let Some(basket) = door.storage.current_transaction(&hold.transaction_id)? {
            book.holds.insert(hold.hold_id.clone(), (hold, basket));
        }
    }
    for adjustment in door.storage.pending_adjustments()? {
        book.adjustments.insert(adjustment.adjustment_id.clone(), adjustment);
    }
    for transfer in door.storage.open_transfers()? {
        book.transfers.insert(transfer.transfer_id.clone(), transfer);
    }
    for opname in door.storage.open_opnames()? {
        for line in door.storage.opname_lines(&opname.opname_id, None, usize::MAX)? {
            book.counted.insert((line.opname_id.clone(), line.sku.clone()), line);
        }
        book.opnames.insert(opname.opname_id.clone(), opname);
    }
    for register in door.storage.registers()? {
        book.registers.insert(register.register_id.clone(), register);
    }
    Ok(book)
}
