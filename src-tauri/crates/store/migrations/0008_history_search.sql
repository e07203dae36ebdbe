-- What history is searched and counted by. None of it is written in a decision's own transaction: it is filled behind, in batches,
-- and can be thrown away and filled again from the calls and the held questions, which stay the truth.

-- Values that many decisions share, once. A number of it stands in `decision`, and in `search` as a token that no word can be.
CREATE TABLE facet (
    id    INTEGER NOT NULL PRIMARY KEY,
    kind  TEXT    NOT NULL CHECK (kind IN ('tool', 'decision', 'by', 'rule', 'outcome', 'kind', 'agent', 'conversation')),
    value TEXT    NOT NULL,
    UNIQUE (kind, value)
) STRICT;

-- A decision as the charts count it; `seq` is its place among all decisions.
CREATE TABLE decision (
    seq          INTEGER NOT NULL PRIMARY KEY,
    at           INTEGER NOT NULL,
    took         INTEGER,
    tool         INTEGER NOT NULL,
    decision     INTEGER NOT NULL,
    by           INTEGER NOT NULL,
    outcome      INTEGER NOT NULL,
    kind         INTEGER NOT NULL,
    agent        INTEGER NOT NULL,
    conversation INTEGER NOT NULL,
    -- What is decided about a call can come before its end, and the end is searched too: such a row is looked at again.
    unsettled    INTEGER NOT NULL CHECK (unsettled IN (0, 1))
) STRICT;

CREATE INDEX decision_at ON decision (at, by, took);
CREATE INDEX decision_unsettled ON decision (seq) WHERE unsettled = 1;

-- Words without their places, as only whole words are asked for. The words of a row can be taken out without knowing them any more,
-- which needs the size of each row.
CREATE VIRTUAL TABLE search USING fts5 (words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii');

-- How far it is filled, how many decisions are in it, and by which rules.
CREATE TABLE indexed (
    one     INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    filled  INTEGER NOT NULL,
    entries INTEGER NOT NULL,
    stamp   TEXT    NOT NULL
) STRICT;

INSERT INTO indexed (one, filled, entries, stamp) VALUES (1, 0, 0, '');
