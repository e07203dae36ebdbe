-- Tool servers that the person added. Values of variables that are secrets are kept where keys are kept, never here.
CREATE TABLE server (
    id       BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    revision INTEGER NOT NULL,
    profile  TEXT    NOT NULL
) STRICT;

-- When a server's tools were used last. Only their calls have such a name, so only they are in it.
CREATE INDEX call_of_server ON call (tool, started_at) WHERE instr(tool, '__') > 0 AND started_at IS NOT NULL;
