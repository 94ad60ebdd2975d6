//! Drawer, safe and days.

mod drawer;
mod late_records;
mod limits;
mod quick_keys;
mod safe;
mod sealed_days;
mod shift;
mod standing;
