//! Slices: the parts of a match by store and day.

use crate::model::base::figures::Money;
use crate::model::base::money::spread;
use crate::rules::books::posting::plan::Account;
use crate::rules::books::settlement::{Match, Rule};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Part of a match that belongs to one store and day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slice {
    /// Store of the slice.
    pub store_id: String,
    /// Date of the settlement that posts it.
    pub settlement_date: Date,
    /// Sum of its items, in minor currency units.
    pub gross: Money,
    /// Part of the fee that belongs to the slice.
    pub fee: Money,
    /// Its part of the shortfall; positive if too little was paid.
    pub difference: Money,
    /// Net amount that reached the account, in minor currency units.
    pub net: Money,
    /// Its gross by the accounts that are cleared.
    pub cleared: BTreeMap<Account, Money>,
    /// Its gross by how its items were paid.
    pub methods: BTreeMap<String, Money>,
}

impl Slice {
    /// Fee, difference and net of each method; empty if the methods of its items are not known.
    pub fn by_method(&self) -> Vec<(&str, [Money; 3])> {
        let grosses: Vec<Money> = self.methods.values().copied().collect();
        self.methods.keys().map(String::as_str).zip(self.parts(&grosses)).collect()
    }

    /// Fee, difference and net of each amount that the slice is the sum of.
    pub fn parts(&self, grosses: &[Money]) -> Vec<[Money; 3]> {
        let weights: Vec<Money> = grosses.iter().map(|gross| gross.saturating_abs()).collect();
        let parts = signed(self.fee, &weights).into_iter().zip(signed(self.difference, &weights));
        let part = |(gross, (fee, difference)): (&Money, (Money, Money))| {
            [fee, difference, gross.saturating_sub(fee).saturating_sub(difference)]
        };
        grosses.iter().zip(parts).map(part).collect()
    }

    /// Keeps the missing part open, with `fee` as the fee. Returns the missing amount.
    pub fn leave_open(&mut self, fee: Money) -> Money {
        let rest = self.gross.saturating_sub(fee).saturating_sub(self.net);
        self.gross = self.gross.saturating_sub(rest);
        (self.fee, self.difference) = (fee, Money::ZERO);
        if let Some(sum) = self.cleared.values_mut().next() {
            *sum = sum.saturating_sub(rest);
        }
        rest
    }
}

impl Match<'_> {
    /// Takes it apart. Fee and difference follow the gross, by largest remainder, ties to the lower store and day.
    pub fn slices(&self) -> Vec<Slice> {
        let mut parts: BTreeMap<(&str, Date), BTreeMap<Account, Money>> = BTreeMap::new();
        let mut methods: BTreeMap<(&str, Date), BTreeMap<String, Money>> = BTreeMap::new();
        for item in &self.items {
            let place = (item.store_id.as_str(), item.settlement_date);
            let cleared = parts.entry(place).or_default().entry(item.account).or_default();
            let of_method = methods.entry(place).or_default().entry(item.method.clone()).or_default();
            // An item and its reversal clear nothing.
            let amount = if self.rule == Rule::Contra { Money::ZERO } else { item.amount };
            for sum in [cleared, of_method] {
                *sum = sum.saturating_add(amount);
            }
        }
        let sum = |part: &BTreeMap<Account, Money>| part.values().copied().sum::<Money>();
        let grosses: Vec<Money> = parts.values().map(sum).collect();
        let weights: Vec<Money> = grosses.iter().map(|gross| gross.saturating_abs()).collect();
        let (fees, differences) = (signed(self.fee, &weights), signed(self.difference, &weights));
        let figures = grosses.into_iter().zip(fees).zip(differences);
        let slice = |(((store_id, settlement_date), cleared), ((gross, fee), difference))| {
            let net = Money::saturating_sub(gross, fee).saturating_sub(difference);
            let methods = methods.remove(&(store_id, settlement_date)).unwrap_or_default();
            let store_id = str::to_owned(store_id);
            Slice { store_id, settlement_date, gross, fee, difference, net, cleared, methods }
        };
        parts.into_iter().zip(figures).map(slice).collect()
    }
}

/// Spreads an amount of either sign.
fn signed(amount: Money, weights: &[Money]) -> Vec<Money> {
    let parts = spread(amount.saturating_abs(), weights);
    parts.into_iter().map(|part| part.saturating_mul(amount.signum())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_slice_add_up_to_it() {
        let slice = Slice {
            store_id: "S001".to_owned(),
            settlement_date: jiff::civil::date(2026, 11, 18),
            gross: 150.into(),
            fee: 10.into(),
            difference: (-1).into(),
            net: 141.into(),
            cleared: BTreeMap::new(),
            methods: BTreeMap::from([("card".to_owned(), 200.into()), ("qris".to_owned(), (-50).into())]),
        };
        assert_eq!(slice.parts(&[200.into(), (-50).into()]), [[8, -1, 193], [2, 0, -52]]);
        assert_eq!(slice.parts(&[150.into()]), [[10, -1, 141]]);
        assert_eq!(
            slice.by_method(),
            [("card", [8, -1, 193].map(Money::new)), ("qris", [2, 0, -52].map(Money::new))]
        );
    }
}
