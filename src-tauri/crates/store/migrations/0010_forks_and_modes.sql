-- Where a conversation's beginning was copied from: its messages before that place are copies. The source keeps its row when it is deleted.
ALTER TABLE conversation ADD COLUMN forked_from BLOB REFERENCES conversation (id);
ALTER TABLE conversation ADD COLUMN forked_before INTEGER CHECK ((forked_before IS NULL) = (forked_from IS NULL));

-- What the mode was set to, when, and behind which message of the conversation's own thread (0: before the first).
CREATE TABLE mode_change (
    conversation BLOB    NOT NULL REFERENCES conversation (id),
    behind       INTEGER NOT NULL,
    mode         TEXT    NOT NULL CHECK (mode IN ('plan', 'default', 'auto')),
    ends         INTEGER NOT NULL CHECK (ends IN (0, 1)),
    at           INTEGER NOT NULL
) STRICT;

CREATE INDEX mode_change_behind ON mode_change (conversation, behind);
