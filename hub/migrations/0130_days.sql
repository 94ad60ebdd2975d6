-- Days that a store sealed, or opened again: a report over one that is open again is not complete.
CREATE TABLE store_days (
    store_id TEXT NOT NULL,
    business_date TEXT NOT NULL,
    sealed BIGINT NOT NULL,
    stamp TEXT NOT NULL,
    PRIMARY KEY (store_id, business_date)
);
