//! Commands, decisions, and figures computed from the model.

/// Selling at a till: baskets, prices, payments, returns.
pub mod selling {
    pub mod basket;
    pub mod hold;
    pub mod payment;
    pub mod price;
    pub mod promotion;
    pub mod refund;
    pub mod returns;
    pub mod sale;
    pub mod tax;
    pub mod transaction;
}

/// Goods: products, their movements and their counts.
pub mod inventory {
    pub mod adjustment;
    pub mod opname;
    pub mod product;
    pub mod product_settings;
    pub mod purchase;
    pub mod receiving;
    pub mod stock;
    pub mod supplier_return;
    pub mod transfer;
}

/// People: rights, the audit log, and members with their points.
pub mod people {
    pub mod member;
    pub mod points;
    pub mod user;
}

/// Books: registers, shifts, days, the safe, the ledger.
pub mod books {
    pub mod day;
    pub mod deposit;
    pub mod entry_by_hand;
    pub mod hidden;
    pub mod ledger;
    pub mod locked_days;
    pub mod month;
    pub mod payables;
    pub mod posting;
    pub mod register;
    pub mod report;
    pub mod report_schema;
    pub mod settlement;
    pub mod shift;
}

/// The dealings with head office: clocks, chains, epochs, and the way back.
pub mod hub {
    pub mod recovery;
    pub mod restored;
    pub mod sync;
}

/// Basics of all the others: the certain time, the settings that head office made for a store.
pub mod base {
    pub mod store_settings;
    pub mod trusted_time;
}
