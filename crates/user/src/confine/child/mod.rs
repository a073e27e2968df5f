//! The process that becomes the program: restricts itself, then executes it or does the job. What it may read and write is restricted by
//! landlock: <https://landlock.io>.

mod system_calls;

use crate::confine::exit::SupervisorEvent;
use crate::confine::limits::{Network, Protections, SpawnRequest};
use landlock::{
    ABI, Access, AccessFs, AccessNet, LandlockStatus, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError,
    RulesetStatus, Scope, path_beneath_rules,
};
use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal, setsid};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::{fs, io};
pub use system_calls::refuse_programs;

/// The word that lets the program be executed: on standard input, before anything for the program.
pub(crate) const EXECUTE: &[u8] = b"\n";

/// Restricts this process and executes the program in it. Returns only where this process does the job itself.
///
/// # Errors
/// Why it cannot be restricted or executed.
pub(crate) fn become_program(
    request: &SpawnRequest,
    control: &mut UnixStream,
    supervisor: Pid,
) -> io::Result<()> {
    // The signal comes when the supervisor's only thread ends.
    set_parent_process_death_signal(Some(Signal::KILL))?;
    if getppid() != Some(supervisor) {
        return Err(io::Error::other("the process that watches it is gone"));
    }
    // A group and a session of its own: it cannot join a group outside, which is ended with it, and it has no terminal.
    setsid()?;
    SupervisorEvent::Started(restrict(request)?).write(control)?;
    // Not by Rust's standard input, which would read more than this.
    let mut word = [0; EXECUTE.len()];
    if rustix::io::retry_on_intr(|| rustix::io::read(rustix::stdio::stdin(), &mut word))? < word.len() {
        return Err(io::Error::other("its caller wants it no more"));
    }
    let Some((first, rest)) = request.command.words.split_first() else { return Ok(()) };
    let error = Command::new(first).args(rest).envs(request.command.environment.iter().cloned()).exec();
    Err(io::Error::new(error.kind(), format!("{first}: {error}")))
}

/// Restricts this process, and so the program, which inherits all of it.
fn restrict(request: &SpawnRequest) -> io::Result<Protections> {
    system_calls::limit(&request.limits)?;
    let mut found = Protections { privileges: system_calls::drop_capabilities(), ..Protections::default() };
    restrict_files(request, &mut found).map_err(|error| io::Error::other(format!("landlock: {error}")))?;
    // Some systems have no filters.
    let _ = system_calls::restrict(&request.limits, &mut found);
    Ok(found)
}

/// The newest version of landlock's interface that was tested. On an older kernel, the part of it that the kernel has is used.
const ABI_USED: ABI = ABI::V7;

const READABLE_DEVICES: [&str; 4] = ["/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// Restricts this process, and so the program, and notes in `found` what that keeps it from.
///
/// # Errors
/// When the kernel has landlock and refuses the rules.
fn restrict_files(request: &SpawnRequest, found: &mut Protections) -> Result<(), RulesetError> {
    // Opening is not yet restricted.
    let (read, all) = (AccessFs::from_read(ABI_USED), AccessFs::from_all(ABI_USED));
    // A disk as a device holds all files, a terminal what is typed.
    let unread = [&request.secrets[..], &["/dev".into()]].concat();
    let status = Ruleset::default()
        .handle_access(all)?
        .handle_access(AccessNet::from_all(ABI_USED))?
        .scope(Scope::from_all(ABI_USED))?
        .create()?
        // Every folder can be listed, since Python lists folders to find modules: so the name of a secret can be seen.
        .add_rules(path_beneath_rules(["/"], AccessFs::ReadDir))?
        .add_rules(path_beneath_rules(below_all_but(&unread), read))?
        .add_rules(path_beneath_rules(READABLE_DEVICES, read))?
        .add_rules(path_beneath_rules(writable(request), all))?
        .restrict_self()?;
    found.landlock = match status.landlock {
        LandlockStatus::Available { kernel_abi: Some(newer), .. } => newer.unsigned_abs(),
        LandlockStatus::Available { effective_abi, .. } => effective_abi as u32,
        _ => 0,
    };
    let has = |abi: ABI| status.ruleset != RulesetStatus::NotEnforced && found.landlock >= abi as u32;
    // Truncation of files came with version 3 of the interface, TCP with 4, signals with 6.
    let network = if has(ABI::V4) { Network::TcpDenied } else { Network::Open };
    (found.files, found.network, found.signals) = (has(ABI::V3), network, has(ABI::V6));
    Ok(())
}

/// Its folder and what it may write to in addition.
fn writable(request: &SpawnRequest) -> Vec<PathBuf> {
    let mut writable = vec![request.command.folder.clone(), "/dev/null".into()];
    if request.limits.gpu {
        // The driver names its threads here, and refuses to start where it cannot. This process becomes the program, so `self` is right.
        writable.push("/proc/self".into());
        let all = fs::read_dir("/dev").into_iter().flatten().flatten().map(|entry| entry.path());
        writable.extend(all.filter(|path| path.as_os_str().as_encoded_bytes().starts_with(b"/dev/nvidia")));
    }
    writable
}

/// Files and folders that together hold everything but `unread`, whose paths all exist. Landlock's rules allow and never forbid, so that
/// whatever lies next to the path of an unread one is allowed by itself.
fn below_all_but(unread: &[PathBuf]) -> Vec<PathBuf> {
    let unread: Vec<PathBuf> = unread.iter().flat_map(fs::canonicalize).collect();
    let mut allowed = Vec::new();
    let mut unvisited = vec![PathBuf::from("/")];
    while let Some(path) = unvisited.pop() {
        if !unread.iter().any(|hidden| hidden.starts_with(&path)) {
            allowed.push(path);
        } else if !unread.contains(&path) {
            let entries = fs::read_dir(&path).into_iter().flatten().flatten();
            // A rule for a link would be one for what it leads to.
            let is_link = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_symlink());
            unvisited.extend(entries.filter(|entry| !is_link(entry)).map(|entry| entry.path()));
        }
    }
    allowed
}
