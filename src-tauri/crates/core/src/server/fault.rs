//! What is wrong with a server that is about to be saved.

/// Why a server can't be saved, with the field that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {wrong:?}")]
pub struct ServerFault {
    /// The field: `name`, `handle`, `program`, `args`, `env`, `folder`, `url`, `headers`, `roots`, `start_s` or `call_s`.
    pub field: &'static str,
    /// What is wrong with it.
    pub wrong: Wrong,
}

/// What is wrong with a field of a server. Its words are the surface's, in the person's language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wrong {
    /// A name has 1 to 60 characters.
    NameLength,
    /// Another server has the name.
    NameTaken,
    /// A short name is 1 to 20 small letters, digits or hyphens.
    HandleShape,
    /// Another server has the short name.
    HandleTaken,
    /// No program is named.
    NoProgram,
    /// The program's name or an argument has the character U+0000.
    Nul,
    /// A folder isn't absolute.
    RelativeFolder,
    /// The address isn't one that can be spoken to.
    Address,
    /// A folder that the server is told of isn't absolute.
    RelativeRoot,
    /// The number of seconds isn't from 1 to this.
    Seconds {
        /// The most that there may be.
        most: u32,
    },
    /// A variable or header of this name can't be set.
    NotHere(String),
    /// It is there twice.
    Twice(String),
    /// Its value has several lines.
    SeveralLines(String),
    /// Its value is a secret, and nobody said where that is kept.
    NowhereKept(String),
    /// Its value comes from an environment variable without a name.
    Unnamed(String),
}
