//! Steps of a run. Their numbers select among the things that exist when the step is taken.

use testkit::dice::Random;

/// Tills, each with its own cashier.
pub const TILLS: usize = 3;

/// Kinds of cash movement without a sale.
pub const CASH_KINDS: [&str; 4] = ["pay_in", "pay_out", "drop", "no_sale"];

/// One step of a run.
#[derive(Debug, Clone)]
pub enum Step {
    Open {
        till: usize,
        float: i64,
    },
    Basket {
        till: usize,
        lines: Vec<Line>,
        discount: i64,
        member: Option<usize>,
    },
    Pay {
        basket: usize,
        how: How,
    },
    /// Repeats an earlier payment with its key.
    Again {
        payment: usize,
    },
    Receive {
        product: usize,
        qty: i64,
    },
    Join,
    Adjust {
        member: usize,
        points: i64,
    },
    Close {
        till: usize,
        off: i64,
        void_open: bool,
    },
    /// A manager voids a basket, which may be partly paid.
    VoidBasket {
        basket: usize,
    },
    /// A manager voids a sale.
    VoidSale {
        sale: usize,
    },
    /// A return of a percentage of some lines of a sale, at any till.
    Return {
        sale: usize,
        till: usize,
        lines: i64,
        percent: i64,
    },
    VoidReturn {
        back: usize,
    },
    /// Replaces the lines of an open basket.
    Change {
        basket: usize,
        lines: Vec<Line>,
        discount: i64,
    },
    /// Moves cash without a sale.
    Cash {
        till: usize,
        kind: usize,
        amount: i64,
    },
    /// Adjusts the stock: pieces are found (above 0) or missing.
    Correct {
        product: usize,
        qty: i64,
    },
    /// Blocks or unblocks a member.
    Block {
        member: usize,
    },
    Hold {
        basket: usize,
    },
    Recall {
        hold: usize,
        till: usize,
    },
    /// Kills the store with `kill -9`, starts it and checks everything.
    Crash,
    /// Stops and starts the store, and checks everything.
    Restart,
}

/// Product, pieces, and discount in per cent.
#[derive(Debug, Clone)]
pub struct Line {
    pub product: usize,
    pub qty: i64,
    pub off_percent: i64,
}

#[derive(Debug, Clone)]
pub enum How {
    Card,
    /// Cash, with this much more than the amount due.
    Cash {
        over: i64,
    },
    /// This percentage of the amount due, in cash. The rest stays due.
    Part {
        percent: i64,
    },
    /// This amount by points, the rest by card.
    Points {
        points: i64,
    },
    /// More than the amount due, by card.
    TooMuch,
}

impl Step {
    pub fn random(random: &mut Random) -> Self {
        let mut below = |bound: u64| random.below(bound) as i64;
        let mut any = || below(100) as usize;
        let (one, other) = (any(), any());
        let till = other % TILLS;
        match below(75) {
            0..=4 => Self::Open { till, float: below(500_000) },
            5..=16 => Self::Basket {
                lines: lines(&mut below),
                till,
                discount: if below(4) == 0 { below(5_000) } else { 0 },
                member: (below(2) == 0).then_some(one),
            },
            17..=34 => Self::Pay { basket: one, how: How::random(&mut below) },
            35..=36 => Self::Again { payment: one },
            37..=38 => Self::Receive { product: one, qty: 1 + below(200) },
            39 => Self::Join,
            40..=42 => Self::Adjust { member: one, points: 1 + below(400) - 100 },
            43..=44 => Self::Close { till, off: below(2_000) - 1_000, void_open: below(2) == 0 },
            45 => Self::VoidBasket { basket: one },
            46..=47 => Self::VoidSale { sale: one },
            48..=56 => Self::Return { sale: one, till, lines: below(8), percent: 20 + below(5) * 20 },
            57..=59 => Self::VoidReturn { back: one },
            60..=61 => Self::Hold { basket: one },
            62..=65 => Self::Recall { hold: one, till },
            66..=67 => Self::Cash { till, kind: one, amount: 1 + below(90_000) },
            68..=69 => Self::Correct { product: one, qty: below(40) - 20 },
            70 => Self::Block { member: one },
            71..=72 => {
                Self::Change { basket: one, lines: lines(&mut below), discount: below(2) * below(900) }
            }
            73 => Self::Restart,
            _ => Self::Crash,
        }
    }
}

fn lines(below: &mut impl FnMut(u64) -> i64) -> Vec<Line> {
    let mut line = |_| Line {
        product: below(100) as usize,
        qty: 1 + below(9),
        off_percent: if below(4) == 0 { below(60) } else { 0 },
    };
    let first = line(0);
    let count = first.product % 3;
    (0..count).map(line).chain([first]).collect()
}

impl How {
    fn random(below: &mut impl FnMut(u64) -> i64) -> Self {
        match below(12) {
            0..=2 => Self::Card,
            3..=4 => Self::Cash { over: below(2) * below(10_000) },
            5..=6 => Self::Part { percent: 1 + below(99) },
            7..=10 => Self::Points { points: 1 + below(60) },
            _ => Self::TooMuch,
        }
    }
}
