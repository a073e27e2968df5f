//! The end of all processes of the program.

use super::tree;
use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, getpgrp, kill_process, kill_process_group, wait,
};
use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

/// How long processes may take to end once they must. Longer ones wait for a device in the kernel.
const TIME_TO_END: Duration = Duration::from_secs(10);

/// Ends everything that descends from this process. Returns the processes that are still there.
///
/// A process that has been sent the signal can start no other. One that was started while the list was read is on the next list. Whole groups
/// are ended first, at one moment, so that a program cannot fork faster than its processes are ended one by one.
pub(super) fn end_all() -> Vec<i32> {
    let until = Instant::now() + TIME_TO_END;
    let own = getpgrp();
    let mut pause = Duration::from_micros(200);
    loop {
        let processes = tree::descendants();
        let groups: BTreeSet<i32> = processes.iter().map(|process| process.group).collect();
        for group in groups.into_iter().filter_map(Pid::from_raw).filter(|group| *group != own) {
            // They may have ended meanwhile.
            let _ = kill_process_group(group, Signal::KILL);
        }
        for process in processes.iter().filter_map(|process| Pid::from_raw(process.pid)) {
            let _ = kill_process(process, Signal::KILL);
        }
        while reap().is_some() {}
        let left: Vec<i32> = tree::descendants().iter().map(|process| process.pid).collect();
        if left.is_empty() || Instant::now() > until {
            return left;
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// Takes the status of one child that has ended, if there is one.
pub(super) fn reap() -> Option<(Pid, WaitStatus)> {
    wait(WaitOptions::NOHANG).ok().flatten()
}
