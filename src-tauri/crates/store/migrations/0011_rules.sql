-- The person's own rules. What one says is its body, read by who judges; one that can't be read makes everything ask.
CREATE TABLE rule (
    seq  INTEGER NOT NULL PRIMARY KEY,
    id   TEXT    NOT NULL UNIQUE CHECK (length(id) = 32),
    body TEXT    NOT NULL
) STRICT;

-- What rules decided, by their names.
CREATE INDEX call_by_rule ON call (decided_words, decided_at) WHERE decided_by = 'rule';
-- The calls of the last days, for trying a rule on them.
CREATE INDEX call_decided_at ON call (decided_at) WHERE decided_seq IS NOT NULL;
