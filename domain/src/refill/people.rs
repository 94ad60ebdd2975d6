//! Members, points, people and what they did come back.

use super::{Book, Head, Rows};
use crate::event::Event;
use crate::member::{FieldMark, Member, changed_to, set};
use crate::record::{AuditRecorded, MemberChanged, PointsAdjusted, UserChanged};
use crate::user::came_back;

type Events<E> = Result<Vec<Event>, E>;

impl<R: Rows> Book<'_, R> {
    /// A field that was written later, here or at head office, stays.
    pub(super) fn member(&mut self, head: &Head<'_>, record: MemberChanged) -> Events<R::Error> {
        let known = self.known_member(&record.id)?;
        let mut member = known.clone().unwrap_or_else(|| Member::blank(record.id.clone(), head.now));
        for (field, write) in &record.fields {
            let later = member.marks.get(field).is_some_and(|mark| mark.at >= write.at);
            if later || !set(&mut member, field, &write.value).unwrap_or(false) {
                continue;
            }
            let mark = FieldMark::told(&write.at, head.event_id);
            member.marks.insert(field.clone(), mark);
            if member.version.as_str() < head.at {
                head.at.clone_into(&mut member.version);
            }
            member.updated_at = member.updated_at.max(head.now);
        }
        Ok(vec![changed_to(known.as_ref(), member)])
    }

    pub(super) fn points(&mut self, record: PointsAdjusted) -> Events<R::Error> {
        let entries = vec![record.entry];
        let account = self.credited(&entries)?;
        Ok(account.map(|account| Event::PointsChanged { entries, account }).into_iter().collect())
    }

    /// The person as the record tells, unless what is here is later. Two may have one login name for a while, as
    /// histories of two boxes are put together: `came_back::names` settles that at their end.
    pub(super) fn user(&mut self, record: UserChanged) -> Events<R::Error> {
        let known = self.known_user(&record.user_id)?;
        let said = self.rows.said_of_user(&record.user_id)?;
        let came = came_back::user(record, known.as_ref(), said.as_ref(), self.rows.costs_max());
        Ok(came.map(|user| Event::UserChanged { user }).into_iter().collect())
    }

    pub(super) fn audited(&mut self, record: AuditRecorded) -> Events<R::Error> {
        Ok(vec![Event::Audited { entry: record.entry }])
    }
}
