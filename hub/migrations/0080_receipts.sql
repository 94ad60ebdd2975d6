-- A receipt number is looked for in all stores.
DROP INDEX sales_receipt;
CREATE INDEX returns_number ON returns (receipt_no);
CREATE INDEX reservations_store ON reservations (store_id, made_at);
