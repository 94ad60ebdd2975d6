-- The schema of head office, for SQLite and PostgreSQL alike: BIGINT and TEXT only, and nothing that one of them
-- alone would understand. Instants are milliseconds since 1970, days YYYY-MM-DD, booleans 0 or 1. Sums carry a bound:
-- a poisoned figure fails its own event on both engines instead of turning into something else on one of them.

-- This hub: its id, which stores' tokens name, and which generation of its database this is.
CREATE TABLE hub (
    singleton BIGINT PRIMARY KEY CHECK (singleton = 1),
    hub_id TEXT NOT NULL,
    -- Another one after every restore.
    generation TEXT NOT NULL,
    -- Counts the generations: a database of a lower number than the marks outside of it was restored.
    generation_n BIGINT NOT NULL DEFAULT 1,
    -- Head office's time zone, as the settings of the program that started last say: its days go by it.
    timezone TEXT NOT NULL DEFAULT 'UTC',
    -- Currency of all amounts, ISO 4217: it stays once there are amounts.
    currency TEXT NOT NULL DEFAULT 'IDR',
    -- The program that wrote here last: another version tries what this one could only park.
    version TEXT,
    -- The last restore drill of head office's own backups.
    drill_finished_at BIGINT,
    drill_duration_ms BIGINT,
    drill_backup_at BIGINT,
    drill_records BIGINT,
    drill_problem TEXT,
    drill_succeeded_at BIGINT,
    -- When the lanes' heights were last noted: a clock that has jumped since removes nothing.
    feed_noted_at BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL
);

-- Lists that head office keeps for the whole company: categories, tax codes, tiers, reasons, payment methods.
CREATE TABLE company_lists (
    list TEXT NOT NULL,
    code TEXT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (list, code)
);

-- What is decided by looking at more rows than can be locked one by one is decided by one at a time: whoever does takes the
-- row of that name before they look.
CREATE TABLE turns (
    name TEXT PRIMARY KEY,
    turn BIGINT NOT NULL
);
INSERT INTO turns (name, turn) VALUES ('categories', 0), ('event_log', 0), ('journal_exports', 0), ('notices', 0), ('preferred_suppliers', 0),
    ('webhooks', 0);

-- What an administrator set in the place of what the settings file says; the value is JSON.
CREATE TABLE settings (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    changed_at BIGINT NOT NULL,
    changed_by TEXT NOT NULL
);

-- What screens are told: that something has changed, and what. Each notice is left in the transaction of the change, with number
-- 0; once it is committed some process gives it the next number, and every process tells it. Swept after an hour.
CREATE TABLE notices (
    notice_id TEXT PRIMARY KEY,
    number BIGINT NOT NULL,
    -- 'store', 'exception', 'order', 'settlement'; 'access': what somebody may do here.
    kind TEXT NOT NULL,
    -- Empty: several.
    id TEXT NOT NULL,
    store_id TEXT NOT NULL,
    -- Of an exception: which contradiction.
    code TEXT NOT NULL,
    at BIGINT NOT NULL
);
CREATE INDEX notices_number ON notices (number);

-- Events for programs, kept for 30 days. A row for each transaction that has events: its events get consecutive numbers, and
-- last_no is the highest. 0: some process gives it after the commit, so that numbers rise in the order in which events can be
-- seen. The order of one store's transactions is epoch_no, seq; of head office's own (store_id is empty) seq.
CREATE TABLE event_commits (
    commit_id TEXT PRIMARY KEY,
    store_id TEXT NOT NULL,
    epoch_no BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    events BIGINT NOT NULL,
    last_no BIGINT NOT NULL,
    at BIGINT NOT NULL
);
CREATE INDEX event_commits_no ON event_commits (last_no);
CREATE INDEX event_commits_at ON event_commits (at);
CREATE TABLE event_log (
    store_id TEXT NOT NULL,
    commit_id TEXT NOT NULL,
    -- From 0 within the transaction.
    place BIGINT NOT NULL,
    event_id TEXT NOT NULL,
    type TEXT NOT NULL,
    object_type TEXT NOT NULL,
    object_id TEXT NOT NULL,
    occurred_at BIGINT NOT NULL,
    PRIMARY KEY (store_id, commit_id, place)
);

-- Addresses that events are sent to. A secret is derived from its salt and the key file of the hub: the database alone can't
-- sign.
CREATE TABLE webhooks (
    webhook_id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    url TEXT NOT NULL,
    -- JSON arrays. Empty: all. Of the stores, an empty text: events without a store.
    event_types TEXT NOT NULL,
    store_ids TEXT NOT NULL,
    -- 'active', 'paused'; then why and since when.
    state TEXT NOT NULL,
    pause_reason TEXT,
    paused_at BIGINT,
    -- Events up to this number are in webhook_deliveries, or are not for this webhook.
    after_no BIGINT NOT NULL,
    -- The highest number of an event that was deleted from the log before it was sent.
    missed_until BIGINT,
    salt TEXT NOT NULL,
    -- Last characters of the secret, by which people recognise it.
    hint TEXT NOT NULL,
    -- Secrets before rotations, and until when each signs too: a JSON array of {salt, until}, the oldest first.
    previous_salts TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    -- Who sends now, and until when nobody else does. Empty and 0: nobody.
    holder TEXT NOT NULL,
    held_until BIGINT NOT NULL
);

-- Events on their way to a webhook, and those that arrived lately. The event is a copy: it may wait longer than the log keeps it.
CREATE TABLE webhook_deliveries (
    webhook_id TEXT NOT NULL,
    event_no BIGINT NOT NULL,
    event_id TEXT NOT NULL,
    type TEXT NOT NULL,
    store_id TEXT NOT NULL,
    object_type TEXT NOT NULL,
    object_id TEXT NOT NULL,
    occurred_at BIGINT NOT NULL,
    logged_at BIGINT NOT NULL,
    -- Events with the same text are sent one after the other.
    document TEXT NOT NULL,
    -- 'waiting', 'delivered'
    state TEXT NOT NULL,
    attempts BIGINT NOT NULL,
    next_attempt_at BIGINT NOT NULL,
    -- The first attempt that failed, since the event was queued or the webhook was resumed.
    failing_since BIGINT,
    last_attempt_at BIGINT,
    last_status BIGINT,
    last_error TEXT,
    delivered_at BIGINT,
    PRIMARY KEY (webhook_id, event_no)
);
CREATE INDEX webhook_states ON webhook_deliveries (webhook_id, state, event_no);
CREATE INDEX webhook_waiting ON webhook_deliveries (webhook_id, document, event_no) WHERE state = 'waiting';
CREATE INDEX webhook_delivered ON webhook_deliveries (delivered_at) WHERE state = 'delivered';

-- Verified backups that are kept.
CREATE TABLE backups (
    backup_id TEXT PRIMARY KEY,
    folder TEXT NOT NULL,
    made_at BIGINT NOT NULL
);
-- How far each epoch is in a backup: what all kept ones contain, stores may forget.
CREATE TABLE backup_heads (
    backup_id TEXT NOT NULL,
    store_id TEXT NOT NULL,
    epoch TEXT NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (backup_id, store_id, epoch)
);

-- Answers under an Idempotency-Key; keys and bodies are HMACs.
CREATE TABLE idempotency (
    key_hash TEXT PRIMARY KEY,
    -- Fingerprints of body and query, by name.
    command TEXT NOT NULL,
    status BIGINT NOT NULL,
    location TEXT,
    body TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX idempotency_age ON idempotency (created_at);

-- ---------------------------------------------------------------------------------------------------------------
-- People of head office
-- ---------------------------------------------------------------------------------------------------------------

-- Whoever may log in here.
CREATE TABLE users (
    user_id TEXT PRIMARY KEY,
    username TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    -- argon2id in PHC form; none: no log-in by password.
    password_hash TEXT,
    -- Tokens of a lower version are dead.
    token_version BIGINT NOT NULL,
    disabled BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    -- Login name and name as searches compare them; so in every table that has this column.
    folded TEXT NOT NULL
);
-- One change of head office's people at a time: whoever decides takes this row first, so that two who keep each
-- other out at once are decided one after the other, and never wait for each other in a circle.
CREATE TABLE people_turn (
    one BIGINT PRIMARY KEY,
    turn BIGINT NOT NULL
);
INSERT INTO people_turn (one, turn) VALUES (1, 0);

-- Log-ins.
CREATE TABLE sessions (
    session_id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    token_version BIGINT NOT NULL,
    opened_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    -- The refresh token that works next, as JSON; none: that of the log-in.
    rotation TEXT
);
CREATE INDEX sessions_expiry ON sessions (expires_at);

-- Tickets of event streams that were used, for some minutes.
CREATE TABLE spent_tickets (
    ticket_id TEXT PRIMARY KEY,
    spent_at BIGINT NOT NULL
);

-- Keys with which programs call the API. Revoked keys stay, so that the audit log's `key_...` keeps its name.
CREATE TABLE api_keys (
    key_id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    -- JSON arrays of names.
    scopes TEXT NOT NULL,
    store_ids TEXT NOT NULL,
    -- SHA-256 of the secret; the secret itself is stored nowhere.
    hash TEXT NOT NULL UNIQUE,
    -- Last characters of the secret, by which people recognise it.
    hint TEXT NOT NULL,
    -- The secret before a rotation, and until when it works.
    previous_hash TEXT,
    previous_until BIGINT,
    created_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT,
    -- To the hour.
    last_used_at BIGINT
);
CREATE INDEX api_keys_previous ON api_keys (previous_hash);

-- Devices that log in instead of a password.
CREATE TABLE passkeys (
    credential_id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    name TEXT NOT NULL,
    counter BIGINT NOT NULL,
    -- The version of its owner's tokens under which it was registered: it dies with them.
    token_version BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT,
    document TEXT NOT NULL
);
CREATE INDEX passkeys_owner ON passkeys (user_id);

-- What was done here, in one chain. `record` is the exact text that the chain goes over; the other columns say
-- the same, for searching.
CREATE TABLE own_audit (
    position BIGINT PRIMARY KEY,
    audit_id TEXT NOT NULL UNIQUE,
    store_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    action TEXT NOT NULL,
    at BIGINT NOT NULL,
    day TEXT NOT NULL,
    -- What it is about; empty: nothing with an id.
    object_id TEXT NOT NULL,
    record TEXT NOT NULL,
    hash TEXT NOT NULL
);
CREATE INDEX own_audit_object ON own_audit (object_id, at);
CREATE INDEX own_audit_at ON own_audit (at);
CREATE INDEX own_audit_user ON own_audit (user_id, at);
CREATE INDEX own_audit_action ON own_audit (action, at);
CREATE INDEX own_audit_store ON own_audit (store_id, at);
-- Where the chain ends. Whoever appends locks this row: entries of several processes follow one another.
CREATE TABLE audit_head (
    singleton BIGINT PRIMARY KEY CHECK (singleton = 1),
    position BIGINT NOT NULL,
    hash TEXT NOT NULL
);
INSERT INTO audit_head (singleton, position, hash)
    VALUES (1, 0, '0000000000000000000000000000000000000000000000000000000000000000');
-- Entries of stores: where they are among their records, whose chain they are in.
CREATE TABLE store_audit (
    store_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    action TEXT NOT NULL,
    at BIGINT NOT NULL,
    day TEXT NOT NULL,
    object_id TEXT NOT NULL,
    PRIMARY KEY (store_id, event_id)
);
CREATE INDEX store_audit_object ON store_audit (object_id, at);
CREATE INDEX store_audit_at ON store_audit (at);
CREATE INDEX store_audit_user ON store_audit (user_id, at);
CREATE INDEX store_audit_action ON store_audit (action, at);
CREATE INDEX store_audit_store ON store_audit (store_id, at);

-- ---------------------------------------------------------------------------------------------------------------
-- Stores and what they tell
-- ---------------------------------------------------------------------------------------------------------------

-- The stores, how they are enrolled, and what they last told of themselves.
CREATE TABLE stores (
    store_id TEXT PRIMARY KEY,
    -- 'store', or 'warehouse': its records are written here.
    kind TEXT NOT NULL DEFAULT 'store',
    name TEXT NOT NULL,
    timezone TEXT NOT NULL,
    address TEXT,
    disabled BIGINT NOT NULL,
    disabled_at BIGINT,
    created_at BIGINT NOT NULL,
    -- The enrolment token's SHA-256, until when it may be used, and the key that used it.
    token_hash TEXT,
    token_expires_at BIGINT,
    token_key TEXT,
    public_key TEXT,
    enrolled_at BIGINT,
    -- The one epoch that may push; closed ones keep their cursors.
    current_epoch TEXT,
    current_n BIGINT NOT NULL,
    -- Which members it is told of, 'all' or 'met': as it was set when the store was enrolled.
    members_reach TEXT NOT NULL DEFAULT 'all',
    contacted_at BIGINT,
    last_seen_at BIGINT,
    -- Network address of the last hello that was accepted.
    peer TEXT,
    version TEXT,
    schema_max BIGINT,
    feed_cursor TEXT,
    clock_skew_ms BIGINT,
    pending BIGINT,
    oldest_pending_at BIGINT,
    -- When its business day starts, HH:MM.
    day_start TEXT,
    -- The last comparison of a business day.
    digest_date TEXT,
    digest_result TEXT,
    digest_at BIGINT,
    -- The last restore drill of its backups, as its last hello said.
    drill_finished_at BIGINT,
    drill_duration_ms BIGINT,
    drill_backup_at BIGINT,
    drill_records BIGINT,
    drill_problem TEXT,
    drill_succeeded_at BIGINT
);

-- Keys that a later enrolment replaced: a box that still signs with one is not the store any more.
CREATE TABLE replaced_keys (
    store_id TEXT NOT NULL,
    public_key TEXT NOT NULL,
    replaced_at BIGINT NOT NULL,
    PRIMARY KEY (store_id, public_key)
);

-- Tills of stores, as head office named them.
CREATE TABLE registers (
    store_id TEXT NOT NULL,
    register_id TEXT NOT NULL,
    -- Null: head office did not say.
    name TEXT,
    disabled BIGINT,
    PRIMARY KEY (store_id, register_id)
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

-- The hub's cursor per epoch; an epoch that was only named in a lineage stands at 0.
CREATE TABLE epochs (
    store_id TEXT NOT NULL,
    epoch TEXT NOT NULL,
    seq BIGINT NOT NULL,
    hash TEXT NOT NULL,
    -- Contained in every kept backup.
    stable_seq BIGINT NOT NULL,
    -- A store that has forgotten what the hub lacks may go on from here (resync); 0: it may not.
    resume_seq BIGINT NOT NULL DEFAULT 0,
    opened_at BIGINT NOT NULL,
    closed_at BIGINT,
    -- When it took over from another one; null: it never did, or an administrator made a new token since.
    took_over_at BIGINT,
    -- Where its writer was behind the hub on this chain, as it said last; null: nowhere.
    behind_seq BIGINT,
    PRIMARY KEY (store_id, epoch)
);
-- Records that no store has any more.
CREATE TABLE holes (
    store_id TEXT NOT NULL,
    epoch TEXT NOT NULL,
    from_seq BIGINT NOT NULL,
    to_seq BIGINT NOT NULL,
    hash TEXT NOT NULL,
    found_at BIGINT NOT NULL,
    PRIMARY KEY (store_id, epoch, from_seq)
);

-- Every record as it came. encoding 1: hexadecimal, for text that a TEXT column can't hold.
CREATE TABLE records (
    store_id TEXT NOT NULL,
    epoch TEXT NOT NULL,
    seq BIGINT NOT NULL,
    hash TEXT NOT NULL,
    record TEXT NOT NULL,
    encoding BIGINT NOT NULL,
    state TEXT NOT NULL,
    received_at BIGINT NOT NULL,
    effective_at TEXT,
    -- 1: it was stamped ahead of the hub's clock.
    clock_skew BIGINT NOT NULL,
    PRIMARY KEY (store_id, epoch, seq)
);
CREATE INDEX records_ahead ON records (store_id, received_at) WHERE clock_skew = 1;

-- Every event once, whatever epoch it came in; kind, day and total are what a digest counts.
CREATE TABLE events (
    store_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    text_hash TEXT NOT NULL,
    epoch TEXT NOT NULL,
    seq BIGINT NOT NULL,
    kind TEXT,
    business_date TEXT,
    total BIGINT,
    PRIMARY KEY (store_id, event_id)
);
CREATE INDEX events_day ON events (store_id, business_date);

-- Records that could not be applied.
CREATE TABLE parked (
    store_id TEXT NOT NULL,
    epoch TEXT NOT NULL,
    seq BIGINT NOT NULL,
    parked_id TEXT,
    event_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    aggregate TEXT,
    code TEXT NOT NULL,
    message TEXT NOT NULL,
    -- 0: it waits for a predecessor and holds nobody up.
    blocking BIGINT NOT NULL DEFAULT 1,
    amount BIGINT,
    -- Whose points it may move: '' nobody's, none: nobody can tell. A balance names only those of its member.
    member_id TEXT,
    parked_at BIGINT NOT NULL,
    PRIMARY KEY (store_id, epoch, seq)
);
CREATE INDEX parked_by_id ON parked (parked_id, store_id);
CREATE INDEX parked_aggregate ON parked (store_id, aggregate);
CREATE INDEX parked_waiting ON parked (aggregate);
CREATE INDEX parked_member ON parked (store_id, member_id);
-- After each batch it is looked which parked records waited for it: among those that wait, not among all.
CREATE INDEX parked_code ON parked (code);

-- Records that were parked until their store sent a corrected document in place of theirs: they are never applied.
CREATE TABLE replaced (
    store_id TEXT NOT NULL,
    epoch TEXT NOT NULL,
    seq BIGINT NOT NULL,
    parked_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    aggregate TEXT,
    code TEXT NOT NULL,
    message TEXT NOT NULL,
    amount BIGINT,
    parked_at BIGINT NOT NULL,
    -- The document in its place, and the user of the store who made it.
    replaced_by TEXT NOT NULL,
    resubmitted_by TEXT NOT NULL,
    replaced_at BIGINT NOT NULL,
    PRIMARY KEY (store_id, epoch, seq)
);
CREATE INDEX replaced_by_id ON replaced (parked_id, store_id);

-- What a person should look at; nothing was held back for it.
CREATE TABLE exceptions (
    store_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    code TEXT NOT NULL,
    exception_id TEXT,
    details TEXT NOT NULL,
    found_at BIGINT NOT NULL,
    -- The day of that in UTC: reports count it there where the event has no business day.
    found_on TEXT NOT NULL,
    -- Of what is told once for each day of a store: the day.
    day TEXT,
    settled_at BIGINT,
    settled_by TEXT,
    note TEXT,
    PRIMARY KEY (store_id, event_id, code)
);
CREATE INDEX exceptions_id ON exceptions (exception_id, store_id);
CREATE INDEX exceptions_time ON exceptions (found_at);
CREATE UNIQUE INDEX exceptions_day ON exceptions (store_id, code, day) WHERE day IS NOT NULL;

-- Days that a store told anything of; whether it sealed them, or opened them again: a report over one that is open
-- again is not complete.
CREATE TABLE store_days (
    store_id TEXT NOT NULL,
    business_date TEXT NOT NULL,
    sealed BIGINT NOT NULL,
    sealed_at BIGINT,
    -- Of the last word on that; '': there was none.
    stamp TEXT NOT NULL,
    -- The last comparison with what the store counts of it.
    digest_result TEXT,
    digest_at BIGINT,
    PRIMARY KEY (store_id, business_date)
);
CREATE INDEX store_days_date ON store_days (business_date, store_id);
CREATE INDEX store_days_unsealed ON store_days (store_id, business_date) WHERE sealed = 0;

-- ---------------------------------------------------------------------------------------------------------------
-- Books: the entries of what stores did, each in the transaction that applies its event
-- ---------------------------------------------------------------------------------------------------------------

-- The book of a store: its row is locked by whoever posts in it, before what stores share and the feed.
CREATE TABLE books (
    store_id TEXT PRIMARY KEY,
    next_entry_no BIGINT NOT NULL CHECK (next_entry_no > 0)
);

-- Balanced entries, numbered from 1 in each book without a gap.
CREATE TABLE journal (
    -- The book.
    store_id TEXT NOT NULL,
    entry_no BIGINT NOT NULL,
    entry_id TEXT NOT NULL,
    entry_date TEXT NOT NULL,
    -- The day that it belongs to, where that is another one.
    reference_date TEXT,
    kind TEXT NOT NULL,
    cause_type TEXT NOT NULL,
    cause_id TEXT NOT NULL,
    -- The store that told, and its event; of an entry of head office: '' and none.
    cause_store_id TEXT NOT NULL,
    event_id TEXT,
    -- One entry each: the event, with a suffix where one event makes several.
    cause_key TEXT NOT NULL,
    -- Entries of several books that a person wrote as one.
    group_id TEXT,
    memo TEXT,
    -- The entry of the same book that it takes back.
    reverses TEXT,
    -- Who wrote it; none: the rules.
    created_by TEXT,
    debit_total BIGINT NOT NULL CHECK (debit_total BETWEEN 1 AND 9007199254740991),
    credit_total BIGINT NOT NULL CHECK (credit_total = debit_total),
    created_at BIGINT NOT NULL,
    PRIMARY KEY (store_id, entry_no),
    UNIQUE (store_id, cause_key)
);
CREATE INDEX journal_id ON journal (entry_id, store_id);
CREATE INDEX journal_date ON journal (entry_date, store_id, entry_no);
CREATE INDEX journal_cause ON journal (cause_id, store_id);
CREATE INDEX journal_reverses ON journal (reverses, store_id);
-- Those that have another day in the books than their own are few.
CREATE INDEX journal_late ON journal (store_id, reference_date) WHERE reference_date IS NOT NULL;
-- What stores did is nearly all: only the other kinds are found by theirs.
CREATE INDEX journal_kind ON journal (kind, entry_date, store_id, entry_no) WHERE kind <> 'event';
CREATE TABLE journal_lines (
    store_id TEXT NOT NULL,
    entry_no BIGINT NOT NULL,
    line_no BIGINT NOT NULL,
    account TEXT NOT NULL,
    debit BIGINT NOT NULL CHECK (debit BETWEEN 0 AND 9007199254740991),
    credit BIGINT NOT NULL CHECK (credit BETWEEN 0 AND 9007199254740991),
    PRIMARY KEY (store_id, entry_no, line_no),
    CHECK ((debit = 0) <> (credit = 0))
);

-- What each account moved on each day of a book. A day may move more than a figure holds: what was voided stands on both sides.
CREATE TABLE ledger_days (
    store_id TEXT NOT NULL,
    entry_date TEXT NOT NULL,
    account TEXT NOT NULL,
    debit BIGINT NOT NULL CHECK (debit BETWEEN 0 AND 9223372036854775807),
    credit BIGINT NOT NULL CHECK (credit BETWEEN 0 AND 9223372036854775807),
    PRIMARY KEY (store_id, entry_date, account)
);
CREATE INDEX ledger_days_account ON ledger_days (account, entry_date, store_id);
CREATE INDEX ledger_days_date ON ledger_days (entry_date, store_id);

-- Accounts that head office added, and those of the plan that it named otherwise.
CREATE TABLE accounts (
    account TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    contra BIGINT NOT NULL,
    parent TEXT,
    closed BIGINT NOT NULL,
    -- Its code in the program that journal exports are made for.
    export_code TEXT
);

-- Parts of the journal that were handed out to accounting programs.
CREATE TABLE journal_exports (
    export_no BIGINT PRIMARY KEY,
    export_id TEXT NOT NULL UNIQUE,
    document TEXT NOT NULL
);

-- The last entry of each book that an export has.
CREATE TABLE exported_books (
    store_id TEXT PRIMARY KEY,
    entry_no BIGINT NOT NULL
);

-- Locked days of each book: what was locked at once is a span, and no two of a book meet.
CREATE TABLE day_locks (
    store_id TEXT NOT NULL,
    first_date TEXT NOT NULL,
    last_date TEXT NOT NULL,
    locked_at BIGINT NOT NULL,
    locked_by TEXT NOT NULL,
    reason TEXT,
    PRIMARY KEY (store_id, last_date)
);

-- Closed months: their days are locked in every book, also in that of a store that comes later.
CREATE TABLE periods (
    month TEXT PRIMARY KEY,
    last_date TEXT NOT NULL,
    closed_at BIGINT NOT NULL,
    closed_by TEXT NOT NULL
);
-- One person at a time writes into the books by hand, locks days, closes months and changes accounts.
CREATE TABLE books_turn (
    singleton BIGINT PRIMARY KEY CHECK (singleton = 1),
    turn BIGINT NOT NULL
);
INSERT INTO books_turn (singleton, turn) VALUES (1, 0);

-- What is done once a day, by one process: who has it, when it was last heard of it, and when it was done.
CREATE TABLE jobs (
    name TEXT NOT NULL,
    day TEXT NOT NULL,
    holder TEXT NOT NULL,
    beat_at BIGINT NOT NULL,
    done_at BIGINT,
    PRIMARY KEY (name, day)
);

-- What the last proof of the books came to.
CREATE TABLE proofs (
    singleton BIGINT PRIMARY KEY CHECK (singleton = 1),
    at BIGINT NOT NULL,
    ok BIGINT NOT NULL,
    problems BIGINT NOT NULL,
    -- JSON: the names of those that failed.
    failed TEXT NOT NULL
);

-- Which account takes the place of the plan's, from a day in the books on.
CREATE TABLE mappings (
    -- 'method', 'cash_reason', 'adjustment_reason' or 'bank_text'.
    kind TEXT NOT NULL,
    mapped_key TEXT NOT NULL,
    account TEXT NOT NULL,
    from_date TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    created_by TEXT NOT NULL,
    mapping_id TEXT NOT NULL UNIQUE,
    PRIMARY KEY (kind, mapped_key, from_date)
);

-- Who pays out what customers paid, and banks.
CREATE TABLE statement_sources (
    source_id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    -- 'provider' or 'bank'.
    kind TEXT NOT NULL,
    -- A JSON list.
    methods TEXT NOT NULL,
    account TEXT NOT NULL,
    -- None: fees are as reported.
    fee_rate_bp BIGINT,
    fee_fixed BIGINT NOT NULL,
    fee_tolerance BIGINT NOT NULL,
    fee_on_refunds TEXT NOT NULL,
    window_days BIGINT NOT NULL,
    lag_days BIGINT NOT NULL,
    -- The account's number or IBAN, and its currency: files of another one are refused. None: not checked.
    account_no TEXT,
    currency TEXT,
    -- The time zone of its files' times; none: times change no day.
    timezone TEXT,
    -- JSON: what its terminals are to stores, and how its files look.
    store_refs TEXT NOT NULL,
    csv TEXT NOT NULL,
    active BIGINT NOT NULL,
    -- Counts what locked it: imports and matching of a source are one after the other.
    turn BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL
);
INSERT INTO statement_sources (source_id, name, kind, methods, account, fee_rate_bp, fee_fixed, fee_tolerance,
    fee_on_refunds, window_days, lag_days, store_refs, csv, active, created_at)
    VALUES ('src_default', 'Any provider', 'provider', '[]', '1040', NULL, 0, 0, 'kept', 4, 1, '[]', '{}', 1, 0);

-- What they reported.
CREATE TABLE statements (
    statement_id TEXT PRIMARY KEY,
    doc_no TEXT NOT NULL UNIQUE,
    source_id TEXT NOT NULL,
    state TEXT NOT NULL,
    from_date TEXT NOT NULL,
    to_date TEXT NOT NULL,
    lines_total BIGINT NOT NULL,
    lines_new BIGINT NOT NULL,
    gross BIGINT NOT NULL CHECK (gross BETWEEN -9007199254740991 AND 9007199254740991),
    fee BIGINT NOT NULL CHECK (fee BETWEEN -9007199254740991 AND 9007199254740991),
    net BIGINT NOT NULL CHECK (net BETWEEN -9007199254740991 AND 9007199254740991),
    opening_balance BIGINT,
    closing_balance BIGINT,
    -- Closing balance less opening balance and lines, while rows of the file are set aside; none: they agree.
    balance_difference BIGINT,
    -- How many rows of the file are no lines: JSON, by reason.
    set_aside TEXT NOT NULL DEFAULT '{}',
    -- The store whose settlement it was imported for.
    store_id TEXT,
    -- The day of the settlement that it was imported for.
    settlement_date TEXT,
    imported_at BIGINT NOT NULL,
    imported_by TEXT NOT NULL
);
CREATE INDEX statements_date ON statements (to_date, statement_id);
CREATE INDEX statements_source ON statements (source_id, to_date, statement_id);
CREATE TABLE statement_lines (
    line_id TEXT PRIMARY KEY,
    statement_id TEXT NOT NULL,
    source_id TEXT NOT NULL,
    line_no BIGINT NOT NULL,
    line_date TEXT NOT NULL,
    reference TEXT NOT NULL,
    reference_key TEXT,
    -- Keys of further references of the same payment, with spaces between them.
    other_keys TEXT,
    description TEXT NOT NULL,
    kind TEXT NOT NULL,
    batch TEXT,
    store_ref TEXT,
    gross BIGINT,
    fee BIGINT,
    net BIGINT,
    fingerprint TEXT NOT NULL,
    -- Which of the equal lines of its file it is.
    occurrence BIGINT NOT NULL,
    -- 'unmatched', 'matched', 'excepted', 'resolved', or 'carried': resolved, and looked at again.
    state TEXT NOT NULL,
    match_id TEXT,
    -- Of one that is carried: until when nobody is asked about it.
    carried_until TEXT,
    UNIQUE (source_id, fingerprint, occurrence)
);
CREATE INDEX statement_lines_statement ON statement_lines (statement_id, line_no);
CREATE INDEX statement_lines_open ON statement_lines (source_id, line_date)
    WHERE state IN ('unmatched', 'excepted', 'carried');
CREATE INDEX statement_lines_carried ON statement_lines (source_id, carried_until) WHERE state = 'carried';
CREATE INDEX statement_lines_key ON statement_lines (source_id, reference_key) WHERE reference_key IS NOT NULL;
CREATE INDEX statement_lines_batch ON statement_lines (source_id, batch) WHERE batch IS NOT NULL;
CREATE INDEX statement_lines_payout ON statement_lines (line_date) WHERE kind = 'payout' AND batch IS NULL;

-- Rows of statements' files that are no lines, until a person decides otherwise.
CREATE TABLE statement_rows_set_aside (
    row_id TEXT PRIMARY KEY,
    statement_id TEXT NOT NULL,
    source_id TEXT NOT NULL,
    -- Where it is in its file: a line of CSV, an entry of CAMT.053, from 1.
    row_no BIGINT NOT NULL,
    reason TEXT NOT NULL,
    field TEXT,
    problem TEXT NOT NULL,
    row_date TEXT,
    reference TEXT NOT NULL,
    description TEXT NOT NULL,
    amount BIGINT,
    -- The line as JSON, as far as it could be read.
    line TEXT,
    -- The row as it is in the file, cut.
    row_text TEXT NOT NULL,
    -- Of a row that repeats a line in other words: that line.
    repeats_line_id TEXT,
    -- The same for equal rows of a source; the second one of a file has another.
    row_key TEXT NOT NULL,
    -- 'open', 'noted', 'taken' or 'dismissed'.
    state TEXT NOT NULL,
    -- The line that it became.
    line_id TEXT,
    decided_by TEXT,
    decided_at BIGINT,
    decision TEXT,
    UNIQUE (source_id, row_key)
);
CREATE INDEX statement_rows_set_aside_statement ON statement_rows_set_aside (statement_id, row_no, row_id);

-- What somebody else has to settle: made with the event that told of it.
CREATE TABLE settlement_items (
    store_id TEXT NOT NULL,
    item_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    -- 'payment', 'refund', 'deposit' or 'supplier_payment'.
    kind TEXT NOT NULL,
    method TEXT NOT NULL,
    -- Where it stands until it is settled.
    account TEXT NOT NULL,
    business_date TEXT NOT NULL,
    -- The day whose settlement has it.
    settlement_date TEXT NOT NULL,
    amount BIGINT NOT NULL,
    reference TEXT,
    document_id TEXT NOT NULL,
    receipt_no TEXT,
    register_id TEXT,
    occurred_at BIGINT NOT NULL,
    contra_of TEXT,
    -- 'open', 'matched', 'posted' or 'written_off'.
    state TEXT NOT NULL,
    match_id TEXT,
    -- 1: it came after the settlement of its day was approved.
    late BIGINT NOT NULL,
    -- Until when it is known that it stays open.
    carried_until TEXT,
    PRIMARY KEY (store_id, item_id)
);
CREATE INDEX settlement_items_id ON settlement_items (item_id, store_id);
CREATE INDEX settlement_items_day ON settlement_items (store_id, settlement_date, item_id);
CREATE INDEX settlement_items_open ON settlement_items (method, business_date) WHERE state = 'open';
CREATE INDEX settlement_items_carried ON settlement_items (carried_until)
    WHERE state = 'open' AND carried_until IS NOT NULL;
CREATE INDEX settlement_items_date ON settlement_items (business_date, store_id, item_id);
CREATE INDEX settlement_items_document ON settlement_items (document_id, store_id);

-- Lines and items that belong together.
CREATE TABLE settlement_matches (
    match_id TEXT PRIMARY KEY,
    source_id TEXT NOT NULL,
    rule TEXT NOT NULL,
    -- The day of its last line.
    line_date TEXT NOT NULL,
    gross BIGINT NOT NULL,
    fee BIGINT NOT NULL,
    net BIGINT NOT NULL,
    difference BIGINT NOT NULL,
    -- Of a bank's text: where it is posted.
    account TEXT,
    -- Where a difference is posted; none: 6060.
    difference_account TEXT,
    -- 'matched', 'posted' or 'undone'.
    state TEXT NOT NULL,
    made_by TEXT,
    reason TEXT,
    -- JSON, of one that was undone: what it was, who said so, when and why.
    undone TEXT,
    made_at BIGINT NOT NULL
);
-- What belongs to no settlement and waits for its statement's approval.
CREATE INDEX settlement_matches_waiting ON settlement_matches (source_id)
    WHERE state = 'matched' AND rule IN ('deposit', 'payout', 'supplier_payment', 'text');
CREATE TABLE match_lines (
    line_id TEXT PRIMARY KEY,
    match_id TEXT NOT NULL
);
CREATE INDEX match_lines_match ON match_lines (match_id);
CREATE TABLE match_items (
    store_id TEXT NOT NULL,
    item_id TEXT NOT NULL,
    match_id TEXT NOT NULL,
    -- Its part of what the match has beyond its lines.
    difference BIGINT NOT NULL,
    PRIMARY KEY (store_id, item_id)
);
CREATE INDEX match_items_match ON match_items (match_id, store_id);
-- Batches of providers that reached the bank, each by one line of it.
CREATE TABLE paid_batches (
    source_id TEXT NOT NULL,
    batch TEXT NOT NULL,
    line_id TEXT NOT NULL,
    PRIMARY KEY (source_id, batch)
);
-- What a match is to each store and day.
CREATE TABLE match_slices (
    store_id TEXT NOT NULL,
    settlement_date TEXT NOT NULL,
    match_id TEXT NOT NULL,
    -- How all of its items were paid; none: in several ways.
    method TEXT,
    gross BIGINT NOT NULL,
    fee BIGINT NOT NULL,
    difference BIGINT NOT NULL,
    net BIGINT NOT NULL,
    -- JSON: what each account is cleared of.
    cleared TEXT NOT NULL,
    posted BIGINT NOT NULL,
    PRIMARY KEY (store_id, settlement_date, match_id),
    CHECK (gross = fee + difference + net)
);
CREATE INDEX match_slices_match ON match_slices (match_id);
-- What of a slice of several methods each of them has.
CREATE TABLE slice_methods (
    store_id TEXT NOT NULL,
    settlement_date TEXT NOT NULL,
    match_id TEXT NOT NULL,
    method TEXT NOT NULL,
    fee BIGINT NOT NULL,
    difference BIGINT NOT NULL,
    net BIGINT NOT NULL,
    PRIMARY KEY (store_id, settlement_date, match_id, method)
);
CREATE INDEX slice_methods_match ON slice_methods (match_id);

-- The settlement of each day of a store.
CREATE TABLE settlements (
    store_id TEXT NOT NULL,
    business_date TEXT NOT NULL,
    settlement_id TEXT NOT NULL,
    -- 'open', 'reconciled', 'discrepant' or 'approved'.
    state TEXT NOT NULL,
    -- 1: it was made before its day was sealed.
    forced BIGINT NOT NULL,
    note TEXT,
    made_at BIGINT NOT NULL,
    approved_by TEXT,
    approved_at BIGINT,
    -- JSON: what it came to by method when it was approved.
    figures TEXT,
    PRIMARY KEY (store_id, business_date)
);
CREATE INDEX settlements_id ON settlements (settlement_id, store_id);
CREATE INDEX settlements_date ON settlements (business_date, store_id);
CREATE INDEX settlements_waiting ON settlements (store_id, business_date) WHERE state <> 'approved';

-- What does not agree, for people.
CREATE TABLE settlement_exceptions (
    exception_id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    source_id TEXT,
    statement_id TEXT,
    -- Whose settlement it holds up, and of which day.
    store_id TEXT,
    business_date TEXT,
    method TEXT,
    amount BIGINT NOT NULL,
    -- Of those that something which comes later resolves: the item or the line that waits for it.
    item_id TEXT,
    line_id TEXT,
    -- The first of its lines, whatever becomes of it.
    first_line TEXT,
    -- JSON lists.
    items TEXT NOT NULL,
    lines TEXT NOT NULL,
    candidates TEXT NOT NULL,
    match_id TEXT,
    -- 'open' or 'resolved'.
    state TEXT NOT NULL,
    resolution TEXT,
    account TEXT,
    reason TEXT,
    resolved_by TEXT,
    resolved_at BIGINT,
    entry_id TEXT,
    found_at BIGINT NOT NULL
);
CREATE INDEX settlement_exceptions_found ON settlement_exceptions (found_at, exception_id);
CREATE INDEX settlement_exceptions_open ON settlement_exceptions (store_id, business_date) WHERE state = 'open';
CREATE INDEX settlement_exceptions_source ON settlement_exceptions (source_id, found_at);
CREATE INDEX settlement_exceptions_carried ON settlement_exceptions (store_id, item_id) WHERE resolution = 'carry';
CREATE INDEX settlement_exceptions_bag ON settlement_exceptions (item_id, store_id) WHERE kind = 'deposit_missing';
CREATE INDEX settlement_exceptions_line ON settlement_exceptions (line_id) WHERE line_id IS NOT NULL;
CREATE INDEX settlement_exceptions_first ON settlement_exceptions (first_line) WHERE first_line IS NOT NULL;
CREATE INDEX settlement_exceptions_statement ON settlement_exceptions (statement_id) WHERE state = 'open';

-- Human numbers of documents: gap-free by kind and year.
CREATE TABLE counters (
    kind TEXT NOT NULL,
    year BIGINT NOT NULL,
    last BIGINT NOT NULL,
    PRIMARY KEY (kind, year)
);

-- What head office knew beside an event when it was posted, where that was something: the entry can be made again.
CREATE TABLE posting_contexts (
    store_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    context TEXT NOT NULL,
    PRIMARY KEY (store_id, event_id)
);

-- What account 1220 of a sender's book holds for each transfer.
CREATE TABLE in_transit (
    store_id TEXT NOT NULL,
    transfer_id TEXT NOT NULL,
    value BIGINT NOT NULL,
    -- The same by the lines of the document, as JSON.
    lines TEXT NOT NULL DEFAULT '{}',
    -- Parts of the shortfall that are posted, as JSON.
    settled TEXT NOT NULL,
    -- What the sender's document says of each line, once it is received, as JSON.
    expected TEXT NOT NULL DEFAULT 'null',
    -- 1: the receiver told of what arrived.
    arrived BIGINT NOT NULL,
    PRIMARY KEY (store_id, transfer_id)
);

-- The same by products, now and moved by the days in the sender's book.
CREATE TABLE transit (
    store_id TEXT NOT NULL,
    sku TEXT NOT NULL,
    qty BIGINT NOT NULL CHECK (qty BETWEEN -9007199254740991 AND 9007199254740991),
    value BIGINT NOT NULL CHECK (value BETWEEN -9007199254740991 AND 9007199254740991),
    PRIMARY KEY (store_id, sku)
);
CREATE TABLE transit_days (
    store_id TEXT NOT NULL,
    entry_date TEXT NOT NULL,
    sku TEXT NOT NULL,
    qty BIGINT NOT NULL CHECK (qty BETWEEN -9007199254740991 AND 9007199254740991),
    value BIGINT NOT NULL CHECK (value BETWEEN -9007199254740991 AND 9007199254740991),
    PRIMARY KEY (store_id, entry_date, sku)
);
CREATE INDEX transit_days_entry ON transit_days (entry_date, store_id);

-- The points' liability of the company: one row, locked after the books.
CREATE TABLE points_pool (
    singleton BIGINT PRIMARY KEY CHECK (singleton = 1),
    policy TEXT NOT NULL,
    redemption_bp BIGINT NOT NULL,
    -- What one point pays, as a store said last.
    redeem_value BIGINT NOT NULL CHECK (redeem_value > 0),
    next_no BIGINT NOT NULL,
    points BIGINT NOT NULL CHECK (points BETWEEN 0 AND 9007199254740991),
    value BIGINT NOT NULL CHECK (value BETWEEN 0 AND 9007199254740991)
);
INSERT INTO points_pool (singleton, policy, redemption_bp, redeem_value, next_no, points, value)
    VALUES (1, '"expense"', 8000, 1, 1, 0, 0);
-- Each step of it, signed as it moved: numbered without a gap in the order of the commits.
CREATE TABLE points_steps (
    store_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    pool_no BIGINT NOT NULL,
    kind TEXT NOT NULL,
    -- The sale whose points they are; '': none.
    transaction_id TEXT NOT NULL,
    document_id TEXT NOT NULL,
    points BIGINT NOT NULL,
    value BIGINT NOT NULL,
    PRIMARY KEY (store_id, event_id, pool_no)
);
CREATE INDEX points_steps_sale ON points_steps (transaction_id);
CREATE UNIQUE INDEX points_steps_no ON points_steps (pool_no);

-- ---------------------------------------------------------------------------------------------------------------
-- Documents of stores, keyed by their event: a document id that is seen twice is for a person to judge
-- ---------------------------------------------------------------------------------------------------------------

-- Completed sales.
CREATE TABLE sales (
    store_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    transaction_id TEXT NOT NULL,
    receipt_no TEXT,
    shift_id TEXT NOT NULL,
    register_id TEXT NOT NULL,
    cashier_id TEXT NOT NULL,
    member_id TEXT,
    business_date TEXT NOT NULL,
    local_hour TEXT NOT NULL,
    paid_at BIGINT NOT NULL,
    items_count BIGINT NOT NULL,
    gross BIGINT NOT NULL,
    discount BIGINT NOT NULL,
    tax BIGINT NOT NULL,
    rounding BIGINT NOT NULL,
    total BIGINT NOT NULL,
    -- The event that put its payments right last.
    corrected_event TEXT,
    -- The event that voided it.
    voided_event TEXT,
    -- When the hub changed it last, by its own clock, or what came back of it; likewise below. An index has them in the
    -- order of their changes.
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (store_id, event_id)
);
CREATE INDEX sales_updated ON sales (updated_at, store_id, event_id);
-- Lists, of all stores and of one, in their order.
CREATE INDEX sales_date ON sales (business_date, paid_at, transaction_id, store_id, event_id);
CREATE INDEX sales_store ON sales (store_id, business_date, paid_at, transaction_id, event_id);
-- Those that were taken back are few.
CREATE INDEX sales_voided ON sales (business_date, paid_at, transaction_id, store_id, event_id)
    WHERE voided_event IS NOT NULL;
CREATE INDEX sales_cashier ON sales (cashier_id, business_date);
-- From a shift down to its sales.
CREATE INDEX sales_shift ON sales (shift_id);
CREATE INDEX sales_member ON sales (member_id, business_date) WHERE member_id IS NOT NULL;
-- The event is in it, so that the first of one id is found without walking through the events of a store.
CREATE INDEX sales_id ON sales (transaction_id, store_id, event_id);
-- A receipt number is looked for in all stores.
CREATE INDEX sales_number ON sales (receipt_no);
CREATE TABLE sale_lines (
    store_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    -- Of its sale.
    business_date TEXT NOT NULL,
    sku TEXT NOT NULL,
    name TEXT NOT NULL,
    qty BIGINT NOT NULL,
    gross BIGINT NOT NULL CHECK (gross BETWEEN -9007199254740991 AND 9007199254740991),
    discount BIGINT NOT NULL,
    tax BIGINT NOT NULL,
    tax_code TEXT,
    tax_rate_bp BIGINT NOT NULL,
    total BIGINT NOT NULL,
    cost BIGINT NOT NULL,
    -- Its product's when it was told; '': none.
    category TEXT NOT NULL DEFAULT '',
    -- Of its movement, which it is itself: what it put right of earlier estimates, and what was on hand afterwards; none:
    -- nothing moved.
    correction BIGINT NOT NULL DEFAULT 0,
    balance_after BIGINT,
    -- 1: the first line of its product in the sale: by it the sale is found.
    is_first BIGINT NOT NULL,
    PRIMARY KEY (store_id, event_id, position)
);
CREATE INDEX sale_lines_sku ON sale_lines (sku, business_date, store_id, event_id)
    WHERE is_first = 1;
-- Payments of sales that count.
CREATE TABLE payments (
    store_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    -- Of its sale.
    business_date TEXT NOT NULL,
    payment_id TEXT NOT NULL,
    method TEXT NOT NULL,
    amount BIGINT NOT NULL,
    rounding BIGINT NOT NULL,
    reference TEXT,
    paid_at BIGINT NOT NULL,
    -- 1: the first payment by its method: by it the sale is found.
    is_first BIGINT NOT NULL,
    PRIMARY KEY (store_id, event_id, position)
);
CREATE INDEX payments_method ON payments (method, business_date, store_id, event_id)
    WHERE is_first = 1;

-- Returns.
CREATE TABLE returns (
    store_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    return_id TEXT NOT NULL,
    receipt_no TEXT NOT NULL,
    transaction_id TEXT,
    -- The receipt of another store that it names, also where the hub was not asked: more returned than sold is found
    -- whichever of them it was.
    origin_receipt_no TEXT,
    shift_id TEXT NOT NULL,
    cashier_id TEXT NOT NULL,
    member_id TEXT,
    business_date TEXT NOT NULL,
    local_hour TEXT NOT NULL,
    refund_total BIGINT NOT NULL,
    tax BIGINT NOT NULL,
    rounding BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    -- The event that voided it.
    voided_event TEXT,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (store_id, event_id)
);
CREATE INDEX returns_updated ON returns (updated_at, store_id, event_id);
CREATE INDEX returns_id ON returns (return_id, store_id, event_id);
CREATE INDEX returns_date ON returns (business_date, created_at, return_id, store_id, event_id);
CREATE INDEX returns_store ON returns (store_id, business_date, created_at, return_id, event_id);
CREATE INDEX returns_sale ON returns (transaction_id);
CREATE INDEX returns_origin ON returns (origin_receipt_no);
CREATE INDEX returns_number ON returns (receipt_no);
CREATE TABLE return_lines (
    store_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    -- Of its return.
    business_date TEXT NOT NULL,
    sku TEXT NOT NULL,
    qty BIGINT NOT NULL,
    refund BIGINT NOT NULL,
    tax BIGINT NOT NULL,
    tax_rate_bp BIGINT NOT NULL,
    -- That of the sold line, as far as it was known when the return was told.
    tax_code TEXT,
    -- The line of the sale; none without a receipt.
    sold_line_no BIGINT,
    cost BIGINT NOT NULL,
    -- Its product's when it was told; '': none.
    category TEXT NOT NULL DEFAULT '',
    -- Where the goods went: restock, damaged, vendor, none.
    disposition TEXT NOT NULL,
    -- Of its movement, as in a line of a sale.
    correction BIGINT NOT NULL DEFAULT 0,
    balance_after BIGINT,
    -- 1: the first line that went there: by it the return is found.
    is_first BIGINT NOT NULL,
    PRIMARY KEY (store_id, event_id, position)
);
CREATE INDEX return_lines_sku ON return_lines (sku, business_date, store_id, event_id)
    WHERE balance_after IS NOT NULL;
CREATE INDEX return_lines_disposition ON return_lines (disposition, business_date, store_id, event_id)
    WHERE is_first = 1;
-- What returns gave back, method by method.
CREATE TABLE refunds (
    store_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    method TEXT NOT NULL,
    amount BIGINT NOT NULL,
    rounding BIGINT NOT NULL,
    PRIMARY KEY (store_id, event_id, position)
);
-- Pieces of one store's sale that another store takes back: reserved before its return is told.
CREATE TABLE reservations (
    store_id TEXT NOT NULL,
    return_id TEXT NOT NULL,
    sku TEXT NOT NULL,
    transaction_id TEXT NOT NULL,
    qty BIGINT NOT NULL,
    made_at BIGINT NOT NULL,
    PRIMARY KEY (store_id, return_id, sku)
);
CREATE INDEX reservations_sale ON reservations (transaction_id);
CREATE INDEX reservations_store ON reservations (store_id, made_at);

-- Receipts, supplier returns, adjustments and counts, as their store told of each last: by what they are listed. A long
-- count is told in parts.
CREATE TABLE goods_documents (
    store_id TEXT NOT NULL,
    -- 'receiving', 'supplier_return', 'adjustment' or 'opname'.
    kind TEXT NOT NULL,
    document_id TEXT NOT NULL,
    part BIGINT NOT NULL,
    event_id TEXT NOT NULL,
    state TEXT NOT NULL,
    -- How far its life is: what is told of an earlier state changes nothing.
    step BIGINT NOT NULL,
    business_date TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    supplier_id TEXT,
    po_id TEXT,
    delivery_note_no TEXT,
    -- What the note's number is compared by.
    note_key TEXT,
    reason TEXT,
    -- What the goods cost, or of a supplier return what the supplier owes.
    value BIGINT NOT NULL,
    PRIMARY KEY (store_id, kind, document_id, part)
);
CREATE INDEX goods_documents_date ON goods_documents (kind, business_date, created_at, document_id, store_id)
    WHERE part = 1;
CREATE INDEX goods_documents_store ON goods_documents (store_id, kind, business_date, created_at, document_id)
    WHERE part = 1;
CREATE INDEX goods_documents_id ON goods_documents (document_id, store_id);
CREATE INDEX goods_documents_order ON goods_documents (po_id) WHERE po_id IS NOT NULL;
CREATE INDEX goods_documents_note ON goods_documents (supplier_id, note_key)
    WHERE note_key IS NOT NULL;
-- Lines of receipts, by the first event that told of them.
CREATE TABLE receiving_lines (
    store_id TEXT NOT NULL,
    receiving_id TEXT NOT NULL,
    line_no BIGINT NOT NULL,
    sku TEXT NOT NULL,
    qty BIGINT NOT NULL,
    rejected_qty BIGINT NOT NULL,
    unit_cost BIGINT NOT NULL,
    cost BIGINT NOT NULL,
    correction BIGINT NOT NULL,
    cost_missing BIGINT NOT NULL,
    PRIMARY KEY (store_id, receiving_id, line_no)
);
-- Lines of supplier returns, by the first event that told of them.
CREATE TABLE supplier_return_lines (
    store_id TEXT NOT NULL,
    supplier_return_id TEXT NOT NULL,
    line_no BIGINT NOT NULL,
    sku TEXT NOT NULL,
    qty BIGINT NOT NULL,
    claim BIGINT NOT NULL,
    stock_cost BIGINT NOT NULL,
    PRIMARY KEY (store_id, supplier_return_id, line_no)
);
-- What moved goods on the shelf, but for sales and returns, whose lines are their movements.
CREATE TABLE movements (
    store_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    business_date TEXT NOT NULL,
    sku TEXT NOT NULL,
    qty BIGINT NOT NULL,
    cost BIGINT NOT NULL,
    correction BIGINT NOT NULL,
    balance_after BIGINT NOT NULL,
    reason TEXT NOT NULL,
    reference_type TEXT NOT NULL,
    reference_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    moved_at BIGINT NOT NULL,
    PRIMARY KEY (store_id, event_id, position)
);
CREATE INDEX movements_sku ON movements (sku, business_date, moved_at, store_id, event_id, position);

-- Shifts.
CREATE TABLE shifts (
    store_id TEXT NOT NULL,
    shift_id TEXT NOT NULL,
    -- The event that told of it last.
    event_id TEXT NOT NULL,
    register_id TEXT NOT NULL,
    business_date TEXT NOT NULL,
    state TEXT NOT NULL,
    opened_by TEXT NOT NULL,
    opened_at BIGINT NOT NULL,
    opening_float BIGINT NOT NULL,
    closed_by TEXT,
    closed_at BIGINT,
    counted_cash BIGINT,
    expected_cash BIGINT,
    variance BIGINT,
    z_no BIGINT,
    -- The latest count, which the books have.
    last_counted BIGINT,
    last_counted_at BIGINT,
    -- JSON: what came in less what went back by method, as the shift told when it closed.
    methods TEXT,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (store_id, shift_id)
);
CREATE INDEX shifts_updated ON shifts (updated_at, store_id, shift_id);
CREATE INDEX shifts_id ON shifts (shift_id, store_id);
CREATE INDEX shifts_date ON shifts (business_date, opened_at, shift_id, store_id);
CREATE INDEX shifts_days ON shifts (business_date, store_id);
CREATE INDEX shifts_store ON shifts (store_id, business_date, opened_at, shift_id);
CREATE INDEX shifts_unclosed ON shifts (store_id, business_date) WHERE state IN ('open', 'ended');

-- Cash that left for the bank, and what took such a deposit back.
CREATE TABLE deposits (
    store_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    deposit_id TEXT NOT NULL,
    business_date TEXT NOT NULL,
    amount BIGINT NOT NULL,
    -- The deposit that it takes back.
    reverses TEXT,
    bag_no TEXT NOT NULL,
    bank_account TEXT NOT NULL,
    deposited_at BIGINT NOT NULL,
    PRIMARY KEY (store_id, event_id)
);
CREATE INDEX deposits_date ON deposits (business_date, deposited_at, deposit_id, store_id, event_id);
CREATE INDEX deposits_store ON deposits (store_id, business_date, deposited_at, deposit_id, event_id);
CREATE INDEX deposits_reversed ON deposits (store_id, reverses) WHERE reverses IS NOT NULL;

-- Transfers between stores, as they are now.
CREATE TABLE transfers (
    transfer_id TEXT PRIMARY KEY,
    from_store TEXT NOT NULL,
    to_store TEXT NOT NULL,
    state TEXT NOT NULL,
    sent BIGINT NOT NULL,
    -- Of the step that was told first; the document has that of the last one.
    business_date TEXT NOT NULL,
    document TEXT NOT NULL
);
CREATE INDEX transfers_state ON transfers (state);
CREATE INDEX transfers_date ON transfers (business_date, transfer_id);

-- ---------------------------------------------------------------------------------------------------------------
-- Sums, folded from distinct events: what must equal the stores' own
-- ---------------------------------------------------------------------------------------------------------------

-- Sales and returns of a store.
CREATE TABLE store_sums (
    store_id TEXT PRIMARY KEY,
    sales_count BIGINT NOT NULL,
    items_count BIGINT NOT NULL CHECK (items_count BETWEEN -9007199254740991 AND 9007199254740991),
    gross BIGINT NOT NULL CHECK (gross BETWEEN -9007199254740991 AND 9007199254740991),
    discount BIGINT NOT NULL CHECK (discount BETWEEN -9007199254740991 AND 9007199254740991),
    tax BIGINT NOT NULL CHECK (tax BETWEEN -9007199254740991 AND 9007199254740991),
    rounding BIGINT NOT NULL CHECK (rounding BETWEEN -9007199254740991 AND 9007199254740991),
    total BIGINT NOT NULL CHECK (total BETWEEN -9007199254740991 AND 9007199254740991),
    voids_count BIGINT NOT NULL DEFAULT 0,
    voids_total BIGINT NOT NULL DEFAULT 0,
    returns_count BIGINT NOT NULL DEFAULT 0,
    returns_total BIGINT NOT NULL DEFAULT 0,
    returns_tax BIGINT NOT NULL DEFAULT 0
);
-- Payments less refunds of a shift, by method.
CREATE TABLE shift_methods (
    store_id TEXT NOT NULL,
    shift_id TEXT NOT NULL,
    method TEXT NOT NULL,
    amount BIGINT NOT NULL CHECK (amount BETWEEN -9007199254740991 AND 9007199254740991),
    PRIMARY KEY (store_id, shift_id, method)
);
-- Cash beside sales: what a drawer should hold is float + method 'cash' + this.
CREATE TABLE shift_cash (
    store_id TEXT NOT NULL,
    shift_id TEXT NOT NULL,
    pay_in BIGINT NOT NULL CHECK (pay_in BETWEEN -9007199254740991 AND 9007199254740991),
    pay_out BIGINT NOT NULL CHECK (pay_out BETWEEN -9007199254740991 AND 9007199254740991),
    drops BIGINT NOT NULL CHECK (drops BETWEEN -9007199254740991 AND 9007199254740991),
    PRIMARY KEY (store_id, shift_id)
);
-- Pieces of a product in a store, and what they cost.
CREATE TABLE stock (
    store_id TEXT NOT NULL,
    sku TEXT NOT NULL,
    qty BIGINT NOT NULL CHECK (qty BETWEEN -9007199254740991 AND 9007199254740991),
    value BIGINT NOT NULL CHECK (value BETWEEN -9007199254740991 AND 9007199254740991),
    -- When its store moved it last.
    moved_at BIGINT NOT NULL,
    -- What a piece cost last, of a warehouse alone: stores keep their own.
    last_cost BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (store_id, sku)
);
-- Transfers as a warehouse has them: its own document, and what the other end said that it has not taken in yet.
CREATE TABLE warehouse_transfers (
    store_id TEXT NOT NULL,
    transfer_id TEXT NOT NULL,
    document TEXT,
    remote TEXT,
    PRIMARY KEY (store_id, transfer_id)
);
CREATE INDEX warehouse_transfers_remote ON warehouse_transfers (store_id, transfer_id) WHERE remote IS NOT NULL;
-- Counts of a warehouse that are under way or were given up; one that is posted is a record.
CREATE TABLE warehouse_counts (
    store_id TEXT NOT NULL,
    opname_id TEXT NOT NULL,
    state TEXT NOT NULL,
    business_date TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (store_id, opname_id)
);
CREATE INDEX warehouse_counts_id ON warehouse_counts (opname_id, store_id);
CREATE INDEX warehouse_counts_date ON warehouse_counts (business_date, created_at, opname_id, store_id);
CREATE TABLE warehouse_count_lines (
    store_id TEXT NOT NULL,
    opname_id TEXT NOT NULL,
    sku TEXT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (store_id, opname_id, sku)
);
CREATE INDEX stock_sku ON stock (sku, store_id);
-- A member's points: the entries of all stores.
CREATE TABLE points (
    member_id TEXT PRIMARY KEY,
    balance BIGINT NOT NULL CHECK (balance BETWEEN -9007199254740991 AND 9007199254740991),
    -- Past this day it is looked at once more what has expired; none: not until something is told.
    look_after TEXT
);
CREATE INDEX points_look ON points (look_after, member_id) WHERE look_after IS NOT NULL;
-- Each entry; of store '' those that head office made itself, which are told nowhere else.
CREATE TABLE points_entries (
    store_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    member_id TEXT NOT NULL,
    business_date TEXT NOT NULL,
    moved_at BIGINT NOT NULL,
    reason TEXT NOT NULL,
    points BIGINT NOT NULL,
    reference_id TEXT NOT NULL,
    -- The sale that earned or redeemed them; '': none.
    transaction_id TEXT NOT NULL,
    -- The last day of their lot, as it was told.
    expires TEXT,
    PRIMARY KEY (store_id, event_id, position)
);
-- A member's, in their order.
CREATE INDEX points_entries_member ON points_entries (member_id, business_date, moved_at, store_id, event_id, position);
-- Those that head office made, by their days.
CREATE INDEX points_entries_own ON points_entries (business_date) WHERE store_id = '';
-- Each store's part of them.
CREATE TABLE store_points (
    store_id TEXT NOT NULL,
    member_id TEXT NOT NULL,
    points BIGINT NOT NULL CHECK (points BETWEEN -9007199254740991 AND 9007199254740991),
    PRIMARY KEY (store_id, member_id)
);

-- ---------------------------------------------------------------------------------------------------------------
-- Rollups: sums that reports are made of, kept in the transaction that applies the event. Rows whose two days differ
-- came after their own day was locked. They are folded from the records again by `cloud-hub verify`.
-- ---------------------------------------------------------------------------------------------------------------

-- Sales and returns, each document once: by day and store.
CREATE TABLE sales_days (
    store_id TEXT NOT NULL,
    business_date TEXT NOT NULL,
    entry_date TEXT NOT NULL,
    sales_count BIGINT NOT NULL CHECK (sales_count BETWEEN -9007199254740991 AND 9007199254740991),
    items_count BIGINT NOT NULL CHECK (items_count BETWEEN -9007199254740991 AND 9007199254740991),
    gross BIGINT NOT NULL CHECK (gross BETWEEN -9007199254740991 AND 9007199254740991),
    discount BIGINT NOT NULL CHECK (discount BETWEEN -9007199254740991 AND 9007199254740991),
    tax BIGINT NOT NULL CHECK (tax BETWEEN -9007199254740991 AND 9007199254740991),
    total BIGINT NOT NULL CHECK (total BETWEEN -9007199254740991 AND 9007199254740991),
    rounding BIGINT NOT NULL CHECK (rounding BETWEEN -9007199254740991 AND 9007199254740991),
    returns_count BIGINT NOT NULL CHECK (returns_count BETWEEN -9007199254740991 AND 9007199254740991),
    returns_total BIGINT NOT NULL CHECK (returns_total BETWEEN -9007199254740991 AND 9007199254740991),
    returns_tax BIGINT NOT NULL CHECK (returns_tax BETWEEN -9007199254740991 AND 9007199254740991),
    returns_rounding BIGINT NOT NULL CHECK (returns_rounding BETWEEN -9007199254740991 AND 9007199254740991),
    PRIMARY KEY (store_id, business_date, entry_date)
);
CREATE INDEX sales_days_date ON sales_days (business_date, store_id);
-- The same by hour.
CREATE TABLE sales_hours (
    store_id TEXT NOT NULL,
    business_date TEXT NOT NULL,
    entry_date TEXT NOT NULL,
    hour TEXT NOT NULL,
    sales_count BIGINT NOT NULL CHECK (sales_count BETWEEN -9007199254740991 AND 9007199254740991),
    items_count BIGINT NOT NULL CHECK (items_count BETWEEN -9007199254740991 AND 9007199254740991),
    gross BIGINT NOT NULL CHECK (gross BETWEEN -9007199254740991 AND 9007199254740991),
    discount BIGINT NOT NULL CHECK (discount BETWEEN -9007199254740991 AND 9007199254740991),
    tax BIGINT NOT NULL CHECK (tax BETWEEN -9007199254740991 AND 9007199254740991),
    total BIGINT NOT NULL CHECK (total BETWEEN -9007199254740991 AND 9007199254740991),
    rounding BIGINT NOT NULL CHECK (rounding BETWEEN -9007199254740991 AND 9007199254740991),
    returns_count BIGINT NOT NULL CHECK (returns_count BETWEEN -9007199254740991 AND 9007199254740991),
    returns_total BIGINT NOT NULL CHECK (returns_total BETWEEN -9007199254740991 AND 9007199254740991),
    returns_tax BIGINT NOT NULL CHECK (returns_tax BETWEEN -9007199254740991 AND 9007199254740991),
    returns_rounding BIGINT NOT NULL CHECK (returns_rounding BETWEEN -9007199254740991 AND 9007199254740991),
    PRIMARY KEY (store_id, business_date, entry_date, hour)
);
CREATE INDEX sales_hours_date ON sales_hours (business_date, store_id);
-- The same by till and cashier.
CREATE TABLE sales_cashiers (
    store_id TEXT NOT NULL,
    business_date TEXT NOT NULL,
    entry_date TEXT NOT NULL,
    register_id TEXT NOT NULL,
    cashier_id TEXT NOT NULL,
    sales_count BIGINT NOT NULL CHECK (sales_count BETWEEN -9007199254740991 AND 9007199254740991),
    items_count BIGINT NOT NULL CHECK (items_count BETWEEN -9007199254740991 AND 9007199254740991),
    gross BIGINT NOT NULL CHECK (gross BETWEEN -9007199254740991 AND 9007199254740991),
    discount BIGINT NOT NULL CHECK (discount BETWEEN -9007199254740991 AND 9007199254740991),
    tax BIGINT NOT NULL CHECK (tax BETWEEN -9007199254740991 AND 9007199254740991),
    total BIGINT NOT NULL CHECK (total BETWEEN -9007199254740991 AND 9007199254740991),
    rounding BIGINT NOT NULL CHECK (rounding BETWEEN -9007199254740991 AND 9007199254740991),
    returns_count BIGINT NOT NULL CHECK (returns_count BETWEEN -9007199254740991 AND 9007199254740991),
    returns_total BIGINT NOT NULL CHECK (returns_total BETWEEN -9007199254740991 AND 9007199254740991),
    returns_tax BIGINT NOT NULL CHECK (returns_tax BETWEEN -9007199254740991 AND 9007199254740991),
    returns_rounding BIGINT NOT NULL CHECK (returns_rounding BETWEEN -9007199254740991 AND 9007199254740991),
    PRIMARY KEY (store_id, business_date, entry_date, register_id, cashier_id)
);
CREATE INDEX sales_cashiers_date ON sales_cashiers (business_date, store_id);
-- What was sold and came back of a product; its category is that of the time.
CREATE TABLE sales_skus (
    store_id TEXT NOT NULL,
    business_date TEXT NOT NULL,
    entry_date TEXT NOT NULL,
    sku TEXT NOT NULL,
    category TEXT NOT NULL,
    sales_count BIGINT NOT NULL CHECK (sales_count BETWEEN -9007199254740991 AND 9007199254740991),
    items_count BIGINT NOT NULL CHECK (items_count BETWEEN -9007199254740991 AND 9007199254740991),
    gross BIGINT NOT NULL CHECK (gross BETWEEN -9007199254740991 AND 9007199254740991),
    discount BIGINT NOT NULL CHECK (discount BETWEEN -9007199254740991 AND 9007199254740991),
    tax BIGINT NOT NULL CHECK (tax BETWEEN -9007199254740991 AND 9007199254740991),
    total BIGINT NOT NULL CHECK (total BETWEEN -9007199254740991 AND 9007199254740991),
    cost BIGINT NOT NULL CHECK (cost BETWEEN -9007199254740991 AND 9007199254740991),
    returns_count BIGINT NOT NULL CHECK (returns_count BETWEEN -9007199254740991 AND 9007199254740991),
    returned_qty BIGINT NOT NULL CHECK (returned_qty BETWEEN -9007199254740991 AND 9007199254740991),
    refund BIGINT NOT NULL CHECK (refund BETWEEN -9007199254740991 AND 9007199254740991),
    refund_tax BIGINT NOT NULL CHECK (refund_tax BETWEEN -9007199254740991 AND 9007199254740991),
    refund_cost BIGINT NOT NULL CHECK (refund_cost BETWEEN -9007199254740991 AND 9007199254740991),
    PRIMARY KEY (store_id, business_date, entry_date, sku, category)
);
CREATE INDEX sales_skus_date ON sales_skus (business_date, store_id);
-- The same by months: a range is read by its whole months, and by days at its ends.
CREATE TABLE sales_sku_months (
    store_id TEXT NOT NULL,
    business_month TEXT NOT NULL,
    entry_month TEXT NOT NULL,
    sku TEXT NOT NULL,
    category TEXT NOT NULL,
    sales_count BIGINT NOT NULL CHECK (sales_count BETWEEN -9007199254740991 AND 9007199254740991),
    items_count BIGINT NOT NULL CHECK (items_count BETWEEN -9007199254740991 AND 9007199254740991),
    gross BIGINT NOT NULL CHECK (gross BETWEEN -9007199254740991 AND 9007199254740991),
    discount BIGINT NOT NULL CHECK (discount BETWEEN -9007199254740991 AND 9007199254740991),
    tax BIGINT NOT NULL CHECK (tax BETWEEN -9007199254740991 AND 9007199254740991),
    total BIGINT NOT NULL CHECK (total BETWEEN -9007199254740991 AND 9007199254740991),
    cost BIGINT NOT NULL CHECK (cost BETWEEN -9007199254740991 AND 9007199254740991),
    returns_count BIGINT NOT NULL CHECK (returns_count BETWEEN -9007199254740991 AND 9007199254740991),
    returned_qty BIGINT NOT NULL CHECK (returned_qty BETWEEN -9007199254740991 AND 9007199254740991),
    refund BIGINT NOT NULL CHECK (refund BETWEEN -9007199254740991 AND 9007199254740991),
    refund_tax BIGINT NOT NULL CHECK (refund_tax BETWEEN -9007199254740991 AND 9007199254740991),
    refund_cost BIGINT NOT NULL CHECK (refund_cost BETWEEN -9007199254740991 AND 9007199254740991),
    PRIMARY KEY (store_id, business_month, entry_month, sku, category)
);
CREATE INDEX sales_sku_months_month ON sales_sku_months (business_month, store_id);
-- The same of a category and a day: a document counts once in each.
CREATE TABLE sales_categories (
    store_id TEXT NOT NULL,
    business_date TEXT NOT NULL,
    entry_date TEXT NOT NULL,
    category TEXT NOT NULL,
    sales_count BIGINT NOT NULL CHECK (sales_count BETWEEN -9007199254740991 AND 9007199254740991),
    items_count BIGINT NOT NULL CHECK (items_count BETWEEN -9007199254740991 AND 9007199254740991),
    gross BIGINT NOT NULL CHECK (gross BETWEEN -9007199254740991 AND 9007199254740991),
    discount BIGINT NOT NULL CHECK (discount BETWEEN -9007199254740991 AND 9007199254740991),
    tax BIGINT NOT NULL CHECK (tax BETWEEN -9007199254740991 AND 9007199254740991),
    total BIGINT NOT NULL CHECK (total BETWEEN -9007199254740991 AND 9007199254740991),
    cost BIGINT NOT NULL CHECK (cost BETWEEN -9007199254740991 AND 9007199254740991),
    returns_count BIGINT NOT NULL CHECK (returns_count BETWEEN -9007199254740991 AND 9007199254740991),
    returned_qty BIGINT NOT NULL CHECK (returned_qty BETWEEN -9007199254740991 AND 9007199254740991),
    refund BIGINT NOT NULL CHECK (refund BETWEEN -9007199254740991 AND 9007199254740991),
    refund_tax BIGINT NOT NULL CHECK (refund_tax BETWEEN -9007199254740991 AND 9007199254740991),
    refund_cost BIGINT NOT NULL CHECK (refund_cost BETWEEN -9007199254740991 AND 9007199254740991),
    PRIMARY KEY (store_id, business_date, entry_date, category)
);
CREATE INDEX sales_categories_date ON sales_categories (business_date, store_id);
-- What was paid and given back by a method.
CREATE TABLE sales_methods (
    store_id TEXT NOT NULL,
    business_date TEXT NOT NULL,
    entry_date TEXT NOT NULL,
    method TEXT NOT NULL,
    cashier_id TEXT NOT NULL,
    sales_count BIGINT NOT NULL CHECK (sales_count BETWEEN -9007199254740991 AND 9007199254740991),
    payments_count BIGINT NOT NULL CHECK (payments_count BETWEEN -9007199254740991 AND 9007199254740991),
    total BIGINT NOT NULL CHECK (total BETWEEN -9007199254740991 AND 9007199254740991),
    rounding BIGINT NOT NULL CHECK (rounding BETWEEN -9007199254740991 AND 9007199254740991),
    returns_count BIGINT NOT NULL CHECK (returns_count BETWEEN -9007199254740991 AND 9007199254740991),
    refunds BIGINT NOT NULL CHECK (refunds BETWEEN -9007199254740991 AND 9007199254740991),
    refunds_rounding BIGINT NOT NULL CHECK (refunds_rounding BETWEEN -9007199254740991 AND 9007199254740991),
    PRIMARY KEY (store_id, business_date, entry_date, method, cashier_id)
);
CREATE INDEX sales_methods_date ON sales_methods (business_date, store_id);
-- What was sold and came back at a tax rate; what came back names no code of its own.
CREATE TABLE sales_taxes (
    store_id TEXT NOT NULL,
    business_date TEXT NOT NULL,
    entry_date TEXT NOT NULL,
    tax_code TEXT NOT NULL,
    tax_rate_bp BIGINT NOT NULL,
    sales_count BIGINT NOT NULL CHECK (sales_count BETWEEN -9007199254740991 AND 9007199254740991),
    base BIGINT NOT NULL CHECK (base BETWEEN -9007199254740991 AND 9007199254740991),
    tax BIGINT NOT NULL CHECK (tax BETWEEN -9007199254740991 AND 9007199254740991),
    returns_count BIGINT NOT NULL CHECK (returns_count BETWEEN -9007199254740991 AND 9007199254740991),
    returns_base BIGINT NOT NULL CHECK (returns_base BETWEEN -9007199254740991 AND 9007199254740991),
    returns_tax BIGINT NOT NULL CHECK (returns_tax BETWEEN -9007199254740991 AND 9007199254740991),
    PRIMARY KEY (store_id, business_date, entry_date, tax_code, tax_rate_bp)
);
CREATE INDEX sales_taxes_date ON sales_taxes (business_date, store_id);
-- What a promotion took off.
CREATE TABLE sales_promotions (
    store_id TEXT NOT NULL,
    business_date TEXT NOT NULL,
    entry_date TEXT NOT NULL,
    promotion_id TEXT NOT NULL,
    uses BIGINT NOT NULL CHECK (uses BETWEEN -9007199254740991 AND 9007199254740991),
    discount BIGINT NOT NULL CHECK (discount BETWEEN -9007199254740991 AND 9007199254740991),
    net_sales BIGINT NOT NULL CHECK (net_sales BETWEEN -9007199254740991 AND 9007199254740991),
    PRIMARY KEY (store_id, business_date, entry_date, promotion_id)
);
CREATE INDEX sales_promotions_date ON sales_promotions (business_date, store_id);
-- Sales to members, and their points, by the tier of the time; '': none, or no member.
CREATE TABLE member_days (
    store_id TEXT NOT NULL,
    business_date TEXT NOT NULL,
    entry_date TEXT NOT NULL,
    tier TEXT NOT NULL,
    sales_count BIGINT NOT NULL CHECK (sales_count BETWEEN -9007199254740991 AND 9007199254740991),
    total BIGINT NOT NULL CHECK (total BETWEEN -9007199254740991 AND 9007199254740991),
    member_sales_count BIGINT NOT NULL CHECK (member_sales_count BETWEEN -9007199254740991 AND 9007199254740991),
    member_total BIGINT NOT NULL CHECK (member_total BETWEEN -9007199254740991 AND 9007199254740991),
    points_earned BIGINT NOT NULL CHECK (points_earned BETWEEN -9007199254740991 AND 9007199254740991),
    points_redeemed BIGINT NOT NULL CHECK (points_redeemed BETWEEN -9007199254740991 AND 9007199254740991),
    points_reversed BIGINT NOT NULL CHECK (points_reversed BETWEEN -9007199254740991 AND 9007199254740991),
    points_returned BIGINT NOT NULL CHECK (points_returned BETWEEN -9007199254740991 AND 9007199254740991),
    points_expired BIGINT NOT NULL CHECK (points_expired BETWEEN -9007199254740991 AND 9007199254740991),
    points_adjusted BIGINT NOT NULL CHECK (points_adjusted BETWEEN -9007199254740991 AND 9007199254740991),
    PRIMARY KEY (store_id, business_date, entry_date, tier)
);
CREATE INDEX member_days_date ON member_days (business_date, store_id);
-- Cash of shifts; what left for the bank has none.
CREATE TABLE cash_days (
    store_id TEXT NOT NULL,
    business_date TEXT NOT NULL,
    entry_date TEXT NOT NULL,
    shift_id TEXT NOT NULL,
    register_id TEXT NOT NULL,
    cashier_id TEXT NOT NULL,
    shifts BIGINT NOT NULL CHECK (shifts BETWEEN -9007199254740991 AND 9007199254740991),
    opening_float BIGINT NOT NULL CHECK (opening_float BETWEEN -9007199254740991 AND 9007199254740991),
    sales BIGINT NOT NULL CHECK (sales BETWEEN -9007199254740991 AND 9007199254740991),
    refunds BIGINT NOT NULL CHECK (refunds BETWEEN -9007199254740991 AND 9007199254740991),
    pay_in BIGINT NOT NULL CHECK (pay_in BETWEEN -9007199254740991 AND 9007199254740991),
    pay_out BIGINT NOT NULL CHECK (pay_out BETWEEN -9007199254740991 AND 9007199254740991),
    drops BIGINT NOT NULL CHECK (drops BETWEEN -9007199254740991 AND 9007199254740991),
    expected BIGINT NOT NULL CHECK (expected BETWEEN -9007199254740991 AND 9007199254740991),
    counted BIGINT NOT NULL CHECK (counted BETWEEN -9007199254740991 AND 9007199254740991),
    recounts BIGINT NOT NULL CHECK (recounts BETWEEN -9007199254740991 AND 9007199254740991),
    deposited BIGINT NOT NULL CHECK (deposited BETWEEN -9007199254740991 AND 9007199254740991),
    PRIMARY KEY (store_id, business_date, entry_date, shift_id, register_id, cashier_id)
);
CREATE INDEX cash_days_date ON cash_days (business_date, store_id);
-- Pieces and value moved, on the shelf and among the damaged, by why.
CREATE TABLE stock_days (
    store_id TEXT NOT NULL,
    business_date TEXT NOT NULL,
    entry_date TEXT NOT NULL,
    sku TEXT NOT NULL,
    reason TEXT NOT NULL,
    qty BIGINT NOT NULL CHECK (qty BETWEEN -9007199254740991 AND 9007199254740991),
    value BIGINT NOT NULL CHECK (value BETWEEN -9007199254740991 AND 9007199254740991),
    correction BIGINT NOT NULL CHECK (correction BETWEEN -9007199254740991 AND 9007199254740991),
    damaged_qty BIGINT NOT NULL CHECK (damaged_qty BETWEEN -9007199254740991 AND 9007199254740991),
    damaged_value BIGINT NOT NULL CHECK (damaged_value BETWEEN -9007199254740991 AND 9007199254740991),
    PRIMARY KEY (store_id, business_date, entry_date, sku, reason)
);
CREATE INDEX stock_days_date ON stock_days (business_date, store_id);
-- Days on which an earlier cost was put right are few.
CREATE INDEX stock_days_corrected ON stock_days (store_id, business_date) WHERE correction <> 0;
-- The same of months in the books: stock at the end of a day is that of now without the days and months after it.
CREATE TABLE stock_months (
    store_id TEXT NOT NULL,
    entry_month TEXT NOT NULL,
    sku TEXT NOT NULL,
    reason TEXT NOT NULL,
    qty BIGINT NOT NULL CHECK (qty BETWEEN -9007199254740991 AND 9007199254740991),
    value BIGINT NOT NULL CHECK (value BETWEEN -9007199254740991 AND 9007199254740991),
    correction BIGINT NOT NULL CHECK (correction BETWEEN -9007199254740991 AND 9007199254740991),
    damaged_qty BIGINT NOT NULL CHECK (damaged_qty BETWEEN -9007199254740991 AND 9007199254740991),
    damaged_value BIGINT NOT NULL CHECK (damaged_value BETWEEN -9007199254740991 AND 9007199254740991),
    PRIMARY KEY (store_id, entry_month, sku, reason)
);
CREATE INDEX stock_months_month ON stock_months (entry_month, store_id);
CREATE INDEX stock_days_entry ON stock_days (entry_date, store_id);
-- Damaged pieces of a product in a store, and those that wait for its supplier.
CREATE TABLE damaged (
    store_id TEXT NOT NULL,
    sku TEXT NOT NULL,
    qty BIGINT NOT NULL CHECK (qty BETWEEN -9007199254740991 AND 9007199254740991),
    value BIGINT NOT NULL CHECK (value BETWEEN -9007199254740991 AND 9007199254740991),
    PRIMARY KEY (store_id, sku)
);

-- ---------------------------------------------------------------------------------------------------------------
-- What stores and head office both write
-- ---------------------------------------------------------------------------------------------------------------

-- Records that both sides write, their versions.
CREATE TABLE shared_records (
    resource TEXT NOT NULL,
    id TEXT NOT NULL,
    version TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    -- By the hub's clock; of a member also when its points moved.
    updated_at BIGINT NOT NULL,
    -- The store that wrote it first, '' head office, and the day there.
    made_by TEXT NOT NULL,
    made_on TEXT NOT NULL,
    PRIMARY KEY (resource, id)
);
CREATE INDEX shared_records_new ON shared_records (made_on, made_by) WHERE resource = 'member';
CREATE INDEX shared_records_updated ON shared_records (resource, updated_at, id);
-- The same, field by field; written_by is the event, or the hub's change, and written_in the store of it, '' head
-- office.
CREATE TABLE fields (
    resource TEXT NOT NULL,
    id TEXT NOT NULL,
    field TEXT NOT NULL,
    value TEXT NOT NULL,
    stamp TEXT NOT NULL,
    written_by TEXT NOT NULL,
    written_in TEXT NOT NULL,
    folded TEXT NOT NULL,
    PRIMARY KEY (resource, id, field)
);
CREATE INDEX fields_value ON fields (resource, field, value);
-- Values that lost against another one. store_id is the store whose write caused the conflict; lost_in is another store
-- whose value lost to it, '' none.
CREATE TABLE conflicts (
    conflict_id TEXT PRIMARY KEY,
    resource TEXT NOT NULL,
    id TEXT NOT NULL,
    field TEXT NOT NULL,
    winner TEXT NOT NULL,
    lost_value TEXT NOT NULL,
    lost_stamp TEXT NOT NULL,
    lost_by TEXT NOT NULL,
    kept_value TEXT NOT NULL,
    store_id TEXT NOT NULL,
    lost_in TEXT NOT NULL,
    resolved_at BIGINT NOT NULL,
    restored_at BIGINT,
    folded TEXT NOT NULL
);
CREATE INDEX conflicts_time ON conflicts (resolved_at);
CREATE INDEX conflicts_store ON conflicts (store_id, resolved_at);
CREATE INDEX conflicts_lost ON conflicts (lost_in, resolved_at) WHERE lost_in <> '';
CREATE INDEX conflicts_record ON conflicts (resource, id, resolved_at);
-- The settings of a product are S001:sku.
CREATE INDEX conflicts_sku ON conflicts (resource, (SUBSTR(id, LENGTH(store_id) + 2)), resolved_at);
-- Members who go on as another one: their points and sales are that one's, and their ids go on naming it. Kept flat:
-- whom they go on as is nobody who goes on as somebody else.
CREATE TABLE member_merges (
    member_id TEXT PRIMARY KEY,
    merged_into TEXT NOT NULL,
    merged_at BIGINT NOT NULL,
    merged_by TEXT NOT NULL
);
CREATE INDEX member_merges_into ON member_merges (merged_into);
-- Which stores have met which member; it counts for stores that are not told of all of them.
CREATE TABLE member_stores (
    store_id TEXT NOT NULL,
    member_id TEXT NOT NULL,
    PRIMARY KEY (store_id, member_id)
);
CREATE INDEX member_stores_member ON member_stores (member_id);

-- People of stores, given by head office or told by a store. A denial stands until somebody grants again.
CREATE TABLE staff (
    user_id TEXT PRIMARY KEY,
    username TEXT NOT NULL,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    store_id TEXT NOT NULL,
    password_hash TEXT,
    -- When each was said last, at the store or here. A password that the store set last has no hash here.
    username_at BIGINT NOT NULL,
    name_at BIGINT NOT NULL,
    role_at BIGINT NOT NULL,
    password_at BIGINT NOT NULL,
    token_version BIGINT NOT NULL,
    disabled BIGINT NOT NULL,
    grants BIGINT NOT NULL,
    origin TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    folded TEXT NOT NULL
);
CREATE INDEX staff_name ON staff (store_id, username);
CREATE INDEX staff_store ON staff (store_id, user_id);

-- ---------------------------------------------------------------------------------------------------------------
-- What head office decides, and the feed that tells stores of it
-- ---------------------------------------------------------------------------------------------------------------

-- Products.
CREATE TABLE products (
    sku TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    category TEXT,
    version TEXT NOT NULL,
    document TEXT NOT NULL,
    folded TEXT NOT NULL,
    updated_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX products_updated ON products (updated_at, sku);
-- A code names one product that is sold: its barcodes and its sku, GTINs with 14 digits.
CREATE TABLE product_barcodes (
    code TEXT NOT NULL PRIMARY KEY,
    sku TEXT NOT NULL
);
CREATE INDEX product_barcodes_by_sku ON product_barcodes (sku);
-- Prices. Which of several counts goes by when it was said; when one begins follows from the document and the
-- store's time zone.
CREATE TABLE prices (
    price_id TEXT PRIMARY KEY,
    sku TEXT NOT NULL,
    -- '': all stores.
    store_id TEXT NOT NULL,
    set_at BIGINT NOT NULL DEFAULT 0,
    -- The first business day; '': from when it was set.
    starts TEXT NOT NULL DEFAULT '',
    withdrawn BIGINT NOT NULL DEFAULT 0,
    document TEXT NOT NULL
);
CREATE INDEX prices_sku ON prices (sku, store_id, price_id);
CREATE INDEX prices_store ON prices (store_id, price_id);
-- Promotions.
CREATE TABLE promotions (
    promotion_id TEXT PRIMARY KEY,
    document TEXT NOT NULL
);
-- Suppliers.
CREATE TABLE suppliers (
    supplier_id TEXT PRIMARY KEY,
    code TEXT NOT NULL UNIQUE,
    document TEXT NOT NULL
);
-- What suppliers ask for products.
CREATE TABLE supplier_prices (
    row_id TEXT PRIMARY KEY,
    supplier_id TEXT NOT NULL,
    sku TEXT NOT NULL,
    min_qty BIGINT NOT NULL,
    -- The first day; '': it always counted.
    from_date TEXT NOT NULL,
    preferred BIGINT NOT NULL,
    document TEXT NOT NULL,
    UNIQUE (supplier_id, sku, min_qty, from_date)
);
CREATE INDEX supplier_prices_sku ON supplier_prices (sku, row_id);
CREATE INDEX supplier_prices_supplier ON supplier_prices (supplier_id, row_id);
-- Numbers for people, by kind of document and year: without a gap, since they are taken in the commit of the document.
-- Purchase orders.
CREATE TABLE purchase_orders (
    po_id TEXT PRIMARY KEY,
    supplier_id TEXT NOT NULL,
    store_id TEXT NOT NULL,
    state TEXT NOT NULL,
    submitted BIGINT NOT NULL,
    -- The day at head office on which it was made.
    made_on TEXT NOT NULL,
    -- When its goods should be there; '': nobody said.
    expected_at TEXT NOT NULL,
    -- 1: it was called off, and its store may not know yet.
    calling_off BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    document TEXT NOT NULL
);
CREATE INDEX purchase_orders_updated ON purchase_orders (updated_at, po_id);
CREATE INDEX purchase_orders_calling_off ON purchase_orders (store_id) WHERE calling_off = 1;
CREATE INDEX purchase_orders_supplier ON purchase_orders (supplier_id, po_id);
CREATE INDEX purchase_orders_store ON purchase_orders (store_id, po_id);
-- Their lines, as what is on order is summed and orders of a product are found.
CREATE TABLE purchase_order_lines (
    po_id TEXT NOT NULL,
    line_no BIGINT NOT NULL,
    sku TEXT NOT NULL,
    qty BIGINT NOT NULL,
    received_qty BIGINT NOT NULL,
    open_qty BIGINT NOT NULL,
    unit_cost BIGINT NOT NULL,
    PRIMARY KEY (po_id, line_no)
);
CREATE INDEX purchase_order_lines_sku ON purchase_order_lines (sku, po_id);
-- Orders as they were before each revision.
CREATE TABLE purchase_order_revisions (
    po_id TEXT NOT NULL,
    revision BIGINT NOT NULL,
    replaced_at BIGINT NOT NULL,
    replaced_by TEXT NOT NULL,
    reason TEXT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (po_id, revision)
);

-- What account 2020 holds, line by line of receipts; claims of goods that went back and were on no receipt, and
-- suppliers paid from a till, are lines below 0.
CREATE TABLE uninvoiced (
    store_id TEXT NOT NULL,
    -- The receipt, the supplier return or the movement of cash.
    receiving_id TEXT NOT NULL,
    line_no BIGINT NOT NULL,
    -- 'receipt', 'claim' or 'pay_out'.
    kind TEXT NOT NULL,
    event_id TEXT NOT NULL,
    supplier_id TEXT,
    po_id TEXT,
    sku TEXT NOT NULL,
    business_date TEXT NOT NULL,
    qty BIGINT NOT NULL,
    returned_qty BIGINT NOT NULL DEFAULT 0 CHECK (returned_qty >= 0),
    invoiced_qty BIGINT NOT NULL DEFAULT 0 CHECK (invoiced_qty >= 0),
    -- Pieces that were billed and went back: a credit note is expected for them.
    credited_qty BIGINT NOT NULL DEFAULT 0 CHECK (credited_qty BETWEEN 0 AND invoiced_qty),
    unit_cost BIGINT NOT NULL,
    cost_missing BIGINT NOT NULL,
    -- What 2020 held of it first.
    value BIGINT NOT NULL,
    open_value BIGINT NOT NULL CHECK (open_value BETWEEN -9007199254740991 AND 9007199254740991),
    -- 1: it was taken back, or a person closed it.
    closed BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (store_id, receiving_id, line_no),
    CHECK (kind <> 'receipt' OR invoiced_qty + returned_qty <= qty)
);
CREATE INDEX uninvoiced_supplier ON uninvoiced (supplier_id, business_date);
CREATE INDEX uninvoiced_order ON uninvoiced (po_id) WHERE po_id IS NOT NULL;
-- What was taken out of each of them since (below 0), or given back: the entry of its cause has the day in the books.
CREATE TABLE uninvoiced_moves (
    store_id TEXT NOT NULL,
    receiving_id TEXT NOT NULL,
    line_no BIGINT NOT NULL,
    cause_key TEXT NOT NULL,
    -- Its own day: that of what posts nothing.
    day TEXT NOT NULL,
    qty BIGINT NOT NULL,
    value BIGINT NOT NULL CHECK (value BETWEEN -9007199254740991 AND 9007199254740991),
    PRIMARY KEY (store_id, receiving_id, line_no, cause_key, day)
);

-- Invoices of suppliers.
CREATE TABLE invoices (
    invoice_id TEXT PRIMARY KEY,
    supplier_id TEXT NOT NULL,
    -- The supplier's number as two are compared.
    number_key TEXT NOT NULL,
    invoice_no TEXT NOT NULL,
    invoice_date TEXT NOT NULL,
    due_date TEXT NOT NULL,
    state TEXT NOT NULL,
    total BIGINT NOT NULL,
    -- What is still owed: 0 before it is approved.
    open BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    document TEXT NOT NULL
);
CREATE INDEX invoices_updated ON invoices (updated_at, invoice_id);
CREATE INDEX invoices_open ON invoices (due_date, invoice_id) WHERE open > 0;
CREATE UNIQUE INDEX invoices_number ON invoices (supplier_id, number_key) WHERE state <> 'cancelled';
CREATE INDEX invoices_date ON invoices (invoice_date, invoice_id);
CREATE INDEX invoices_due ON invoices (due_date, invoice_id);
-- The stores whose goods they bill, and the orders.
CREATE TABLE invoice_lines (
    invoice_id TEXT NOT NULL,
    line_no BIGINT NOT NULL,
    store_id TEXT NOT NULL,
    receiving_id TEXT,
    receiving_line_no BIGINT,
    po_id TEXT,
    tax_rate_bp BIGINT NOT NULL,
    -- What it claims tax of, and that tax: 0 of an opening invoice.
    net BIGINT NOT NULL,
    tax BIGINT NOT NULL,
    -- The product, empty: an expense; pieces that it bills, and what they cost beyond what their receipts are worth.
    sku TEXT NOT NULL,
    qty BIGINT NOT NULL,
    variance BIGINT NOT NULL,
    -- Pieces of the receipt that it holds, and whether it took their value out of 2020.
    held_qty BIGINT NOT NULL,
    posted BIGINT NOT NULL,
    PRIMARY KEY (invoice_id, line_no)
);
CREATE INDEX invoice_lines_store ON invoice_lines (store_id, invoice_id);
CREATE INDEX invoice_lines_receipt ON invoice_lines (store_id, receiving_id, receiving_line_no);
CREATE INDEX invoice_lines_order ON invoice_lines (po_id) WHERE po_id IS NOT NULL;

-- What suppliers give back.
CREATE TABLE credit_notes (
    credit_note_id TEXT PRIMARY KEY,
    supplier_id TEXT NOT NULL,
    -- None: the supplier's paper has not come.
    number_key TEXT,
    -- The invoice that it credits. Null if it names none.
    invoice_id TEXT,
    note_date TEXT NOT NULL,
    state TEXT NOT NULL,
    -- What account 2010 holds of it, also while its paper has not come.
    open BIGINT NOT NULL,
    document TEXT NOT NULL
);
CREATE UNIQUE INDEX credit_notes_number ON credit_notes (supplier_id, number_key) WHERE state <> 'cancelled';
CREATE INDEX credit_notes_invoice ON credit_notes (invoice_id) WHERE invoice_id IS NOT NULL;
CREATE INDEX credit_notes_date ON credit_notes (note_date, credit_note_id);

-- Money that went to suppliers.
CREATE TABLE supplier_payments (
    payment_id TEXT PRIMARY KEY,
    supplier_id TEXT NOT NULL,
    payment_date TEXT NOT NULL,
    state TEXT NOT NULL,
    -- What it settles nothing with yet: 0 of one that was taken back.
    unallocated BIGINT NOT NULL,
    document TEXT NOT NULL
);
CREATE INDEX supplier_payments_date ON supplier_payments (payment_date, payment_id);

-- What moved account 2010, by the document that is owed: invoices above 0, credit notes and payments in advance below.
CREATE TABLE payable_moves (
    cause_key TEXT NOT NULL,
    document_id TEXT NOT NULL,
    store_id TEXT NOT NULL,
    -- The document whose step it was.
    cause_id TEXT NOT NULL,
    supplier_id TEXT NOT NULL,
    entry_date TEXT NOT NULL,
    amount BIGINT NOT NULL CHECK (amount BETWEEN -9007199254740991 AND 9007199254740991),
    PRIMARY KEY (cause_key, document_id, store_id)
);
CREATE INDEX payable_moves_supplier ON payable_moves (supplier_id, document_id, entry_date);
CREATE INDEX payable_moves_cause ON payable_moves (cause_id);

-- Lanes of the feed, in the order of their hurry. Whoever writes to a lane locks its row.
CREATE TABLE feed_lanes (
    lane TEXT PRIMARY KEY,
    head BIGINT NOT NULL,
    stamp_ms BIGINT NOT NULL,
    -- Up to which change it was compacted.
    compacted BIGINT NOT NULL DEFAULT 0
);
INSERT INTO feed_lanes (lane, head, stamp_ms)
    VALUES ('users', 0, 0), ('prices', 0, 0), ('members', 0, 0), ('rest', 0, 0);
-- Every change that is not void yet; store_id '': for all.
CREATE TABLE feed (
    lane TEXT NOT NULL,
    number BIGINT NOT NULL,
    mark TEXT NOT NULL,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    store_id TEXT NOT NULL DEFAULT '',
    version TEXT NOT NULL,
    deleted BIGINT NOT NULL,
    effective_at BIGINT,
    payload TEXT NOT NULL,
    PRIMARY KEY (lane, number)
);
CREATE INDEX feed_of_store ON feed (lane, store_id, number);
CREATE INDEX feed_of_record ON feed (lane, kind, id, store_id, number);
-- The last change of every record: what a snapshot is made of.
CREATE TABLE feed_now (
    lane TEXT NOT NULL,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    store_id TEXT NOT NULL,
    number BIGINT NOT NULL,
    PRIMARY KEY (lane, kind, id, store_id)
);
-- How high a lane was when: says how old a change is, without a time in each.
CREATE TABLE feed_ages (
    lane TEXT NOT NULL,
    head BIGINT NOT NULL,
    noted_at BIGINT NOT NULL,
    PRIMARY KEY (lane, head)
);
-- The last deletion that was compacted away, by the store that it was for ('': all). A cursor below it may have missed
-- one; whoever stands exactly on it has seen it, and is known by its random mark.
CREATE TABLE feed_dropped (
    lane TEXT NOT NULL,
    store_id TEXT NOT NULL,
    number BIGINT NOT NULL,
    mark TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (lane, store_id)
);
