//! OpenAI-compatible chat completions: hosted services, Ollama, LM Studio, vLLM, llama.cpp.

pub(crate) mod assemble;
pub(crate) mod message;
pub(crate) mod outgoing;
