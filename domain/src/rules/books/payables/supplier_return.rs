//! Goods that went back to a supplier, laid on the receipts that they came by.

use crate::model::base::figures::Quantity;
use crate::rules::books::payables::{OpenReceipt, Part};

/// Pieces of a receipt that an invoice bills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BilledPart {
    pub invoice_id: String,
    /// Line of the invoice.
    pub line_no: u32,
    /// Pieces that did not go back yet.
    pub qty: Quantity,
    /// The rate of its tax, in basis points.
    pub tax_rate_bp: u32,
}

/// A line of a receipt of the supplier and the product, in the store that sent back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReturnPlace {
    pub receiving_id: String,
    /// Line of the receipt.
    pub line_no: u32,
    /// Part that is not billed and did not go back.
    pub open: OpenReceipt,
    /// Part that is billed.
    pub billed: Vec<BilledPart>,
}

/// Place of pieces that went back.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlacedReturn {
    /// Pieces that were not billed: `(receipt, line, the part that is taken)`.
    pub open: Vec<(String, u32, Part)>,
    /// Pieces that were: `(receipt, line, invoice, invoice's line, pieces, rate)`.
    pub billed: Vec<(String, u32, BilledPart)>,
    /// Pieces that no receipt has.
    pub left: Quantity,
}

/// Assigns returned pieces to receipts: to the one that the return names, otherwise to the newest first; pieces that
/// were not invoiced before those that were. `places` are sorted newest first.
pub fn place_return(qty: Quantity, named: Option<&str>, places: &[ReturnPlace]) -> PlacedReturn {
    let mut order: Vec<&ReturnPlace> = places.iter().collect();
    order.sort_by_key(|place| named.is_none_or(|named| place.receiving_id != named));
    let mut placed = PlacedReturn { left: qty.max(Quantity::ZERO), ..PlacedReturn::default() };
    for place in &order {
        let mut open = place.open;
        let part = open.take(placed.left);
        if part.qty > 0 {
            placed.left = placed.left.saturating_sub(part.qty);
            placed.open.push((place.receiving_id.clone(), place.line_no, part));
        }
    }
    for place in order {
        for billed in &place.billed {
            let qty = billed.qty.min(placed.left).max(Quantity::ZERO);
            if qty > 0 {
                placed.left = placed.left.saturating_sub(qty);
                let billed = BilledPart { qty, ..billed.clone() };
                placed.billed.push((place.receiving_id.clone(), place.line_no, billed));
            }
        }
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(receiving_id: &str, open: i64, billed: i64) -> ReturnPlace {
        let billed_part =
            BilledPart { invoice_id: "inv_1".to_owned(), line_no: 1, qty: billed.into(), tax_rate_bp: 1_100 };
        ReturnPlace {
            receiving_id: receiving_id.to_owned(),
            line_no: 1,
            open: OpenReceipt { qty: open.into(), value: open.saturating_mul(1_000).into() },
            billed: if billed > 0 { vec![billed_part] } else { Vec::new() },
        }
    }

    #[test]
    fn pieces_that_were_not_billed_go_back_first_the_newest_before() {
        let places = [place("rcv_3", 2, 0), place("rcv_2", 1, 4), place("rcv_1", 5, 0)];
        for (qty, named, open, billed, left) in [
            (3, None, &[("rcv_3", 2), ("rcv_2", 1)][..], &[][..], 0),
            (3, Some("rcv_1"), &[("rcv_1", 3)][..], &[][..], 0),
            (10, None, &[("rcv_3", 2), ("rcv_2", 1), ("rcv_1", 5)][..], &[("rcv_2", 2)][..], 0),
            (20, Some("rcv_9"), &[("rcv_3", 2), ("rcv_2", 1), ("rcv_1", 5)][..], &[("rcv_2", 4)][..], 8),
        ] {
            let placed = place_return(Quantity::new(qty), named, &places);
            let of_open: Vec<_> =
                placed.open.iter().map(|(id, _, part)| (id.as_str(), part.qty.get())).collect();
            let of_billed: Vec<_> =
                placed.billed.iter().map(|(id, _, part)| (id.as_str(), part.qty.get())).collect();
            assert_eq!(
                (of_open.as_slice(), of_billed.as_slice(), placed.left.get()),
                (open, billed, left),
                "{qty}"
            );
        }
    }
}
