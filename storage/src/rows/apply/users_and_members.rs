//! Rows of people: members and their search keys, users, sessions.

use super::super::RowOp;
use super::super::table::Table;
use super::{Encoded, delete, empty, put};
use domain::model::base::event::fact;
use domain::model::base::ids::SessionId;
use domain::model::people::member::MemberKey;
use domain::model::people::user::{Rotation, Session, User};

pub fn member(changed: &fact::MemberChanged, out: &mut Vec<RowOp>) -> Encoded {
    let fact::MemberChanged { member, freed, lost_words } = changed;
    let id = &member.member_id;
    freed.iter().for_each(|key| delete([member_key(key), id.as_str().into()].concat(), out));
    for key in MemberKey::of(member) {
        put([member_key(&key), id.as_str().into()].concat(), id, out)?;
    }
    for word in lost_words {
        delete(Table::MemberWord.pair(word, id.as_str()), out);
    }
    for word in domain::rules::people::member::words(member) {
        empty(Table::MemberWord.pair(&word, id.as_str()), out);
    }
    put(Table::Member.key(id.as_str()), member, out)
}

pub fn user(user: &User, out: &mut Vec<RowOp>) -> Encoded {
    put(Table::Username.key(&user.username), &user.user_id, out)?;
    put(Table::User.key(user.user_id.as_str()), user, out)
}

pub fn session(session: &Session, expired: &[SessionId], out: &mut Vec<RowOp>) -> Encoded {
    expired.iter().for_each(|session_id| end_session(session_id, out));
    put(Table::Session.key(session.session_id.as_str()), session, out)
}

pub fn refreshed(session: &Session, rotation: &Rotation, out: &mut Vec<RowOp>) -> Encoded {
    put(Table::Session.key(session.session_id.as_str()), session, out)?;
    put(Table::Rotation.key(session.session_id.as_str()), rotation, out)
}

/// The common prefix of the rows of a member's key; the member's ID follows.
pub fn member_key(key: &MemberKey) -> Vec<u8> {
    let mut prefix = match key {
        MemberKey::Phone(phone) => Table::MemberKey.pair("phone", phone),
        MemberKey::Email(email) => Table::MemberKey.pair("email", email),
        MemberKey::Code(code) => Table::MemberKey.pair("code", code),
    };
    prefix.push(0);
    prefix
}

pub fn end_session(session_id: &SessionId, out: &mut Vec<RowOp>) {
    delete(Table::Rotation.key(session_id.as_str()), out);
    delete(Table::Session.key(session_id.as_str()), out);
}
