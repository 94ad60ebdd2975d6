-- Counts the generations: a database of a lower number than the marks outside of it was restored.
ALTER TABLE hub ADD COLUMN generation_n BIGINT NOT NULL DEFAULT 1;

CREATE INDEX sales_transaction ON sales (store_id, transaction_id);
