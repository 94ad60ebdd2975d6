//! Opening stock, as whoever runs the machine imports it.

use super::{Ask, FILE_DEADLINE, StoreHandle};
use crate::failure::{Done, Failure};
use crate::ledger::LedgerMessage;
use domain::ids::{SessionId, UserId};
use domain::stock::OpeningRow;
use domain::user::{Caller, Role};

/// Who it was where no user is logged in: a command on the machine itself.
const CONSOLE: &str = "console";

impl StoreHandle {
    /// Takes the first stock of every row into the books, all of them or none.
    ///
    /// # Errors
    /// [`Failure::Refused`] with every bad row, by [`domain::stock::open_stock`].
    pub async fn open_stock(&self, rows: Vec<OpeningRow>) -> Result<Done, Failure> {
        let products = self.products(rows.iter().map(|row| &row.sku))?;
        let ask = self.console();
        self.run_within(FILE_DEADLINE, &ask, |pending| {
            let (rows, products) = (rows.clone(), products.clone());
            self.to_ledger(LedgerMessage::OpenStock { rows, products, who: ask.who(), pending })
        })
        .await
    }

    /// Whoever runs the machine asks.
    pub(super) fn console(&self) -> Ask {
        let caller = Caller {
            user_id: UserId::from(CONSOLE),
            name: CONSOLE.to_owned(),
            role: Role::Admin,
            store_id: self.door.rules.store_id.clone(),
            session_id: SessionId::from(CONSOLE),
        };
        Ask { caller, approver: None, register_id: None, key: None }
    }
}
