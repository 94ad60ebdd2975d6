//! Files that the operator imports.

use super::StoreHandle;
use crate::owners::ledger::{OpenPoints, OpenStock};
use crate::runtime::failure::{Done, Failure};
use crate::runtime::request::RequestContext;
use domain::model::base::ids::{SessionId, UserId};
use domain::model::people::user::{Principal, Role};
use domain::rules::inventory::stock::OpeningRow;
use domain::rules::people::points::PointsRow;

/// User ID of a command on the machine itself, where no user is logged in.
const CONSOLE: &str = "console";

impl StoreHandle {
    /// Takes the opening stock of every row into the books, all of them or none.
    ///
    /// # Errors
    /// [`Failure::Refused`] with every bad row, by [`domain::rules::inventory::stock::open_stock`].
    pub async fn open_stock(&self, rows: Vec<OpeningRow>) -> Result<Done, Failure> {
        self.run(self.console(), OpenStock { rows, dry_run: false }).await
    }

    /// Gives every member of a file the points of its row, all of them or none.
    ///
    /// # Errors
    /// [`Failure::Refused`] with every bad row, by [`domain::rules::people::points::open_points`].
    pub async fn open_points(&self, rows: Vec<PointsRow>) -> Result<Done, Failure> {
        self.run(self.console(), OpenPoints(rows)).await
    }

    /// Context of the operator of the machine.
    pub(super) fn console(&self) -> RequestContext {
        let caller = Principal {
            user_id: UserId::from(CONSOLE),
            name: CONSOLE.to_owned(),
            role: Role::Admin,
            store_id: self.context.rules.now().store_id.clone(),
            session_id: SessionId::from(CONSOLE),
        };
        RequestContext::internal(caller)
    }
}
