-- A year of 10 stores, 500 products in 20 categories, sales of 4 lines; :rows lines in all.
INSERT INTO stores (store_id, name, timezone, disabled, created_at, current_n)
SELECT 'S' || LPAD(s::TEXT, 3, '0'), 'S', 'Asia/Jakarta', 0, 0, 0 FROM generate_series(0, 9) s;
INSERT INTO products (sku, name, category, version, document, folded)
SELECT 'sku_' || p, 'Thing', 'cat_' || p % 20, '', '{}', '' FROM generate_series(0, 499) p;
INSERT INTO sale_lines (store_id, event_id, position, business_date, sku, name, qty, gross, discount, tax, tax_code,
    tax_rate_bp, total, cost, category, is_first)
SELECT 'S' || LPAD((n % 10)::TEXT, 3, '0'), 'evt_' || n, i % 4, (DATE '2025-01-01' + (n / 10 % 365)::INT)::TEXT,
    'sku_' || i * 7919 % 500, 'Thing', 1, 1000, 0, 110, NULL, 1100, 1110, 600, 'cat_' || i * 7919 % 20, 1
FROM (SELECT i, i / 4 AS n FROM generate_series(0::BIGINT, :rows - 1) i) l;
INSERT INTO sales_hours (store_id, business_date, entry_date, hour, register_id, cashier_id, sales_count, items_count,
    gross, discount, tax, total, rounding, returns_count, returns_total, returns_tax, returns_rounding)
SELECT store_id, business_date, business_date,
    business_date || 'T' || LPAD((8 + SUBSTR(event_id, 5)::BIGINT / 3650 % 14)::TEXT, 2, '0') || ':00', 'till-1',
    'usr_' || SUBSTR(event_id, 5)::BIGINT / 3650 % 3, COUNT(*) / 4, SUM(qty), SUM(gross), SUM(discount), SUM(tax),
    SUM(total), 0, 0, 0, 0, 0
FROM sale_lines GROUP BY 1, 2, 3, 4, 5, 6;
INSERT INTO sales_skus (store_id, business_date, entry_date, sku, category, sales_count, items_count, gross, discount,
    tax, total, cost, returns_count, returned_qty, refund, refund_tax, refund_cost)
SELECT store_id, business_date, business_date, sku, category, COUNT(*), SUM(qty), SUM(gross), SUM(discount), SUM(tax),
    SUM(total), SUM(cost), 0, 0, 0, 0, 0 FROM sale_lines GROUP BY 1, 2, 3, 4, 5;
INSERT INTO sales_categories (store_id, business_date, entry_date, category, sales_count, items_count, gross, discount,
    tax, total, cost, returns_count, returned_qty, refund, refund_tax, refund_cost)
SELECT store_id, business_date, business_date, category, COUNT(*), SUM(qty), SUM(gross), SUM(discount), SUM(tax),
    SUM(total), SUM(cost), 0, 0, 0, 0, 0 FROM sale_lines GROUP BY 1, 2, 3, 4;
INSERT INTO sales_methods (store_id, business_date, entry_date, method, cashier_id, sales_count, payments_count, total,
    rounding, returns_count, refunds, refunds_rounding)
SELECT store_id, business_date, business_date, 'method_' || SUBSTR(event_id, 5)::BIGINT / 3650 % 4,
    'usr_' || SUBSTR(event_id, 5)::BIGINT / 3650 % 3, COUNT(*) / 4, COUNT(*) / 4, SUM(total), 0, 0, 0, 0
FROM sale_lines GROUP BY 1, 2, 3, 4, 5;
INSERT INTO sales_taxes (store_id, business_date, entry_date, tax_code, tax_rate_bp, sales_count, base, tax,
    returns_count, returns_base, returns_tax)
SELECT store_id, business_date, business_date, '', tax_rate_bp, COUNT(*) / 4, SUM(total - tax), SUM(tax), 0, 0, 0
FROM sale_lines GROUP BY 1, 2, 3, 4, 5;
INSERT INTO stock_days (store_id, business_date, entry_date, sku, reason, qty, value, correction, damaged_qty,
    damaged_value)
SELECT store_id, business_date, business_date, sku, 'sale', -SUM(qty), -SUM(cost), 0, 0, 0
FROM sale_lines GROUP BY 1, 2, 3, 4;
INSERT INTO stock_months (store_id, entry_month, sku, reason, qty, value, correction, damaged_qty, damaged_value)
SELECT store_id, SUBSTR(business_date, 1, 7), sku, 'sale', -SUM(qty), -SUM(cost), 0, 0, 0
FROM sale_lines GROUP BY 1, 2, 3;
INSERT INTO stock (store_id, sku, qty, value, moved_at) SELECT store_id, sku, -SUM(qty), -SUM(cost), 0 FROM sale_lines GROUP BY 1, 2;
