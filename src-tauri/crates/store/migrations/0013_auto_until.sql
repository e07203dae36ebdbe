-- When Auto goes back to Default, in milliseconds since 1970, where the person gave it a time. The hairline in the conversation says it too.
ALTER TABLE conversation ADD COLUMN auto_until INTEGER CHECK (auto_until IS NULL OR mode = 'auto');
ALTER TABLE mode_change ADD COLUMN until INTEGER CHECK (until IS NULL OR mode = 'auto');

CREATE INDEX conversation_auto_until ON conversation (auto_until) WHERE auto_until IS NOT NULL;
