//! The folder of a store: where each file is, who holds it, and of which version it is.

pub mod format;
pub mod high_water;
pub mod layout;
pub mod lazy_file;
pub mod lock;
pub mod manifest;
