//! Distributes received pieces over the lines of an order that has several lines of one product.

use crate::model::base::figures::{Money, Quantity};
use crate::model::base::money::spread;
use crate::model::inventory::purchase::OrderLine;
use crate::rules::books::payables::{LineTotal, OpenReceipt, ReceiptLine};

/// Allocates lines of receipts, the oldest first, to the lines of their order: pieces go to a line at the receipt's own
/// price, then to the first that is not billed in full; excess pieces stay with the last. A receipt's line whose pieces
/// belong to several lines of the order is split, with its value spread over the pieces; a line of a product that the
/// order lacks stays as it is.
pub fn on_order_lines(receipts: Vec<ReceiptLine>, order: &[OrderLine]) -> Vec<ReceiptLine> {
    let mut left: Vec<Quantity> =
        order.iter().map(|line| line.qty.saturating_sub(line.invoiced_qty).max(Quantity::ZERO)).collect();
    let mut laid: Vec<(Vec<Quantity>, Quantity)> =
        receipts.iter().map(|receipt| (vec![Quantity::ZERO; order.len()], receipt.open.qty)).collect();
    for at_its_price in [true, false] {
        for ((parts, waiting), receipt) in laid.iter_mut().zip(&receipts) {
            for ((line, free), part) in order.iter().zip(&mut left).zip(parts) {
                let fits = line.sku == receipt.sku && (!at_its_price || line.unit_cost == receipt.unit_cost);
                let taken = if fits { (*waiting).min(*free).max(Quantity::ZERO) } else { Quantity::ZERO };
                *part = part.saturating_add(taken);
                *free = free.saturating_sub(taken);
                *waiting = waiting.saturating_sub(taken);
            }
        }
    }
    receipts
        .into_iter()
        .zip(laid)
        .flat_map(|(receipt, (parts, beyond))| of_lines(receipt, order, parts, beyond))
        .collect()
}

fn of_lines(
    receipt: ReceiptLine,
    order: &[OrderLine],
    parts: Vec<Quantity>,
    beyond: Quantity,
) -> Vec<ReceiptLine> {
    let of_sku = || order.iter().zip(&parts).filter(|(line, _)| line.sku == receipt.sku);
    let Some((last, _)) = of_sku().next_back() else { return vec![receipt] };
    let more = |line: &OrderLine| if line.line_no == last.line_no { beyond } else { Quantity::ZERO };
    let mut places: Vec<(&OrderLine, Quantity)> = of_sku()
        .map(|(line, part)| (line, part.saturating_add(more(line))))
        .filter(|(_, part)| *part > 0)
        .collect();
    if places.is_empty() {
        // No piece of it is open: its price is still used for the comparison.
        let own = of_sku().find(|(line, _)| line.unit_cost == receipt.unit_cost);
        places.extend(own.or_else(|| of_sku().next()).map(|(line, _)| (line, receipt.open.qty)));
    }
    let pieces: Vec<Quantity> = places.iter().map(|(_, part)| *part).collect();
    let values = spread(receipt.open.value, &pieces);
    let part = |((line, qty), value): ((&OrderLine, Quantity), Money)| ReceiptLine {
        po_line_no: Some(line.line_no),
        order_cost: Some(line.unit_cost.get().into()),
        total: line.line_total.map(|value| LineTotal { value, qty: line.qty }),
        open: OpenReceipt { qty, value },
        ..receipt.clone()
    };
    places.into_iter().zip(values).map(part).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use crate::model::base::figures::Money;
    use crate::model::books::payables::ReceiptRef;

    fn ordered(line_no: u32, qty: i64, unit_cost: i64, invoiced_qty: i64) -> OrderLine {
        let [qty, invoiced_qty] = [qty, invoiced_qty].map(Quantity::new);
        OrderLine {
            line_no,
            sku: "A".into(),
            qty,
            unit_cost: Money::new(unit_cost),
            invoiced_qty,
            ..OrderLine::default()
        }
    }

    fn came(receiving_id: &str, qty: i64, unit_cost: i64) -> ReceiptLine {
        ReceiptLine {
            at: ReceiptRef { store_id: "S001".to_owned(), receiving_id: receiving_id.to_owned(), line_no: 1 },
            supplier_id: None,
            po_id: Some("po_1".to_owned()),
            po_line_no: None,
            sku: "A".into(),
            open: OpenReceipt { qty: qty.into(), value: qty.saturating_mul(unit_cost).into() },
            unit_cost: unit_cost.into(),
            order_cost: None,
            total: None,
            cost_missing: false,
        }
    }

    #[test]
    fn pieces_are_of_the_line_at_their_price_then_of_the_first_that_is_not_billed() {
        let order = [ordered(1, 10, 9_000, 0), ordered(2, 10, 8_000, 0)];
        let laid = |receipts: &[ReceiptLine], order: &[OrderLine]| -> Vec<(String, Option<u32>, i64)> {
            let laid = on_order_lines(receipts.to_vec(), order).into_iter();
            laid.map(|line| (line.at.receiving_id, line.po_line_no, line.open.qty.get())).collect()
        };
        let row = |id: &str, line_no, qty| (id.to_owned(), Some(line_no), qty);
        for (receipts, expected) in [
            (vec![came("r1", 20, 9_000)], vec![row("r1", 1, 10), row("r1", 2, 10)]),
            (vec![came("r1", 4, 8_000), came("r2", 5, 9_000)], vec![row("r1", 2, 4), row("r2", 1, 5)]),
            (vec![came("r1", 25, 8_000)], vec![row("r1", 1, 10), row("r1", 2, 15)]),
            (
                vec![came("r1", 3, 1), came("r2", 9, 9_000)],
                vec![row("r1", 1, 1), row("r1", 2, 2), row("r2", 1, 9)],
            ),
            (vec![came("r1", 0, 8_000)], vec![row("r1", 2, 0)]),
        ] {
            assert_eq!(laid(&receipts, &order), expected);
        }
        let billed = [ordered(1, 10, 9_000, 10), ordered(2, 10, 8_000, 0)];
        assert_eq!(laid(&[came("r1", 10, 9_000)], &billed), [row("r1", 2, 10)]);
        let other = OrderLine { sku: "B".into(), ..ordered(1, 10, 9_000, 0) };
        assert_eq!(on_order_lines(vec![came("r1", 1, 1)], &[other]), [came("r1", 1, 1)]);
        let parts = on_order_lines(vec![came("r1", 20, 9_000)], &order);
        assert_eq!(parts.iter().map(|part| part.open.value).sum::<i64>(), 180_000);
    }
}
