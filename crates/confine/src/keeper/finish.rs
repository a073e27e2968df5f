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

/// All that descends from this process, on its way to its end.
#[derive(Default)]
pub(super) struct Ending {
    /// What has been sent the signal that no process survives.
    signalled: BTreeSet<i32>,
    /// Whether [`Self::wait`] came upon a process that [`Self::kill_all`] had not seen.
    pub missed_some: bool,
}

impl Ending {
    /// Sends every process the signal. From then on none of them computes.
    ///
    /// A process that has been sent the signal can start no other: the kernel refuses. One that was started while the list was read is on the next list,
    /// but where its parent ended at just that moment: [`Self::wait`] finds that one.
    pub fn kill_all(&mut self) {
        while self.signal_new() {}
    }

    /// Waits for the end of all, and ends what is new. Returns the processes that are still there.
    pub fn wait(&mut self) -> Vec<i32> {
        let has_killed = !self.signalled.is_empty();
        let until = Instant::now() + TIME_TO_END;
        let mut pause = Duration::from_micros(200);
        loop {
            let mut has_new = self.signal_new();
            // Whatever ends in the meantime becomes a child of this process, unless its parent, which is signalled, has taken its status.
            while let Some((pid, _)) = reap() {
                // Its number may be that of another process from here on.
                has_new |= !self.signalled.remove(&pid.as_raw_nonzero().get());
            }
            self.missed_some |= has_killed && has_new;
            let left: Vec<i32> = tree::descendants().iter().map(|process| process.pid).collect();
            if left.is_empty() || Instant::now() > until {
                return left;
            }
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }

    /// Signals what was not, if there is such. Whole groups are ended first, at one moment, so that a program cannot fork faster than its
    /// processes are ended one by one.
    fn signal_new(&mut self) -> bool {
        let mut processes = tree::descendants();
        processes.retain(|process| !self.signalled.contains(&process.pid));
        let own = getpgrp();
        let groups: BTreeSet<i32> = processes.iter().map(|process| process.group).collect();
        for group in groups.into_iter().filter_map(Pid::from_raw).filter(|group| *group != own) {
            // They may have ended meanwhile.
            let _ = kill_process_group(group, Signal::KILL);
        }
        for process in processes.iter().filter_map(|process| Pid::from_raw(process.pid)) {
            let _ = kill_process(process, Signal::KILL);
        }
        self.signalled.extend(processes.iter().map(|process| process.pid));
        !processes.is_empty()
    }
}

/// Takes the status of one child that has ended, if there is one.
pub(super) fn reap() -> Option<(Pid, WaitStatus)> {
    wait(WaitOptions::NOHANG).ok().flatten()
}
