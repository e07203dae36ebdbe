//! What can stand behind `countersign` on the command line. Few enough to be read by hand.

use std::ffi::OsString;
use std::path::PathBuf;

/// How the app is to start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Arguments {
    /// Where to keep everything, instead of the usual folders.
    pub(crate) data_folder: Option<PathBuf>,
    /// Whether the window shows at once.
    pub(crate) window: FirstShow,
}

/// Whether the window shows when the app starts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum FirstShow {
    /// At once.
    #[default]
    Shown,
    /// Only when something asks for it: the tray, a notification, a second start.
    Hidden,
    /// Only the quick panel: for a key of the desktop's own.
    Panel,
}

/// What the command line asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Start the app.
    Start(Arguments),
    /// Say the version and end.
    Version,
    /// Say what can be said here and end.
    Help,
}

/// What `--help` says.
pub(crate) const HELP: &str = "\
Countersign: the approval inbox for people who supervise AI agents.

countersign [--hidden | --panel] [--data-dir DIR]

  --hidden         start without showing the window
  --panel          show the quick panel, of the Countersign that runs or of a new one
  --data-dir DIR   keep everything in DIR instead of the usual folders;
                   COUNTERSIGN_DATA_DIR does the same
  --version        say the version
  --help           say this
";

/// Reads the command line (without the program's name), then the environment's data folder.
///
/// # Errors
/// Words for the person: what isn't known, what is missing.
pub(crate) fn read(
    words: impl IntoIterator<Item = OsString>,
    data_folder_of_environment: Option<OsString>,
) -> Result<Asked, String> {
    let mut arguments = Arguments {
        data_folder: data_folder_of_environment.filter(|folder| !folder.is_empty()).map(PathBuf::from),
        window: FirstShow::Shown,
    };
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        match word.to_str() {
            Some("--hidden") => arguments.window = FirstShow::Hidden,
            Some("--panel") => arguments.window = FirstShow::Panel,
            Some("--version" | "-V") => return Ok(Asked::Version),
            Some("--help" | "-h") => return Ok(Asked::Help),
            Some("--data-dir") => {
                let folder = words.next().filter(|folder| !folder.is_empty());
                let folder = folder.ok_or("--data-dir needs a folder behind it")?;
                arguments.data_folder = Some(PathBuf::from(folder));
            }
            Some(text) if text.starts_with("--data-dir=") => {
                let folder = text.trim_start_matches("--data-dir=");
                if folder.is_empty() {
                    return Err("--data-dir needs a folder behind it".to_owned());
                }
                arguments.data_folder = Some(PathBuf::from(folder));
            }
            Some(_) | None => {
                return Err(format!(
                    "countersign doesn't know `{}`; countersign --help lists what it knows",
                    word.to_string_lossy()
                ));
            }
        }
    }
    Ok(Asked::Start(arguments))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(data_folder: Option<&str>, window: FirstShow) -> Asked {
        Asked::Start(Arguments { data_folder: data_folder.map(PathBuf::from), window })
    }

    #[test]
    fn the_command_line_is_read() {
        let cases = [
            (vec![], None, start(None, FirstShow::Shown)),
            (vec!["--hidden"], None, start(None, FirstShow::Hidden)),
            (vec!["--data-dir", "/a"], Some("/b"), start(Some("/a"), FirstShow::Shown)),
            (vec!["--data-dir=/a"], None, start(Some("/a"), FirstShow::Shown)),
            (vec![], Some("/b"), start(Some("/b"), FirstShow::Shown)),
            (vec![], Some(""), start(None, FirstShow::Shown)),
            (vec!["--version"], None, Asked::Version),
            (vec!["-h"], None, Asked::Help),
        ];
        for (words, environment, expected) in cases {
            let asked = read(words.iter().map(OsString::from), environment.map(OsString::from));
            assert_eq!(asked, Ok(expected), "{words:?}");
        }
        for words in [vec!["--data-dir"], vec!["--data-dir="], vec!["--hide"], vec!["countersign://open"]] {
            assert!(read(words.iter().map(OsString::from), None).is_err(), "{words:?} is refused");
        }
    }
}
