//! The fixed texts that a model is given. One shape for all refusals (D-58); tests look for what they say, not for
//! how they say it.
