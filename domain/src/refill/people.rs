//! Members, points, people and what they did come back.

use super::{Book, Head, Rows};
use crate::event::Event;
use crate::member::{FieldMark, Member, changed_to, set};
use crate::record::{AuditRecorded, MemberChanged, PointsAdjusted, UserChanged};
use crate::user::User;

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

    /// Records carry no password: who comes back so gets a new one from a manager.
    pub(super) fn user(&mut self, record: UserChanged) -> Events<R::Error> {
        if self.rows.has_user(&record.user_id, &record.username)? {
            return Ok(Vec::new());
        }
        let user = User {
            user_id: record.user_id,
            username: record.username,
            name: record.name,
            role: record.role,
            store_id: record.store_id,
            password_hash: None,
            token_version: record.token_version,
            disabled: record.disabled,
            created_at: record.updated_at,
            updated_at: record.updated_at,
        };
        Ok(vec![Event::UserChanged { user }])
    }

    pub(super) fn audited(&mut self, record: AuditRecorded) -> Events<R::Error> {
        Ok(vec![Event::Audited { entry: record.entry }])
    }
}
