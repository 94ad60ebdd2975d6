-- Members who go on as another one: their points and sales are that one's, and their ids go on naming it. Kept flat:
-- whom they go on as is nobody who goes on as somebody else.
CREATE TABLE member_merges (
    member_id TEXT PRIMARY KEY,
    merged_into TEXT NOT NULL,
    merged_at BIGINT NOT NULL,
    merged_by TEXT NOT NULL
);
CREATE INDEX member_merges_into ON member_merges (merged_into);
