//! The Cloud Hub: takes in what stores did, exactly once in effect, and hands the catalogue down.
//!
//! One code path for SQLite and PostgreSQL. Every transaction that writes begins with a write, so that
//! it waits for its lock before it has read anything.
//!
//! The words are those of docs/glossary.md.

pub mod alarm;
pub mod app;
pub mod audit;
pub mod backup;
pub mod cli;
pub mod config;
pub mod conflict;
pub mod db;
pub mod document;
pub mod exception;
pub mod failure;
pub mod feed;
pub mod http;
pub mod idempotency;
pub mod identity;
pub mod ingest;
pub mod marks;
pub mod member;
pub mod passkey;
pub mod people;
pub mod price;
pub mod product;
pub mod promotion;
pub mod purchase;
pub mod receipt;
pub mod report;
pub mod secret;
pub mod session;
pub mod staff;
pub mod store;
pub mod table;
pub mod user;
pub mod verify;
