//! A manager corrects a member's points.

use super::Ledger;
use crate::owners::pricing;
use crate::prelude::*;
use domain::model::base::ids::MemberId;
use domain::model::people::member::MemberState;
use domain::rules::people::points;
use domain::rules::people::points::AdjustedPoints;
use serde_json::json;

/// Corrects a member's points, by the rules of [`domain::rules::people::points::adjust`]; an erased member's can't be.
pub struct AdjustPoints(pub MemberId, pub points::AdjustPoints);

impl Dispatch for AdjustPoints {
    async fn load(&self, context: &Context, _request: &RequestContext) -> Result<MemberId, Failure> {
        let found = pricing::member(&context.storage, &self.0)?.ok_or(Refusal::NotFound("member"))?;
        if found.state == MemberState::Erased {
            let state = MemberState::Erased.name().to_owned();
            return Err(Refusal::InvalidState { state, allowed: Vec::new() }.into());
        }
        Ok(found.member_id.clone())
    }
}

impl Command for AdjustPoints {
    type Book = LedgerBook;
    type Rows = MemberId;

    fn decide(
        &self,
        member: MemberId,
        ledger: &mut Ledger,
        request: &RequestContext,
    ) -> Result<Decision, Failure> {
        ledger.load_points(Some(&member))?;
        let (stamp, authorization) = (ledger.stamps.stamp(), request.authorization());
        let rules = &ledger.rules.of_next_shift();
        let (command, reference_id) = (&self.1, stamp.event_id.0.as_str());
        let moved =
            points::adjust(command, &member, reference_id, stamp.now, &authorization, rules, &ledger.book)?;
        let points::Moved { entry, account } = &moved;
        let answer = Answer::ok(&AdjustedPoints::new(account, entry));
        let records = vec![record::points_adjusted(&stamp, entry, &command.reason)];
        let details = json!({"member_id": member, "points": entry.points, "reason": command.reason});
        let audited = AuditEntry::new(&authorization, "points.adjusted", stamp.now, details);
        let date = entry.business_date;
        let outcome = Outcome::of(stamp, moved, records, answer);
        Ok(outcome.audited(&ledger.stamps, Some(date), audited).into())
    }
}
