-- A barcode names one product that is sold.
CREATE TABLE product_barcodes (
    code TEXT NOT NULL PRIMARY KEY,
    sku TEXT NOT NULL
);
CREATE INDEX product_barcodes_by_sku ON product_barcodes (sku);
