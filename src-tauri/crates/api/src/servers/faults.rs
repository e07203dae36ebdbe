//! What is wrong with a server, in words.

use countersign_core::server::{ServerFault, Wrong};

use crate::words::say;

/// Why a server can't be saved, in words.
pub(super) fn fault_words(fault: &ServerFault) -> String {
    match &fault.wrong {
        Wrong::NameLength => say().name_length(),
        Wrong::NameTaken => say().name_taken(),
        Wrong::HandleShape => say().handle_shape(),
        Wrong::HandleTaken => say().handle_taken(),
        Wrong::NoProgram => say().say_program(),
        Wrong::Nul => say().no_nul(),
        Wrong::RelativeFolder => say().folder_absolute(),
        Wrong::Address => say().address_needs_host(),
        Wrong::RelativeRoot => say().roots_absolute(),
        Wrong::Seconds { most } => say().seconds_range(*most),
        Wrong::NotHere(name) => say().variable_not_here(name),
        Wrong::Twice(name) => say().variable_twice(name),
        Wrong::SeveralLines(name) => say().variable_one_line(name),
        Wrong::NowhereKept(name) => say().variable_where(name),
        Wrong::Unnamed(name) => say().variable_name_it(name),
    }
}
