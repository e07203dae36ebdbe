//! Everything that Countersign needs of the desktop, put together.

use std::sync::Arc;

use countersign_api::host::Host;
use countersign_engine::ports::{Outfitter, SystemClock};

use crate::around::Around;
use crate::connections::ModelServers;
use crate::folders::WorkspaceFolders;
use crate::keys::MachineKeys;
use crate::notices::DesktopNotices;
use crate::outfit::Wardrobe;
use crate::paths::Paths;
use crate::presence::DesktopPresence;
use crate::servers::{KeptSecrets, MachineServers};
use countersign_tools::servers::Servers;

/// The host of this machine.
pub(crate) fn of(paths: &Paths, notices: &DesktopNotices, around: &Around) -> Host {
    let keys = MachineKeys::new(paths.keys());
    let servers = Servers::new(Arc::new(KeptSecrets(keys.clone())));
    let wardrobe = Arc::new(Wardrobe::new(keys.clone(), servers.clone(), paths));
    Host {
        data_folder: paths.data.clone(),
        rehearsal_folder: paths.rehearsal(),
        rehearsal_workspace: paths.stage.clone(),
        home: paths.home.clone(),
        clock: Arc::new(SystemClock),
        notices: Arc::new(notices.clone()),
        presence: Arc::new(DesktopPresence::default()),
        desktop: Arc::new(around.clone()),
        outfitter: Arc::clone(&wardrobe) as Arc<dyn Outfitter>,
        servers: Arc::new(MachineServers::new(servers, keys.clone())),
        confining: wardrobe,
        connections: Arc::new(ModelServers::new(keys.clone())),
        keys: Arc::new(keys),
        folders: Arc::new(WorkspaceFolders::new(paths.refused())),
        catalogue: countersign_tools::shape::catalogue(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        system: std::env::consts::OS.to_owned(),
    }
}
