//! The environment of a command: a short list of names, nothing else.
//!
//! Not on it, whatever they hold: the display, the session bus, the runtime folder and the key agent, through which a
//! command could press the app's own buttons or use the person's keys, and every name that a key could be in.

use std::ffi::{OsStr, OsString};

use crate::refused::Refused;

/// Who the person is, how they read and where their tool chains are.
const ALLOWED: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TMPDIR",
    "TZ",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_ADDRESS",
    "LC_COLLATE",
    "LC_CTYPE",
    "LC_IDENTIFICATION",
    "LC_MEASUREMENT",
    "LC_MESSAGES",
    "LC_MONETARY",
    "LC_NAME",
    "LC_NUMERIC",
    "LC_PAPER",
    "LC_TELEPHONE",
    "LC_TIME",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "GOPATH",
    "GOROOT",
    "JAVA_HOME",
    "NVM_DIR",
    "VOLTA_HOME",
    "PNPM_HOME",
    "PYENV_ROOT",
    "VIRTUAL_ENV",
    "RBENV_ROOT",
];

/// What of the given environment a command sees. A value that names a refused folder is left out too.
pub(super) fn of_command(
    own: impl Iterator<Item = (OsString, OsString)>,
    refused: &Refused,
) -> Vec<(OsString, OsString)> {
    let allowed = |name: &OsStr| ALLOWED.iter().any(|allowed| name == *allowed);
    let mut environment: Vec<_> = own.filter(|(name, value)| allowed(name) && !refused.named_in(value)).collect();
    environment.push(("TERM".into(), "dumb".into()));
    environment
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_passes_that_is_not_on_the_list() {
        let own = [
            ("PATH", "/bin"),
            ("LC_TIME", "C"),
            ("LC_SECRET", "x"),
            ("TERM", "xterm"),
            ("TMPDIR", "/home/me/.local/share/countersign/tmp"),
            ("DISPLAY", ":0"),
            ("path", "/x"),
            ("PATH_TOKEN", "x"),
        ];
        let own = own.map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let refused = Refused::new(vec!["/home/me/.local/share/countersign".into()]);
        let expected = [("PATH", "/bin"), ("LC_TIME", "C"), ("TERM", "dumb")];
        let expected = expected.map(|(name, value)| (OsString::from(name), OsString::from(value)));
        assert_eq!(of_command(own.into_iter(), &refused), expected);
    }
}
