-- Questions that a server holds open while it executes a call. They are no requests: nothing asks, queues or passes by because of
-- them. Whatever the code above believes, each begins while its call is executed, and never under a Quick task.
CREATE TABLE held (
    id           BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    conversation BLOB    NOT NULL REFERENCES conversation (id),
    call         BLOB    NOT NULL REFERENCES call (id),
    message      TEXT    NOT NULL,
    schema       TEXT    NOT NULL,
    digest       BLOB    NOT NULL CHECK (length(digest) = 32),
    opened_at    INTEGER NOT NULL,
    state        TEXT    NOT NULL CHECK (state IN ('open', 'answered', 'passed_by')),
    closing      TEXT,
    answer       TEXT,
    closed_at    INTEGER,
    decided_seq  INTEGER,
    CHECK ((state = 'open') = (closing IS NULL)),
    CHECK ((state = 'open') = (closed_at IS NULL)),
    CHECK ((state = 'open') = (decided_seq IS NULL)),
    CHECK (answer IS NULL OR state = 'answered')
) STRICT;

CREATE INDEX held_open ON held (conversation) WHERE state = 'open';
CREATE INDEX held_closed ON held (closed_at DESC) WHERE state <> 'open';
CREATE INDEX held_of_call ON held (call);
CREATE UNIQUE INDEX held_decided ON held (decided_seq DESC) WHERE decided_seq IS NOT NULL;

CREATE TRIGGER held_while_its_call_runs BEFORE INSERT ON held
WHEN (SELECT state FROM call WHERE id = NEW.call) IS NOT 'started'
BEGIN
    SELECT RAISE(ABORT, 'only a call that is executed asks');
END;

CREATE TRIGGER quick_holds_no_question BEFORE INSERT ON held
WHEN (SELECT kind FROM conversation WHERE id = NEW.conversation) = 'quick'
BEGIN
    SELECT RAISE(ABORT, 'a quick task holds no request');
END;
