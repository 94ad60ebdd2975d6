//! Recovers members, points, users and audit entries from the store's own records.

use crate::model::base::event;
use crate::model::base::event::fact;
use crate::model::people::member::{FieldMark, Member};
use crate::rules::hub::recovery::{Book, Events, Head, Recover, Rows, one};
use crate::rules::people::member::{changed_to, set};
use crate::rules::people::user::came_back;
use crate::wire::record::{
    AuditRecorded, MemberChanged, PointsAdjusted, ProductSettingsChanged, UserChanged,
};

impl Recover for MemberChanged {
    /// Skips fields that have a later change, of this store or of head office.
    fn recover<R: Rows>(self, head: &Head<'_>, book: &mut Book<'_, R>) -> Events<R::Error> {
        let known = book.known_member(&self.id)?;
        let mut member = known.clone().unwrap_or_else(|| Member::blank(self.id.clone(), head.now));
        for (field, write) in &self.fields {
            let later = member.marks.get(field).is_some_and(|mark| mark.at >= write.at);
            if later || !set(&mut member, field, &write.value).unwrap_or(false) {
                continue;
            }
            let mark = FieldMark::from_hub(&write.at, head.event_id);
            member.marks.insert(field.clone(), mark);
            if member.version.as_str() < head.at {
                head.at.clone_into(&mut member.version);
            }
            member.updated_at = member.updated_at.max(head.now);
        }
        Ok(Some(changed_to(known.as_ref(), member).into()))
    }
}

impl Recover for PointsAdjusted {
    fn recover<R: Rows>(self, _head: &Head<'_>, book: &mut Book<'_, R>) -> Events<R::Error> {
        let points = vec![self.entry];
        let account = book.credited(&points)?;
        Ok(one(fact::PointsMoved {}, event::Rows { points, account, ..event::Rows::default() }))
    }
}

impl Recover for UserChanged {
    /// Restores the user as in the record, except for fields that were changed later. While the histories of two
    /// boxes are merged, two users may have the same login name; `came_back::names` resolves that at the end.
    fn recover<R: Rows>(self, _head: &Head<'_>, book: &mut Book<'_, R>) -> Events<R::Error> {
        let known = book.known_user(&self.user_id)?;
        let of_office = book.rows.office_record_of_user(&self.user_id)?;
        let changed = came_back::user(self, known.as_ref(), of_office.as_ref(), book.rows.costs_max());
        Ok(changed.map(|user| fact::UserChanged { user }.into()))
    }
}

impl Recover for AuditRecorded {
    fn recover<R: Rows>(self, _head: &Head<'_>, _book: &mut Book<'_, R>) -> Events<R::Error> {
        Ok(Some(fact::Audited { entry: self.entry }.into()))
    }
}

/// Nothing to recover: head office sends the settings again.
impl Recover for ProductSettingsChanged {}
