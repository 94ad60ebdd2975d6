//! Reads of answers and of the audit log.

use super::{Listed, Log, Read};
use crate::journal::index::{Kind, hash, list};
use crate::writer::commit::StoredAnswer;
use domain::model::base::command_print::CommandPrint;
use domain::model::base::event::{Event, Fact, Noun};
use domain::model::base::ids::UserId;
use domain::model::people::audit::AuditEntry;

/// Filter for audit entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuditOf {
    /// All entries.
    All,
    /// Actions of a user.
    User(UserId),
    /// One kind of action.
    Action(String),
}

impl Log<'_> {
    /// The answer that was kept under an idempotency key, if that is not more than `answers_days` (journal time)
    /// and a segment ago.
    pub fn answer(&self, key: &[u8; 32]) -> Read<Option<StoredAnswer>> {
        self.0.history.find_answer(hash(Kind::Answer, &[key]), |body| {
            let keyed = body.content.keyed.filter(|keyed| keyed.key == *key);
            Ok(keyed.map(|mut keyed| {
                let command = CommandPrint::kept(std::mem::take(&mut keyed.command));
                StoredAnswer { command, answer: keyed.answer() }
            }))
        })
    }

    /// Audit entries, newest first, each with its place among all of its commit, which is given whole.
    pub fn audit(
        &self,
        of: &AuditOf,
        before: Option<u64>,
        limit: usize,
    ) -> Read<Listed<(usize, AuditEntry)>> {
        let hash = match of {
            AuditOf::All => list(Noun::Audit),
            AuditOf::User(user) => hash(Kind::AuditUser, &[user.as_str().as_bytes()]),
            AuditOf::Action(action) => hash(Kind::AuditAction, &[action.as_bytes()]),
        };
        let wanted = |entry: &AuditEntry| match of {
            AuditOf::All => true,
            AuditOf::User(user) => entry.user_id == *user,
            AuditOf::Action(action) => entry.action == *action,
        };
        let pick = |event: Event, found: &mut Vec<(usize, Option<AuditEntry>)>| {
            if let Fact::Audited(it) = event.fact {
                found.push((found.len(), Some(it.entry).filter(wanted)));
            }
        };
        let found = self.0.history.newest(hash, before, limit, pick)?;
        Ok(found.into_iter().filter_map(|(lsn, (place, entry))| Some((lsn, (place, entry?)))).collect())
    }
}
