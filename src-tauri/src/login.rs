//! Starting with the session: an entry in the desktop's autostart folder, written and removed here. Whether it is on is read
//! from the entry, because the desktop's own settings can switch it off.

use std::path::{Path, PathBuf};

/// The name of the entry.
const NAME: &str = "countersign.desktop";

/// The entry in the autostart folder.
#[derive(Debug, Clone)]
pub(crate) struct Login {
    /// Where it is; none where nobody knows.
    entry: Option<PathBuf>,
    /// What it starts.
    command: Vec<String>,
}

impl Login {
    /// The usual place. `data` is a chosen data folder, which the entry names as well.
    pub(crate) fn usual(data: Option<&Path>) -> Self {
        let entry = directories::BaseDirs::new().map(|base| base.config_dir().join("autostart").join(NAME));
        // An AppImage is a file elsewhere than the program that runs.
        let image = std::env::var("APPIMAGE").ok().filter(|image| !image.is_empty());
        let program = image.or_else(|| Some(std::env::current_exe().ok()?.to_string_lossy().into_owned()));
        let mut command: Vec<String> = program.into_iter().collect();
        command.push("--hidden".to_owned());
        if let Some(data) = data {
            command.extend(["--data-dir".to_owned(), data.to_string_lossy().into_owned()]);
        }
        Self { entry: entry.filter(|_| cfg!(target_os = "linux")), command }
    }

    /// Whether the session starts the app.
    pub(crate) fn is_on(&self) -> bool {
        let Some(text) = self.entry.as_ref().and_then(|entry| std::fs::read_to_string(entry).ok()) else {
            return false;
        };
        let says = |key: &str, value: &str| {
            text.lines().any(|line| {
                line.split_once('=')
                    .is_some_and(|(name, is)| name.trim() == key && is.trim().eq_ignore_ascii_case(value))
            })
        };
        !says("Hidden", "true") && !says("X-GNOME-Autostart-enabled", "false")
    }

    /// Switches it on or off.
    ///
    /// # Errors
    /// Words for the person.
    pub(crate) fn switch(&self, on: bool) -> Result<(), String> {
        let Some(entry) = &self.entry else {
            return Err("Countersign can't be started with the session on this system yet.".to_owned());
        };
        let done = if on { self.write(entry) } else { remove(entry) };
        done.map_err(|error| format!("`{}` can't be changed: {error}.", entry.display()))
    }

    fn write(&self, entry: &Path) -> std::io::Result<()> {
        if let Some(folder) = entry.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let exec: Vec<String> = self.command.iter().map(|word| quoted(word)).collect();
        let text = format!(
            "[Desktop Entry]\nType=Application\nName=Countersign\nComment=Shows what agents ask\nExec={}\nIcon=countersign\nTerminal=false\nX-GNOME-Autostart-enabled=true\n",
            exec.join(" ")
        );
        std::fs::write(entry, text)
    }
}

fn remove(entry: &Path) -> std::io::Result<()> {
    match std::fs::remove_file(entry) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// A word of an `Exec` line: in quotes, what is special there escaped, and once more as a text of the file.
fn quoted(word: &str) -> String {
    let mut quoted = String::from("\"");
    for one in word.chars() {
        match one {
            '"' | '`' | '$' => {
                quoted.push_str("\\\\");
                quoted.push(one);
            }
            '\\' => quoted.push_str("\\\\\\\\"),
            '%' => quoted.push_str("%%"),
            '\n' => quoted.push_str("\\n"),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_written_removed_and_read_from_the_entry() {
        let folder = tempfile::tempdir().unwrap();
        let entry = folder.path().join("autostart").join(NAME);
        let command = vec!["/opt/my apps/countersign".to_owned(), "--hidden".to_owned()];
        let login = Login { entry: Some(entry.clone()), command };
        assert!(!login.is_on());
        login.switch(false).unwrap();
        login.switch(true).unwrap();
        assert!(login.is_on());
        let text = std::fs::read_to_string(&entry).unwrap();
        assert!(text.contains("Exec=\"/opt/my apps/countersign\" \"--hidden\"\n"), "{text}");
        for off in ["Hidden=true", "X-GNOME-Autostart-enabled = False"] {
            std::fs::write(&entry, format!("[Desktop Entry]\n{off}\n")).unwrap();
            assert!(!login.is_on(), "{off}: the desktop switched it off");
        }
        login.switch(true).unwrap();
        assert!(login.is_on());
        login.switch(false).unwrap();
        assert!(!entry.exists());
        assert!(Login { entry: None, command: Vec::new() }.switch(true).is_err());
    }

    #[test]
    fn what_is_special_in_a_path_starts_nothing_else() {
        assert_eq!(quoted("a b"), "\"a b\"");
        assert_eq!(quoted("50%$(x)`y`\\\"z"), r#""50%%\\$(x)\\`y\\`\\\\\\"z""#);
    }
}
