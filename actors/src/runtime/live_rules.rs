//! The rules in force: those of the settings file, overridden by head office's.

use domain::model::base::settings::Rules;
use domain::rules::base::store_settings;
use domain::wire::feed::{Kind, STORE_SETTINGS, StoreSettingsDown};
use std::sync::{Arc, PoisonError, RwLock};
use storage::{Storage, StorageError};

/// The rules in force. A decision reads them once: they may have changed at the next read.
#[derive(Clone)]
pub(crate) struct LiveRules {
    file: Arc<Rules>,
    now: Arc<RwLock<Arc<Rules>>>,
}

impl LiveRules {
    /// The rules of the file, with head office's present settings.
    pub(crate) fn load(file: Rules, storage: &Storage) -> Result<Self, StorageError> {
        let file = Arc::new(file);
        let rules = Self { now: Arc::new(RwLock::new(Arc::clone(&file))), file };
        rules.reload(storage)?;
        Ok(rules)
    }

    /// The present rules.
    pub(crate) fn now(&self) -> Arc<Rules> {
        Arc::clone(&self.now.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Computes them again from the stored settings of head office.
    pub(crate) fn reload(&self, storage: &Storage) -> Result<(), StorageError> {
        // Read under the lock: two who read again must not store the older rules last.
        let mut now = self.now.write().unwrap_or_else(PoisonError::into_inner);
        *now = match of_hub(storage)? {
            Some(down) => Arc::new(store_settings::in_force(&self.file, &down).0),
            None => Arc::clone(&self.file),
        };
        Ok(())
    }
}

/// Settings of head office. `None` if there are none, or they can't be read.
pub(crate) fn of_hub(storage: &Storage) -> Result<Option<StoreSettingsDown>, StorageError> {
    let kept = storage.sync().inbound(Kind::Settings.name(), STORE_SETTINGS)?;
    Ok(kept.and_then(|record| serde_json::from_value(record.payload).ok()))
}
