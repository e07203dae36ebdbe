//! Holding a command in: the last thing that a process does to itself before it becomes the shell.
//!
//! # Design
//! Two of the kernel's means together, neither of which needs a privilege, a namespace or a program beside ours, and
//! both of which children inherit and can't take off:
//!
//! Landlock lets files be written only in the workspace and temp, and be read anywhere but in Countersign's own
//! folders. It only knows what is allowed, so "anywhere but" is spelled out: on the way down to a refused folder every
//! neighbour is allowed by itself. Names there can still be listed. It also keeps the command from looking into
//! processes outside, and on newer kernels from signalling them.
//!
//! A system call filter takes away what Landlock leaves open: sockets of the desktop and the session bus, through which
//! a command could press our buttons or have the person's session start a program that nobody holds in. It is also what
//! the network is switched off with, since Landlock knows TCP only. `bubblewrap` could do that too, but not where
//! user namespaces are closed, as on Ubuntu, and in containers; there it would be one more thing that is sometimes there.

use std::ffi::OsString;

use countersign_core::confine::Confinement;
use serde::{Deserialize, Serialize};

/// What the shell is to be held to. The app sends it to the watcher, which hands it on as it came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Order {
    /// What it runs under.
    pub(super) confinement: Confinement,
    /// What it may not read: resolved, absolute.
    pub(super) refused: Vec<OsString>,
    /// Where it may write beside the folder that it starts in: absolute.
    pub(super) temp: Vec<OsString>,
}

/// Holds this process in, for good. Its working folder is the workspace.
///
/// # Errors
/// Words, if it can't be held in as ordered. Then nothing may run in it.
pub(super) fn hold(order: &Order) -> Result<(), String> {
    match order.confinement {
        Confinement::None => Ok(()),
        Confinement::Held { network } => kernel::hold(network, order),
    }
}

#[cfg(not(target_os = "linux"))]
mod kernel {
    use countersign_core::confine::Network;

    pub(super) fn hold(_: Network, _: &super::Order) -> Result<(), String> {
        Err("there is nothing to confine a command with on this system".to_owned())
    }
}

#[cfg(target_os = "linux")]
mod kernel {
    use std::collections::BTreeMap;
    use std::fmt::Display;
    use std::os::fd::OwnedFd;
    use std::path::{Path, PathBuf};

    use countersign_core::confine::Network;
    use landlock::{
        ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, PathBeneath, Ruleset,
        RulesetAttr as _, RulesetCreatedAttr as _, RulesetStatus, Scope,
    };
    use nix::libc;
    use rustix::fs::{CWD, FileType, Mode, OFlags, fstat, openat};
    use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};
    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    };

    use super::Order;
    use crate::refused::FileId;

    /// Devices that every program may write to.
    const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

    pub(super) fn hold(network: Network, order: &Order) -> Result<(), String> {
        let truncate = files(network, order)?;
        powers().map_err(|error| format!("the rights of root can't be given up: {error}"))?;
        calls(network, truncate).map_err(|error| format!("the filter of system calls can't be set: {error}"))
    }

    /// Whether Landlock knows about files being cut by their path (since Linux 6.2).
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Truncate {
        Known,
        Unknown,
    }

    fn files(network: Network, order: &Order) -> Result<Truncate, String> {
        let words = |error: &dyn Display| format!("Landlock can't be used: {error}");
        let truncate = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::Truncate)
            .and_then(Ruleset::create)
            .map_or(Truncate::Unknown, |_| Truncate::Known);
        let mut rules = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(ABI::V1))
            .map_err(|error| words(&error))?
            // What newer kernels know beyond that. Without it there are fewer rights, or the filter stands in.
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_all(ABI::V5))
            .map_err(|error| words(&error))?
            .scope(Scope::AbstractUnixSocket | Scope::Signal)
            .map_err(|error| words(&error))?;
        if network == Network::Off {
            rules = rules.handle_access(AccessNet::BindTcp | AccessNet::ConnectTcp).map_err(|error| words(&error))?;
        }
        let mut rules = rules.create().map_err(|error| words(&error))?;
        let refused = Refused::new(order);
        let mut grants = Vec::new();
        let look = AccessFs::ReadFile | AccessFs::Execute;
        grant_around(Path::new("/"), &refused, look, &mut grants);
        grants.extend(grant(Path::new("/"), AccessFs::ReadDir.into(), &Refused::default()));
        let work = AccessFs::from_all(ABI::V5) & !(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev);
        // The folder by its handle: it was checked, whatever its path means by now.
        grants.extend(grant(Path::new("."), work, &refused));
        for temp in &order.temp {
            grant_around(Path::new(temp), &refused, work, &mut grants);
        }
        for device in DEVICES {
            let device_rights = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev;
            grants.extend(grant(Path::new(device), device_rights, &refused));
        }
        for (place, rights) in grants {
            rules = rules.add_rule(PathBeneath::new(place, rights)).map_err(|error| words(&error))?;
        }
        let status = rules.restrict_self().map_err(|error| words(&error))?;
        match status.ruleset {
            RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced if status.no_new_privs => Ok(truncate),
            RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced | RulesetStatus::NotEnforced => {
                Err("Landlock isn't there".to_owned())
            }
        }
    }

    type Grant = (OwnedFd, BitFlags<AccessFs>);

    /// Countersign's own folders, by path and by what they are.
    #[derive(Default)]
    struct Refused {
        places: Vec<PathBuf>,
        ids: Vec<FileId>,
    }

    impl Refused {
        fn new(order: &Order) -> Self {
            let places: Vec<PathBuf> = order.refused.iter().map(PathBuf::from).collect();
            let ids = places.iter().filter_map(|place| FileId::at(place)).collect();
            Self { places, ids }
        }
    }

    /// Rights on everything below a folder, except on what is refused. What is made later beside the way down to a refused
    /// folder has no rights.
    fn grant_around(place: &Path, refused: &Refused, rights: BitFlags<AccessFs>, grants: &mut Vec<Grant>) {
        if refused.places.iter().any(|one| place.starts_with(one)) {
            return;
        }
        if !refused.places.iter().any(|one| one.starts_with(place)) {
            grants.extend(grant(place, rights, refused));
            return;
        }
        for entry in std::fs::read_dir(place).into_iter().flatten().flatten() {
            grant_around(&entry.path(), refused, rights, grants);
        }
    }

    /// Rights on one place. None on a link: what it leads to has its own. None on what can't be opened: it isn't there, or
    /// the command couldn't open it either.
    fn grant(place: &Path, rights: BitFlags<AccessFs>, refused: &Refused) -> Option<Grant> {
        let handle = openat(CWD, place, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty()).ok()?;
        let stat = fstat(&handle).ok()?;
        if refused.ids.contains(&FileId::of(&stat)) {
            return None;
        }
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Symlink => None,
            FileType::Directory => Some((handle, rights)),
            FileType::RegularFile
            | FileType::CharacterDevice
            | FileType::BlockDevice
            | FileType::Fifo
            | FileType::Socket
            | FileType::Unknown => {
                let rights = rights & AccessFs::from_file(ABI::V5);
                (!rights.is_empty()).then_some((handle, rights))
            }
        }
    }

    /// For an app that was started as root: of root's rights only those over files stay. Some of the others look past
    /// Landlock, as the one to measure programs lets the memory of any of them be looked at. Nobody else has any of these.
    fn powers() -> rustix::io::Result<()> {
        let kept = CapabilitySet::CHOWN
            | CapabilitySet::DAC_OVERRIDE
            | CapabilitySet::FOWNER
            | CapabilitySet::FSETID
            | CapabilitySet::KILL
            | CapabilitySet::SETGID
            | CapabilitySet::SETUID
            | CapabilitySet::NET_BIND_SERVICE;
        let now = capabilities(None)?;
        let sets = CapabilitySets {
            effective: now.effective & kept,
            permitted: now.permitted & kept,
            inheritable: now.inheritable & kept,
        };
        // What is started from here can't gain them again: Landlock has set that no program gives new rights.
        set_capabilities(None, sets)
    }

    /// The filter of system calls. What it refuses fails with "permission denied", as with Landlock.
    fn calls(network: Network, truncate: Truncate) -> Result<(), Box<dyn std::error::Error>> {
        let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
        let mut refuse = |call: i64, conditions: Vec<SeccompRule>| {
            // The same call has a second number where programs with short pointers can run.
            #[cfg(target_arch = "x86_64")]
            rules.insert(call | 0x4000_0000, conditions.clone());
            rules.insert(call, conditions);
        };
        let family =
            |op, family: i32| SeccompCondition::new(0, SeccompCmpArgLen::Dword, op, u64::from(family.unsigned_abs()));
        refuse(
            libc::SYS_socket,
            match network {
                // Of all the ways to talk only the internet's, and the kernel's own for asking about addresses.
                Network::On => vec![SeccompRule::new(vec![
                    family(SeccompCmpOp::Ne, libc::AF_INET)?,
                    family(SeccompCmpOp::Ne, libc::AF_INET6)?,
                    family(SeccompCmpOp::Ne, libc::AF_NETLINK)?,
                ])?],
                Network::Off => Vec::new(),
            },
        );
        // A pair of these could be connected to somebody else afterwards.
        let datagram = u64::from(libc::SOCK_DGRAM.unsigned_abs());
        let kind = SeccompCondition::new(1, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(0xf), datagram)?;
        refuse(libc::SYS_socketpair, vec![SeccompRule::new(vec![kind])?]);
        // It does what other calls do, past any filter; programs go on without it.
        refuse(libc::SYS_io_uring_setup, Vec::new());
        if truncate == Truncate::Unknown {
            refuse(libc::SYS_truncate, Vec::new());
        }
        let refusal = SeccompAction::Errno(libc::EACCES.unsigned_abs());
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, refusal, std::env::consts::ARCH.try_into()?)?;
        let program: BpfProgram = filter.try_into()?;
        seccompiler::apply_filter(&program)?;
        Ok(())
    }
}
