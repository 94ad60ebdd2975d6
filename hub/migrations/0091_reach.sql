-- Which stores have met which member; it counts for stores that are not told of all of them.
CREATE TABLE member_stores (
    store_id TEXT NOT NULL,
    member_id TEXT NOT NULL,
    PRIMARY KEY (store_id, member_id)
);
CREATE INDEX member_stores_member ON member_stores (member_id);
-- 'all' or 'met': as it was set when the store was enrolled.
ALTER TABLE stores ADD COLUMN members_reach TEXT NOT NULL DEFAULT 'all';
