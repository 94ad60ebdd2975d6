//! Members that are not found here: head office is asked, with a short deadline, and the members that it knows are
//! taken in and kept.

use super::StoreHandle;
use crate::hub::hub_client::{CallError, HubClient, MEMBER_TIMEOUT};
use crate::hub::hub_connection::merge_found_member;
use crate::runtime::failure::Failure;
use domain::model::base::ids::MemberId;
use domain::model::people::member::MemberKey;
use domain::wire::sync::FindMember;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::time::timeout;

/// Outcome of asking head office for a member who was not found in this store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HeadOffice {
    /// Head office was not asked: it was not necessary, or the store has no head office.
    NotNeeded,
    /// Head office was asked, and this store now has the members that head office knows.
    Asked,
    /// Head office could not be asked or did not answer in time. It may know members that this store does not have.
    NotAsked,
}

impl StoreHandle {
    /// Asks for the member of an ID that is unknown here.
    ///
    /// # Errors
    /// [`Failure::Internal`] when storage can't be read.
    pub async fn look_up_member(&self, id: &MemberId) -> Result<HeadOffice, Failure> {
        match self.context.storage.members().known(id)? {
            Some(_) => Ok(HeadOffice::NotNeeded),
            // Boxed: most members are known.
            None => Box::pin(self.find(FindMember::by_id(id))).await,
        }
    }

    /// Asks for the members of these keys, if none of them is known here.
    ///
    /// # Errors
    /// The errors of [`StoreHandle::look_up_member`].
    pub async fn look_up_members(&self, keys: Vec<MemberKey>) -> Result<HeadOffice, Failure> {
        for key in &keys {
            if self.context.storage.members().member_by_key(key)?.is_some() {
                return Ok(HeadOffice::NotNeeded);
            }
        }
        if keys.is_empty() { Ok(HeadOffice::NotNeeded) } else { self.find(FindMember::by_keys(keys)).await }
    }

    async fn find(&self, query: FindMember) -> Result<HeadOffice, Failure> {
        if self.context.storage.sync().hub()?.is_none() {
            return Ok(HeadOffice::NotNeeded);
        }
        let Ok(_permit) = self.context.online.look_ups.try_acquire() else { return Ok(HeadOffice::NotAsked) };
        let Some(client) = self.context.client_online()? else { return Ok(HeadOffice::NotAsked) };
        let asked = timeout(MEMBER_TIMEOUT, self.take_in(&client, &query)).await;
        Ok(match asked {
            Ok(Ok(())) => HeadOffice::Asked,
            Ok(Err(error)) => {
                tracing::warn!(%error, "head office could not be asked for a member");
                HeadOffice::NotAsked
            }
            Err(_) => {
                tracing::warn!("head office did not answer in time about a member");
                HeadOffice::NotAsked
            }
        })
    }

    async fn take_in(&self, client: &HubClient, query: &FindMember) -> Result<(), CallError> {
        let found = client.find_member(query).await?;
        merge_found_member(&self.context, &found.changes, &found.coverage).await
    }
}
