//! Histories that broke earlier rules (the protocol's model found them), each with a name. If a single rule prevents a
//! loss, the same history without that rule must fail.

mod denials;
mod feed;
mod fields;
mod transfers;
