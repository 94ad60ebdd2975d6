-- Every kind of record: returns, voids, cash, points, transfers, members, purchasing, and what goes down.

ALTER TABLE sales ADD COLUMN voided_event TEXT;
ALTER TABLE store_sums ADD COLUMN voids_count BIGINT NOT NULL DEFAULT 0;
ALTER TABLE store_sums ADD COLUMN voids_total BIGINT NOT NULL DEFAULT 0;
ALTER TABLE store_sums ADD COLUMN returns_count BIGINT NOT NULL DEFAULT 0;
ALTER TABLE store_sums ADD COLUMN returns_total BIGINT NOT NULL DEFAULT 0;
ALTER TABLE store_sums ADD COLUMN returns_tax BIGINT NOT NULL DEFAULT 0;

CREATE TABLE returns (
    store_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    return_id TEXT NOT NULL,
    receipt_no TEXT NOT NULL,
    transaction_id TEXT,
    shift_id TEXT NOT NULL,
    cashier_id TEXT NOT NULL,
    member_id TEXT,
    business_date TEXT NOT NULL,
    local_hour TEXT NOT NULL,
    refund_total BIGINT NOT NULL,
    tax BIGINT NOT NULL,
    rounding BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    voided_event TEXT,
    PRIMARY KEY (store_id, event_id)
);
CREATE INDEX returns_id ON returns (store_id, return_id);
CREATE INDEX returns_date ON returns (business_date, store_id);
CREATE INDEX receivings_id ON receivings (store_id, receiving_id);

-- Cash beside sales: what a drawer should hold is float + method 'cash' + this.
CREATE TABLE shift_cash (
    store_id TEXT NOT NULL,
    shift_id TEXT NOT NULL,
    pay_in BIGINT NOT NULL CHECK (pay_in BETWEEN -9007199254740991 AND 9007199254740991),
    pay_out BIGINT NOT NULL CHECK (pay_out BETWEEN -9007199254740991 AND 9007199254740991),
    drops BIGINT NOT NULL CHECK (drops BETWEEN -9007199254740991 AND 9007199254740991),
    PRIMARY KEY (store_id, shift_id)
);

-- Σ of the entries of all stores, and each store's part.
CREATE TABLE points (
    member_id TEXT PRIMARY KEY,
    balance BIGINT NOT NULL CHECK (balance BETWEEN -9007199254740991 AND 9007199254740991)
);
CREATE TABLE store_points (
    store_id TEXT NOT NULL,
    member_id TEXT NOT NULL,
    points BIGINT NOT NULL CHECK (points BETWEEN -9007199254740991 AND 9007199254740991),
    PRIMARY KEY (store_id, member_id)
);

CREATE TABLE transfers (
    transfer_id TEXT PRIMARY KEY,
    from_store TEXT NOT NULL,
    to_store TEXT NOT NULL,
    state TEXT NOT NULL,
    sent BIGINT NOT NULL,
    document TEXT NOT NULL
);

-- Records that both sides write, field by field; written_by is the event, or the hub's change.
CREATE TABLE fields (
    resource TEXT NOT NULL,
    id TEXT NOT NULL,
    field TEXT NOT NULL,
    value TEXT NOT NULL,
    stamp TEXT NOT NULL,
    written_by TEXT NOT NULL,
    PRIMARY KEY (resource, id, field)
);
CREATE TABLE shared_records (
    resource TEXT NOT NULL,
    id TEXT NOT NULL,
    version TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (resource, id)
);
CREATE INDEX fields_value ON fields (resource, field, value);
-- Which stores are sent a member; '' : all.
CREATE TABLE known_members (
    member_id TEXT NOT NULL,
    store_id TEXT NOT NULL,
    PRIMARY KEY (member_id, store_id)
);
CREATE TABLE conflicts (
    conflict_id TEXT PRIMARY KEY,
    resource TEXT NOT NULL,
    id TEXT NOT NULL,
    field TEXT NOT NULL,
    winner TEXT NOT NULL,
    lost_value TEXT NOT NULL,
    lost_stamp TEXT NOT NULL,
    lost_by TEXT NOT NULL,
    kept_value TEXT NOT NULL,
    store_id TEXT NOT NULL,
    resolved_at BIGINT NOT NULL,
    restored_at BIGINT
);
CREATE INDEX conflicts_time ON conflicts (resolved_at);

-- People of stores, given by head office or told by a store. A denial stands until somebody grants again.
CREATE TABLE staff (
    user_id TEXT PRIMARY KEY,
    username TEXT NOT NULL,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    store_id TEXT NOT NULL,
    password_hash TEXT,
    token_version BIGINT NOT NULL,
    disabled BIGINT NOT NULL,
    grants BIGINT NOT NULL,
    origin TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX staff_name ON staff (store_id, username);

CREATE TABLE prices (
    price_id TEXT PRIMARY KEY,
    sku TEXT NOT NULL,
    store_id TEXT NOT NULL,
    starts TEXT NOT NULL,
    document TEXT NOT NULL
);
CREATE INDEX prices_sku ON prices (sku, store_id);
CREATE TABLE promotions (
    promotion_id TEXT PRIMARY KEY,
    document TEXT NOT NULL
);
CREATE TABLE suppliers (
    supplier_id TEXT PRIMARY KEY,
    code TEXT NOT NULL UNIQUE,
    document TEXT NOT NULL
);
CREATE TABLE purchase_orders (
    po_id TEXT PRIMARY KEY,
    supplier_id TEXT NOT NULL,
    store_id TEXT NOT NULL,
    state TEXT NOT NULL,
    document TEXT NOT NULL
);
