//! Reads of members and their points.

use super::{Listed, Members, Read, newest_of};
use crate::journal::index::{Kind, hash};
use crate::rows::apply::member_key;
use crate::rows::table::Table;
use domain::model::base::ids::MemberId;
use domain::model::base::search;
use domain::model::people::member::{Member, MemberKey};
use domain::model::people::points::{PointsAccount, PointsEntry};
use domain::rules::people::member;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Members<'_> {
    /// Reads a member.
    pub fn member(&self, id: &MemberId) -> Read<Option<Member>> {
        self.0.rows.row(Table::Member, id.as_str())
    }

    /// As `member`, without a copy; mostly no row is read.
    pub fn known(&self, id: &MemberId) -> Read<Option<Arc<Member>>> {
        self.0.rows.known.members.get(id.as_str(), |_| true, || self.member(id))
    }

    /// Members after an ID, in order of ID: of when they joined.
    pub fn members(&self, after: Option<&MemberId>, limit: usize) -> Read<Vec<Member>> {
        self.0.rows.page(Table::Member, after.map(MemberId::as_str), limit)
    }

    /// The member of a phone number, an e-mail address or a code; of several the one that joined first.
    pub fn member_by_key(&self, key: &MemberKey) -> Read<Option<MemberId>> {
        let found = self.0.rows.range(&member_key(key), None, 1)?;
        found.first().map(|(_, bytes)| self.0.rows.decoded(bytes)).transpose()
    }

    /// Members that have, for each typed word, a word that begins with it; in order of ID, after the given one.
    pub fn search_members(
        &self,
        typed: &BTreeSet<String>,
        after: Option<&MemberId>,
        limit: usize,
    ) -> Read<Vec<Member>> {
        let ids = self.0.rows.candidates(Table::MemberWord, typed, after.map(MemberId::as_str))?;
        let members = ids.filter_map(|id| self.0.rows.row::<Member>(Table::Member, &id).transpose());
        let wanted = |member: &Member| search::matches(typed, &member::words(member));
        members.filter(|member| member.as_ref().map_or(true, wanted)).take(limit).collect()
    }

    /// A member's points; `None` if there never were any.
    pub fn points(&self, member: &MemberId) -> Read<Option<PointsAccount>> {
        self.0.rows.row(Table::Points, member.as_str())
    }

    /// Points of members after an ID, in order of ID: of those who ever had any.
    pub fn points_accounts(&self, after: Option<&MemberId>, limit: usize) -> Read<Vec<PointsAccount>> {
        self.0.rows.page(Table::Points, after.map(MemberId::as_str), limit)
    }

    /// A member's points entries, newest first. A commit is given whole.
    pub fn points_entries(
        &self,
        member: &MemberId,
        before: Option<u64>,
        limit: usize,
    ) -> Read<Listed<PointsEntry>> {
        let hash = hash(Kind::Points, &[member.as_str().as_bytes()]);
        self.0.history.newest(hash, before, limit, |event, found| {
            found.extend(event.rows.points.iter().filter(|entry| entry.member_id == *member).cloned());
        })
    }

    /// The entries of a member and of those merged into it.
    pub fn points_entries_of(
        &self,
        member: &Member,
        before: Option<u64>,
        limit: usize,
    ) -> Read<Listed<PointsEntry>> {
        let found = member.family().map(|id| self.points_entries(id, before, limit));
        Ok(newest_of(found.collect::<Read<Vec<_>>>()?, limit))
    }
}
