//! Documents, rows, identifiers, limits, money, time, and the facts that change them.

/// Selling at a till: baskets, prices, payments, returns.
pub mod selling {
    pub mod hold;
    pub mod payment;
    pub mod price;
    pub mod promotion;
    pub mod reasons;
    pub mod returns;
    pub mod transaction;
}

/// Goods: products, their movements and their counts.
pub mod inventory {
    pub mod adjustment;
    pub mod barcode;
    pub mod opname;
    pub mod product;
    pub mod product_settings;
    pub mod purchase;
    pub mod receiving;
    pub mod stock;
    pub mod supplier_price;
    pub mod supplier_return;
    pub mod transfer;
    pub mod write_off;
}

/// People: rights, the audit log, and members with their points.
pub mod people {
    pub mod audit;
    pub mod authorization;
    pub mod member;
    pub mod points;
    pub mod user;
}

/// Books: registers, shifts, days, the safe, the ledger.
pub mod books {
    pub mod day;
    pub mod deposit;
    pub mod ledger;
    pub mod payables;
    pub mod register;
    pub mod shift;
}

/// The dealings with head office: clocks, chains, epochs, and the way back.
pub mod hub {
    pub mod chain;
    pub mod hlc;
    pub mod stamp;
    pub mod sync;
}

/// Basic types of all the others: IDs, money, time, limits, events, refusals.
pub mod base {
    pub mod answer;
    pub mod business_date;
    pub mod command_print;
    pub mod currency;
    pub mod event;
    pub mod fields;
    pub mod figures;
    pub mod ids;
    pub mod limits;
    pub mod money;
    pub mod patch;
    pub mod refusal;
    pub mod search;
    pub mod settings;
    pub mod text;
    pub mod time;
}
