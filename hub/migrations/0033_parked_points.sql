-- Whose points a parked record may move: '' nobody's, NULL nobody can tell. A balance names only those of its member.
ALTER TABLE parked ADD COLUMN member_id TEXT;
CREATE INDEX parked_member ON parked (store_id, member_id);
