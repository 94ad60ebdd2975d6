//! Histories that broke earlier rules (the protocol's model found them), each by its name. Where a rule is all
//! that stands between a history and a loss, the same history with that rule broken is seen to fail.

#[path = "named/denials.rs"]
mod denials;
#[path = "named/feed.rs"]
mod feed;
#[path = "named/fields.rs"]
mod fields;
#[path = "named/transfers.rs"]
mod transfers;
