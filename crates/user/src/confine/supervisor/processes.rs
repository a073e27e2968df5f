//! Processes and their descendants, as `/proc` has them, and the end of all of a program's.

use rustix::process::{Pid, Signal, WaitOptions, getpgrp, getpid, kill_process, kill_process_group, waitpid};
use std::collections::HashSet;
use std::time::{Duration, Instant};
use std::{fs, thread};

/// How long processes may take to end once they are killed. Those that take longer wait for a device in the kernel.
const TIME_TO_END: Duration = Duration::from_secs(10);

/// One process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Process {
    pub pid: Pid,
    pub group: Option<Pid>,
    pub threads: u64,
    /// Resident memory, shared memory included.
    pub memory_bytes: u64,
}

impl Process {
    /// From the contents of its `stat`. The name, in brackets, may hold anything.
    fn parse(pid: Pid, stat: &str) -> Option<Self> {
        let (_, rest) = stat.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
        let memory_bytes = number(21)? * rustix::param::page_size() as u64;
        Some(Self { pid, group: Pid::from_raw(number(2)? as i32), threads: number(17)?, memory_bytes })
    }
}

/// Resident memory of all these processes, in bytes. Memory that they share counts once only where the simple sum is above `limit`.
pub(super) fn memory_bytes(processes: &[Process], limit: u64) -> u64 {
    let sum = processes.iter().map(|process| process.memory_bytes).sum();
    if sum <= limit || processes.len() < 2 {
        return sum;
    }
    // `Pss` counts shared memory in part for each of its processes. It is slower to find.
    let share = |process: &Process| number(process.pid, "smaps_rollup", "Pss:").map(|share| share << 10);
    processes.iter().map(|process| share(process).unwrap_or(process.memory_bytes)).sum()
}

/// These processes and all that descend from them, those that have ended and wait for their parent included.
pub(super) fn with_descendants(mut unvisited: Vec<Pid>) -> Vec<Process> {
    let mut found = Vec::new();
    while let Some(pid) = unvisited.pop() {
        found.extend(Process::parse(pid, &about(pid, "stat")));
        unvisited.extend(children(pid));
    }
    found
}

/// Whether a process computes no more, though its parent may not know yet: it gives its memory back first (no `VmSize`), and its files
/// in `/proc` are root's from then on.
pub(super) fn has_ended(pid: Pid) -> bool {
    number(pid, "status", "VmSize:").is_none()
}

/// Children of all threads of a process; none where it is gone.
fn children(pid: Pid) -> Vec<Pid> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let pids = |list: String| -> Vec<i32> { list.split_whitespace().flat_map(str::parse).collect() };
    lists.flat_map(pids).filter_map(Pid::from_raw).collect()
}

/// What a file of `/proc` has about a process; empty where that is gone. A process can give itself a name that is no text.
fn about(pid: Pid, file: &str) -> String {
    let bytes = fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The number after `name` in a file of `/proc` that has a name and a value on each line.
fn number(pid: Pid, file: &str, name: &str) -> Option<u64> {
    let about = about(pid, file);
    let value = about.lines().find_map(|line| line.strip_prefix(name))?;
    value.split_whitespace().next()?.parse().ok()
}

/// Ends children of this process, which `roots` lists, and all that descend from them. Returns those that are still there in the end, and
/// whether one was not seen at first.
///
/// Calls `killed` once every process that was seen has been sent SIGKILL: from then on none of them computes, and the kernel lets none of
/// them start another. A process that was started while the list was read is on the next list. The exception is one whose parent ended at
/// just that moment: it is found while the others end.
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
        let left = with_descendants(roots());
        if left.is_empty() || Instant::now() > until {
            return (left.iter().map(|process| process.pid.as_raw_pid()).collect(), missed_some);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// Sends SIGKILL to processes that were not sent it before; returns whether there were any. Whole groups come first, at one moment, so that
/// a program cannot fork faster than its processes are ended one by one.
fn signal_new(roots: fn() -> Vec<Pid>, signalled: &mut HashSet<Pid>) -> bool {
    let mut processes = with_descendants(roots());
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
pub(super) fn own_children() -> Vec<Pid> {
    children(getpid())
}

/// Processes that became children of this one, a caller, when a supervisor was killed. They are its only children with more seccomp
/// filters than it has itself, and no process can get rid of filters.
pub(crate) fn orphans() -> Vec<Pid> {
    let filters = |pid: Pid| number(pid, "status", "Seccomp_filters:").unwrap_or(0);
    let own = filters(getpid());
    own_children().into_iter().filter(|pid| filters(*pid) > own).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_and_spaces_does_not_shift_the_fields() {
        let stat =
            "7 (a) b) 1 2) S 3 5 5 0 -1 4194304 1 0 0 0 1 0 0 0 20 0 9 0 100 1000000 25 18446744073709551615";
        let page = rustix::param::page_size() as u64;
        let (pid, group) = (Pid::from_raw(7).unwrap(), Pid::from_raw(5));
        let expected = Process { pid, group, threads: 9, memory_bytes: 25 * page };
        assert_eq!(Process::parse(pid, stat), Some(expected));
        assert_eq!(Process::parse(pid, "7 (a"), None);
    }
}
