-- Members and balances reach every store, each as one record for all.
DROP TABLE known_members;
-- After each batch it is looked which parked records waited for it: among those that wait, not among all.
CREATE INDEX parked_code ON parked (code);
