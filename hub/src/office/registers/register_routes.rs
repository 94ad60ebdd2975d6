//! Tills of stores, listed and changed.

use crate::http::prelude::*;
use crate::office::registers::register::{self, RegistersQuery, View};
use domain::rules::books::register::ChangeRegister;

const REGISTER: &str = r#"{"store_id": "S001", "register_id": "till-1", "name": "Front", "state": "active"}"#;

pub const ROUTES: &[Route<Hub>] = &[
    get("/api/registers", ADMIN, "Stores")
        .summary("List registers that have sold, or that head office has named")
        .lists::<RegistersQuery>(REGISTER),
    patch("/api/registers/:store_id/:register_id", ADMIN, "Stores")
        .summary(
            "Rename, enable or disable a store's register; the store applies the change when it is notified",
        )
        .command::<ChangeRegister>(r#"{"name": "Front", "state": "disabled"}"#, REGISTER),
];

impl PagedList for RegistersQuery {
    type Query = Self;
    type Item = View;
    type Position = (String, String);
    async fn read(page: PageOf<'_, Self>) -> Result<Vec<View>, Failure> {
        Ok(register::list(page.pool, page.query, page.after, page.limit).await?)
    }
    fn position(register: &View) -> (String, String) {
        (register.store_id.clone(), register.register_id.clone())
    }
}

impl Command for ChangeRegister {
    const ACTION: &'static str = "register.changed";
    type Answer = View;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<View>, Failure> {
        let (store_id, register_id) = (tx.path.get("store_id"), tx.path.get("register_id"));
        let changed = register::change(tx.connection, (store_id, register_id), &self, tx.now).await?;
        let details = json!({"store_id": store_id, "register_id": register_id, "name": changed.name,
            "state": changed.state});
        Ok(Changed::answer(&changed, details))
    }
}
