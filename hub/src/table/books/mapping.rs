//! `mappings`: accounts that replace those of the standard chart, each from an entry date on.

use crate::columns;
use domain::rules::books::posting::plan::Account;
use domain::rules::books::posting::{Mapped, MappingOf};
use jiff::civil::Date;
use sqlx::AnyConnection;

/// All mappings, as a transaction read them.
#[derive(Default)]
pub struct Mappings(Vec<Mapping>);

struct Mapping {
    kind: String,
    key: String,
    account: Account,
    from: Date,
    closed: bool,
}

/// A mapped account that is closed, so the account of the standard chart is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closed {
    /// Kind of object that was mapped.
    pub of: MappingOf,
    /// Key of the mapping.
    pub key: String,
    pub account: Account,
}

impl Mappings {
    /// Loads all mappings; there are few.
    pub async fn load(connection: &mut AnyConnection) -> Result<Self, sqlx::Error> {
        let sql = "SELECT m.kind, m.mapped_key, m.account, m.from_date, \
                   (SELECT COUNT(*) FROM accounts a WHERE a.account = m.account AND a.closed = 1) AS closed \
                   FROM mappings m ORDER BY m.from_date";
        let mut mappings = Vec::new();
        for row in sqlx::query(sql).fetch_all(connection).await? {
            let (kind, key, account, from, closed): (String, String, Account, Date, bool) =
                columns!(row => (kind, mapped_key, account, from_date, closed));
            mappings.push(Mapping { kind, key, account, from, closed });
        }
        Ok(Self(mappings))
    }

    /// Whether there are no mappings.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The mappings of `keys` that apply on a day, and those of them with a closed account.
    pub fn on<'a>(
        &self,
        day: Date,
        keys: impl IntoIterator<Item = (MappingOf, &'a str)>,
    ) -> (Mapped, Vec<Closed>) {
        let (mut mapped, mut closed) = (Mapped::default(), Vec::new());
        for (of, key) in keys {
            let known =
                |mapping: &&Mapping| mapping.kind == of.name() && mapping.key == key && mapping.from <= day;
            match self.0.iter().rev().find(known) {
                Some(mapping) if mapping.closed => {
                    closed.push(Closed { of, key: key.to_owned(), account: mapping.account });
                }
                Some(mapping) => mapped.set(of, key, mapping.account),
                None => {}
            }
        }
        (mapped, closed)
    }

    /// The accounts of a reversal: those that its document was posted to `before`; and those of them that are closed.
    pub fn for_reversal<'a>(
        &self,
        before: &Mapped,
        keys: impl IntoIterator<Item = (MappingOf, &'a str)>,
    ) -> (Mapped, Vec<Closed>) {
        let (mut mapped, mut closed) = (Mapped::default(), Vec::new());
        for (of, key) in keys {
            let Some(account) = before.get(of, key) else { continue };
            // Mappings are never deleted, so the list has every account that was mapped before.
            if self.0.iter().any(|mapping| mapping.account == account && mapping.closed) {
                closed.push(Closed { of, key: key.to_owned(), account });
            } else {
                mapped.set(of, key, account);
            }
        }
        (mapped, closed)
    }
}
