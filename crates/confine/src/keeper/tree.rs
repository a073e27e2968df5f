//! All processes of the program: whatever descends from this process, as `/proc` has it.

use rustix::process::getpid;
use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// One process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Process {
    pub pid: i32,
    pub parent: i32,
    pub group: i32,
    pub threads: u32,
    /// Resident memory, with what it shares with others.
    pub memory_bytes: u64,
}

impl Process {
    /// Of a process that exists.
    fn read(pid: i32) -> Option<Self> {
        Self::parse(pid, &fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// From the contents of its `stat`. The name, in brackets, may hold anything.
    fn parse(pid: i32, stat: &str) -> Option<Self> {
        let (_, rest) = stat.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        let number = |at: usize| fields.get(at)?.parse::<i64>().ok();
        let pages = u64::try_from(number(21)?).ok()?;
        Some(Self {
            pid,
            parent: number(1)? as i32,
            group: number(2)? as i32,
            threads: u32::try_from(number(17)?).ok()?,
            memory_bytes: pages * rustix::param::page_size() as u64,
        })
    }

    /// Memory of which what several processes share counts in part for each. Slower to find.
    fn own_share_bytes(&self) -> u64 {
        let text = fs::read_to_string(format!("/proc/{}/smaps_rollup", self.pid)).unwrap_or_default();
        let kilobytes = text.lines().find_map(|line| {
            line.strip_prefix("Pss:")?.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()
        });
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

/// All descendants of this process that exist, those that have ended and wait for their parent included.
pub(super) fn descendants() -> Vec<Process> {
    let own = getpid().as_raw_nonzero().get();
    if Path::new("/proc/thread-self/children").exists() {
        let mut found = Vec::new();
        let mut unvisited = children(own);
        while let Some(pid) = unvisited.pop() {
            found.extend(Process::read(pid));
            unvisited.extend(children(pid));
        }
        return found;
    }
    of(own, &all())
}

/// Children of all threads of a process.
fn children(pid: i32) -> Vec<i32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let of_threads =
        threads.flatten().filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    of_threads.flat_map(|list| list.split_whitespace().flat_map(str::parse).collect::<Vec<i32>>()).collect()
}

fn all() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(Process::read).collect()
}

/// The descendants of `ancestor` among `all`.
fn of(ancestor: i32, all: &[Process]) -> Vec<Process> {
    let mut by_parent: HashMap<i32, Vec<Process>> = HashMap::new();
    for process in all {
        by_parent.entry(process.parent).or_default().push(*process);
    }
    let mut found = Vec::new();
    let mut unvisited = vec![ancestor];
    while let Some(pid) = unvisited.pop() {
        let children = by_parent.remove(&pid).unwrap_or_default();
        unvisited.extend(children.iter().map(|child| child.pid));
        found.extend(children);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_and_spaces_does_not_shift_the_fields() {
        let stat =
            "7 (a) b) 1 2) S 3 5 5 0 -1 4194304 1 0 0 0 1 0 0 0 20 0 9 0 100 1000000 25 18446744073709551615";
        let page = rustix::param::page_size() as u64;
        let expected = Process { pid: 7, parent: 3, group: 5, threads: 9, memory_bytes: 25 * page };
        assert_eq!(Process::parse(7, stat), Some(expected));
        assert_eq!(Process::parse(7, "7 (a"), None);
    }

    #[test]
    fn descendants_of_descendants_are_found_and_others_are_not() {
        let process = |pid, parent| Process { pid, parent, group: 1, threads: 1, memory_bytes: 1 };
        let all = [process(2, 1), process(5, 4), process(3, 2), process(4, 3), process(9, 8)];
        let mut found: Vec<i32> = of(2, &all).iter().map(|process| process.pid).collect();
        found.sort_unstable();
        assert_eq!(found, [3, 4, 5]);
    }

    #[test]
    fn both_ways_find_a_child_of_this_process() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let pid = child.id() as i32;
        let own = std::process::id() as i32;
        assert!(of(own, &all()).iter().any(|process| process.pid == pid));
        assert!(descendants().iter().any(|process| process.pid == pid && process.parent == own));
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
