-- The feed is compacted: what a later change of the same record made void goes once it is old enough.

-- Up to which change that was done. Locking a lane's row keeps its writers out for one step.
ALTER TABLE feed_lanes ADD COLUMN compacted BIGINT NOT NULL DEFAULT 0;
-- How high a lane was when: says how old a change is, without a time in each.
CREATE TABLE feed_ages (
    lane TEXT NOT NULL,
    head BIGINT NOT NULL,
    noted_at BIGINT NOT NULL,
    PRIMARY KEY (lane, head)
);
-- The last deletion that was removed, by the store that it was for ('': all). A cursor below it may have
-- missed one.
CREATE TABLE feed_dropped (
    lane TEXT NOT NULL,
    store_id TEXT NOT NULL,
    number BIGINT NOT NULL,
    PRIMARY KEY (lane, store_id)
);
CREATE INDEX feed_of_record ON feed (lane, kind, id, store_id, number);
