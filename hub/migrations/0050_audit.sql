-- The audit log of head office: its own entries in one chain, and what stores told of theirs.

DROP TABLE own_audit;
-- `record` is the exact text that the chain goes over; the other columns say the same, for searching.
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

-- Where a store's entries are among its records, whose chain they are in.
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
