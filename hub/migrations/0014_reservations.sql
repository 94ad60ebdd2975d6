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
CREATE INDEX sales_number ON sales (receipt_no);
CREATE INDEX returns_sale ON returns (transaction_id);
