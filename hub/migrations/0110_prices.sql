-- Which price counts goes by when it was said; when it begins follows from the document and the store's time zone.

ALTER TABLE prices DROP COLUMN starts;
ALTER TABLE prices ADD COLUMN set_at BIGINT NOT NULL DEFAULT 0;
