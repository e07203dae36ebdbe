//! From the bytes of a stream to a reply, in any wire format. Nothing of a reply counts until its format says that it is complete (D-71).

use countersign_core::agent::WireFormat;
use countersign_core::input::ModelReply;
use countersign_engine::ports::Deltas;

use crate::sse::{Parser, Unreadable};
use crate::{anthropic_messages, openai_chat, openai_responses};

/// The most bytes of a reply that are kept.
pub(crate) const MOST_BYTES: usize = 16 * 1024 * 1024;
/// The most bytes of events that are read for one reply; their dressing counts too.
pub(crate) const MOST_READ: usize = 4 * MOST_BYTES;
/// What some endpoints send behind the last event.
pub(crate) const DONE: &str = "[DONE]";
/// The most calls of a reply.
pub(crate) const MOST_CALLS: usize = 128;

/// What a piece led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taken {
    /// More can come.
    More,
    /// It was the end.
    End,
}

/// Why there is no reply.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Fault {
    /// The bytes aren't a stream of events.
    #[error(transparent)]
    Stream(#[from] Unreadable),
    /// A piece isn't what it should be.
    #[error("the endpoint sent something that can't be read as part of a reply")]
    Unreadable,
    /// The reply grew beyond all measure.
    #[error("the reply is larger than 16 MiB or makes more than 128 calls")]
    TooLarge,
    /// It says that something went wrong; with the whole piece.
    #[error("the endpoint reported an error")]
    Error(String),
    /// It stopped without having come to its end.
    #[error("the reply ended in the middle")]
    Unfinished,
    /// The limit of tokens came in the middle of a call, so that nobody knows what was to be called.
    #[error("the reply reached its limit of tokens in the middle of a call; nothing of it was kept")]
    LimitInCall,
    /// The provider won't have this conversation go on; what was said of the reply must not be sent again.
    #[error("the provider declined to go on with this conversation")]
    Declined(Option<String>),
}

/// A reply that is on its way, in one wire format.
pub(crate) trait Assembly: Send {
    /// Takes the data of one event, or of a reply that came at once; it isn't blank, and has no space around it.
    fn take(&mut self, data: &str, deltas: &Deltas) -> Result<Taken, Fault>;

    /// Whether the model said that it is done.
    fn is_done(&self) -> bool;

    /// The reply.
    fn reply(self: Box<Self>) -> Result<ModelReply, Fault>;
}

/// A reply that is read.
pub(crate) struct Reading {
    parser: Parser,
    assembly: Box<dyn Assembly>,
    /// Bytes of events that were read.
    read: usize,
}

impl Reading {
    /// One that has begun.
    pub(crate) fn new(format: WireFormat) -> Self {
        let assembly: Box<dyn Assembly> = match format {
            WireFormat::OpenAiChat => Box::new(openai_chat::assemble::Chat::default()),
            WireFormat::OpenAiResponses => Box::new(openai_responses::assemble::Responses::default()),
            WireFormat::AnthropicMessages => Box::new(anthropic_messages::assemble::Messages::default()),
        };
        Self { parser: Parser::default(), assembly, read: 0 }
    }

    /// Whether the model said that it is done; what is missing then is only the goodbye.
    pub(crate) fn is_done(&self) -> bool {
        self.assembly.is_done()
    }

    /// Takes the next bytes of a stream, cut anywhere.
    ///
    /// # Errors
    /// A [`Fault`]; nothing of the reply counts then.
    pub(crate) fn feed(&mut self, bytes: &[u8], deltas: &Deltas) -> Result<Taken, Fault> {
        for event in self.parser.feed(bytes)? {
            if self.take(&event.name, &event.data, deltas)? == Taken::End {
                return Ok(Taken::End);
            }
        }
        Ok(Taken::More)
    }

    /// The reply, once there are no more bytes.
    ///
    /// # Errors
    /// A [`Fault`]; [`Fault::Unfinished`] if it never came to its end.
    pub(crate) fn finish(mut self, deltas: &Deltas) -> Result<ModelReply, Fault> {
        if let Some(event) = self.parser.finish() {
            self.take(&event.name, &event.data, deltas)?;
        }
        self.complete()
    }

    /// The reply that came at once, although a stream was asked for.
    ///
    /// # Errors
    /// A [`Fault`].
    pub(crate) fn whole(mut self, text: &str, deltas: &Deltas) -> Result<ModelReply, Fault> {
        self.take("", text, deltas)?;
        self.complete()
    }

    fn take(&mut self, name: &str, data: &str, deltas: &Deltas) -> Result<Taken, Fault> {
        if name == "error" {
            return Err(Fault::Error(data.to_owned()));
        }
        self.read += data.len();
        if self.read > MOST_READ {
            return Err(Fault::TooLarge);
        }
        match data.trim() {
            "" => Ok(Taken::More),
            data => self.assembly.take(data, deltas),
        }
    }

    fn complete(self) -> Result<ModelReply, Fault> {
        if self.assembly.is_done() { self.assembly.reply() } else { Err(Fault::Unfinished) }
    }
}

#[cfg(test)]
mod tests;
