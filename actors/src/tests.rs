//! The supervision tree as its callers see it: over a real storage, with a hub that plays tricks.

mod hostile;
mod hub;
mod page;
mod people;
mod proof;
mod standing;
mod support;
mod tree;
mod untaken;
mod waits;
