//! Points without a sale: expired lots, and accounts that are read again.

use super::State;
use crate::hub::sync_state::LinkState;
use crate::message::LedgerMessage;
use crate::runtime::failure::Failure;
use domain::model::base::ids::{MemberId, UserId};
use domain::rules::people::points;
use domain::wire::record;
use jiff::civil::Date;
use ractor::{ActorProcessingErr, ActorRef};
use std::time::Duration;

/// Interval at which the ledger looks whether a new day has begun.
const LOOK_EVERY: Duration = Duration::from_secs(60);
/// Accounts that are looked at between two other commands.
const ACCOUNTS_AT_ONCE: usize = 200;
/// User ID of the expiry of points.
const SYSTEM: &str = "system";

impl State {
    /// Takes over whether head office can be asked: while it can't, redeeming has an allowance. After a change,
    /// accounts are read again, as soon as all their commits are in the rows.
    pub(super) async fn sync_offline_flag(&mut self) -> Result<(), ActorProcessingErr> {
        let offline = !matches!(self.context.sync.get().state, LinkState::NotConfigured | LinkState::Online);
        if offline != self.ledger.book.apart {
            self.context.storage.barrier().await?;
            self.ledger.book.points.clear();
            self.ledger.book.apart = offline;
        }
        Ok(())
    }

    /// Expires points page by page, once a day. Only a store without a hub does this: if every store expired the lots
    /// that it knows, a member of forty stores would lose them forty times.
    pub(super) fn expire_points(&mut self, after: Option<MemberId>, me: &ActorRef<LedgerMessage>) {
        let rules = &self.context.rules.now().of_next_shift();
        let alone = self.context.sync.get().state == LinkState::NotConfigured;
        let today = self.decision_time().filter(|_| alone && rules.policy.points_expire_days > 0);
        let today = today.map(|now| rules.business_date(now)).filter(|today| self.expired_on != Some(*today));
        let next = match today.map(|today| (today, self.expire_page(after.as_ref(), today))) {
            None => None,
            Some((today, Ok(next))) => {
                self.expired_on = next.is_none().then_some(today);
                next
            }
            Some((_, Err(failure))) => {
                tracing::error!(error = %failure, "points could not be expired");
                None
            }
        };
        let pause = if next.is_some() { Duration::ZERO } else { LOOK_EVERY };
        me.send_after(pause, move || LedgerMessage::ExpirePoints { after: next });
    }

    /// Expires the points of one page of accounts in one commit. Returns the last account of the page.
    fn expire_page(&mut self, after: Option<&MemberId>, today: Date) -> Result<Option<MemberId>, Failure> {
        let accounts = self.context.storage.members().points_accounts(after, ACCOUNTS_AT_ONCE)?;
        let last = accounts.last().map(|account| account.member_id.clone());
        let last = last.filter(|_| accounts.len() >= ACCOUNTS_AT_ONCE);
        // Before anything is decided: there is no await between that and submitting.
        let permit = self.context.storage.reserve().try_acquire_owned();
        let permit = permit.map_err(|_| Failure::Unavailable("the disk is slow"))?;
        self.context.storage.writable().map_err(|why| Failure::StorageFull(why.to_string()))?;
        let by = UserId::from(SYSTEM);
        let (mut events, mut records, mut stamps) = (Vec::new(), Vec::new(), None);
        for account in accounts {
            let member = account.member_id.clone();
            // The ledger's memory is newer than the row.
            self.ledger.book.points.entry(member.clone()).or_insert(account);
            let stamp = self.context.stamps.stamp();
            let Some(moved) = points::expire(&member, today, stamp.now, &by, &self.ledger.book) else {
                continue;
            };
            records.push(record::points_adjusted(&stamp, &moved.entry, "expired"));
            events.push(moved.into());
            stamps = Some(stamp);
        }
        let Some(stamp) = stamps else { return Ok(last) };
        self.submit_own(permit, stamp, events, records)
            .map_err(|error| Failure::Internal(error.to_string()))?;
        Ok(last)
    }
}
