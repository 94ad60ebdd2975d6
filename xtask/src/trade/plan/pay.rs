//! Payments of customers. The amounts handed over are theirs; `books` computes the expected results.

/// Money of one method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Payment {
    /// `cash`, `card`, `qris` or `points`.
    pub method: &'static str,
    /// Amount that it settles.
    pub amount: i64,
    /// Amount handed over.
    pub tendered: i64,
}

/// A way to pay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pay {
    /// In cash, with somewhat more than the amount due.
    Cash,
    Card,
    /// Half by QRIS, the rest in cash.
    Split,
}

/// Excess over the total that leads to change.
const ABOVE: i64 = 100;

impl Pay {
    /// Every way gets its turn.
    pub fn by_turns(turn: usize) -> Self {
        match turn % 3 {
            0 => Self::Cash,
            1 => Self::Card,
            _ => Self::Split,
        }
    }

    /// Payments for `total`.
    pub fn payments(self, total: i64) -> Vec<Payment> {
        let exact = |method, amount| Payment { method, amount, tendered: amount };
        match self {
            _ if total == 0 => Vec::new(),
            Self::Cash => vec![Payment { method: "cash", amount: total, tendered: total + ABOVE }],
            Self::Card => vec![exact("card", total)],
            // A penny can't be halved.
            Self::Split if total == 1 => vec![exact("qris", total)],
            Self::Split => {
                let (half, rest) = (total / 2, total - total / 2);
                vec![exact("qris", half), Payment { method: "cash", amount: rest, tendered: total }]
            }
        }
    }
}
