-- The schema of head office, for SQLite and PostgreSQL alike: BIGINT and TEXT only, and nothing that one of them
-- alone would understand. Instants are milliseconds since 1970, days YYYY-MM-DD, booleans 0 or 1. Sums carry a bound:
-- a poisoned figure fails its own event on both engines instead of turning into something else on one of them.

-- This hub: its id, which stores' tokens name, and which generation of its database this is.
CREATE TABLE hub (
    singleton BIGINT PRIMARY KEY CHECK (singleton = 1),
    hub_id TEXT NOT NULL,
    -- Another one after every restore.
    generation TEXT NOT NULL,
    -- Counts the generations: a database of a lower number than the marks outside of it was restored.
    generation_n BIGINT NOT NULL DEFAULT 1,
    -- The program that wrote here last: another version tries what this one could only park.
    version TEXT,
    -- When the lanes' heights were last noted: a clock that has jumped since removes nothing.
    feed_noted_at BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL
);

-- Verified backups that are kept.
CREATE TABLE backups (
    backup_id TEXT PRIMARY KEY,
    folder TEXT NOT NULL,
    made_at BIGINT NOT NULL
);
-- How far each epoch is in a backup: what all kept ones contain, stores may forget.
CREATE TABLE backup_heads (
    backup_id TEXT NOT NULL,
    store_id TEXT NOT NULL,
    epoch TEXT NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (backup_id, store_id, epoch)
);

-- Answers under an Idempotency-Key; keys and bodies are HMACs.
CREATE TABLE idempotency (
    key_hash TEXT PRIMARY KEY,
    body_hash TEXT NOT NULL,
    status BIGINT NOT NULL,
    location TEXT,
    body TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX idempotency_age ON idempotency (created_at);

-- ---------------------------------------------------------------------------------------------------------------
-- People of head office
-- ---------------------------------------------------------------------------------------------------------------

-- Whoever may log in here.
CREATE TABLE users (
    user_id TEXT PRIMARY KEY,
    username TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    -- argon2id in PHC form; none: no log-in by password.
    password_hash TEXT,
    -- Tokens of a lower version are dead.
    token_version BIGINT NOT NULL,
    disabled BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
-- One change of head office's people at a time: whoever decides takes this row first, so that two who keep each
-- other out at once are decided one after the other, and never wait for each other in a circle.
CREATE TABLE people_turn (
    one BIGINT PRIMARY KEY,
    turn BIGINT NOT NULL
);
INSERT INTO people_turn (one, turn) VALUES (1, 0);

-- Log-ins.
CREATE TABLE sessions (
    session_id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    token_version BIGINT NOT NULL,
    opened_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    -- The refresh token that works next, as JSON; none: that of the log-in.
    rotation TEXT
);
CREATE INDEX sessions_expiry ON sessions (expires_at);

-- Devices that log in instead of a password.
CREATE TABLE passkeys (
    credential_id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    name TEXT NOT NULL,
    counter BIGINT NOT NULL,
    -- The version of its owner's tokens under which it was registered: it dies with them.
    token_version BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT,
    document TEXT NOT NULL
);
CREATE INDEX passkeys_owner ON passkeys (user_id);

-- What was done here, in one chain. `record` is the exact text that the chain goes over; the other columns say
-- the same, for searching.
CREATE TABLE own_audit (
    position BIGINT PRIMARY KEY,
    audit_id TEXT NOT NULL UNIQUE,
    store_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    action TEXT NOT NULL,
    at BIGINT NOT NULL,
    day TEXT NOT NULL,
    record TEXT NOT NULL,
    hash TEXT NOT NULL
);
CREATE INDEX own_audit_at ON own_audit (at);
CREATE INDEX own_audit_user ON own_audit (user_id, at);
CREATE INDEX own_audit_action ON own_audit (action, at);
CREATE INDEX own_audit_store ON own_audit (store_id, at);
-- Where the chain ends. Whoever appends locks this row: entries of several processes follow one another.
CREATE TABLE audit_head (
    singleton BIGINT PRIMARY KEY CHECK (singleton = 1),
    position BIGINT NOT NULL,
    hash TEXT NOT NULL
);
INSERT INTO audit_head (singleton, position, hash)
    VALUES (1, 0, '0000000000000000000000000000000000000000000000000000000000000000');
-- Entries of stores: where they are among their records, whose chain they are in.
CREATE TABLE store_audit (
    store_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    action TEXT NOT NULL,
    at BIGINT NOT NULL,
    day TEXT NOT NULL,
    PRIMARY KEY (store_id, event_id)
);
CREATE INDEX store_audit_at ON store_audit (at);
CREATE INDEX store_audit_user ON store_audit (user_id, at);
CREATE INDEX store_audit_action ON store_audit (action, at);
CREATE INDEX store_audit_store ON store_audit (store_id, at);

-- ---------------------------------------------------------------------------------------------------------------
-- Stores and what they tell
-- ---------------------------------------------------------------------------------------------------------------

-- The stores, how they are enrolled, and what they last told of themselves.
CREATE TABLE stores (
    store_id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    timezone TEXT NOT NULL,
    disabled BIGINT NOT NULL,
    disabled_at BIGINT,
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
    -- Which members it is told of, 'all' or 'met': as it was set when the store was enrolled.
    members_reach TEXT NOT NULL DEFAULT 'all',
    contacted_at BIGINT,
    last_seen_at BIGINT,
    version TEXT,
    schema_max BIGINT,
    feed_cursor TEXT,
    clock_skew_ms BIGINT,
    pending BIGINT,
    oldest_pending_at BIGINT,
    -- When its business day starts, HH:MM.
    day_start TEXT,
    -- The last comparison of a business day.
    digest_date TEXT,
    digest_result TEXT,
    digest_at BIGINT
);

-- What is wrong with a store and since when, until a person or the store itself has put it right.
CREATE TABLE alarms (
    store_id TEXT NOT NULL,
    code TEXT NOT NULL,
    message TEXT NOT NULL,
    since BIGINT NOT NULL,
    last_at BIGINT NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (store_id, code)
);

-- The hub's cursor per epoch; an epoch that was only named in a lineage stands at 0.
CREATE TABLE epochs (
    store_id TEXT NOT NULL,
    epoch TEXT NOT NULL,
    seq BIGINT NOT NULL,
    hash TEXT NOT NULL,
    -- Contained in every kept backup.
    stable_seq BIGINT NOT NULL,
    -- A store that has forgotten what the hub lacks may go on from here (resync); 0: it may not.
    resume_seq BIGINT NOT NULL DEFAULT 0,
    opened_at BIGINT NOT NULL,
    closed_at BIGINT,
    PRIMARY KEY (store_id, epoch)
);
-- Records that no store has any more.
CREATE TABLE holes (
    store_id TEXT NOT NULL,
    epoch TEXT NOT NULL,
    from_seq BIGINT NOT NULL,
    to_seq BIGINT NOT NULL,
    hash TEXT NOT NULL,
    found_at BIGINT NOT NULL,
    PRIMARY KEY (store_id, epoch, from_seq)
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
    -- 1: it was stamped ahead of the hub's clock.
    clock_skew BIGINT NOT NULL,
    PRIMARY KEY (store_id, epoch, seq)
);
CREATE INDEX records_ahead ON records (store_id, received_at) WHERE clock_skew = 1;

-- Every event once, whatever epoch it came in; kind, day and total are what a digest counts.
CREATE TABLE events (
    store_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    text_hash TEXT NOT NULL,
    epoch TEXT NOT NULL,
    seq BIGINT NOT NULL,
    kind TEXT,
    business_date TEXT,
    total BIGINT,
    PRIMARY KEY (store_id, event_id)
);
CREATE INDEX events_day ON events (store_id, business_date);

-- Records that could not be applied.
CREATE TABLE parked (
    store_id TEXT NOT NULL,
    epoch TEXT NOT NULL,
    seq BIGINT NOT NULL,
    parked_id TEXT,
    event_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    aggregate TEXT,
    code TEXT NOT NULL,
    message TEXT NOT NULL,
    -- 0: it waits for a predecessor and holds nobody up.
    blocking BIGINT NOT NULL DEFAULT 1,
    amount BIGINT,
    -- Whose points it may move: '' nobody's, none: nobody can tell. A balance names only those of its member.
    member_id TEXT,
    parked_at BIGINT NOT NULL,
    PRIMARY KEY (store_id, epoch, seq)
);
CREATE UNIQUE INDEX parked_by_id ON parked (parked_id);
CREATE INDEX parked_aggregate ON parked (store_id, aggregate);
CREATE INDEX parked_waiting ON parked (aggregate);
CREATE INDEX parked_member ON parked (store_id, member_id);
-- After each batch it is looked which parked records waited for it: among those that wait, not among all.
CREATE INDEX parked_code ON parked (code);

-- What a person should look at; nothing was held back for it.
CREATE TABLE exceptions (
    store_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    code TEXT NOT NULL,
    exception_id TEXT,
    details TEXT NOT NULL,
    found_at BIGINT NOT NULL,
    settled_at BIGINT,
    settled_by TEXT,
    note TEXT,
    PRIMARY KEY (store_id, event_id, code)
);
CREATE UNIQUE INDEX exceptions_id ON exceptions (exception_id);
CREATE INDEX exceptions_time ON exceptions (found_at);

-- Days that a store sealed, or opened again: a report over one that is open again is not complete.
CREATE TABLE store_days (
    store_id TEXT NOT NULL,
    business_date TEXT NOT NULL,
    sealed BIGINT NOT NULL,
    stamp TEXT NOT NULL,
    PRIMARY KEY (store_id, business_date)
);

-- ---------------------------------------------------------------------------------------------------------------
-- Documents of stores, keyed by their event: a document id that is seen twice is for a person to judge
-- ---------------------------------------------------------------------------------------------------------------

-- Completed sales.
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
    -- The event that voided it.
    voided_event TEXT,
    PRIMARY KEY (store_id, event_id)
);
CREATE INDEX sales_date ON sales (business_date, store_id);
CREATE INDEX sales_transaction ON sales (store_id, transaction_id);
CREATE INDEX sales_id ON sales (transaction_id);
-- A receipt number is looked for in all stores.
CREATE INDEX sales_number ON sales (receipt_no);
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
-- Payments of sales that count.
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

-- Returns.
CREATE TABLE returns (
    store_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    return_id TEXT NOT NULL,
    receipt_no TEXT NOT NULL,
    transaction_id TEXT,
    -- The receipt of another store that it names, also where the hub was not asked: more returned than sold is found
    -- whichever of them it was.
    origin_receipt_no TEXT,
    shift_id TEXT NOT NULL,
    cashier_id TEXT NOT NULL,
    member_id TEXT,
    business_date TEXT NOT NULL,
    local_hour TEXT NOT NULL,
    refund_total BIGINT NOT NULL,
    tax BIGINT NOT NULL,
    rounding BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    -- The event that voided it.
    voided_event TEXT,
    PRIMARY KEY (store_id, event_id)
);
CREATE INDEX returns_id ON returns (store_id, return_id);
CREATE INDEX returns_date ON returns (business_date, store_id);
CREATE INDEX returns_sale ON returns (transaction_id);
CREATE INDEX returns_origin ON returns (origin_receipt_no);
CREATE INDEX returns_number ON returns (receipt_no);
CREATE TABLE return_lines (
    store_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    sku TEXT NOT NULL,
    qty BIGINT NOT NULL,
    refund BIGINT NOT NULL,
    tax BIGINT NOT NULL,
    cost BIGINT NOT NULL,
    PRIMARY KEY (store_id, event_id, position)
);
-- What returns gave back, method by method.
CREATE TABLE refunds (
    store_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    method TEXT NOT NULL,
    amount BIGINT NOT NULL,
    rounding BIGINT NOT NULL,
    PRIMARY KEY (store_id, event_id, position)
);
-- Pieces of one store's sale that another store takes back: reserved before its return is told.
CREATE TABLE reservations (
    store_id TEXT NOT NULL,
    return_id TEXT NOT NULL,
    sku TEXT NOT NULL,
    transaction_id TEXT NOT NULL,
    qty BIGINT NOT NULL,
    made_at BIGINT NOT NULL,
    PRIMARY KEY (store_id, return_id, sku)
);
CREATE INDEX reservations_sale ON reservations (transaction_id);
CREATE INDEX reservations_store ON reservations (store_id, made_at);

-- Receipts of goods.
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
CREATE INDEX receivings_id ON receivings (store_id, receiving_id);
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

-- Shifts.
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

-- Transfers between stores, as they are now.
CREATE TABLE transfers (
    transfer_id TEXT PRIMARY KEY,
    from_store TEXT NOT NULL,
    to_store TEXT NOT NULL,
    state TEXT NOT NULL,
    sent BIGINT NOT NULL,
    document TEXT NOT NULL
);

-- ---------------------------------------------------------------------------------------------------------------
-- Sums, folded from distinct events: what must equal the stores' own
-- ---------------------------------------------------------------------------------------------------------------

-- Sales and returns of a store.
CREATE TABLE store_sums (
    store_id TEXT PRIMARY KEY,
    sales_count BIGINT NOT NULL,
    items_count BIGINT NOT NULL CHECK (items_count BETWEEN -9007199254740991 AND 9007199254740991),
    gross BIGINT NOT NULL CHECK (gross BETWEEN -9007199254740991 AND 9007199254740991),
    discount BIGINT NOT NULL CHECK (discount BETWEEN -9007199254740991 AND 9007199254740991),
    tax BIGINT NOT NULL CHECK (tax BETWEEN -9007199254740991 AND 9007199254740991),
    rounding BIGINT NOT NULL CHECK (rounding BETWEEN -9007199254740991 AND 9007199254740991),
    total BIGINT NOT NULL CHECK (total BETWEEN -9007199254740991 AND 9007199254740991),
    voids_count BIGINT NOT NULL DEFAULT 0,
    voids_total BIGINT NOT NULL DEFAULT 0,
    returns_count BIGINT NOT NULL DEFAULT 0,
    returns_total BIGINT NOT NULL DEFAULT 0,
    returns_tax BIGINT NOT NULL DEFAULT 0
);
-- Payments less refunds of a shift, by method.
CREATE TABLE shift_methods (
    store_id TEXT NOT NULL,
    shift_id TEXT NOT NULL,
    method TEXT NOT NULL,
    amount BIGINT NOT NULL CHECK (amount BETWEEN -9007199254740991 AND 9007199254740991),
    PRIMARY KEY (store_id, shift_id, method)
);
-- Cash beside sales: what a drawer should hold is float + method 'cash' + this.
CREATE TABLE shift_cash (
    store_id TEXT NOT NULL,
    shift_id TEXT NOT NULL,
    pay_in BIGINT NOT NULL CHECK (pay_in BETWEEN -9007199254740991 AND 9007199254740991),
    pay_out BIGINT NOT NULL CHECK (pay_out BETWEEN -9007199254740991 AND 9007199254740991),
    drops BIGINT NOT NULL CHECK (drops BETWEEN -9007199254740991 AND 9007199254740991),
    PRIMARY KEY (store_id, shift_id)
);
-- Pieces of a product in a store, and what they cost.
CREATE TABLE stock (
    store_id TEXT NOT NULL,
    sku TEXT NOT NULL,
    qty BIGINT NOT NULL CHECK (qty BETWEEN -9007199254740991 AND 9007199254740991),
    value BIGINT NOT NULL CHECK (value BETWEEN -9007199254740991 AND 9007199254740991),
    PRIMARY KEY (store_id, sku)
);
-- A member's points: the entries of all stores.
CREATE TABLE points (
    member_id TEXT PRIMARY KEY,
    balance BIGINT NOT NULL CHECK (balance BETWEEN -9007199254740991 AND 9007199254740991)
);
-- Each store's part of them.
CREATE TABLE store_points (
    store_id TEXT NOT NULL,
    member_id TEXT NOT NULL,
    points BIGINT NOT NULL CHECK (points BETWEEN -9007199254740991 AND 9007199254740991),
    PRIMARY KEY (store_id, member_id)
);

-- ---------------------------------------------------------------------------------------------------------------
-- What stores and head office both write
-- ---------------------------------------------------------------------------------------------------------------

-- Records that both sides write, their versions.
CREATE TABLE shared_records (
    resource TEXT NOT NULL,
    id TEXT NOT NULL,
    version TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (resource, id)
);
-- The same, field by field; written_by is the event, or the hub's change.
CREATE TABLE fields (
    resource TEXT NOT NULL,
    id TEXT NOT NULL,
    field TEXT NOT NULL,
    value TEXT NOT NULL,
    stamp TEXT NOT NULL,
    written_by TEXT NOT NULL,
    PRIMARY KEY (resource, id, field)
);
CREATE INDEX fields_value ON fields (resource, field, value);
-- Values that lost against another one.
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
CREATE INDEX conflicts_store ON conflicts (store_id, resolved_at);
-- Members who go on as another one: their points and sales are that one's, and their ids go on naming it. Kept flat:
-- whom they go on as is nobody who goes on as somebody else.
CREATE TABLE member_merges (
    member_id TEXT PRIMARY KEY,
    merged_into TEXT NOT NULL,
    merged_at BIGINT NOT NULL,
    merged_by TEXT NOT NULL
);
CREATE INDEX member_merges_into ON member_merges (merged_into);
-- Which stores have met which member; it counts for stores that are not told of all of them.
CREATE TABLE member_stores (
    store_id TEXT NOT NULL,
    member_id TEXT NOT NULL,
    PRIMARY KEY (store_id, member_id)
);
CREATE INDEX member_stores_member ON member_stores (member_id);

-- People of stores, given by head office or told by a store. A denial stands until somebody grants again.
CREATE TABLE staff (
    user_id TEXT PRIMARY KEY,
    username TEXT NOT NULL,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    store_id TEXT NOT NULL,
    password_hash TEXT,
    -- The token version that the person had from the password on that head office set; 0: it set none.
    password_version BIGINT NOT NULL DEFAULT 0,
    token_version BIGINT NOT NULL,
    disabled BIGINT NOT NULL,
    grants BIGINT NOT NULL,
    origin TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX staff_name ON staff (store_id, username);

-- ---------------------------------------------------------------------------------------------------------------
-- What head office decides, and the feed that tells stores of it
-- ---------------------------------------------------------------------------------------------------------------

-- Products.
CREATE TABLE products (
    sku TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    category TEXT,
    version TEXT NOT NULL,
    document TEXT NOT NULL
);
-- A barcode names one product that is sold.
CREATE TABLE product_barcodes (
    code TEXT NOT NULL PRIMARY KEY,
    sku TEXT NOT NULL
);
CREATE INDEX product_barcodes_by_sku ON product_barcodes (sku);
-- Prices. Which of several counts goes by when it was said; when one begins follows from the document and the
-- store's time zone.
CREATE TABLE prices (
    price_id TEXT PRIMARY KEY,
    sku TEXT NOT NULL,
    -- '': all stores.
    store_id TEXT NOT NULL,
    set_at BIGINT NOT NULL DEFAULT 0,
    document TEXT NOT NULL
);
CREATE INDEX prices_sku ON prices (sku, store_id);
-- Promotions.
CREATE TABLE promotions (
    promotion_id TEXT PRIMARY KEY,
    document TEXT NOT NULL
);
-- Suppliers.
CREATE TABLE suppliers (
    supplier_id TEXT PRIMARY KEY,
    code TEXT NOT NULL UNIQUE,
    document TEXT NOT NULL
);
-- Purchase orders.
CREATE TABLE purchase_orders (
    po_id TEXT PRIMARY KEY,
    supplier_id TEXT NOT NULL,
    store_id TEXT NOT NULL,
    state TEXT NOT NULL,
    document TEXT NOT NULL
);

-- Lanes of the feed, in the order of their hurry. Whoever writes to a lane locks its row.
CREATE TABLE feed_lanes (
    lane TEXT PRIMARY KEY,
    head BIGINT NOT NULL,
    stamp_ms BIGINT NOT NULL,
    -- Up to which change it was compacted.
    compacted BIGINT NOT NULL DEFAULT 0
);
INSERT INTO feed_lanes (lane, head, stamp_ms)
    VALUES ('users', 0, 0), ('prices', 0, 0), ('members', 0, 0), ('rest', 0, 0);
-- Every change that is not void yet; store_id '': for all.
CREATE TABLE feed (
    lane TEXT NOT NULL,
    number BIGINT NOT NULL,
    mark TEXT NOT NULL,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    store_id TEXT NOT NULL DEFAULT '',
    version TEXT NOT NULL,
    deleted BIGINT NOT NULL,
    effective_at BIGINT,
    payload TEXT NOT NULL,
    PRIMARY KEY (lane, number)
);
CREATE INDEX feed_of_store ON feed (lane, store_id, number);
CREATE INDEX feed_of_record ON feed (lane, kind, id, store_id, number);
-- The last change of every record: what a snapshot is made of.
CREATE TABLE feed_now (
    lane TEXT NOT NULL,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    store_id TEXT NOT NULL,
    number BIGINT NOT NULL,
    PRIMARY KEY (lane, kind, id, store_id)
);
-- How high a lane was when: says how old a change is, without a time in each.
CREATE TABLE feed_ages (
    lane TEXT NOT NULL,
    head BIGINT NOT NULL,
    noted_at BIGINT NOT NULL,
    PRIMARY KEY (lane, head)
);
-- The last deletion that was compacted away, by the store that it was for ('': all). A cursor below it may have missed
-- one; whoever stands exactly on it has seen it, and is known by its random mark.
CREATE TABLE feed_dropped (
    lane TEXT NOT NULL,
    store_id TEXT NOT NULL,
    number BIGINT NOT NULL,
    mark TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (lane, store_id)
);
