-- A Quick task is stored like a conversation, so that its run is claimed, settled and recorded in the same way. It is one run
-- that nobody answers to: whatever the code above believes, no request and no waiting call can lie under it.
ALTER TABLE conversation ADD COLUMN kind TEXT NOT NULL DEFAULT 'thread' CHECK (kind IN ('thread', 'quick'));

CREATE INDEX conversation_quick ON conversation (kind) WHERE kind = 'quick';

CREATE TRIGGER conversation_keeps_its_kind BEFORE UPDATE OF kind ON conversation
BEGIN
    SELECT RAISE(ABORT, 'a conversation keeps its kind');
END;

CREATE TRIGGER quick_holds_no_request BEFORE INSERT ON request
WHEN (SELECT kind FROM conversation WHERE id = NEW.conversation) = 'quick'
BEGIN
    SELECT RAISE(ABORT, 'a quick task holds no request');
END;

CREATE TRIGGER quick_takes_no_request BEFORE UPDATE OF conversation ON request
WHEN (SELECT kind FROM conversation WHERE id = NEW.conversation) = 'quick'
BEGIN
    SELECT RAISE(ABORT, 'a quick task holds no request');
END;

CREATE TRIGGER quick_call_never_waits BEFORE INSERT ON call
WHEN NEW.state IN ('waiting', 'held')
    AND (SELECT kind FROM conversation WHERE id = NEW.conversation) = 'quick'
BEGIN
    SELECT RAISE(ABORT, 'a call of a quick task waits for nobody');
END;

CREATE TRIGGER quick_call_never_comes_to_wait BEFORE UPDATE OF state ON call
WHEN NEW.state IN ('waiting', 'held')
    AND (SELECT kind FROM conversation WHERE id = NEW.conversation) = 'quick'
BEGIN
    SELECT RAISE(ABORT, 'a call of a quick task waits for nobody');
END;
