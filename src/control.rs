//! Commands of the program, for a running daemon and for a stopped store.
//!
//! The daemon listens on a Unix socket in its data folder. Every user who may open that folder may send commands. A
//! command tries the socket first. Without a daemon it locks the folder and starts the same actors for a moment; if
//! another process has the folder, it ends with exit code 73.

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
