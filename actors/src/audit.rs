//! Sensitive actions: their entries are a part of the commit that they speak of.

use crate::pending::Outcome;
use crate::source::Stamps;
use domain::audit::AuditEntry;
use domain::event::Event;
use domain::record;
use jiff::civil::Date;

impl Outcome {
    /// The same with an entry for the audit log, here and at head office.
    pub(crate) fn audited(mut self, stamps: &Stamps, date: Option<Date>, entry: AuditEntry) -> Self {
        // The last stamp of all: the mark keeps the highest.
        self.stamp = stamps.stamp();
        self.records.push(record::audit_recorded(&self.stamp, date, &entry));
        self.events.push(Event::Audited { entry });
        self
    }
}
