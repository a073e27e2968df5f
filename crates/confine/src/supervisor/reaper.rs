//! The end of all processes of a program.

use super::tree;
use rustix::process::{Pid, Signal, WaitOptions, getpgrp, getpid, kill_process, kill_process_group, waitpid};
use std::collections::HashSet;
use std::thread;
use std::time::{Duration, Instant};

/// How long processes may take to end once they must. Longer ones wait for a device in the kernel.
const TIME_TO_END: Duration = Duration::from_secs(10);

/// Ends children of this process, which `roots` lists, and all that descend from them. Returns those that are still there in the end, and whether one
/// was not seen at first.
///
/// Calls `killed` once every process that was seen has been sent the signal that none survives: from then on none of them computes. Such a process can
/// start no other: the kernel refuses. One that was started while the list was read is on the next list, but where its parent ended at just that moment:
/// that one is found while the others end.
pub(crate) fn end_all(roots: fn() -> Vec<Pid>, killed: impl FnOnce()) -> (Vec<i32>, bool) {
    let mut signalled = HashSet::new();
    while signal_new(roots, &mut signalled) {}
    killed();
    let (has_killed, mut missed_some) = (!signalled.is_empty(), false);
    let until = Instant::now() + TIME_TO_END;
    let mut pause = Duration::from_micros(200);
    loop {
        missed_some |= signal_new(roots, &mut signalled) && has_killed;
        // Whatever ends in the meantime becomes a child of this process, unless its parent, which is signalled, has taken its status.
        // Its number may be that of another process from here on.
        signalled.retain(|pid| !matches!(waitpid(Some(*pid), WaitOptions::NOHANG), Ok(Some(_))));
        let left = tree::with_descendants(roots());
        if left.is_empty() || Instant::now() > until {
            return (left.iter().map(|process| process.pid.as_raw_pid()).collect(), missed_some);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// Signals what was not, if there is such. Whole groups are ended first, at one moment, so that a program cannot fork faster than its processes are ended
/// one by one.
fn signal_new(roots: fn() -> Vec<Pid>, signalled: &mut HashSet<Pid>) -> bool {
    let mut processes = tree::with_descendants(roots());
    processes.retain(|process| signalled.insert(process.pid));
    let own = getpgrp();
    for group in processes.iter().filter_map(|process| process.group).filter(|group| *group != own) {
        // They may have ended meanwhile.
        let _ = kill_process_group(group, Signal::KILL);
    }
    for process in &processes {
        let _ = kill_process(process.pid, Signal::KILL);
    }
    !processes.is_empty()
}

/// All children of this process.
pub(crate) fn own_children() -> Vec<Pid> {
    tree::children(getpid())
}

/// What became children of a caller when a supervisor was killed: the only ones that have more filters of system calls than this process, which they
/// cannot get rid of.
pub(crate) fn orphans() -> Vec<Pid> {
    let filters = |pid: Pid| tree::number(pid, "status", "Seccomp_filters:").unwrap_or(0);
    let own = filters(getpid());
    own_children().into_iter().filter(|pid| filters(*pid) > own).collect()
}
