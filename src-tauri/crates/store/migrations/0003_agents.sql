-- Sub-agents: runs below the conversation's own run, with messages and calls of their own. A table's CHECKs can't be changed in
-- place, so `run` is made anew; foreign keys are off while migrations run, and all of them are checked afterwards.

CREATE TABLE run_new (
    id             BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    conversation   BLOB    NOT NULL REFERENCES conversation (id),
    phase          TEXT    NOT NULL CHECK (phase IN ('resolving', 'model', 'last_word', 'tools', 'asked', 'background',
                                                     'suspended', 'stopping', 'ended')),
    rounds         INTEGER NOT NULL,
    round_limit    INTEGER NOT NULL CHECK (round_limit >= 1),
    mode_start     TEXT    NOT NULL CHECK (mode_start IN ('plan', 'default', 'auto')),
    owner          BLOB    NOT NULL CHECK (length(owner) = 16),
    agent_revision INTEGER NOT NULL,
    left_in_files  TEXT    NOT NULL,
    caps           TEXT    NOT NULL,
    model_calls    INTEGER NOT NULL,
    agents_started INTEGER NOT NULL,
    parent_call    BLOB    REFERENCES call (id),
    parent_run     BLOB    REFERENCES run (id),
    agent          BLOB    CHECK (agent IS NULL OR length(agent) = 16),
    name           TEXT,
    goes           TEXT    CHECK (goes IS NULL OR goes IN ('in_line', 'beside')),
    ran            TEXT,
    started_at     INTEGER NOT NULL,
    ended_at       INTEGER,
    ending         TEXT,
    CHECK ((phase = 'ended') = (ended_at IS NOT NULL)),
    CHECK ((phase = 'ended') = (ending IS NOT NULL)),
    CHECK ((parent_call IS NULL) = (agent IS NULL)),
    CHECK ((parent_call IS NULL) = (name IS NULL)),
    CHECK ((parent_call IS NULL) = (goes IS NULL)),
    CHECK ((parent_call IS NULL) = (ran IS NULL)),
    CHECK (parent_run IS NULL OR parent_call IS NOT NULL),
    CHECK (phase <> 'suspended' OR parent_call IS NOT NULL),
    CHECK (phase NOT IN ('asked', 'background') OR parent_call IS NULL)
) STRICT;

INSERT INTO run_new (id, conversation, phase, rounds, round_limit, mode_start, owner, agent_revision, left_in_files,
                     caps, model_calls, agents_started, started_at, ended_at, ending)
SELECT id, conversation, phase, rounds, round_limit, mode_start, owner, agent_revision, left_in_files,
       '{"model_calls":200,"agents":50,"beside":8}', 0, 0, started_at,
       ended_at, ending
FROM run ORDER BY rowid;

DROP TABLE run;
ALTER TABLE run_new RENAME TO run;

-- One active run of its own a conversation, whatever the code above believes. A sub-agent's call starts it once.
CREATE UNIQUE INDEX run_active ON run (conversation) WHERE phase <> 'ended' AND parent_call IS NULL;
CREATE UNIQUE INDEX run_of_call ON run (parent_call) WHERE parent_call IS NOT NULL;
CREATE INDEX run_below ON run (conversation) WHERE phase <> 'ended' AND parent_call IS NOT NULL;
CREATE INDEX run_of_conversation ON run (conversation) WHERE parent_call IS NULL;

-- A message of a sub-agent's thread names its run. Words of a background agent are input like a person's, under its name.
ALTER TABLE message ADD COLUMN thread BLOB REFERENCES run (id);
ALTER TABLE message ADD COLUMN agent TEXT;
CREATE INDEX message_of_thread ON message (thread, seq) WHERE thread IS NOT NULL;

ALTER TABLE steering ADD COLUMN agent TEXT;

-- The mode that a call was judged in; a sub-agent that it starts begins in it.
ALTER TABLE call ADD COLUMN mode TEXT NOT NULL DEFAULT 'default' CHECK (mode IN ('plan', 'default', 'auto'));

-- Answers that wait for the run to end, one input a conversation. They stay drafts until they are sent.
CREATE TABLE queued (
    conversation BLOB    NOT NULL PRIMARY KEY REFERENCES conversation (id),
    input        TEXT    NOT NULL,
    at           INTEGER NOT NULL
) STRICT;
