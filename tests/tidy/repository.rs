//! What the rules look at: the files that git knows or would take, and what cargo says about the packages.

use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

use serde_json::Value;

/// A file of the repository, by its path from the root with forward slashes.
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
}

impl File {
    /// A sample for a rule's own test.
    pub(crate) fn sample(path: &str, text: &str) -> File {
        File { path: path.to_owned(), bytes: text.as_bytes().to_vec() }
    }

    /// The text, or nothing for pictures and the like.
    pub(crate) fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok().filter(|text| !text.contains('\0'))
    }

    /// Whether the name ends in one of these, given without their dot.
    pub(crate) fn is_one_of(&self, extensions: &[&str]) -> bool {
        self.path.rsplit_once('.').is_some_and(|(_, extension)| extensions.contains(&extension))
    }
}

/// Tracked files and new ones that are not ignored, so that a rule speaks before the commit and not after it.
pub(crate) static FILES: LazyLock<Vec<File>> = LazyLock::new(|| {
    let list = output(Command::new("git").args(["ls-files", "-z", "-co", "--exclude-standard"]));
    let mut paths: Vec<&str> = list.split('\0').filter(|path| !path.is_empty()).collect();
    paths.sort_unstable();
    paths.dedup();
    let files: Vec<File> = paths
        .into_iter()
        .filter_map(|path| {
            // A file that git still lists may be gone from the disk: its removal is not committed yet.
            let bytes = std::fs::read(root().join(path)).ok()?;
            Some(File { path: path.to_owned(), bytes })
        })
        .collect();
    assert!(files.len() > 20, "git lists only {} files", files.len());
    files
});

/// `cargo metadata`, for every platform. Without the network if that goes, as it does after `cargo fetch`.
pub(crate) static METADATA: LazyLock<Value> = LazyLock::new(|| {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let metadata = |more: &[&str]| {
        let mut command = Command::new(&cargo);
        command.args(["metadata", "--locked", "--format-version", "1"]).args(more).current_dir(root());
        command
    };
    let offline = metadata(&["--offline"]).output().expect("cargo can be started");
    let text = if offline.status.success() {
        String::from_utf8(offline.stdout).expect("cargo writes UTF-8")
    } else {
        output(&mut metadata(&[]))
    };
    serde_json::from_str(&text).expect("cargo metadata writes JSON")
});

/// The folder that holds everything.
pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests lie in a folder of the repository").to_owned()
}

/// The text of one file that a rule can't do without.
pub(crate) fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path} can't be read: {error}"))
}

fn output(command: &mut Command) -> String {
    let output =
        command.current_dir(root()).output().unwrap_or_else(|error| panic!("{command:?} can't be started: {error}"));
    assert!(output.status.success(), "{command:?} failed: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("the output is UTF-8")
}
