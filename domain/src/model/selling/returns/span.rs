//! Which pieces of a line came back. Pieces are distinguished, so that a return that was voided frees
//! exactly its own parts of discount, tax and cost, whatever came back after it.

use crate::model::base::figures::Quantity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Pieces `start..end` of a line, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Span {
    /// Number of the first piece, counted from 0.
    pub start: i64,
    /// Number of the last piece, plus 1.
    pub end: i64,
}

impl Span {
    pub fn qty(&self) -> Quantity {
        self.end.saturating_sub(self.start).into()
    }
}

pub(crate) fn pieces(spans: &[Span]) -> Quantity {
    spans.iter().map(Span::qty).sum()
}

/// Takes the lowest `n` free pieces of `qty`; fewer where fewer are free.
pub(crate) fn take(taken: &mut Vec<Span>, qty: Quantity, n: Quantity) -> Vec<Span> {
    let mut new = Vec::new();
    let (qty, mut place, mut left) = (qty.get(), 0_i64, n.get());
    let edges: Vec<Span> = taken.iter().copied().chain([Span { start: qty, end: qty }]).collect();
    for next in edges {
        let part = next.start.saturating_sub(place).min(left).max(0);
        if part > 0 {
            new.push(Span { start: place, end: place.saturating_add(part) });
            left = left.saturating_sub(part);
        }
        place = next.end;
    }
    taken.extend(new.iter().copied());
    join(taken);
    new
}

/// Takes exactly these of `qty`; for each that is taken already the lowest free one, where one is left.
pub(crate) fn mark(taken: &mut Vec<Span>, qty: Quantity, spans: &[Span]) {
    let mut joined = taken.clone();
    free(&mut joined, spans);
    let wanted = pieces(spans);
    let fresh = wanted.saturating_sub(pieces(taken).saturating_sub(pieces(&joined)));
    joined.extend(spans.iter().copied());
    join(&mut joined);
    *taken = joined;
    take(taken, qty, wanted.saturating_sub(fresh));
}

pub(crate) fn free(taken: &mut Vec<Span>, spans: &[Span]) {
    for gone in spans {
        let cut = |span: &Span| {
            let before = Span { start: span.start, end: span.end.min(gone.start) };
            let after = Span { start: span.start.max(gone.end), end: span.end };
            [before, after].into_iter().filter(|span| span.qty() > 0).collect::<Vec<_>>()
        };
        *taken = taken.iter().flat_map(cut).collect();
    }
}

/// In order, neighbours made one.
fn join(spans: &mut Vec<Span>) {
    spans.sort_by_key(|span| span.start);
    let mut joined: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans.drain(..) {
        match joined.last_mut() {
            Some(last) if last.end == span.start => last.end = span.end,
            _ => joined.push(span),
        }
    }
    *spans = joined;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(pairs: &[(i64, i64)]) -> Vec<Span> {
        pairs.iter().map(|(start, end)| Span { start: *start, end: *end }).collect()
    }

    #[test]
    fn holes_are_filled_first() {
        let mut taken = Vec::new();
        let take = |taken: &mut Vec<Span>, n| super::take(taken, Quantity::new(10), Quantity::new(n));
        assert_eq!(take(&mut taken, 3), spans(&[(0, 3)]));
        assert_eq!(take(&mut taken, 2), spans(&[(3, 5)]));
        assert_eq!(taken, spans(&[(0, 5)]));
        free(&mut taken, &spans(&[(1, 3)]));
        assert_eq!(taken, spans(&[(0, 1), (3, 5)]));
        assert_eq!(take(&mut taken, 4), spans(&[(1, 3), (5, 7)]));
        assert_eq!(taken, spans(&[(0, 7)]));
        assert_eq!(pieces(&take(&mut taken, 9)), 3, "no more than there are");
        free(&mut taken, &spans(&[(0, 10)]));
        assert!(taken.is_empty());
    }

    #[test]
    fn a_piece_that_two_stores_took_is_gone_twice() {
        // (taken, of, added, taken afterwards)
        type Pairs = [(i64, i64)];
        let cases: [(&Pairs, i64, &Pairs, &Pairs); 6] = [
            (&[], 3, &[(1, 2)], &[(1, 2)]),
            (&[(0, 1)], 3, &[(1, 2)], &[(0, 2)]),
            (&[(0, 1)], 3, &[(0, 1)], &[(0, 2)]),
            (&[(1, 2)], 5, &[(0, 3)], &[(0, 4)]),
            (&[(0, 2)], 4, &[(1, 2), (3, 4)], &[(0, 4)]),
            (&[(0, 3)], 3, &[(0, 2)], &[(0, 3)]),
        ];
        for (before, of, added, after) in cases {
            let mut taken = spans(before);
            mark(&mut taken, of.into(), &spans(added));
            assert_eq!(taken, spans(after), "{before:?} and {added:?} of {of}");
        }
    }
}
