-- Both ways, to the letter: what a digest counts, holes, alarms, parked events with ids, lanes.

-- What a digest counts, of every distinct event that belongs to a business day.
ALTER TABLE events ADD COLUMN kind TEXT;
ALTER TABLE events ADD COLUMN business_date TEXT;
ALTER TABLE events ADD COLUMN total BIGINT;
CREATE INDEX events_day ON events (store_id, business_date);

-- A store that has forgotten what the hub lacks may go on from here (resync); 0: it may not.
ALTER TABLE epochs ADD COLUMN resume_seq BIGINT NOT NULL DEFAULT 0;

CREATE TABLE holes (
    store_id TEXT NOT NULL,
    epoch TEXT NOT NULL,
    from_seq BIGINT NOT NULL,
    to_seq BIGINT NOT NULL,
    hash TEXT NOT NULL,
    found_at BIGINT NOT NULL,
    PRIMARY KEY (store_id, epoch, from_seq)
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

-- blocking 0: it waits for a predecessor and holds nobody up.
ALTER TABLE parked ADD COLUMN parked_id TEXT;
ALTER TABLE parked ADD COLUMN blocking BIGINT NOT NULL DEFAULT 1;
ALTER TABLE parked ADD COLUMN amount BIGINT;
UPDATE parked SET parked_id = 'prk_' || store_id || '_' || epoch || '_' || seq;
CREATE UNIQUE INDEX parked_by_id ON parked (parked_id);
CREATE INDEX parked_waiting ON parked (aggregate);

-- Which program wrote here last: another version tries what an older one could not understand.
ALTER TABLE hub ADD COLUMN version TEXT;

ALTER TABLE stores ADD COLUMN disabled_at BIGINT;
ALTER TABLE stores ADD COLUMN digest_date TEXT;
ALTER TABLE stores ADD COLUMN digest_result TEXT;
ALTER TABLE stores ADD COLUMN digest_at BIGINT;

-- Lanes in the order of their hurry, and rows for one store ('' : for all).
UPDATE feed_lanes SET lane = 'rest' WHERE lane = 'products';
UPDATE feed SET lane = 'rest' WHERE lane = 'products';
INSERT INTO feed_lanes (lane, head, stamp_ms) VALUES ('users', 0, 0), ('prices', 0, 0), ('members', 0, 0);
ALTER TABLE feed ADD COLUMN store_id TEXT NOT NULL DEFAULT '';
CREATE INDEX feed_of_store ON feed (lane, store_id, number);

-- The last change of every record: what a snapshot is made of.
CREATE TABLE feed_now (
    lane TEXT NOT NULL,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    store_id TEXT NOT NULL,
    number BIGINT NOT NULL,
    PRIMARY KEY (lane, kind, id, store_id)
);
INSERT INTO feed_now (lane, kind, id, store_id, number)
    SELECT lane, kind, id, '', MAX(number) FROM feed GROUP BY lane, kind, id;

-- Verified backups that are kept, with the cursors inside.
CREATE TABLE backups (
    backup_id TEXT PRIMARY KEY,
    folder TEXT NOT NULL,
    made_at BIGINT NOT NULL
);
CREATE TABLE backup_heads (
    backup_id TEXT NOT NULL,
    store_id TEXT NOT NULL,
    epoch TEXT NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (backup_id, store_id, epoch)
);
