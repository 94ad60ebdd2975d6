//! Head office: a folder for each noun, with its `ROUTES`, its own statements, and helpers of its rules; `routes` lists
//! them. Tables are in `table`, rules in `domain`.

/// Audit log of head office and of the stores.
pub mod audit {
    pub mod audit_log;
    pub mod audit_routes;
}

/// Values that lost against others.
pub mod conflicts {
    pub mod conflict;
    pub mod conflict_routes;
}

/// Documents of stores: sales, returns, shifts, days, deposits.
pub mod documents {
    mod bag;
    pub mod day;
    pub mod deposit;
    pub mod document_routes;
    pub mod entries;
    pub mod return_document;
    pub mod sale_parts;
    pub mod shift;
    pub mod transaction;
}

/// Notices for open pages.
pub mod events {
    pub mod event_log_routes;
    pub mod event_routes;
    mod event_stream;
}

/// Contradictions among records, for people to settle.
pub mod exceptions {
    pub mod exception;
    pub mod exception_routes;
    pub mod explanation;
    mod interrupted_shift;
}

/// The books: accounts, entries, balances.
pub mod finance {
    pub mod account;
    pub mod account_checks;
    pub mod account_entries;
    pub mod account_routes;
    pub mod book_metrics;
    pub mod day;
    pub mod day_routes;
    pub mod entry_routes;
    pub mod finance_routes;
    pub mod hand_entry;
    pub mod journal;
    pub mod journal_list;
    pub mod locking;
    pub mod mapping;
    pub mod mapping_checks;
    pub mod mapping_routes;
    pub mod opening_items;
    pub mod period;
    pub mod period_routes;
    pub mod proof;
    pub mod proof_lists;
    pub mod readiness;
    pub mod status;
    pub mod taxes {
        pub mod input_tax;
        pub mod tax;
        pub mod tax_document;
        pub mod tax_routes;
    }
    pub mod trial_balance;
    pub mod writer;
}

/// Documents of stores about goods, beside sales.
pub mod goods {
    pub mod goods_document;
    pub mod goods_routes;
    pub mod receipt;
    pub mod receiving_discrepancy;
    pub mod stock_document;
    pub mod transfer_document;
}

/// Lists for the whole company: categories, tax codes, tiers, reasons, payment methods.
pub mod lists {
    pub mod category;
    pub mod entry;
    pub mod payment_method;
    pub mod reason;
    pub mod tax_code;
    pub mod tier;
}

/// Members of all stores.
pub mod members {
    pub mod erase;
    pub mod member;
    pub mod member_routes;
    pub mod merge;
    pub mod points_expiry;
    pub mod points_list;
}

pub mod orders {
    pub mod order;
    pub mod order_paper;
    pub mod order_routes;
    pub mod order_step;
    pub mod order_step_routes;
    pub mod suggestion;
    pub mod suggestion_routes;
}

/// Overview of the stores and of open tasks.
pub mod overview {
    pub mod fleet_metrics;
    #[expect(clippy::module_inception, reason = "the folder is the noun and this is its one rule")]
    pub mod overview;
    pub mod overview_routes;
}

/// Number of parked records, which could not be applied.
pub mod parked {
    pub mod parked_list;
    pub mod parked_routes;
}

/// Amounts owed to suppliers: invoices, payments, and goods that were never billed.
pub mod payables {
    pub mod credit_note;
    pub mod credit_note_lines;
    pub mod credit_note_list;
    pub mod credit_note_routes;
    pub mod credit_note_step;
    pub mod invoice;
    pub mod invoice_approval;
    pub mod invoice_change;
    pub mod invoice_list;
    pub mod invoice_match;
    pub mod invoice_routes;
    pub mod payable;
    pub mod payable_routes;
    pub mod payables_as_of;
    pub mod payment;
    pub mod payment_list;
    pub mod payment_proposal;
    pub mod payment_reversal;
    pub mod payment_routes;
    pub mod poster;
    pub mod uninvoiced_close;
}

/// Prices, at once or from a day on.
pub mod prices {
    pub mod price;
    pub mod price_routes;
}

pub mod products {
    pub mod barcode;
    pub mod edit;
    pub mod product;
    pub mod product_routes;
    pub mod product_setting_routes;
    pub mod product_settings;
}

pub mod promotions {
    pub mod preview;
    pub mod promotion;
    pub mod promotion_routes;
}

pub mod registers {
    pub mod register;
    pub mod register_routes;
}

/// Figures over all stores.
pub mod reports {
    mod cash;
    mod chart;
    pub mod completeness;
    pub mod day_figures;
    mod exceptions;
    pub mod figure;
    mod margin;
    mod members;
    mod payments;
    mod points_liability;
    mod profit;
    mod purchases;
    pub mod report;
    pub mod report_routes;
    pub mod sales_report;
    mod sell_through;
    mod settlements;
    mod shrinkage;
    mod spans;
    mod stock;
}

/// Settings that head office may change while the hub runs.
pub mod settings {
    pub mod setting;
    pub mod setting_routes;
}

/// Goods of all stores.
pub mod stock {
    pub mod movement;
    pub mod stock_routes;
    pub mod stock_row;
}

/// Settlement: payouts of providers and banks, compared with the reports of stores.
pub mod settlement {
    pub mod approval;
    /// Bank statements beside the books.
    pub mod bank_balance {
        pub mod line_group;
        pub mod reconciliation;
    }
    mod by_method;
    pub mod day_settlement;
    pub mod drawer;
    pub mod exception;
    pub mod exception_routes;
    /// Life of an exception: raised, carried, resolved.
    pub mod exceptions {
        pub mod carried;
        pub mod raised;
        pub mod resolution;
        pub mod rest;
    }
    /// Statements as files and lines.
    pub mod file {
        mod account_no;
        pub mod amount;
        mod balances;
        pub mod camt;
        mod columns;
        pub mod csv_reader;
        mod fees;
        pub mod format;
        mod found_columns;
        #[cfg(any(test, feature = "fuzz"))]
        pub mod fuzz;
        mod kinds;
        pub mod line;
        pub mod new_line;
        mod pattern;
        mod preamble;
        mod row;
        mod row_checks;
        mod row_figures;
        mod row_signs;
        mod running_balance;
        mod section;
        pub mod set_aside;
        mod signs;
        mod statuses;
        mod survey;
        mod whose;
    }
    pub mod hand_match;
    pub mod item;
    pub mod match_routes;
    pub mod match_rows;
    pub mod matching;
    pub mod open;
    pub mod posting;
    mod repeats;
    pub mod set_aside_routes;
    pub mod set_aside_row;
    pub mod settlement_match;
    pub mod settlement_routes;
    pub mod source;
    pub mod source_change;
    pub mod source_routes;
    pub mod statement;
    pub mod statement_approval;
    pub mod statement_import;
    pub mod statement_line;
    pub mod statement_routes;
}

/// Stores: who may synchronise, and how each does.
pub mod stores {
    pub mod problem;
    pub mod status;
    pub mod status_counts;
    pub mod store;
    pub mod store_routes;
    pub mod store_setting;
    pub mod store_setting_routes;
    pub mod sums;
}

pub mod suppliers {
    pub mod supplier;
    pub mod supplier_price;
    pub mod supplier_price_file;
    pub mod supplier_price_routes;
}

/// Warehouses of head office, whose records are written here.
pub mod warehouses {
    pub mod warehouse;
    mod warehouse_adjustment;
    pub mod warehouse_book;
    mod warehouse_count;
    pub mod warehouse_count_routes;
    mod warehouse_differences;
    mod warehouse_document;
    mod warehouse_doubts;
    pub mod warehouse_inbox;
    mod warehouse_receipt;
    pub mod warehouse_routes;
    mod warehouse_transfer;
    pub mod warehouse_transfer_routes;
}

/// Targets of events.
pub mod webhooks {
    pub mod event_types;
    mod webhook_fields;
    pub mod webhook_metrics;
    pub mod webhook_routes;
}

/// People of head office and of stores.
pub mod users {
    pub mod api_key_routes;
    pub mod user_routes;
}
