-- Rows are the truth; the journal is the ordered record of what was applied, in the same transaction.

CREATE TABLE conversation (
    id           BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    agent        BLOB    NOT NULL CHECK (length(agent) = 16),
    title        TEXT    NOT NULL,
    mode         TEXT    NOT NULL CHECK (mode IN ('plan', 'default', 'auto')),
    auto_chain   BLOB             CHECK (auto_chain IS NULL OR length(auto_chain) = 16),
    awaits_reply INTEGER NOT NULL CHECK (awaits_reply IN (0, 1)),
    next_seq     INTEGER NOT NULL,
    revision     INTEGER NOT NULL,
    created_at   INTEGER NOT NULL,
    touched_at   INTEGER NOT NULL,
    deleted_at   INTEGER
) STRICT;

CREATE INDEX conversation_touched ON conversation (touched_at DESC) WHERE deleted_at IS NULL;

CREATE TABLE run (
    id             BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    conversation   BLOB    NOT NULL REFERENCES conversation (id),
    phase          TEXT    NOT NULL CHECK (phase IN ('resolving', 'model', 'last_word', 'tools', 'stopping', 'ended')),
    rounds         INTEGER NOT NULL,
    round_limit    INTEGER NOT NULL CHECK (round_limit >= 1),
    mode_start     TEXT    NOT NULL CHECK (mode_start IN ('plan', 'default', 'auto')),
    owner          BLOB    NOT NULL CHECK (length(owner) = 16),
    agent_revision INTEGER NOT NULL,
    left_in_files  TEXT    NOT NULL,
    started_at     INTEGER NOT NULL,
    ended_at       INTEGER,
    ending         TEXT,
    CHECK ((phase = 'ended') = (ended_at IS NOT NULL)),
    CHECK ((phase = 'ended') = (ending IS NOT NULL))
) STRICT;

-- One active run a conversation, whatever the code above believes.
CREATE UNIQUE INDEX run_active ON run (conversation) WHERE phase <> 'ended';
CREATE INDEX run_of_conversation ON run (conversation, started_at DESC);

CREATE TABLE message (
    id           BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    conversation BLOB    NOT NULL REFERENCES conversation (id),
    seq          INTEGER NOT NULL,
    run          BLOB    NOT NULL REFERENCES run (id),
    role         TEXT    NOT NULL CHECK (role IN ('user', 'assistant')),
    body         TEXT    NOT NULL,
    raw          TEXT,
    tokens_in    INTEGER NOT NULL,
    tokens_out   INTEGER NOT NULL,
    at           INTEGER NOT NULL,
    UNIQUE (conversation, seq)
) STRICT;

CREATE TABLE call (
    id            BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    conversation  BLOB    NOT NULL REFERENCES conversation (id),
    message       BLOB    NOT NULL REFERENCES message (id),
    position      INTEGER NOT NULL,
    provider_id   TEXT    NOT NULL,
    tool          TEXT    NOT NULL,
    identity      TEXT,
    effect        TEXT    NOT NULL CHECK (effect IN ('read', 'idempotent_write', 'write')),
    marks         TEXT    NOT NULL,
    arguments     TEXT    NOT NULL,
    schema        TEXT,
    executed      TEXT,
    exact         TEXT    NOT NULL,
    preconditions TEXT    NOT NULL,
    proposed_by   BLOB    NOT NULL REFERENCES run (id),
    state         TEXT    NOT NULL CHECK (state IN ('held', 'waiting', 'approved', 'started', 'settled')),
    state_detail  TEXT    NOT NULL,
    warrant       TEXT,
    result        TEXT,
    verdicts      TEXT    NOT NULL,
    proposed_at   INTEGER NOT NULL,
    started_at    INTEGER,
    settled_at    INTEGER,
    decided_seq   INTEGER,
    decided_at    INTEGER,
    decision      TEXT    CHECK (decision IN ('approved', 'approved_conversation', 'plan_default', 'plan_auto',
                                              'answered', 'rejected', 'ran', 'expired')),
    decided_by    TEXT    CHECK (decided_by IN ('person', 'rule', 'standing', 'auto', 'conversation')),
    decided_words TEXT,
    UNIQUE (message, position)
) STRICT;

CREATE INDEX call_rejected ON call (conversation, exact) WHERE decision = 'rejected' AND decided_by = 'person';
CREATE INDEX call_unsettled ON call (conversation) WHERE state <> 'settled';
CREATE UNIQUE INDEX call_decided ON call (decided_seq DESC) WHERE decided_seq IS NOT NULL;

CREATE TABLE request (
    id           BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    conversation BLOB    NOT NULL REFERENCES conversation (id),
    call         BLOB    NOT NULL REFERENCES call (id),
    kind         TEXT    NOT NULL CHECK (kind IN ('call', 'plan', 'input')),
    digest       BLOB    NOT NULL CHECK (length(digest) = 32),
    before       TEXT,
    opened_at    INTEGER NOT NULL,
    state        TEXT    NOT NULL CHECK (state IN ('open', 'answered', 'passed_by')),
    closing      TEXT,
    closed_at    INTEGER,
    closed_by    BLOB    REFERENCES run (id),
    CHECK ((state = 'open') = (closing IS NULL)),
    CHECK ((state = 'open') = (closed_at IS NULL))
) STRICT;

CREATE INDEX request_open ON request (conversation) WHERE state = 'open';
CREATE INDEX request_closed ON request (closed_at DESC) WHERE state <> 'open';
CREATE INDEX request_of_call ON request (call);

CREATE TABLE standing (
    id           BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    conversation BLOB    NOT NULL REFERENCES conversation (id),
    identity     TEXT    NOT NULL,
    exact        TEXT,
    since        INTEGER NOT NULL,
    request      BLOB    NOT NULL REFERENCES request (id),
    used         INTEGER NOT NULL,
    last_used_at INTEGER,
    revoked_at   INTEGER
) STRICT;

CREATE INDEX standing_in_force ON standing (conversation) WHERE revoked_at IS NULL;

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

CREATE TABLE journal (
    seq          INTEGER NOT NULL PRIMARY KEY,
    at           INTEGER NOT NULL,
    conversation BLOB    NOT NULL,
    kind         TEXT    NOT NULL,
    subject      BLOB,
    content      BLOB    NOT NULL CHECK (length(content) = 32),
    hash         BLOB    NOT NULL CHECK (length(hash) = 32)
) STRICT;

CREATE TABLE agent (
    id         BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    revision   INTEGER NOT NULL,
    profile    TEXT    NOT NULL,
    deleted_at INTEGER
) STRICT;

CREATE TABLE setting (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

-- What a person decided and didn't send yet. A row's id is its request's, or its call's where there is no request.
CREATE TABLE draft (
    row          BLOB    NOT NULL PRIMARY KEY CHECK (length(row) = 16),
    conversation BLOB    NOT NULL REFERENCES conversation (id),
    decision     TEXT    NOT NULL,
    digest       BLOB    NOT NULL CHECK (length(digest) = 32),
    at           INTEGER NOT NULL
) STRICT;

CREATE INDEX draft_of_conversation ON draft (conversation);

-- Text that is being typed.
CREATE TABLE typed (
    conversation BLOB NOT NULL PRIMARY KEY CHECK (length(conversation) = 16),
    body         TEXT NOT NULL
) STRICT;
