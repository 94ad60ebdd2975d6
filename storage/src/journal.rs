//! The journal: segments of frames, their indexes, and searches in them.

pub mod body;
pub mod chain_events;
pub mod frame;
pub mod history;
pub mod index;
pub mod pack;
pub mod record_head;
pub mod repeats;
pub mod scrub;
pub mod segment;
pub mod supply;
pub mod tail;
pub mod walk;
