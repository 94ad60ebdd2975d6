//! Simulated synchronisation: of one store's chain, and of data that several stores share.

mod records;
mod simulation;
