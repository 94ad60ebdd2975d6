//! Members that are not found here: head office is asked, for a moment, and whom it knows is taken in and kept.

use super::StoreHandle;
use crate::failure::Failure;
use crate::hub_client::{CallError, HubClient, MEMBER_TIMEOUT};
use crate::hub_connection::met;
use domain::ids::MemberId;
use domain::member::MemberKey;
use domain::sync::FindMember;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::time::timeout;

/// Whether head office was asked for somebody who was not found here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HeadOffice {
    /// There was no need, or there is none.
    NotNeeded,
    /// It was, and whom it knows is here now.
    Asked,
    /// It could not be, was asked by too many, or said nothing in time: it may know whom this store does not.
    NotAsked,
}

impl StoreHandle {
    /// Asks for the member of an id that nobody has here.
    ///
    /// # Errors
    /// [`Failure::Internal`] when storage can't be read.
    pub async fn meet(&self, id: &MemberId) -> Result<HeadOffice, Failure> {
        match self.door.storage.member(id)? {
            Some(_) => Ok(HeadOffice::NotNeeded),
            None => self.find(FindMember::by_id(id)).await,
        }
    }

    /// Asks for whom these name, if they name nobody here.
    ///
    /// # Errors
    /// As [`StoreHandle::meet`].
    pub async fn meet_by(&self, keys: Vec<MemberKey>) -> Result<HeadOffice, Failure> {
        for key in &keys {
            if self.door.storage.member_by_key(key)?.is_some() {
                return Ok(HeadOffice::NotNeeded);
            }
        }
        if keys.is_empty() { Ok(HeadOffice::NotNeeded) } else { self.find(FindMember::by_keys(keys)).await }
    }

    async fn find(&self, ask: FindMember) -> Result<HeadOffice, Failure> {
        if self.door.storage.hub()?.is_none() {
            return Ok(HeadOffice::NotNeeded);
        }
        let Ok(_place) = self.online.look_ups.try_acquire() else { return Ok(HeadOffice::NotAsked) };
        let Some(client) = self.client_online()? else { return Ok(HeadOffice::NotAsked) };
        let asked = timeout(MEMBER_TIMEOUT, self.take_in(&client, &ask)).await;
        Ok(match asked {
            Ok(Ok(())) => HeadOffice::Asked,
            Ok(Err(error)) => {
                tracing::warn!(%error, "head office could not be asked for a member");
                HeadOffice::NotAsked
            }
            Err(_) => {
                tracing::warn!("head office did not tell of a member in time");
                HeadOffice::NotAsked
            }
        })
    }

    async fn take_in(&self, client: &HubClient, ask: &FindMember) -> Result<(), CallError> {
        let found = client.find_member(ask).await?;
        met(&self.door, &found.changes, &found.coverage).await
    }
}
