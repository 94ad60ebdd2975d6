//! Synchronisation, simulated: of one store's chain, and of what several stores share.

mod records;
mod simulation;
