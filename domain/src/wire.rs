//! What is sent: records, the feed, the messages between store and hub.

pub mod feed;
pub mod json;
pub mod record;
pub mod sale_text;
pub mod screen;
pub mod sync;
