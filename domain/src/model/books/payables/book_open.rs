//! Open amounts of a document in each book.

use crate::model::base::figures::Money;
use crate::model::base::money::spread;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Open amount of a document in one book.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct BookOpen {
    /// Store whose book it is. Empty for head office's own book.
    pub store_id: String,
    /// Open amount in minor currency units, at least 0.
    pub open: Money,
}

impl BookOpen {
    /// Takes an amount out of the open amounts of a document in several books, in proportion, by largest remainder.
    /// Returns the part of each book. The amount must not exceed the sum of the open amounts.
    pub fn take(books: &mut [Self], amount: Money) -> Vec<Self> {
        let weights: Vec<Money> = books.iter().map(|book| book.open.max(Money::ZERO)).collect();
        let parts = spread(amount, &weights);
        let mut taken = Vec::new();
        for (book, part) in books.iter_mut().zip(parts) {
            book.open = book.open.saturating_sub(part);
            if part != 0 {
                taken.push(Self { store_id: book.store_id.clone(), open: part });
            }
        }
        taken
    }

    /// Puts an amount back into its book.
    pub fn put_back(books: &mut Vec<Self>, store_id: &str, amount: Money) {
        match books.iter_mut().find(|book| book.store_id == store_id) {
            Some(book) => book.open = book.open.saturating_add(amount),
            None => books.push(Self { store_id: store_id.to_owned(), open: amount }),
        }
    }

    /// Sum of the open amounts in all books.
    pub fn sum(books: &[Self]) -> Money {
        books.iter().map(|book| book.open).sum::<Money>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_spread_over_what_is_open() {
        let book = |store_id: &str, open| BookOpen { store_id: store_id.to_owned(), open };
        let mut books = vec![book("S001", 600.into()), book("S002", 300.into()), book("S003", 0.into())];
        assert_eq!(
            BookOpen::take(&mut books, 100.into()),
            [book("S001", 67.into()), book("S002", 33.into())]
        );
        assert_eq!(
            BookOpen::take(&mut books, 800.into()),
            [book("S001", 533.into()), book("S002", 267.into())]
        );
        assert_eq!(BookOpen::sum(&books), 0);
        BookOpen::put_back(&mut books, "S002", 267.into());
        assert_eq!(BookOpen::sum(&books), 267);
    }
}
