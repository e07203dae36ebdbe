//! Against a key store that is made up, files, and the daemon that most desktops have.

use std::process::Command;

use super::*;

const AGENT: AgentId = AgentId([7; 16]);

fn keys(folder: &std::path::Path) -> MachineKeys {
    let store: Arc<keyring_core::CredentialStore> = keyring_core::mock::Store::new().unwrap();
    let entries = move |name: &str| {
        keyring_core::Entry::new_in_store(&store, SERVICE, name).map(|inner| keyring::Entry { inner })
    };
    MachineKeys { folder: folder.to_owned(), entries: Arc::new(entries) }
}

fn exposed(key: Result<Option<SecretString>, String>) -> Result<Option<String>, String> {
    key.map(|key| key.map(|key| key.expose_secret().to_owned()))
}

#[tokio::test]
async fn a_key_is_kept_read_and_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let keys = keys(folder.path());
    assert_eq!(keys.probe().await, Ok(()), "a store without our probe is healthy");
    for source in [KeySource::Keyring, KeySource::File] {
        assert!(keys.read(AGENT, Kept::Key, &source).await.is_err(), "{source:?}: nothing is kept yet");
        keys.keep(AGENT, Kept::Key, &source, " sk-first\n").await.unwrap();
        keys.keep(AGENT, Kept::Key, &source, "sk-second").await.unwrap();
        assert_eq!(exposed(keys.read(AGENT, Kept::Key, &source).await), Ok(Some("sk-second".to_owned())));
        keys.forget(AGENT, Kept::Key).await;
        assert!(keys.read(AGENT, Kept::Key, &source).await.is_err(), "{source:?}: it is forgotten");
        keys.forget(AGENT, Kept::Key).await;
    }
    assert_eq!(exposed(keys.read(AGENT, Kept::Key, &KeySource::None).await), Ok(None));
}

#[tokio::test]
async fn a_key_file_is_for_the_person_alone() {
    let folder = tempfile::tempdir().unwrap();
    let keys = keys(folder.path());
    keys.keep(AGENT, Kept::Key, &KeySource::File, "sk-secret").await.unwrap();
    let file = keys.file(&name(AGENT, Kept::Key));
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let error = keys.read(AGENT, Kept::Key, &KeySource::File).await.unwrap_err();
    assert!(error.contains("read by others") && !error.contains("sk-secret"), "{error}");
}

#[tokio::test]
async fn an_environment_variable_is_read_and_never_written() {
    let folder = tempfile::tempdir().unwrap();
    let keys = keys(folder.path());
    let set = KeySource::Env { name: "PATH".to_owned() };
    assert_eq!(keys.keep(AGENT, Kept::Key, &set, "").await, Ok(()));
    assert!(exposed(keys.read(AGENT, Kept::Key, &set).await).unwrap().is_some());
    let missing = KeySource::Env { name: "COUNTERSIGN_NO_SUCH_KEY".to_owned() };
    let error = keys.keep(AGENT, Kept::Key, &missing, "sk-typed").await.unwrap_err();
    assert!(error.contains("COUNTERSIGN_NO_SUCH_KEY") && !error.contains("sk-typed"), "{error}");
    assert!(std::env::var_os("COUNTERSIGN_NO_SUCH_KEY").is_none());
}

/// Secrets of headers lie beside the key under names of their own, each by itself.
#[tokio::test]
async fn the_secrets_of_headers_are_kept_beside_the_key() {
    let folder = tempfile::tempdir().unwrap();
    let keys = keys(folder.path());
    let (gate, other) = (Kept::Header("X-Gate"), Kept::Header("new"));
    for source in [KeySource::Keyring, KeySource::File] {
        for (what, secret) in [(Kept::Key, "sk-key"), (gate, "gate"), (other, "other")] {
            keys.keep(AGENT, what, &source, secret).await.unwrap();
        }
        let read = |what| keys.read(AGENT, what, &source);
        assert_eq!(exposed(read(Kept::Key).await), Ok(Some("sk-key".to_owned())));
        assert_eq!(exposed(read(Kept::Header("x-gate")).await), Ok(Some("gate".to_owned())), "in either case");
        assert_eq!(exposed(read(other).await), Ok(Some("other".to_owned())));
        keys.forget(AGENT, gate).await;
        let error = read(gate).await.unwrap_err();
        assert!(error.contains("header `X-Gate`"), "{error}");
        assert_eq!(exposed(read(Kept::Key).await), Ok(Some("sk-key".to_owned())), "the key stays");
    }
}

/// With the daemon that most desktops have, on a bus and in folders of its own. The bus is named by an environment variable, which a
/// test can't set for itself, so it starts itself again.
#[test]
fn keys_are_kept_by_a_real_key_store() {
    if std::env::var_os("COUNTERSIGN_TEST_KEYRING").is_some() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        return runtime.block_on(in_a_real_store());
    }
    let folder = tempfile::tempdir().unwrap();
    let own = |name: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir(&path).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
        path
    };
    // The daemon makes the person's keyring with the password that it gets first. It goes with the bus.
    let script = "printf secret | gnome-keyring-daemon --foreground --unlock --components=secrets & daemon=$!\n\
        for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do\n\
            dbus-send --session --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner \
                string:org.freedesktop.secrets 2>/dev/null | grep -q true && break\n\
            kill -0 $daemon 2>/dev/null || exit 77\n\
            sleep 0.1\n\
        done\n\
        \"$0\" --exact keys::tests::keys_are_kept_by_a_real_key_store --nocapture; ended=$?\n\
        kill $daemon; exit $ended";
    let started = Command::new("dbus-run-session")
        .args(["--", "sh", "-c", script])
        .arg(std::env::current_exe().unwrap())
        .env("COUNTERSIGN_TEST_KEYRING", "1")
        .env("HOME", own("home"))
        .env("XDG_DATA_HOME", own("data"))
        .env("XDG_RUNTIME_DIR", own("run"))
        .env_remove("GNOME_KEYRING_CONTROL")
        .status()
        .expect("dbus-run-session is there; Debian's package is called dbus");
    match started.code() {
        Some(77) => {
            println!("SKIPPED: gnome-keyring-daemon doesn't start here; Debian's package is called gnome-keyring");
        }
        code => assert_eq!(code, Some(0), "what the real key store was asked"),
    }
}

async fn in_a_real_store() {
    let folder = tempfile::tempdir().unwrap();
    let keys = MachineKeys::new(folder.path().to_owned());
    assert_eq!(keys.probe().await, Ok(()), "it answers");
    for what in [Kept::Key, Kept::Header("x-gate")] {
        let nothing = keys.read(AGENT, what, &KeySource::Keyring).await.unwrap_err();
        assert!(nothing.contains("type it again"), "{nothing}");
        keys.keep(AGENT, what, &KeySource::Keyring, "sk-first").await.unwrap();
        keys.keep(AGENT, what, &KeySource::Keyring, "sk-ä-second").await.unwrap();
        // Another process finds it, as another object does.
        let later = MachineKeys::new(folder.path().to_owned());
        assert_eq!(exposed(later.read(AGENT, what, &KeySource::Keyring).await), Ok(Some("sk-ä-second".to_owned())));
        later.forget(AGENT, what).await;
        assert!(keys.read(AGENT, what, &KeySource::Keyring).await.is_err(), "it is forgotten");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing of it is in a file of ours");
}
