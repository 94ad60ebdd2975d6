//! Suppliers.
