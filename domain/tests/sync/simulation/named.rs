//! Histories that broke earlier rules (the protocol's model found them), each with a name. If a single rule prevents a
//! loss, the same history without that rule must fail.

mod copies;
mod figures;
mod keeping;
mod links;
mod parking;
mod receipts;
mod restores;
