-- Whoever stands exactly on a removed deletion has seen it: its cursor is known by the deletion's random id.
ALTER TABLE feed_dropped ADD COLUMN mark TEXT NOT NULL DEFAULT '';
-- When the lanes' heights were last noted: a clock that has jumped since removes nothing.
ALTER TABLE hub ADD COLUMN feed_noted_at BIGINT NOT NULL DEFAULT 0;
