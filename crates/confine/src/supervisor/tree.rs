//! Processes and their descendants, as `/proc` has them.

use std::fs;

/// One process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub pid: i32,
    pub group: i32,
    pub threads: u32,
    /// Resident memory, with what it shares with others.
    pub memory_bytes: u64,
}

impl Process {
    /// From the contents of its `stat`. The name, in brackets, may hold anything.
    fn parse(pid: i32, stat: &str) -> Option<Self> {
        let (_, rest) = stat.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        let number = |at: usize| fields.get(at)?.parse::<i64>().ok();
        let pages = u64::try_from(number(21)?).ok()?;
        let threads = u32::try_from(number(17)?).ok()?;
        let memory_bytes = pages * rustix::param::page_size() as u64;
        Some(Self { pid, group: number(2)? as i32, threads, memory_bytes })
    }

    /// Memory of which what several processes share counts in part for each. Slower to find.
    fn own_share_bytes(&self) -> u64 {
        let text = fs::read_to_string(format!("/proc/{}/smaps_rollup", self.pid)).unwrap_or_default();
        let share = text.lines().find_map(|line| line.strip_prefix("Pss:")?.strip_suffix(" kB"));
        let kilobytes = share.and_then(|share| share.trim().parse::<u64>().ok());
        kilobytes.map_or(self.memory_bytes, |kilobytes| kilobytes << 10)
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
pub(crate) fn with_descendants(mut unvisited: Vec<i32>) -> Vec<Process> {
    let mut found = Vec::new();
    while let Some(pid) = unvisited.pop() {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        found.extend(Process::parse(pid, &stat));
        unvisited.extend(children(pid).unwrap_or_default());
    }
    found
}

/// Children of all threads of a process; none where it is gone, or the kernel does not list any.
pub(crate) fn children(pid: i32) -> Option<Vec<i32>> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).ok()?.flatten();
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists
        .map(|list| list.split_whitespace().flat_map(str::parse).collect::<Vec<i32>>())
        .reduce(|a, b| [a, b].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_and_spaces_does_not_shift_the_fields() {
        let stat =
            "7 (a) b) 1 2) S 3 5 5 0 -1 4194304 1 0 0 0 1 0 0 0 20 0 9 0 100 1000000 25 18446744073709551615";
        let page = rustix::param::page_size() as u64;
        let expected = Process { pid: 7, group: 5, threads: 9, memory_bytes: 25 * page };
        assert_eq!(Process::parse(7, stat), Some(expected));
        assert_eq!(Process::parse(7, "7 (a"), None);
    }
}
