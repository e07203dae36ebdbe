-- Sets that the person put aside: quiet until a time, or (no time) until they are back. Nothing is decided by it.
CREATE TABLE later (
    id           BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    conversation BLOB    NOT NULL REFERENCES conversation (id),
    at           INTEGER NOT NULL,
    until_at     INTEGER
) STRICT;

-- What the person decided about a tool, newest first.
CREATE INDEX call_rejected_by_person ON call (decided_seq DESC) WHERE decision = 'rejected' AND decided_by = 'person';
CREATE INDEX call_of_tool ON call (tool, decided_seq DESC) WHERE decided_by = 'person';
