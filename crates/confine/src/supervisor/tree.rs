//! Processes and their descendants, as `/proc` has them.

use rustix::process::Pid;
use std::fmt::Display;
use std::fs;

/// One process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub pid: Pid,
    pub group: Option<Pid>,
    pub threads: u64,
    /// Resident memory, with what it shares with others.
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

    /// Memory of which what several processes share counts in part for each. Slower to find.
    fn own_share_bytes(&self) -> u64 {
        number(self.pid, "smaps_rollup", "Pss:").map_or(self.memory_bytes, |kilobytes| kilobytes << 10)
    }
}

/// Resident memory of all of them, in bytes. Exact in what they share only where the simple sum is above `limit`.
pub(super) fn memory_bytes(processes: &[Process], limit: u64) -> u64 {
    let sum = processes.iter().map(|process| process.memory_bytes).sum();
    if sum <= limit || processes.len() < 2 {
        return sum;
    }
    processes.iter().map(Process::own_share_bytes).sum()
}

/// These processes and all that descend from them, those that have ended and wait for their parent included.
pub(crate) fn with_descendants(mut unvisited: Vec<Pid>) -> Vec<Process> {
    let mut found = Vec::new();
    while let Some(pid) = unvisited.pop() {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        found.extend(Process::parse(pid, &stat));
        unvisited.extend(children(pid));
    }
    found
}

/// Children of all threads of a process; none where it is gone.
pub(crate) fn children(pid: Pid) -> Vec<Pid> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let pids = |list: String| -> Vec<i32> { list.split_whitespace().flat_map(str::parse).collect() };
    lists.flat_map(pids).filter_map(Pid::from_raw).collect()
}

/// The number behind `name` in a file of `/proc` about a process, one that has a name and a value on each line.
pub(super) fn number(process: impl Display, file: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/{file}")).ok()?;
    let value = text.lines().find_map(|line| line.strip_prefix(name))?;
    value.split_whitespace().next()?.parse().ok()
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
