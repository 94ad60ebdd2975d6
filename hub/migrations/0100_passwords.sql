-- The token version that a person of a store had from the password on that head office set; 0: it set none.
ALTER TABLE staff ADD COLUMN password_version BIGINT NOT NULL DEFAULT 0;
