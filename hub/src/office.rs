//! Head office: a folder for each noun, with its `ROUTES`, its own statements, and helpers of its rules; `routes` lists
//! them. Tables are in `table`, rules in `domain`.

/// Audit log of head office and of the stores.
pub mod audit {
    pub(crate) mod audit_log;
    pub(crate) mod audit_routes;
}

/// Values that lost against others.
pub mod conflicts {
    pub(crate) mod conflict;
    pub(crate) mod conflict_routes;
}

/// Documents of stores: sales, returns, shifts, days, deposits.
pub mod documents {
    mod bag;
    pub mod day;
    pub mod deposit;
    mod document_parts;
    pub(crate) mod document_routes;
    pub(crate) mod entries;
    pub mod return_document;
    mod return_parts;
    pub(crate) mod sale_parts;
    pub mod shift;
    pub mod transaction;
}

/// Notices for open pages.
pub mod events {
    pub(crate) mod event_log_routes;
    pub(crate) mod event_routes;
    mod event_stream;
}

/// Contradictions among records, for people to settle.
pub mod exceptions {
    pub(crate) mod exception;
    pub(crate) mod exception_routes;
    pub(crate) mod explanation;
    mod interrupted_shift;
}

/// The books: accounts, entries, balances.
pub mod finance {
    pub(crate) mod account;
    pub(crate) mod account_checks;
    pub(crate) mod account_entries;
    pub(crate) mod account_routes;
    pub(crate) mod book_metrics;
    pub(crate) mod day;
    pub(crate) mod day_routes;
    pub(crate) mod entry_routes;
    pub(crate) mod finance_routes;
    pub(crate) mod hand_entry;
    pub(crate) mod journal;
    pub(crate) mod journal_list;
    pub(crate) mod locking;
    pub(crate) mod mapping;
    pub(crate) mod mapping_checks;
    pub(crate) mod mapping_routes;
    pub(crate) mod opening_items;
    pub(crate) mod period;
    pub(crate) mod period_routes;
    pub(crate) mod proof;
    pub(crate) mod proof_lists;
    pub(crate) mod readiness;
    pub(crate) mod status;
    pub mod taxes {
        pub(crate) mod input_tax;
        pub(crate) mod tax;
        pub(crate) mod tax_document;
        pub(crate) mod tax_routes;
    }
    pub(crate) mod trial_balance;
    pub(crate) mod writer;
}

/// Documents of stores about goods, beside sales.
pub mod goods {
    pub mod goods_document;
    pub(crate) mod goods_routes;
    pub mod receipt;
    pub(crate) mod receiving_discrepancy;
    pub(crate) mod stock_document;
    pub mod transfer_document;
}

/// Exports of the journal for accounting programs.
pub mod journal_exports {
    pub(crate) mod export;
    pub(crate) mod export_file;
    pub(crate) mod export_routes;
}

/// Lists for the whole company: categories, tax codes, tiers, reasons, payment methods.
pub mod lists {
    pub(crate) mod category;
    pub(crate) mod entry;
    pub(crate) mod payment_method;
    pub(crate) mod reason;
    pub(crate) mod tax_code;
    pub(crate) mod tier;
}

/// Members of all stores.
pub mod members {
    pub(crate) mod erase;
    pub mod member;
    pub(crate) mod member_batch;
    pub(crate) mod member_routes;
    pub(crate) mod merge;
    pub(crate) mod points_expiry;
    pub(crate) mod points_list;
}

pub mod orders {
    pub(crate) mod order;
    pub mod order_list;
    pub(crate) mod order_paper;
    pub(crate) mod order_routes;
    pub(crate) mod order_step;
    pub(crate) mod order_step_routes;
    pub(crate) mod suggestion;
    pub(crate) mod suggestion_routes;
}

/// Overview of the stores and of open tasks.
pub mod overview {
    pub(crate) mod fleet_metrics;
    #[expect(clippy::module_inception, reason = "the folder is the noun and this is its one rule")]
    pub(crate) mod overview;
    pub(crate) mod overview_routes;
}

/// Number of parked records, which could not be applied.
pub mod parked {
    pub(crate) mod parked_list;
    pub(crate) mod parked_routes;
}

/// Amounts owed to suppliers: invoices, payments, and goods that were never billed.
pub mod payables {
    pub(crate) mod credit_note;
    pub(crate) mod credit_note_lines;
    pub(crate) mod credit_note_list;
    pub(crate) mod credit_note_routes;
    pub(crate) mod credit_note_step;
    pub(crate) mod invoice;
    pub(crate) mod invoice_approval;
    pub(crate) mod invoice_change;
    pub mod invoice_list;
    pub(crate) mod invoice_match;
    pub(crate) mod invoice_routes;
    pub(crate) mod payable;
    pub(crate) mod payable_routes;
    pub(crate) mod payables_as_of;
    pub(crate) mod payment;
    pub(crate) mod payment_list;
    pub(crate) mod payment_proposal;
    pub(crate) mod payment_reversal;
    pub(crate) mod payment_routes;
    pub(crate) mod poster;
    pub(crate) mod uninvoiced_close;
}

/// Prices, at once or from a day on.
pub mod prices {
    pub(crate) mod price;
    pub(crate) mod price_batch;
    pub(crate) mod price_routes;
}

pub mod products {
    pub(crate) mod barcode;
    pub(crate) mod edit;
    pub mod product;
    pub(crate) mod product_batch;
    pub(crate) mod product_routes;
    pub(crate) mod product_setting_routes;
    pub(crate) mod product_settings;
}

pub mod promotions {
    pub(crate) mod preview;
    pub(crate) mod promotion;
    pub(crate) mod promotion_routes;
}

pub mod registers {
    pub(crate) mod register;
    pub(crate) mod register_routes;
}

/// Figures over all stores.
pub mod reports {
    mod cash;
    mod chart;
    mod column_words;
    pub(crate) mod completeness;
    pub mod day_figures;
    mod exceptions;
    pub(crate) mod figure;
    mod margin;
    mod members;
    mod payments;
    mod points_liability;
    mod profit;
    mod purchases;
    pub(crate) mod report;
    pub(crate) mod report_routes;
    mod report_schema;
    pub(crate) mod sales_report;
    mod sell_through;
    mod settlements;
    mod shrinkage;
    mod spans;
    mod stock;
}

/// Settings that head office may change while the hub runs.
pub mod settings {
    pub(crate) mod setting;
    pub(crate) mod setting_routes;
}

/// Goods of all stores.
pub mod stock {
    pub mod movement;
    pub(crate) mod stock_routes;
    pub(crate) mod stock_row;
}

/// Settlement: payouts of providers and banks, compared with the reports of stores.
pub mod settlement {
    pub(crate) mod approval;
    /// Bank statements beside the books.
    pub mod bank_balance {
        pub(crate) mod line_group;
        pub(crate) mod reconciliation;
    }
    mod by_method;
    pub(crate) mod day_settlement;
    pub(crate) mod drawer;
    pub(crate) mod exception;
    pub(crate) mod exception_routes;
    /// Life of an exception: raised, carried, resolved.
    pub mod exceptions {
        pub(crate) mod carried;
        pub(crate) mod raised;
        pub(crate) mod resolution;
        pub(crate) mod rest;
    }
    pub(crate) mod hand_match;
    pub(crate) mod item;
    /// Lines of statements: as they are written, and as they are shown.
    pub mod lines {
        pub(crate) mod new_line;
        pub(crate) mod statement_line;
    }
    pub(crate) mod match_routes;
    pub(crate) mod match_rows;
    pub(crate) mod matching;
    pub(crate) mod open;
    pub(crate) mod posting;
    mod repeats;
    pub(crate) mod set_aside_routes;
    pub(crate) mod set_aside_row;
    pub(crate) mod settlement_match;
    pub(crate) mod settlement_routes;
    pub(crate) mod source;
    pub(crate) mod source_change;
    pub(crate) mod source_routes;
    pub(crate) mod statement;
    pub(crate) mod statement_approval;
    pub(crate) mod statement_import;
    pub(crate) mod statement_routes;
}

/// Stores: who may synchronise, and how each does.
pub mod stores {
    pub(crate) mod problem;
    pub(crate) mod status;
    pub(crate) mod status_counts;
    pub(crate) mod store;
    pub(crate) mod store_routes;
    pub(crate) mod store_setting;
    pub(crate) mod store_setting_routes;
    pub(crate) mod sums;
}

pub mod suppliers {
    pub(crate) mod supplier;
    pub(crate) mod supplier_price;
    pub(crate) mod supplier_price_file;
    pub(crate) mod supplier_price_routes;
}

/// Warehouses of head office, whose records are written here.
pub mod warehouses {
    pub(crate) mod warehouse;
    mod warehouse_adjustment;
    pub(crate) mod warehouse_book;
    mod warehouse_count;
    pub(crate) mod warehouse_count_routes;
    mod warehouse_differences;
    mod warehouse_document;
    mod warehouse_doubts;
    pub mod warehouse_inbox;
    mod warehouse_receipt;
    pub(crate) mod warehouse_routes;
    mod warehouse_transfer;
    pub(crate) mod warehouse_transfer_routes;
}

/// Targets of events.
pub mod webhooks {
    pub mod event_types;
    mod webhook_fields;
    pub(crate) mod webhook_metrics;
    pub(crate) mod webhook_routes;
}

/// People of head office and of stores.
pub mod users {
    pub(crate) mod api_key_routes;
    pub(crate) mod user_routes;
}
