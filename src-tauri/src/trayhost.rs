//! Whether the desktop shows tray icons at all. Making an icon succeeds either way, so only the name of the one who
//! shows them tells.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::StreamExt as _;
use zbus::fdo::DBusProxy;
use zbus::names::BusName;

const NAME: &str = "org.kde.StatusNotifierWatcher";

/// Whether somebody shows tray icons right now.
#[derive(Debug, Clone, Default)]
pub(crate) struct TrayHost(Arc<AtomicBool>);

impl TrayHost {
    /// Whether somebody does.
    pub(crate) fn is_there(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Follows whoever comes and goes, until the session bus ends.
    pub(crate) async fn follow(self) {
        if let Err(error) = self.try_to_follow().await {
            tracing::info!(%error, "it isn't known whether the desktop shows tray icons");
        }
        self.0.store(false, Ordering::Relaxed);
    }

    async fn try_to_follow(&self) -> zbus::Result<()> {
        let connection = zbus::Connection::session().await?;
        let bus = DBusProxy::new(&connection).await?;
        let mut changes = bus.receive_name_owner_changed_with_args(&[(0, NAME)]).await?;
        let there = bus.name_has_owner(BusName::try_from(NAME)?).await?;
        self.0.store(there, Ordering::Relaxed);
        while let Some(change) = changes.next().await {
            let owner = change.args()?.new_owner.is_some();
            self.0.store(owner, Ordering::Relaxed);
        }
        Ok(())
    }
}
