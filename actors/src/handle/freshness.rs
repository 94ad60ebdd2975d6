//! Age of the data from head office.

use super::StoreHandle;
use crate::runtime::failure::Failure;
use domain::model::base::time::UtcMs;
use domain::wire::feed::lane::{LANES, MEMBERS, PRICES, REST};

impl StoreHandle {
    /// The time up to which the catalogue is known to be head office's: the older of the times of products and prices.
    /// Now for a store without a hub; `None` if head office was never reached.
    ///
    /// # Errors
    /// [`Failure::Internal`] when the rows can't be read.
    pub fn catalogue_as_of(&self) -> Result<Option<UtcMs>, Failure> {
        self.as_of(&[PRICES, REST])
    }

    /// Trusted time, for decisions by date that can't be undone.
    pub fn confirmed_time(&self) -> UtcMs {
        self.context.stamps.trusted_now()
    }

    /// Time at which members and their points were last confirmed.
    ///
    /// # Errors
    /// [`Failure::Internal`] when the rows can't be read.
    pub fn members_as_of(&self) -> Result<Option<UtcMs>, Failure> {
        self.as_of(&[MEMBERS])
    }

    fn as_of(&self, lanes: &[&str]) -> Result<Option<UtcMs>, Failure> {
        let storage = &self.context.storage;
        if storage.sync().hub()?.is_none() {
            return Ok(Some(self.context.stamps.now()));
        }
        let fed = self.context.sync.get().fed;
        let mut oldest: Option<UtcMs> = None;
        for (lane, fed) in LANES.iter().zip(fed).filter(|(lane, _)| lanes.contains(lane)) {
            // Since the start by the hub's answer, else by the last page with a change.
            let stored = storage.sync().lane_cursor(lane)?.map(|(_, hub_time)| hub_time);
            let Some(known) = fed.max(stored) else { continue };
            oldest = Some(oldest.map_or(known, |oldest| oldest.min(known)));
        }
        Ok(oldest)
    }
}
