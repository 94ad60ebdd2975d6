//! Members as they are, and a file of them.

use super::StoreHandle;
use crate::owners::members::ImportMembers;
use crate::owners::pricing;
use crate::runtime::failure::{Done, Failure};
use domain::model::base::ids::MemberId;
use domain::model::base::refusal::Refusal;
use domain::model::people::member::Member;
use domain::rules::people::member::MemberRow;
use std::sync::Arc;

impl StoreHandle {
    /// Registers every row of a file in one commit, or none.
    ///
    /// # Errors
    /// [`Failure::Refused`] with every bad row, by [`domain::rules::people::member::import`].
    pub async fn import_members(&self, rows: Vec<MemberRow>) -> Result<Done, Failure> {
        self.run(self.console(), ImportMembers(rows)).await
    }

    /// The member of an ID. For a merged member, the member that it was merged into.
    ///
    /// # Errors
    /// [`Refusal::NotFound`] if there is none.
    pub fn member(&self, id: &MemberId) -> Result<Member, Failure> {
        let found = pricing::member(&self.context.storage, id)?;
        found.map(Arc::unwrap_or_clone).ok_or(Failure::Refused(Refusal::NotFound("member")))
    }
}
