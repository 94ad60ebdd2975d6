-- The receipt that a return of another store's sale names, also where the hub was not asked: more returned
-- than sold is found whichever of them it was. Returns told before this one are known by their sale only.
ALTER TABLE returns ADD COLUMN origin_receipt_no TEXT;
CREATE INDEX returns_origin ON returns (origin_receipt_no);
CREATE INDEX sales_id ON sales (transaction_id);
