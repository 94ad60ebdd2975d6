//! Members, points, people and what they did come back.

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
    /// A field that was written later, here or at head office, stays.
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
    /// The person as the record tells, unless what is here is later. Two may have one login name for a while, as
    /// histories of two boxes are put together: `came_back::names` settles that at their end.
    fn recover<R: Rows>(self, _head: &Head<'_>, book: &mut Book<'_, R>) -> Events<R::Error> {
        let known = book.known_user(&self.user_id)?;
        let said = book.rows.said_of_user(&self.user_id)?;
        let came = came_back::user(self, known.as_ref(), said.as_ref(), book.rows.costs_max());
        Ok(came.map(|user| fact::UserChanged { user }.into()))
    }
}

impl Recover for AuditRecorded {
    fn recover<R: Rows>(self, _head: &Head<'_>, _book: &mut Book<'_, R>) -> Events<R::Error> {
        Ok(Some(fact::Audited { entry: self.entry }.into()))
    }
}

/// Head office tells settings again.
impl Recover for ProductSettingsChanged {}
