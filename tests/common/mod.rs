//! What the whole-program tests share.

pub mod mutated;
pub mod place;
pub mod script;
pub mod stored;

pub mod calls;

pub use calls::{assert_refused, stderr, stdout};
use repro::device::emulated::{EmulatedDevice, Instruments};
use repro::verify::Partition;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

/// Ends a test whose tool is not there. `scripts/test` gets the tool, and where it cannot be had counts the test as skipped: it knows the
/// reason by the first words.
pub fn missing_tool(problem: impl std::fmt::Display) -> ! {
    panic!("missing tool: {problem}")
}

/// Sends a signal to a process; false where there is none.
pub fn signal(id: u32, signal: rustix::process::Signal) -> bool {
    let id = rustix::process::Pid::from_raw(id.cast_signed()).unwrap();
    rustix::process::kill_process(id, signal).is_ok()
}

/// What of a long test's work is this run's: all of it unless `REPRO_PART` names a part. `scripts/test` says which tests get one.
pub fn part() -> Partition {
    let named = std::env::var("REPRO_PART").unwrap_or_else(|_| Partition::WHOLE.to_string());
    named.parse().unwrap_or_else(|problem| panic!("REPRO_PART is {named}: {problem}"))
}

/// The emulated device. Without a C++ compiler there is none and the test fails, since what it did not do must show: the
/// error names the remedy.
pub fn emulated(instruments: Instruments) -> EmulatedDevice {
    EmulatedDevice::open(instruments).unwrap_or_else(|error| panic!("{error}"))
}

/// `repro` without a GPU and without a C++ compiler, wherever the tests run.
pub fn repro() -> Command {
    calls::alone(assert_cmd::cargo::cargo_bin!("repro"))
}

/// `repro` without a GPU, which emulates kernels if this machine has a C++ compiler.
pub fn repro_with_compiler() -> Command {
    calls::with_compiler(assert_cmd::cargo::cargo_bin!("repro"))
}

/// Runs a command that says little, and tells for how long it kept processors busy: the clock on the wall would tell how
/// busy the machine is with others.
pub fn with_cpu_time(mut command: Command) -> (Output, Duration) {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    /// A unit of the times in /proc, on every Linux that Rust's standard library runs on.
    const TICK: Duration = Duration::from_millis(10);
    let child = command.spawn().unwrap();
    // Until it is waited for, its times can be read.
    waitid(WaitId::Pid(Pid::from_child(&child)), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT).unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    // Behind the name, which may have blanks, the 12th and 13th are its own time in user and in kernel mode.
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks: u32 = fields[11..13].iter().map(|ticks| ticks.parse::<u32>().unwrap()).sum();
    (child.wait_with_output().unwrap(), TICK * ticks)
}

pub fn run(arguments: &[&str]) -> Output {
    repro().args(arguments).output().unwrap()
}

/// Every file in and below `folder` with its bytes, every folder with none, and every link with where it leads to.
pub fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let content = match std::fs::read_link(&path) {
            Ok(target) => target.into_os_string().into_encoded_bytes(),
            Err(_) if path.is_dir() => {
                found.extend(files(&path));
                Vec::new()
            }
            Err(_) => std::fs::read(&path).unwrap_or_default(),
        };
        found.insert(path, content);
    }
    found
}

/// A CSV file as its header and rows.
pub fn csv(path: &Path) -> (Vec<String>, Vec<Vec<String>>) {
    let mut reader = csv::Reader::from_path(path).unwrap();
    let header = reader.headers().unwrap().iter().map(str::to_string).collect();
    let rows = reader.records().map(|row| row.unwrap().iter().map(str::to_string).collect()).collect();
    (header, rows)
}

/// The column of this name in every row.
pub fn column(path: &Path, name: &str) -> Vec<String> {
    let (header, rows) = csv(path);
    let at = header.iter().position(|title| title == name).unwrap_or_else(|| panic!("no column {name}"));
    rows.into_iter().map(|row| row[at].clone()).collect()
}

/// Whether a process is there and has not ended.
pub fn is_alive(id: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    !status.is_empty() && !status.contains("State:\tZ")
}

/// Processes whose command line ends in `worker` and whose parent is `parent`.
pub fn workers_of(parent: u32) -> Vec<u32> {
    let is_worker = |pid: u32| -> Option<bool> {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let command = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
        Some(status.contains(&format!("PPid:\t{parent}\n")) && command.ends_with(b"worker\0"))
    };
    std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|&pid| is_worker(pid).unwrap_or(false))
        .collect()
}
