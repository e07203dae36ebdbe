-- When the person first had a request on screen, and when they staged what was sent of it. For history's time line; nothing is decided by
-- it.
CREATE TABLE noticed (
    row          BLOB    NOT NULL PRIMARY KEY CHECK (length(row) = 16),
    conversation BLOB    NOT NULL REFERENCES conversation (id),
    seen_at      INTEGER,
    staged_at    INTEGER
) STRICT;
