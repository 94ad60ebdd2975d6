-- What a person looks at: contradictions that are settled by one, conflicts of a store, records stamped ahead.

ALTER TABLE exceptions ADD COLUMN exception_id TEXT;
ALTER TABLE exceptions ADD COLUMN settled_at BIGINT;
ALTER TABLE exceptions ADD COLUMN settled_by TEXT;
ALTER TABLE exceptions ADD COLUMN note TEXT;
UPDATE exceptions SET exception_id = 'exc_' || o.place FROM (SELECT store_id, event_id, code,
        ROW_NUMBER() OVER (ORDER BY found_at, store_id, event_id, code) AS place FROM exceptions) o
    WHERE o.store_id = exceptions.store_id AND o.event_id = exceptions.event_id AND o.code = exceptions.code;
CREATE UNIQUE INDEX exceptions_id ON exceptions (exception_id);
CREATE INDEX exceptions_time ON exceptions (found_at);

CREATE INDEX conflicts_store ON conflicts (store_id, resolved_at);
CREATE INDEX records_ahead ON records (store_id, received_at) WHERE clock_skew = 1;
