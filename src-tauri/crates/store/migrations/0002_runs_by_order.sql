-- Runs follow each other by the order in which they were stored: a clock that was set back must not bring an older one to the front.
DROP INDEX run_of_conversation;
CREATE INDEX run_of_conversation ON run (conversation);
