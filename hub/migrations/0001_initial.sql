-- BIGINT and TEXT only, and nothing that SQLite or PostgreSQL 15 alone would understand.
-- Instants are milliseconds since 1970, booleans 0 or 1. Sums carry a bound: a poisoned figure
-- fails its own event on both engines instead of turning into something else on one of them.

CREATE TABLE hub (
    singleton BIGINT PRIMARY KEY CHECK (singleton = 1),
    hub_id TEXT NOT NULL,
    generation TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE users (
    user_id TEXT PRIMARY KEY,
    username TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    password_hash TEXT,
    token_version BIGINT NOT NULL,
    disabled BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE TABLE sessions (
    session_id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    token_version BIGINT NOT NULL,
    opened_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX sessions_expiry ON sessions (expires_at);

CREATE TABLE idempotency (
    key_hash TEXT PRIMARY KEY,
    body_hash TEXT NOT NULL,
    status BIGINT NOT NULL,
    location TEXT,
    body TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX idempotency_age ON idempotency (created_at);

CREATE TABLE stores (
    store_id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    timezone TEXT NOT NULL,
    disabled BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    -- The enrolment token's SHA-256, until when it may be used, and the key that used it.
    token_hash TEXT,
    token_expires_at BIGINT,
    token_key TEXT,
    public_key TEXT,
    enrolled_at BIGINT,
    -- The one epoch that may push; closed ones keep their cursors.
    current_epoch TEXT,
    current_n BIGINT NOT NULL,
    -- What the store told of itself.
    contacted_at BIGINT,
    last_seen_at BIGINT,
    version TEXT,
    schema_max BIGINT,
    feed_cursor TEXT,
    clock_skew_ms BIGINT,
    pending BIGINT,
    oldest_pending_at BIGINT
);

-- The hub's cursor per epoch; an epoch that was only named in a lineage stands at 0.
CREATE TABLE epochs (
    store_id TEXT NOT NULL,
    epoch TEXT NOT NULL,
    seq BIGINT NOT NULL,
    hash TEXT NOT NULL,
    stable_seq BIGINT NOT NULL,
    opened_at BIGINT NOT NULL,
    closed_at BIGINT,
    PRIMARY KEY (store_id, epoch)
);

-- Every record as it came. encoding 1: hexadecimal, for text that a TEXT column can't hold.
CREATE TABLE records (
    store_id TEXT NOT NULL,
    epoch TEXT NOT NULL,
    seq BIGINT NOT NULL,
    hash TEXT NOT NULL,
    record TEXT NOT NULL,
    encoding BIGINT NOT NULL,
    state TEXT NOT NULL,
    received_at BIGINT NOT NULL,
    effective_at TEXT,
    clock_skew BIGINT NOT NULL,
    PRIMARY KEY (store_id, epoch, seq)
);

-- Every event once, whatever epoch it came in.
CREATE TABLE events (
    store_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    text_hash TEXT NOT NULL,
    epoch TEXT NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (store_id, event_id)
);

CREATE TABLE parked (
    store_id TEXT NOT NULL,
    epoch TEXT NOT NULL,
    seq BIGINT NOT NULL,
    event_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    aggregate TEXT,
    code TEXT NOT NULL,
    message TEXT NOT NULL,
    parked_at BIGINT NOT NULL,
    PRIMARY KEY (store_id, epoch, seq)
);
CREATE INDEX parked_aggregate ON parked (store_id, aggregate);

-- What a person should look at; nothing was held back for it.
CREATE TABLE exceptions (
    store_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    code TEXT NOT NULL,
    details TEXT NOT NULL,
    found_at BIGINT NOT NULL,
    PRIMARY KEY (store_id, event_id, code)
);

-- Projections. Documents are keyed by their event: a document id seen twice is for a person to judge.
CREATE TABLE sales (
    store_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    transaction_id TEXT NOT NULL,
    receipt_no TEXT,
    shift_id TEXT NOT NULL,
    register_id TEXT NOT NULL,
    cashier_id TEXT NOT NULL,
    member_id TEXT,
    business_date TEXT NOT NULL,
    local_hour TEXT NOT NULL,
    paid_at BIGINT NOT NULL,
    items_count BIGINT NOT NULL,
    gross BIGINT NOT NULL,
    discount BIGINT NOT NULL,
    tax BIGINT NOT NULL,
    rounding BIGINT NOT NULL,
    total BIGINT NOT NULL,
    PRIMARY KEY (store_id, event_id)
);
CREATE INDEX sales_date ON sales (business_date, store_id);
CREATE INDEX sales_receipt ON sales (store_id, receipt_no);

CREATE TABLE sale_lines (
    store_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    sku TEXT NOT NULL,
    name TEXT NOT NULL,
    qty BIGINT NOT NULL,
    gross BIGINT NOT NULL CHECK (gross BETWEEN -9007199254740991 AND 9007199254740991),
    discount BIGINT NOT NULL,
    tax BIGINT NOT NULL,
    total BIGINT NOT NULL,
    cost BIGINT NOT NULL,
    PRIMARY KEY (store_id, event_id, position)
);

CREATE TABLE payments (
    store_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    payment_id TEXT NOT NULL,
    method TEXT NOT NULL,
    amount BIGINT NOT NULL,
    rounding BIGINT NOT NULL,
    reference TEXT,
    paid_at BIGINT NOT NULL,
    PRIMARY KEY (store_id, event_id, position)
);

CREATE TABLE receivings (
    store_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    receiving_id TEXT NOT NULL,
    business_date TEXT NOT NULL,
    supplier_id TEXT,
    po_id TEXT,
    delivery_note_no TEXT,
    total_cost BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (store_id, event_id)
);

CREATE TABLE receiving_lines (
    store_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    sku TEXT NOT NULL,
    qty BIGINT NOT NULL,
    rejected_qty BIGINT NOT NULL,
    unit_cost BIGINT NOT NULL,
    cost BIGINT NOT NULL,
    correction BIGINT NOT NULL,
    PRIMARY KEY (store_id, event_id, position)
);

CREATE TABLE shifts (
    store_id TEXT NOT NULL,
    shift_id TEXT NOT NULL,
    register_id TEXT NOT NULL,
    business_date TEXT NOT NULL,
    state TEXT NOT NULL,
    opened_by TEXT NOT NULL,
    opened_at BIGINT NOT NULL,
    opening_float BIGINT NOT NULL,
    closed_by TEXT,
    closed_at BIGINT,
    counted_cash BIGINT,
    expected_cash BIGINT,
    variance BIGINT,
    z_no BIGINT,
    PRIMARY KEY (store_id, shift_id)
);

-- Sums, folded from distinct events: what must equal the store's own.
CREATE TABLE store_sums (
    store_id TEXT PRIMARY KEY,
    sales_count BIGINT NOT NULL,
    items_count BIGINT NOT NULL CHECK (items_count BETWEEN -9007199254740991 AND 9007199254740991),
    gross BIGINT NOT NULL CHECK (gross BETWEEN -9007199254740991 AND 9007199254740991),
    discount BIGINT NOT NULL CHECK (discount BETWEEN -9007199254740991 AND 9007199254740991),
    tax BIGINT NOT NULL CHECK (tax BETWEEN -9007199254740991 AND 9007199254740991),
    rounding BIGINT NOT NULL CHECK (rounding BETWEEN -9007199254740991 AND 9007199254740991),
    total BIGINT NOT NULL CHECK (total BETWEEN -9007199254740991 AND 9007199254740991)
);

CREATE TABLE shift_methods (
    store_id TEXT NOT NULL,
    shift_id TEXT NOT NULL,
    method TEXT NOT NULL,
    amount BIGINT NOT NULL CHECK (amount BETWEEN -9007199254740991 AND 9007199254740991),
    PRIMARY KEY (store_id, shift_id, method)
);

CREATE TABLE stock (
    store_id TEXT NOT NULL,
    sku TEXT NOT NULL,
    qty BIGINT NOT NULL CHECK (qty BETWEEN -9007199254740991 AND 9007199254740991),
    value BIGINT NOT NULL CHECK (value BETWEEN -9007199254740991 AND 9007199254740991),
    PRIMARY KEY (store_id, sku)
);

-- The catalogue and its feed.
CREATE TABLE products (
    sku TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    category TEXT,
    version TEXT NOT NULL,
    document TEXT NOT NULL
);

CREATE TABLE feed_lanes (
    lane TEXT PRIMARY KEY,
    head BIGINT NOT NULL,
    stamp_ms BIGINT NOT NULL
);
INSERT INTO feed_lanes (lane, head, stamp_ms) VALUES ('products', 0, 0);

CREATE TABLE feed (
    lane TEXT NOT NULL,
    number BIGINT NOT NULL,
    mark TEXT NOT NULL,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    version TEXT NOT NULL,
    deleted BIGINT NOT NULL,
    effective_at BIGINT,
    payload TEXT NOT NULL,
    PRIMARY KEY (lane, number)
);
