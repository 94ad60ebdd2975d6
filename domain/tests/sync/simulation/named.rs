//! Histories that broke earlier rules (the protocol's model found them), each by its name. Where a rule is all that
//! stands between a history and a loss, the same history with that rule broken is seen to fail.

mod copies;
mod figures;
mod keeping;
mod links;
mod parking;
mod receipts;
mod restores;
