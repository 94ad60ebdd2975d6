-- What a shop's sales need in PostgreSQL, and the functions that make them: no more than must be durable, each
-- statement planned once, rows that change often on pages with room so that no index is touched.
CREATE TABLE stock (sku text PRIMARY KEY, qty bigint NOT NULL) WITH (fillfactor = 70);
CREATE TABLE members (member_id int PRIMARY KEY, points bigint NOT NULL) WITH (fillfactor = 70);
CREATE TABLE sales (
    sale_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, register text NOT NULL, member_id int,
    state text NOT NULL, subtotal bigint NOT NULL, tax bigint NOT NULL, total bigint NOT NULL,
    created_at timestamptz NOT NULL, paid_at timestamptz
) WITH (fillfactor = 80);
CREATE TABLE sale_lines (
    sale_id bigint NOT NULL, line_no int NOT NULL, sku text NOT NULL, qty bigint NOT NULL, price bigint NOT NULL,
    tax bigint NOT NULL, total bigint NOT NULL, PRIMARY KEY (sale_id, line_no)
);
CREATE TABLE keys (key text PRIMARY KEY, answer text NOT NULL, kept_at timestamptz NOT NULL);

INSERT INTO stock SELECT 'B' || lpad(n::text, 6, '0'), 1000 FROM generate_series(0, :products - 1) n;
INSERT INTO members SELECT n, 0 FROM generate_series(1, :members) n;

-- A sale of these lines, paid in cash at once: lines, stock, points and the key's answer in one transaction.
CREATE FUNCTION sell(p_key text, p_register text, p_member int, p_skus text[], p_qtys bigint[], p_prices bigint[])
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_answer text; v_sale bigint; v_subtotal bigint; v_tax bigint; v_line record;
BEGIN
    SELECT answer INTO v_answer FROM keys WHERE key = p_key;
    IF FOUND THEN RETURN v_answer; END IF;
    SELECT sum(qty * price), sum(qty * price * 11 / 100) INTO v_subtotal, v_tax FROM unnest(p_qtys, p_prices) l(qty, price);
    INSERT INTO sales (register, member_id, state, subtotal, tax, total, created_at, paid_at)
    VALUES (p_register, p_member, 'paid', v_subtotal, v_tax, v_subtotal + v_tax, now(), now())
    RETURNING sale_id INTO v_sale;
    INSERT INTO sale_lines
    SELECT v_sale, n, sku, qty, price, qty * price * 11 / 100, qty * price + qty * price * 11 / 100
    FROM unnest(p_skus, p_qtys, p_prices) WITH ORDINALITY l(sku, qty, price, n);
    -- In one order everywhere: two sales never wait for each other in a ring.
    FOR v_line IN SELECT sku, qty FROM unnest(p_skus, p_qtys) l(sku, qty) ORDER BY sku LOOP
        UPDATE stock SET qty = qty - v_line.qty WHERE sku = v_line.sku;
    END LOOP;
    UPDATE members SET points = points + (v_subtotal + v_tax) / 1000 WHERE member_id = p_member;
    v_answer := format('{"transaction_id":"%s","total":%s,"state":"paid"}', v_sale, v_subtotal + v_tax);
    INSERT INTO keys VALUES (p_key, v_answer, now());
    RETURN v_answer;
END $$;

-- The same in two calls, as a till makes them: the basket, then its payment.
CREATE FUNCTION create_sale(p_key text, p_register text, p_member int, p_skus text[], p_qtys bigint[], p_prices bigint[])
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_answer text; v_sale bigint; v_subtotal bigint; v_tax bigint;
BEGIN
    SELECT answer INTO v_answer FROM keys WHERE key = p_key;
    IF FOUND THEN RETURN v_answer; END IF;
    SELECT sum(qty * price), sum(qty * price * 11 / 100) INTO v_subtotal, v_tax FROM unnest(p_qtys, p_prices) l(qty, price);
    INSERT INTO sales (register, member_id, state, subtotal, tax, total, created_at)
    VALUES (p_register, p_member, 'open', v_subtotal, v_tax, v_subtotal + v_tax, now())
    RETURNING sale_id INTO v_sale;
    INSERT INTO sale_lines
    SELECT v_sale, n, sku, qty, price, qty * price * 11 / 100, qty * price + qty * price * 11 / 100
    FROM unnest(p_skus, p_qtys, p_prices) WITH ORDINALITY l(sku, qty, price, n);
    v_answer := format('{"transaction_id":"%s","total":%s,"state":"open"}', v_sale, v_subtotal + v_tax);
    INSERT INTO keys VALUES (p_key, v_answer, now());
    RETURN v_answer;
END $$;

CREATE FUNCTION pay_sale(p_key text, p_sale bigint, p_amount bigint) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_answer text; v_total bigint; v_member int; v_line record;
BEGIN
    SELECT answer INTO v_answer FROM keys WHERE key = p_key;
    IF FOUND THEN RETURN v_answer; END IF;
    UPDATE sales SET state = 'paid', paid_at = now() WHERE sale_id = p_sale AND state = 'open' AND total = p_amount
    RETURNING total, member_id INTO v_total, v_member;
    IF NOT FOUND THEN RAISE EXCEPTION 'sale % is not open, or not of that amount', p_sale; END IF;
    FOR v_line IN SELECT sku, qty FROM sale_lines WHERE sale_id = p_sale ORDER BY sku LOOP
        UPDATE stock SET qty = qty - v_line.qty WHERE sku = v_line.sku;
    END LOOP;
    UPDATE members SET points = points + v_total / 1000 WHERE member_id = v_member;
    v_answer := format('{"transaction_id":"%s","total":%s,"state":"paid"}', p_sale, v_total);
    INSERT INTO keys VALUES (p_key, v_answer, now());
    RETURN v_answer;
END $$;

VACUUM ANALYZE;
