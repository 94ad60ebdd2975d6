//! Postings of settlements (docs/arithmetic.md#postings): the payer, the fee and the shortfall against the cleared
//! accounts.

use crate::model::base::figures::Money;
use crate::model::base::money::figure;
use crate::model::base::refusal::Refusal;
use crate::rules::books::entry_by_hand::EntryLine;
use crate::rules::books::posting::plan::{Account, PAYMENT_FEES};
use crate::rules::books::settlement::Slice;
use std::collections::BTreeMap;

/// One entry of slices that reached one account, each with the account of its shortfall; empty if its sum is 0.
///
/// # Errors
/// `validation_failed` for a figure above the largest.
pub fn of_slices<'a>(
    bank: Account,
    slices: impl IntoIterator<Item = (&'a Slice, Account)>,
) -> Result<Vec<EntryLine>, Refusal> {
    let mut sums = Sums::default();
    for (slice, rest) in slices {
        sums.debit(bank, slice.net);
        sums.debit(PAYMENT_FEES, slice.fee);
        sums.debit(rest, slice.difference);
        for (account, amount) in &slice.cleared {
            sums.debit(*account, amount.saturating_neg());
        }
    }
    sums.lines()
}

/// One amount from one account to another; below 0 the other way round.
///
/// # Errors
/// `validation_failed` for a figure above the largest.
pub fn moved(debit: Account, credit: Account, amount: Money) -> Result<Vec<EntryLine>, Refusal> {
    let mut sums = Sums::default();
    sums.debit(debit, amount);
    sums.debit(credit, amount.saturating_neg());
    sums.lines()
}

/// A chargeback, or its reversal: the disputed amount to its account, the provider's charge to fees.
///
/// # Errors
/// `validation_failed` for a figure above the largest.
pub fn taken_back(
    bank: Account,
    account: Account,
    [gross, fee, net]: [Money; 3],
) -> Result<Vec<EntryLine>, Refusal> {
    let mut sums = Sums::default();
    sums.debit(bank, net);
    sums.debit(PAYMENT_FEES, fee);
    sums.debit(account, gross.saturating_neg());
    sums.lines()
}

/// Sums by account, debit above 0.
#[derive(Default)]
struct Sums(BTreeMap<Account, i128>);

impl Sums {
    fn debit(&mut self, account: Account, amount: Money) {
        let sum = self.0.entry(account).or_default();
        *sum = sum.saturating_add(i128::from(amount));
    }

    fn lines(self) -> Result<Vec<EntryLine>, Refusal> {
        let moved = self.0.into_iter().filter(|(_, sum)| *sum != 0);
        moved.map(|(account, sum)| Ok(EntryLine::of(String::from(account), figure("amount", sum)?))).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use crate::model::base::figures::Money;
    use crate::rules::books::posting::plan::{BANK, CARD, QRIS, SETTLEMENT_DIFFERENCES};
    use crate::rules::books::posting::{Fact, post};
    use jiff::civil::date;

    fn slice(cleared: Account, figures: [i64; 4]) -> Slice {
        let [gross, fee, difference, net] = figures.map(Money::new);
        Slice {
            store_id: "S001".to_owned(),
            settlement_date: date(2026, 11, 18),
            gross,
            fee,
            difference,
            net,
            cleared: BTreeMap::from([(cleared, gross)]),
            methods: BTreeMap::new(),
        }
    }

    #[test]
    fn a_slice_posts_what_a_settlement_line_does() {
        for (method, account, figures) in [
            ("card", CARD, [310_000, 2_170, 0, 307_830]),
            ("qris", QRIS, [35_050, 245, 1, 34_804]),
            ("qris", QRIS, [-111_000, 0, 0, -111_000]),
        ] {
            let [gross, fee, _, net] = figures.map(Money::new);
            let fact = Fact::SettlementLine { method: method.to_owned(), gross, fee, net };
            let expected = post(&fact).unwrap().here.rows;
            let lines = of_slices(BANK, [(&slice(account, figures), SETTLEMENT_DIFFERENCES)]).unwrap();
            let rows: Vec<_> = expected
                .into_iter()
                .map(|row| EntryLine {
                    account: String::from(row.account),
                    debit: row.debit,
                    credit: row.credit,
                })
                .collect();
            assert_eq!(lines, rows, "{method} {gross}");
        }
    }

    #[test]
    fn slices_of_several_accounts_are_one_entry() {
        let (card, qris) = (slice(CARD, [100, 2, 0, 98]), slice(QRIS, [50, 1, 0, 49]));
        let rest = SETTLEMENT_DIFFERENCES;
        let lines = of_slices(BANK, [(&card, rest), (&qris, rest)]).unwrap();
        let line = |account: &str, amount: i64| EntryLine::of(account.to_owned(), amount.into());
        assert_eq!(lines, [line("1040", 147), line("1110", -100), line("1120", -50), line("6030", 3)]);
    }

    #[test]
    fn a_disputed_amount_and_its_fee_have_accounts_of_their_own() {
        let line = |account: &str, amount: i64| EntryLine::of(account.to_owned(), amount.into());
        let back =
            |figures: [i64; 3]| taken_back(BANK, SETTLEMENT_DIFFERENCES, figures.map(Money::new)).unwrap();
        assert_eq!(
            back([-83_250, 15_000, -98_250]),
            [line("1040", -98_250), line("6030", 15_000), line("6060", 83_250)]
        );
        assert_eq!(
            back([83_250, -15_000, 98_250]),
            [line("1040", 98_250), line("6030", -15_000), line("6060", -83_250)]
        );
        assert_eq!(back([-10_000, 0, -10_000]), [line("1040", -10_000), line("6060", 10_000)]);
    }

    #[test]
    fn slices_that_cancel_out_post_nothing() {
        assert_eq!(of_slices(BANK, [(&slice(CARD, [0; 4]), SETTLEMENT_DIFFERENCES)]), Ok(Vec::new()));
    }

    #[test]
    fn a_difference_that_is_left_open_is_not_posted() {
        let mut short = slice(CARD, [5_000, 75, 100, 4_825]);
        assert_eq!(short.leave_open(75.into()), 100);
        assert_eq!(short, slice(CARD, [4_900, 75, 0, 4_825]));
        let mut dear = slice(CARD, [5_000, 100, 0, 4_900]);
        assert_eq!(dear.leave_open(75.into()), 25);
        assert_eq!(dear, slice(CARD, [4_975, 75, 0, 4_900]));
    }
}
