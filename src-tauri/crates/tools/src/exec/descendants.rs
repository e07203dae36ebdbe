//! Everything below a process, and how to end it.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

/// How long it is tried. What the kernel doesn't let go of in this time is stuck in a driver or another user's.
const PATIENCE: Duration = Duration::from_secs(10);

/// Ends the group and everything below the process; returns how many are left.
/// `each_round` is where a process that adopts orphans reaps them.
pub(super) fn end_all(above: Pid, group: Option<Pid>, each_round: impl Fn()) -> usize {
    let began = Instant::now();
    loop {
        if let Some(group) = group {
            let _ = kill_process_group(group, Signal::KILL);
        }
        // A stopped process can't fork, so after this nothing new comes while the killing goes on.
        let mut stopped = HashSet::new();
        loop {
            let fresh: Vec<Pid> = living(above).into_iter().filter(|pid| stopped.insert(*pid)).collect();
            if fresh.is_empty() || began.elapsed() > PATIENCE {
                break;
            }
            for pid in fresh {
                let _ = kill_process(pid, Signal::STOP);
            }
        }
        for pid in &stopped {
            let _ = kill_process(*pid, Signal::KILL);
        }
        each_round();
        let left = living(above).len();
        if left == 0 || began.elapsed() > PATIENCE {
            return left;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The processes below one that still live, at any depth.
#[cfg(target_os = "linux")]
fn living(above: Pid) -> Vec<Pid> {
    use std::collections::HashMap;

    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    let mut dead = HashSet::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else {
            continue;
        };
        let Ok(stat) = std::fs::read(entry.path().join("stat")) else {
            continue;
        };
        let stat = String::from_utf8_lossy(&stat);
        // The name stands in brackets and may contain anything, so the last bracket counts.
        let Some((_, rest)) = stat.rsplit_once(") ") else {
            continue;
        };
        let mut fields = rest.split(' ');
        let (Some(state), Some(parent)) = (fields.next(), fields.next().and_then(|parent| parent.parse().ok())) else {
            continue;
        };
        children.entry(parent).or_default().push(pid);
        if matches!(state, "Z" | "X") {
            dead.insert(pid);
        }
    }
    let mut found = Vec::new();
    let mut next = vec![above.as_raw_nonzero().get()];
    while let Some(parent) = next.pop() {
        for child in children.remove(&parent).unwrap_or_default() {
            next.push(child);
            if !dead.contains(&child) {
                found.extend(Pid::from_raw(child));
            }
        }
    }
    found
}

/// Elsewhere only the group is ended.
#[cfg(not(target_os = "linux"))]
fn living(_above: Pid) -> Vec<Pid> {
    Vec::new()
}
