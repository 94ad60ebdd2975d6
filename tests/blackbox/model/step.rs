//! What may happen in a shop. Numbers choose among what is there when the step is taken.

use crate::support::random::Random;

/// Tills, each with a cashier of its own.
pub const TILLS: usize = 3;

/// One thing that somebody does.
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
    /// An earlier payment comes again, with its key.
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
    /// A manager voids a basket, whatever was paid of it.
    VoidBasket {
        basket: usize,
    },
    /// A manager voids a sale.
    VoidSale {
        sale: usize,
    },
    /// A whole sale comes back, at any till.
    Return {
        sale: usize,
        till: usize,
    },
    Hold {
        basket: usize,
    },
    Recall {
        hold: usize,
        till: usize,
    },
    /// kill -9, start, and look at everything.
    Crash,
}

/// Product, pieces, and per cent off.
#[derive(Debug, Clone)]
pub struct Line {
    pub product: usize,
    pub qty: i64,
    pub off_percent: i64,
}

#[derive(Debug, Clone)]
pub enum How {
    Card,
    /// Cash, and so much more than is due.
    Cash {
        over: i64,
    },
    /// So many per cent of what is due, in cash; the rest stays due.
    Part {
        percent: i64,
    },
    /// So many points, the rest by card.
    Points {
        points: i64,
    },
    /// More than is due, by card.
    TooMuch,
}

impl Step {
    pub fn random(random: &mut Random) -> Self {
        let mut below = |bound: u64| random.below(bound) as i64;
        match below(52) {
            0..=2 => Self::Open { till: below(TILLS as u64) as usize, float: below(500_000) },
            3..=13 => {
                let lines = (0..=below(3)).map(|_| Line {
                    product: below(100) as usize,
                    qty: 1 + below(9),
                    off_percent: if below(4) == 0 { below(60) } else { 0 },
                });
                Self::Basket {
                    lines: lines.collect(),
                    till: below(TILLS as u64) as usize,
                    discount: if below(4) == 0 { below(5_000) } else { 0 },
                    member: (below(2) == 0).then(|| below(100) as usize),
                }
            }
            14..=27 => Self::Pay { basket: below(100) as usize, how: How::random(&mut below) },
            28..=29 => Self::Again { payment: below(100) as usize },
            30..=31 => Self::Receive { product: below(100) as usize, qty: 1 + below(200) },
            32 => Self::Join,
            33..=34 => Self::Adjust { member: below(100) as usize, points: 1 + below(400) - 200 },
            35..=38 => Self::Close {
                till: below(TILLS as u64) as usize,
                off: below(2_000) - 1_000,
                void_open: below(2) == 0,
            },
            39 => Self::Crash,
            40..=41 => Self::VoidBasket { basket: below(100) as usize },
            42..=43 => Self::VoidSale { sale: below(100) as usize },
            44..=46 => Self::Return { sale: below(100) as usize, till: below(TILLS as u64) as usize },
            47..=48 => Self::Hold { basket: below(100) as usize },
            _ => Self::Recall { hold: below(100) as usize, till: below(TILLS as u64) as usize },
        }
    }
}

impl How {
    fn random(below: &mut impl FnMut(u64) -> i64) -> Self {
        match below(10) {
            0..=2 => Self::Card,
            3..=4 => Self::Cash { over: below(2) * below(10_000) },
            5..=6 => Self::Part { percent: 1 + below(99) },
            7..=8 => Self::Points { points: 1 + below(150) },
            _ => Self::TooMuch,
        }
    }
}
