-- A year of 10 stores with 3 tills of 2 cashiers each, 14 hours a day, 1,000 products in 20 categories, sales of 4 lines;
-- :rows lines in all. What a line is of is drawn by a hash, so that a day has as many products as it would.
INSERT INTO stores (store_id, name, timezone, disabled, created_at, current_n)
SELECT 'S' || LPAD(s::TEXT, 3, '0'), 'S', 'Asia/Jakarta', 0, 0, 0 FROM generate_series(0, 9) s;
INSERT INTO products (sku, name, category, version, document, folded)
SELECT 'sku_' || p, 'Thing', 'cat_' || p % 20, '', '{}', '' FROM generate_series(0, 999) p;
-- Made at once it is made many times as fast as row by row.
DROP INDEX sale_lines_sku;
INSERT INTO sale_lines (store_id, event_id, position, business_date, sku, name, qty, gross, discount, tax, tax_code,
    tax_rate_bp, total, cost, category, is_first)
SELECT 'S' || LPAD((n % 10)::TEXT, 3, '0'), 'evt_' || n, i % 4, (DATE '2025-01-01' + (n / 10 % 365)::INT)::TEXT,
    'sku_' || p, 'Thing', 1, 1000, 0, 110, NULL, 1100, 1110, 600, 'cat_' || p % 20, 1
FROM (SELECT i, i / 4 AS n, (hashint8(i)::BIGINT + 2147483648) % 1000 AS p
    FROM generate_series(0::BIGINT, :rows - 1) i) l;
CREATE INDEX sale_lines_sku ON sale_lines (sku, business_date, store_id, event_id) WHERE is_first = 1;

-- The sales as wholes: they have an hour, a till, a cashier and a method.
CREATE TEMP TABLE sold AS
SELECT store_id, business_date, 8 + drawn % 14 AS hour, 'till-' || drawn / 14 % 3 AS register_id,
    'usr_' || drawn / 14 % 3 * 2 + drawn % 14 / 7 AS cashier_id, 'method_' || drawn / 42 % 4 AS method,
    items_count, gross, discount, tax, total
FROM (SELECT store_id, business_date, hashtext(event_id)::BIGINT + 2147483648 AS drawn, SUM(qty) AS items_count,
    SUM(gross) AS gross, SUM(discount) AS discount, SUM(tax) AS tax, SUM(total) AS total
    FROM sale_lines GROUP BY store_id, event_id, business_date) s;
INSERT INTO sales_days (store_id, business_date, entry_date, sales_count, items_count, gross, discount, tax, total,
    rounding, returns_count, returns_total, returns_tax, returns_rounding)
SELECT store_id, business_date, business_date, COUNT(*), SUM(items_count), SUM(gross), SUM(discount), SUM(tax),
    SUM(total), 0, 0, 0, 0, 0 FROM sold GROUP BY 1, 2;
INSERT INTO sales_hours (store_id, business_date, entry_date, hour, sales_count, items_count, gross, discount, tax,
    total, rounding, returns_count, returns_total, returns_tax, returns_rounding)
SELECT store_id, business_date, business_date, business_date || 'T' || LPAD(hour::TEXT, 2, '0') || ':00', COUNT(*),
    SUM(items_count), SUM(gross), SUM(discount), SUM(tax), SUM(total), 0, 0, 0, 0, 0 FROM sold GROUP BY 1, 2, 4;
INSERT INTO sales_cashiers (store_id, business_date, entry_date, register_id, cashier_id, sales_count, items_count,
    gross, discount, tax, total, rounding, returns_count, returns_total, returns_tax, returns_rounding)
SELECT store_id, business_date, business_date, register_id, cashier_id, COUNT(*), SUM(items_count), SUM(gross),
    SUM(discount), SUM(tax), SUM(total), 0, 0, 0, 0, 0 FROM sold GROUP BY 1, 2, 4, 5;
INSERT INTO sales_methods (store_id, business_date, entry_date, method, cashier_id, sales_count, payments_count, total,
    rounding, returns_count, refunds, refunds_rounding)
SELECT store_id, business_date, business_date, method, cashier_id, COUNT(*), COUNT(*), SUM(total), 0, 0, 0, 0
FROM sold GROUP BY 1, 2, 4, 5;
INSERT INTO sales_skus (store_id, business_date, entry_date, sku, category, sales_count, items_count, gross, discount,
    tax, total, cost, returns_count, returned_qty, refund, refund_tax, refund_cost)
SELECT store_id, business_date, business_date, sku, category, COUNT(*), SUM(qty), SUM(gross), SUM(discount), SUM(tax),
    SUM(total), SUM(cost), 0, 0, 0, 0, 0 FROM sale_lines GROUP BY 1, 2, 3, 4, 5;
INSERT INTO sales_sku_months (store_id, business_month, entry_month, sku, category, sales_count, items_count, gross,
    discount, tax, total, cost, returns_count, returned_qty, refund, refund_tax, refund_cost)
SELECT store_id, SUBSTR(business_date, 1, 7), SUBSTR(entry_date, 1, 7), sku, category, SUM(sales_count),
    SUM(items_count), SUM(gross), SUM(discount), SUM(tax), SUM(total), SUM(cost), 0, 0, 0, 0, 0
FROM sales_skus GROUP BY 1, 2, 3, 4, 5;
INSERT INTO sales_categories (store_id, business_date, entry_date, category, sales_count, items_count, gross, discount,
    tax, total, cost, returns_count, returned_qty, refund, refund_tax, refund_cost)
SELECT store_id, business_date, entry_date, category, SUM(sales_count), SUM(items_count), SUM(gross), SUM(discount),
    SUM(tax), SUM(total), SUM(cost), 0, 0, 0, 0, 0 FROM sales_skus GROUP BY 1, 2, 3, 4;
INSERT INTO sales_taxes (store_id, business_date, entry_date, tax_code, tax_rate_bp, sales_count, base, tax,
    returns_count, returns_base, returns_tax)
SELECT store_id, business_date, business_date, '', 1100, COUNT(*), SUM(total - tax), SUM(tax), 0, 0, 0
FROM sold GROUP BY 1, 2;
INSERT INTO stock_days (store_id, business_date, entry_date, sku, reason, qty, value, correction, damaged_qty,
    damaged_value)
SELECT store_id, business_date, entry_date, sku, 'sale', -items_count, -cost, 0, 0, 0 FROM sales_skus;
INSERT INTO stock_months (store_id, entry_month, sku, reason, qty, value, correction, damaged_qty, damaged_value)
SELECT store_id, entry_month, sku, 'sale', -SUM(items_count), -SUM(cost), 0, 0, 0 FROM sales_sku_months GROUP BY 1, 2, 3;
INSERT INTO stock (store_id, sku, qty, value, moved_at)
SELECT store_id, sku, SUM(qty), SUM(value), 0 FROM stock_months GROUP BY 1, 2;
-- Of each twentieth product of a day a piece leaves for another store.
INSERT INTO transit_days (store_id, entry_date, sku, qty, value)
SELECT store_id, entry_date, sku, 1, 600 FROM stock_days WHERE HASHTEXT(entry_date || sku) % 20 = 0;
INSERT INTO transit (store_id, sku, qty, value) SELECT store_id, sku, SUM(qty), SUM(value) FROM transit_days GROUP BY 1, 2;
DROP TABLE sold;
