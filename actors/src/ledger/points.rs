//! Points without a sale: a manager's correction, and lots whose date has passed.

use super::{LedgerMessage, State};
use crate::failure::Failure;
use crate::pending::{Outcome, Pending};
use crate::shelf;
use crate::shift::guarded;
use crate::sync_state::LinkState;
use crate::who::Who;
use domain::answer::Answer;
use domain::audit::AuditEntry;
use domain::event::Event;
use domain::ids::{MemberId, UserId};
use domain::member::MemberState;
use domain::points::{self, AdjustPoints, AdjustedPoints, PointsAccount, PointsReason};
use domain::record;
use jiff::civil::Date;
use ractor::{ActorProcessingErr, ActorRef};
use std::time::Duration;
use storage::Commit;

/// How often the ledger looks whether a new day has begun.
const LOOK_EVERY: Duration = Duration::from_secs(60);
/// Accounts that are looked at between two other commands.
const ACCOUNTS_AT_ONCE: usize = 200;
/// Who lets points die.
const SYSTEM: &str = "system";

impl State {
    /// Takes over whether head office can be asked: while it can't, redeeming has an allowance. Where that
    /// changed, accounts are read anew, as soon as all that wrote them is in the rows.
    pub(super) async fn follow_the_link(&mut self) -> Result<(), ActorProcessingErr> {
        let apart = !matches!(self.door.sync.get().state, LinkState::NotConfigured | LinkState::Online);
        if apart != self.book.apart {
            self.door.storage.barrier().await?;
            self.book.points.clear();
            self.book.apart = apart;
        }
        Ok(())
    }

    /// Notes a member that was blocked since its basket was made, and one that goes on as another one, which is given;
    /// one that is not known earns as its basket says.
    pub(super) fn load_idle(&mut self, id: Option<&MemberId>) -> Result<Option<MemberId>, Failure> {
        let Some(id) = id else { return Ok(None) };
        let found = shelf::member(&self.door.storage, id)?;
        let now = found.as_ref().map_or_else(|| id.clone(), |member| member.member_id.clone());
        if now == *id {
            self.book.merged.remove(id);
        } else {
            self.book.merged.insert(id.clone(), now.clone());
        }
        if found.is_some_and(|member| member.state != MemberState::Active) {
            self.book.idle.insert(id.clone());
        } else {
            self.book.idle.remove(id);
        }
        Ok(Some(now))
    }

    /// What head office was told since is no longer apart: the allowance is whole again.
    pub(super) fn tell_apart(&self, account: &mut PointsAccount) -> Result<(), Failure> {
        if self.book.apart && account.redeemed_apart > 0 {
            let untold = self.door.storage.pending_points(&account.member_id)?;
            let redeemed = untold.iter().filter(|entry| entry.reason == PointsReason::Redeem);
            let redeemed = redeemed.fold(0_i64, |sum, entry| sum.saturating_sub(entry.points));
            account.redeemed_apart = account.redeemed_apart.min(redeemed);
        }
        Ok(())
    }

    pub(super) fn adjust_points(
        &mut self,
        member: &MemberId,
        command: &AdjustPoints,
        who: &Who,
        pending: Pending,
    ) {
        let decided = self.load_points(Some(member)).and_then(|()| self.adjusted(member, command, who));
        match decided {
            Err(failure) => pending.refuse(&self.door.storage, failure),
            Ok(outcome) => {
                let events = outcome.events.clone();
                if pending.ready(outcome).is_some_and(|ready| ready.submit(&self.door.storage)) {
                    events.iter().for_each(|event| self.book.evolve(event));
                }
            }
        }
    }

    fn adjusted(&self, member: &MemberId, command: &AdjustPoints, who: &Who) -> Result<Outcome, Failure> {
        let (stamp, rules, mandate) = (self.door.stamps.stamp(), &self.door.rules, who.mandate());
        let reference_id = stamp.event_id.0.as_str();
        let event = guarded(|| {
            points::adjust(command, member, reference_id, stamp.now, &mandate, rules, &self.book)
        })?;
        let Event::PointsChanged { entries, account } = &event else {
            return Err(Failure::Internal("an adjustment changes points".to_owned()));
        };
        let Some(entry) = entries.first() else {
            return Err(Failure::Internal("an adjustment has an entry".to_owned()));
        };
        let answer = Answer::ok(&AdjustedPoints::new(account, entry));
        let mut records = vec![record::points_adjusted(&stamp, entry, &command.reason)];
        let points = entry.points.to_string();
        let details =
            [("member_id", member.as_str()), ("points", points.as_str()), ("reason", &command.reason)];
        let audited = AuditEntry::new(&mandate, "points.adjusted", stamp.now, &details);
        let audit_stamp = self.door.stamps.stamp();
        records.push(record::audit_recorded(&audit_stamp, Some(entry.business_date), &audited));
        let events = vec![event, Event::Audited { entry: audited }];
        Ok(Outcome { events, records, answer, stamp: audit_stamp })
    }

    /// Looks through a page of accounts, and comes back for the next one; through all of them once a day.
    /// Only a store without a hub does: if every store let the lots it knows die, a member of forty shops
    /// would lose them forty times.
    pub(super) fn expire_points(&mut self, after: Option<MemberId>, me: &ActorRef<LedgerMessage>) {
        let rules = &self.door.rules;
        let alone = self.door.sync.get().state == LinkState::NotConfigured;
        let today = self.certain().filter(|_| alone && rules.policy.points_expire_days > 0);
        let today = today.map(|now| rules.business_date(now)).filter(|today| self.expired_on != Some(*today));
        let next = match today.map(|today| (today, self.expire_page(after.as_ref(), today))) {
            None => None,
            Some((today, Ok(next))) => {
                self.expired_on = next.is_none().then_some(today);
                next
            }
            Some((_, Err(failure))) => {
                tracing::error!(error = %failure, "points were not expired");
                None
            }
        };
        let pause = if next.is_some() { Duration::ZERO } else { LOOK_EVERY };
        me.send_after(pause, move || LedgerMessage::ExpirePoints { after: next });
    }

    /// Expires what has died of one page of accounts, in one commit; gives the last one looked at.
    fn expire_page(&mut self, after: Option<&MemberId>, today: Date) -> Result<Option<MemberId>, Failure> {
        let accounts = self.door.storage.points_accounts(after, ACCOUNTS_AT_ONCE)?;
        let last = accounts.last().map(|account| account.member_id.clone());
        let last = last.filter(|_| accounts.len() >= ACCOUNTS_AT_ONCE);
        // Before anything is decided: no await lies between that and submitting.
        let permit = self.door.storage.reserve().try_acquire_owned();
        let permit = permit.map_err(|_| Failure::Unavailable("the disk is slow"))?;
        self.door.storage.writable().map_err(|why| Failure::StorageFull(why.to_string()))?;
        let by = UserId::from(SYSTEM);
        let (mut events, mut records, mut stamps) = (Vec::new(), Vec::new(), None);
        for account in accounts {
            let member = account.member_id.clone();
            // What the ledger has in memory is newer than the row.
            self.book.points.entry(member.clone()).or_insert(account);
            let stamp = self.door.stamps.stamp();
            let Some(event) = points::expire(&member, today, stamp.now, &by, &self.book) else { continue };
            records
                .extend(event.points().iter().map(|entry| record::points_adjusted(&stamp, entry, "expired")));
            events.push(event);
            stamps = Some(stamp);
        }
        let Some(stamp) = stamps else { return Ok(last) };
        let commit =
            Commit { events: events.clone(), records, keyed: None, at: stamp.now, hlc: Some(stamp.at) };
        let commit = commit.ready().map_err(|error| Failure::Internal(error.to_string()))?;
        let submitted = self.door.storage.submit_ready(commit, move |_durable| drop(permit));
        submitted.map_err(|error| Failure::Internal(error.to_string()))?;
        events.iter().for_each(|event| self.book.evolve(event));
        Ok(last)
    }
}
