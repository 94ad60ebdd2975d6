-- One change of head office's people at a time: whoever decides takes this row first, so that two who keep each
-- other out at once are decided one after the other, and never wait for each other in a circle.

CREATE TABLE people_turn (
    one BIGINT PRIMARY KEY,
    turn BIGINT NOT NULL
);
INSERT INTO people_turn (one, turn) VALUES (1, 0);
