//! Commands beside a running daemon, and on a stopped store: one way to carry them out.
//!
//! The daemon listens on a Unix socket in its data folder. Whoever may open that folder may command it,
//! nobody else. A command tries the socket first; without one it takes the folder and starts the same
//! actors for a moment; a folder that somebody else holds ends with exit code 73.

pub mod client;
pub mod devices;
pub mod import;
pub mod server;
pub mod service;
pub mod socket;
pub mod status;
pub mod wire;

pub use client::{carry_out, running};
pub use service::ControlService;
pub use wire::{Order, Trouble};
