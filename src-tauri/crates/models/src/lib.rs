//! Countersign's model adapters: OpenAI-compatible chat completions and the scripted model of the Rehearsal.
