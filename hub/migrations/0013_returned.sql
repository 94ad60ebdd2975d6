-- What came back, line by line and method by method, for reports.
CREATE TABLE return_lines (
    store_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    sku TEXT NOT NULL,
    qty BIGINT NOT NULL,
    refund BIGINT NOT NULL,
    tax BIGINT NOT NULL,
    cost BIGINT NOT NULL,
    PRIMARY KEY (store_id, event_id, position)
);
CREATE TABLE refunds (
    store_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    method TEXT NOT NULL,
    amount BIGINT NOT NULL,
    rounding BIGINT NOT NULL,
    PRIMARY KEY (store_id, event_id, position)
);
