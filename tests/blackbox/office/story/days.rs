//! Records of S001 and S002 about the 18th to the 20th of November.

use crate::office::reported::{Day, Line, by, cash};
use testkit::simulated::Reported;

const fn tea(qty: i64, [gross, discount, tax, cost]: [i64; 4]) -> Line {
    Line { sku: "A", qty, gross, discount, tax, cost }
}

const fn pots(qty: i64, [gross, discount, tax, cost]: [i64; 4]) -> Line {
    Line { sku: "B", qty, gross, discount, tax, cost }
}

pub fn s001_18(order: (&str, &str)) -> Vec<Reported> {
    let day = Day::of("S001", 18, 20)
        .first_stock("A", 20, 168_000)
        .receives("rcv_tea", order, [96, 4, 9_000])
        .opens();
    day.sells(1, &tea(3, [45_000, 0, 4_950, 26_690]), &cash(49_950, 50))
        .sells(2, &tea(10, [150_000, 10_000, 15_400, 88_965]), &by("card", 155_400, "C-1001"))
        .closes(250_000, 249_000)
        .seals()
}

pub fn s002_18() -> Vec<Reported> {
    let day = Day::of("S002", 18, 50).first_stock("B", 50, 4_000_000).opens();
    day.sells(3, &pots(2, [222_000, 0, 22_000, 160_000]), &by("card", 222_000, "C-2001"))
        .sells(4, &pots(1, [111_000, 0, 11_000, 80_000]), &by("qris", 111_000, "Q-2001"))
        .closes(200_000, 200_000)
        .seals()
}

pub fn s001_19() -> Vec<Reported> {
    let back = tea(4, [60_000, 4_000, 6_160, 35_586]);
    let day = Day::of("S001", 19, 103).opens();
    day.sells(5, &tea(20, [300_000, 0, 33_000, 177_931]), &by("card", 333_000, "C-1002"))
        .sells(6, &tea(5, [75_000, 0, 8_250, 44_483]), &by("card", 83_250, "C-1003"))
        .takes_back((1, 2), "restock", &back, &by("card", 62_160, "R-1001"))
        .closes(200_000, 200_000)
        .seals()
}

pub fn s002_19() -> Vec<Reported> {
    let back = pots(1, [111_000, 0, 11_000, 80_000]);
    let day = Day::of("S002", 19, 47).opens();
    day.sells(7, &pots(3, [333_000, 33_300, 29_700, 240_000]), &cash(299_700, 0))
        .takes_back((2, 4), "damaged", &back, &by("qris", 111_000, "Q-2002"))
        .moves_cash("pay_out", 15_000, "parking")
        .moves_cash("drop", 200_000, "to the safe")
        .closes(284_700, 285_000)
        .seals()
}

pub fn s001_20() -> Vec<Reported> {
    let day = Day::of("S001", 20, 82).opens();
    day.sells(8, &tea(10, [150_000, 0, 16_500, 88_965]), &cash(166_500, 0))
        .closes(366_500, 366_500)
        .banks("B-17", 250_000)
        .seals()
}

/// Returns the records that the store pushed before it lost its connection, and those that it pushes a day later.
pub fn s002_20() -> (Vec<Reported>, Vec<Reported>) {
    let day = Day::of("S002", 20, 44).opens();
    let mut reported = day
        .sells(9, &pots(1, [111_000, 0, 11_000, 80_000]), &cash(111_000, 0))
        .sells(10, &pots(2, [222_000, 0, 22_000, 160_000]), &by("card", 222_000, "C-2002"))
        .closes(311_000, 311_000)
        .seals();
    let late = reported.split_off(2);
    (reported, late)
}
