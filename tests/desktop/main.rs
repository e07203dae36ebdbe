//! The real app in a real window, as a person meets it.

mod first_start;
mod notices;
mod troubles;
