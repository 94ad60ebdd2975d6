//! Rules of users.

pub mod account_change;
pub mod administrator;
pub mod apply_feed;
pub mod came_back;
pub mod change;
pub mod devices;
pub mod passkey;
pub mod pin;
pub mod profile;
pub mod proof;
pub mod rotation;
