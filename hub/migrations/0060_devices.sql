-- The version of its owner's tokens under which a device was registered: it dies with them.
ALTER TABLE passkeys ADD COLUMN token_version BIGINT NOT NULL DEFAULT 0;
