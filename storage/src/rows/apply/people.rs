//! Rows of people: members and what they are found by, users, sessions.

use super::super::RowOp;
use super::super::table::Table;
use super::{Encoded, delete, empty, put};
use domain::event::Event;
use domain::ids::SessionId;
use domain::member::MemberKey;

pub fn ops(event: &Event, out: &mut Vec<RowOp>) -> Encoded {
    match event {
        Event::MemberChanged { member, freed, lost_words } => {
            let id = &member.member_id;
            freed.iter().for_each(|key| delete([member_key(key), id.as_str().into()].concat(), out));
            for key in MemberKey::of(member) {
                put([member_key(&key), id.as_str().into()].concat(), id, out)?;
            }
            for word in lost_words {
                delete(Table::MemberWord.pair(word, member.member_id.as_str()), out);
            }
            for word in domain::member::words(member) {
                empty(Table::MemberWord.pair(&word, member.member_id.as_str()), out);
            }
            put(Table::Member.key(member.member_id.as_str()), member, out)
        }
        Event::UserChanged { user } => {
            put(Table::Username.key(&user.username), &user.user_id, out)?;
            put(Table::User.key(user.user_id.as_str()), user, out)
        }
        _ => Ok(()),
    }
}

pub fn session_ops(event: &Event, out: &mut Vec<RowOp>) -> Encoded {
    match event {
        Event::SessionOpened { session, expired } => {
            expired.iter().for_each(|session_id| end_session(session_id, out));
            put(Table::Session.key(session.session_id.as_str()), session, out)
        }
        Event::SessionRefreshed { session, rotation } => {
            put(Table::Session.key(session.session_id.as_str()), session, out)?;
            put(Table::Rotation.key(session.session_id.as_str()), rotation, out)
        }
        Event::SessionClosed { session_id } => {
            end_session(session_id, out);
            Ok(())
        }
        _ => Ok(()),
    }
}

/// What the keys of all rows of a member's key begin with; the member's id follows.
pub fn member_key(key: &MemberKey) -> Vec<u8> {
    let mut prefix = match key {
        MemberKey::Phone(phone) => Table::MemberKey.pair("phone", phone),
        MemberKey::Email(email) => Table::MemberKey.pair("email", email),
        MemberKey::Code(code) => Table::MemberKey.pair("code", code),
    };
    prefix.push(0);
    prefix
}

fn end_session(session_id: &SessionId, out: &mut Vec<RowOp>) {
    delete(Table::Rotation.key(session_id.as_str()), out);
    delete(Table::Session.key(session_id.as_str()), out);
}
