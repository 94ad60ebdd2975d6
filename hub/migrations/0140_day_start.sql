-- When a store's business day starts, as it says itself: HH:MM.
ALTER TABLE stores ADD COLUMN day_start TEXT;
