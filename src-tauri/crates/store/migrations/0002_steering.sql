-- What a person said to a run that was going on. It waits until the run takes it; of a run that ended before, it is the
-- person's draft again (in typed).

CREATE TABLE steering (
    id           BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    conversation BLOB    NOT NULL REFERENCES conversation (id),
    body         TEXT    NOT NULL,
    at           INTEGER NOT NULL,
    state        TEXT    NOT NULL CHECK (state IN ('queued', 'taken', 'returned'))
) STRICT;

CREATE INDEX steering_queued ON steering (conversation) WHERE state = 'queued';
