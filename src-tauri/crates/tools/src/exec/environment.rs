//! The environment of a command: a short list of names, nothing else.
//!
//! Not on it, whatever they hold: the display, the session bus, the runtime folder and the key agent, through which a
//! command could press the app's own buttons or use the person's keys, and every name that a key could be in.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use countersign_core::digest::hex;
use sha2::{Digest as _, Sha256};

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

/// Whether a variable is one of the few that say only who the person is, how they read and where their tool chains are.
pub(crate) fn is_plain(name: &OsStr) -> bool {
    ALLOWED.iter().any(|allowed| name == *allowed)
}

/// What of the given environment a command sees. A value that names a refused folder is left out too.
pub(crate) fn of_command(
    own: impl Iterator<Item = (OsString, OsString)>,
    refused: &Refused,
) -> Vec<(OsString, OsString)> {
    let mut environment: Vec<_> = own.filter(|(name, value)| is_plain(name) && !refused.named_in(value)).collect();
    environment.push(("TERM".into(), "dumb".into()));
    environment
}

/// A SHA-256 over names and values, in hexadecimal, whatever order they come in (D-73).
pub(crate) fn hash(environment: &[(OsString, OsString)]) -> String {
    let mut sorted: Vec<_> = environment.iter().collect();
    sorted.sort();
    let mut hash = Sha256::new();
    for text in sorted.into_iter().flat_map(|(name, value)| [name, value]) {
        hash.update((text.as_encoded_bytes().len() as u64).to_be_bytes());
        hash.update(text.as_encoded_bytes());
    }
    hex(&hash.finalize())
}

/// Where a command with this environment keeps what is temporary. A `TMPDIR` around the home folder isn't taken for one.
pub(super) fn temp(environment: &[(OsString, OsString)]) -> Vec<OsString> {
    let value = |wanted: &str| environment.iter().find(|(name, _)| name == wanted).map(|(_, value)| value);
    let own = value("TMPDIR").filter(|own| {
        let own = Path::new(own);
        own.is_absolute() && value("HOME").is_none_or(|home| !Path::new(home).starts_with(own))
    });
    let own = own.and_then(|own| Path::new(own).canonicalize().ok()).map(PathBuf::into_os_string);
    ["/tmp", "/var/tmp", "/dev/shm"].into_iter().map(OsString::from).chain(own).collect()
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

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        pairs.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))).collect()
    }

    /// D-73: what a command sees is told apart by name and value, and by nothing else.
    #[test]
    fn d_73_the_hash_is_of_names_and_values() {
        let one = hash(&pairs(&[("A", "b"), ("C", "d")]));
        assert_eq!(one, hash(&pairs(&[("C", "d"), ("A", "b")])));
        for other in
            [&[("A", "b")][..], &[("A", "b"), ("C", "e")], &[("Ab", ""), ("C", "d")], &[("A", "bC"), ("", "d")]]
        {
            assert_ne!(one, hash(&pairs(other)), "{other:?}");
        }
    }

    /// A temp folder that is the home folder, or around it, would open all of it.
    #[test]
    fn a_temp_folder_is_never_around_the_home_folder() {
        let own = tempfile::tempdir().unwrap();
        let own = own.path().canonicalize().unwrap();
        let own = own.to_str().unwrap();
        let home = format!("{own}/me");
        let fixed = ["/tmp", "/var/tmp", "/dev/shm"].map(OsString::from);
        for (tmpdir, taken) in [(own, false), (home.as_str(), false), ("/", false), ("tmp", false)] {
            assert_eq!(
                temp(&pairs(&[("TMPDIR", tmpdir), ("HOME", &home)])).len(),
                if taken { 4 } else { 3 },
                "{tmpdir}"
            );
        }
        assert_eq!(temp(&pairs(&[("HOME", &home)])), fixed);
        assert_eq!(temp(&pairs(&[("TMPDIR", own), ("HOME", "/home/me")])).last().unwrap(), own);
    }
}
