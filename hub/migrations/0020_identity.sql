-- Refresh tokens that work once: the living one of a session, as JSON; NULL: that of its log-in.
ALTER TABLE sessions ADD COLUMN rotation TEXT;

-- Devices that log in instead of a password.
CREATE TABLE passkeys (
    credential_id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    name TEXT NOT NULL,
    counter BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT,
    document TEXT NOT NULL
);
CREATE INDEX passkeys_owner ON passkeys (user_id);

-- What people did here; what they did in stores comes with the stores' records.
CREATE TABLE own_audit (
    audit_id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    action TEXT NOT NULL,
    at BIGINT NOT NULL,
    details TEXT NOT NULL
);
CREATE INDEX own_audit_age ON own_audit (at);
