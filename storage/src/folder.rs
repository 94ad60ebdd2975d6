//! The folder of a store: the path of each file, the lock, and the version.

pub mod format;
pub mod high_water;
pub mod layout;
pub mod lazy_file;
pub mod lock;
pub mod manifest;
