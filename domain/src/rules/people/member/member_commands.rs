//! The members' commands, as they come in.

use crate::model::base::fields::Fields;
use crate::model::base::limits::{EMAIL_BYTES_MAX, NAME_CHARS_MAX, TEXT_CHARS_MAX};
use crate::model::base::patch::Given;
use crate::model::base::refusal::Refusal;
use crate::model::people::member::MemberKey;
use crate::rules::people::member::{NoPhone, e164};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The longest code or tier, in bytes.
const CODE_BYTES_MAX: usize = 64;

/// Request body of `POST /api/members`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewMember {
    /// Name of the member.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX))]
    pub name: String,
    /// Phone number in any spelling. A phone number or an e-mail address is required.
    #[schemars(length(max = TEXT_CHARS_MAX))]
    pub phone: Option<String>,
    /// E-mail address. Null for none.
    #[schemars(length(max = EMAIL_BYTES_MAX))]
    pub email: Option<String>,
    /// Date of birth. Null if it is not known.
    pub birth_date: Option<Date>,
    /// Card number or other code of the member. Null for none.
    #[schemars(length(max = CODE_BYTES_MAX))]
    pub code: Option<String>,
}

/// Request body of `PATCH /api/members/:id`. Omitted fields stay as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeMember {
    /// Name of the member.
    #[serde(default, deserialize_with = "crate::model::base::patch::set")]
    #[schemars(length(min = 1, max = NAME_CHARS_MAX))]
    pub name: Option<String>,
    /// Phone number in any spelling. Empty or null to remove it.
    #[serde(default, deserialize_with = "crate::model::base::patch::cleared")]
    #[schemars(length(max = TEXT_CHARS_MAX))]
    pub phone: Option<String>,
    /// E-mail address. Empty or null to remove it.
    #[serde(default, deserialize_with = "crate::model::base::patch::cleared")]
    #[schemars(length(max = EMAIL_BYTES_MAX))]
    pub email: Option<String>,
    /// Date of birth. Null to remove it.
    #[serde(default, skip_serializing_if = "Given::is_nothing")]
    pub birth_date: Given<Date>,
    /// Card number or other code of the member. Empty or null to remove it.
    #[serde(default, deserialize_with = "crate::model::base::patch::cleared")]
    #[schemars(length(max = CODE_BYTES_MAX))]
    pub code: Option<String>,
    /// Tier of the member. Empty or null to remove it.
    #[serde(default, deserialize_with = "crate::model::base::patch::cleared")]
    #[schemars(length(max = CODE_BYTES_MAX))]
    pub tier: Option<String>,
    /// State of the member: `active` or `blocked`.
    #[serde(default, deserialize_with = "crate::model::base::patch::set")]
    pub state: Option<crate::model::people::member::MemberState>,
}

/// A member's own words, normalised.
pub(super) struct Contact {
    pub(super) phone: Option<String>,
    pub(super) email: Option<String>,
    pub(super) code: Option<String>,
}

impl Contact {
    fn keys(self) -> Vec<MemberKey> {
        let (phone, email) = (self.phone.map(MemberKey::Phone), self.email.map(MemberKey::Email));
        [phone, email, self.code.map(MemberKey::Code)].into_iter().flatten().collect()
    }
}

impl NewMember {
    /// The keys in the request; an invalid value gives no key.
    pub fn keys(&self, country_code: &str) -> Vec<MemberKey> {
        self.check(country_code).map(Contact::keys).unwrap_or_default()
    }

    /// Checks that need no data of the store. Returns phone and e-mail as they are stored.
    pub(super) fn check(&self, country_code: &str) -> Result<Contact, Refusal> {
        let mut fields = Fields::default();
        fields.trimmed("name", &self.name, NAME_CHARS_MAX);
        // Of the text as it came: with spaces around it, also if it has nothing else.
        fields.length("phone", self.phone.as_deref(), TEXT_CHARS_MAX);
        fields.length("email", self.email.as_deref(), EMAIL_BYTES_MAX);
        let (phone, email) = (given(self.phone.as_ref()), given(self.email.as_ref()));
        if phone.is_none() && email.is_none() {
            fields.wrong("phone", "a phone number or an e-mail address is needed");
        }
        let contact = Contact {
            phone: phone.and_then(|text| phone_of(text, country_code, &mut fields)),
            email: email.and_then(|text| email_of(text, &mut fields)),
            code: given(self.code.as_ref()).map(str::to_owned),
        };
        fields.text("code", self.code.as_deref(), CODE_BYTES_MAX);
        fields.done().map(|()| contact)
    }
}

impl ChangeMember {
    /// The keys in the request; an invalid value gives no key.
    pub fn keys(&self, country_code: &str) -> Vec<MemberKey> {
        self.check(country_code).map(Contact::keys).unwrap_or_default()
    }

    /// As [`NewMember::check`]; an absent or emptied field is `None`.
    pub(super) fn check(&self, country_code: &str) -> Result<Contact, Refusal> {
        use crate::model::people::member::MemberState::{Active, Blocked};
        let mut fields = Fields::default();
        if let Some(name) = &self.name {
            fields.trimmed("name", name, NAME_CHARS_MAX);
        }
        fields.length("phone", self.phone.as_deref(), TEXT_CHARS_MAX);
        fields.length("email", self.email.as_deref(), EMAIL_BYTES_MAX);
        fields.text("code", self.code.as_deref(), CODE_BYTES_MAX);
        fields.text("tier", self.tier.as_deref(), CODE_BYTES_MAX);
        if self.state.is_some_and(|state| !matches!(state, Active | Blocked)) {
            fields.wrong("state", "must be active or blocked");
        }
        let contact = Contact {
            phone: given(self.phone.as_ref()).and_then(|text| phone_of(text, country_code, &mut fields)),
            email: given(self.email.as_ref()).and_then(|text| email_of(text, &mut fields)),
            code: given(self.code.as_ref()).map(str::to_owned),
        };
        fields.done().map(|()| contact)
    }
}

impl NewMember {
    /// The fields that head office writes for a new member, normalised.
    ///
    /// # Errors
    /// `validation_failed` with every field that is wrong.
    pub fn written(&self, country_code: &str) -> Result<BTreeMap<&'static str, Value>, Refusal> {
        let contact = self.check(country_code)?;
        Ok(BTreeMap::from([
            ("name", json!(self.name.trim())),
            ("phone", json!(contact.phone)),
            ("email", json!(contact.email)),
            ("code", json!(contact.code)),
            ("birth_date", json!(self.birth_date)),
            ("tier", Value::Null),
            ("state", json!(crate::model::people::member::MemberState::Active)),
        ]))
    }
}

impl ChangeMember {
    /// The fields that head office writes with this change, normalised.
    ///
    /// # Errors
    /// `validation_failed` with every field that is wrong.
    pub fn written(&self, country_code: &str) -> Result<BTreeMap<&'static str, Value>, Refusal> {
        let contact = self.check(country_code)?;
        let mut fields = BTreeMap::new();
        if let Some(name) = &self.name {
            fields.insert("name", json!(name.trim()));
        }
        for (asked, field, value) in [
            (&self.phone, "phone", json!(contact.phone)),
            (&self.email, "email", json!(contact.email)),
            (&self.code, "code", json!(contact.code)),
            (&self.tier, "tier", json!(given(self.tier.as_ref()))),
        ] {
            if asked.is_some() {
                fields.insert(field, value);
            }
        }
        if !self.birth_date.is_nothing() {
            fields.insert("birth_date", json!(self.birth_date));
        }
        if let Some(state) = self.state {
            fields.insert("state", json!(state));
        }
        Ok(fields)
    }
}

/// The text, if it has anything but whitespace.
pub(super) fn given(text: Option<&String>) -> Option<&str> {
    text.map(|text| text.trim()).filter(|text| !text.is_empty())
}

fn phone_of(text: &str, country_code: &str, fields: &mut Fields) -> Option<String> {
    let phone = if text.len() <= TEXT_CHARS_MAX { e164(text, country_code) } else { Err(NoPhone::Malformed) };
    phone.map_err(|why| fields.wrong("phone", why.problem())).ok()
}

fn email_of(text: &str, fields: &mut Fields) -> Option<String> {
    let plausible = text.split_once('@').is_some_and(|(name, host)| {
        !name.is_empty() && host.contains('.') && !host.contains('@') && !host.ends_with('.')
    });
    let printable = !text.chars().any(|c| c.is_whitespace() || c.is_control());
    if text.len() <= EMAIL_BYTES_MAX && plausible && printable {
        return Some(text.to_lowercase());
    }
    fields.wrong("email", "must be an e-mail address");
    None
}
