//! Drawer, safe and days.

mod drawer;
mod late_records;
mod safe;
mod sealed_days;
mod shift;
