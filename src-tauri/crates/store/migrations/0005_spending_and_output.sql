-- What a model call used up. Where a provider said no numbers that is unknown (`counted`), and not zero. The cost is kept with the
-- message, in billionths of its currency: prices that change later change nothing that was. The conversation's run that goes on adds
-- up what is used in it, whoever uses it there, so that the agents below it are in its sum once.
ALTER TABLE message ADD COLUMN counted INTEGER NOT NULL DEFAULT 0 CHECK (counted IN (0, 1));
ALTER TABLE message ADD COLUMN cached_in INTEGER NOT NULL DEFAULT 0;
ALTER TABLE message ADD COLUMN written_in INTEGER NOT NULL DEFAULT 0;
ALTER TABLE message ADD COLUMN cost_nano INTEGER;
ALTER TABLE message ADD COLUMN currency TEXT CHECK ((currency IS NULL) = (cost_nano IS NULL));

ALTER TABLE run ADD COLUMN counted INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN priced INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN tokens_in INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN tokens_out INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN cached_in INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN written_in INTEGER NOT NULL DEFAULT 0;
-- Billionths by currency.
ALTER TABLE run ADD COLUMN costs TEXT NOT NULL DEFAULT '{}';

-- Nobody counts as known what was stored as nothing. In which run an agent below worked was not kept: the last one that had begun.
UPDATE message SET counted = 1 WHERE role = 'assistant' AND (tokens_in > 0 OR tokens_out > 0);
CREATE TEMP TABLE spent AS
    SELECT CASE WHEN thread IS NULL THEN run ELSE (
        SELECT own.id FROM run AS own
        WHERE own.conversation = message.conversation AND own.parent_call IS NULL AND own.started_at <= message.at
        ORDER BY own.rowid DESC LIMIT 1) END AS run, tokens_in, tokens_out
    FROM message WHERE counted = 1;
UPDATE run SET
    counted = (SELECT count(*) FROM spent WHERE spent.run = run.id),
    tokens_in = (SELECT coalesce(sum(spent.tokens_in), 0) FROM spent WHERE spent.run = run.id),
    tokens_out = (SELECT coalesce(sum(spent.tokens_out), 0) FROM spent WHERE spent.run = run.id)
    WHERE id IN (SELECT run FROM spent);
DROP TABLE spent;

-- The whole text of a call's result, where the model got less of it: in parts, so that none has to be read to get to another. It goes
-- with its conversation.
CREATE TABLE output (
    call         BLOB    NOT NULL REFERENCES call (id),
    part         INTEGER NOT NULL,
    conversation BLOB    NOT NULL REFERENCES conversation (id),
    bytes        INTEGER NOT NULL,
    body         TEXT    NOT NULL,
    PRIMARY KEY (call, part)
) STRICT;
CREATE INDEX output_of_conversation ON output (conversation);
