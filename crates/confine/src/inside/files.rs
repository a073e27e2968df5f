//! What a program may read and write, by landlock: <https://landlock.io>.

use crate::limits::Limits;
use crate::messages::Start;
use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, LandlockStatus, PathBeneath, PathFd,
    RestrictionStatus, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus,
    Scope, path_beneath_rules,
};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The newest interface that was tested. Of an older kernel's, what it has is used.
const ABI_USED: ABI = ABI::V7;

const READABLE_DEVICES: [&str; 4] = ["/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// What landlock does here.
pub(super) struct Files {
    /// The version of the kernel's interface, 0 for none.
    pub landlock: u32,
    pub files: bool,
    pub signals: bool,
    pub tcp: bool,
}

/// Restricts this process, and so the program.
///
/// # Errors
/// When the kernel has landlock and refuses the rules.
pub(super) fn restrict(start: &Start) -> io::Result<Files> {
    let folder = PathFd::new(&start.program.folder).map_err(io::Error::other)?;
    let status = apply(start, folder).map_err(|error| io::Error::other(format!("landlock: {error}")))?;
    let landlock = match status.landlock {
        LandlockStatus::Available { effective_abi, kernel_abi } => {
            kernel_abi.map_or(effective_abi as u32, |abi| abi.unsigned_abs())
        }
        _ => 0,
    };
    let is_on = status.ruleset != RulesetStatus::NotEnforced;
    // Truncation of files came with 3, TCP with 4, signals with 6.
    Ok(Files {
        landlock,
        files: is_on && landlock >= ABI::V3 as u32,
        signals: is_on && landlock >= ABI::V6 as u32,
        tcp: is_on && landlock >= ABI::V4 as u32,
    })
}

fn apply(start: &Start, folder: PathFd) -> Result<RestrictionStatus, RulesetError> {
    let mut rules: RulesetCreated = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(ABI_USED))?
        .handle_access(AccessNet::from_all(ABI_USED))?
        .scope(Scope::from_all(ABI_USED))?
        .create()?;
    // Opening is not yet restricted.
    let (read, all) = (AccessFs::from_read(ABI_USED), AccessFs::from_all(ABI_USED));
    let hidden = &start.program.unreadable;
    // Names next to a secret, which Python looks for its modules in: that of the secret is among them.
    let folders = below_all_but(hidden).into_iter().filter(|path| path.is_dir());
    rules = rules.add_rules(path_beneath_rules(folders, AccessFs::ReadDir))?;
    // A disk as a device holds all files, a terminal what is typed.
    let unread = [&hidden[..], &start.secrets, &["/dev".into()]].concat();
    rules = rules.add_rules(path_beneath_rules(below_all_but(&unread), read))?;
    rules = rules.add_rules(path_beneath_rules(READABLE_DEVICES, read))?;
    rules = rules.add_rule(PathBeneath::new(folder, all))?;
    rules = rules.add_rules(path_beneath_rules(devices(&start.limits), all))?;
    rules.restrict_self()
}

/// What it may write to in addition to its folder.
fn devices(limits: &Limits) -> Vec<PathBuf> {
    let mut devices = vec![PathBuf::from("/dev/null")];
    if limits.gpu {
        // The driver names its threads, and refuses to start where it cannot. Of this process, which the program keeps.
        devices.push("/proc/self".into());
        let all = fs::read_dir("/dev").into_iter().flatten().flatten();
        devices.extend(
            all.filter(|entry| entry.file_name().as_encoded_bytes().starts_with(b"nvidia"))
                .map(|entry| entry.path()),
        );
    }
    devices
}

/// Files and folders below which everything is, but `unreadable`. Landlock's rules allow and never forbid, so that whatever is
/// beside the way to an unreadable one is allowed by itself.
fn below_all_but(unreadable: &[PathBuf]) -> Vec<PathBuf> {
    let unreadable: Vec<PathBuf> = unreadable.iter().map(|path| resolved(path)).collect();
    let mut allowed = Vec::new();
    let mut unvisited = vec![PathBuf::from("/")];
    while let Some(path) = unvisited.pop() {
        if unreadable.iter().any(|hidden| path.starts_with(hidden)) {
            continue;
        }
        if !unreadable.iter().any(|hidden| hidden.starts_with(&path)) {
            allowed.push(path);
            continue;
        }
        let entries = fs::read_dir(&path).into_iter().flatten().flatten();
        // A rule for a link would be one for what it leads to.
        let is_link = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_symlink());
        unvisited.extend(entries.filter(|entry| !is_link(entry)).map(|entry| entry.path()));
    }
    allowed
}

/// The path without links. Of one that does not exist, as far as it does.
fn resolved(path: &Path) -> PathBuf {
    if let Ok(path) = fs::canonicalize(path) {
        return path;
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => resolved(parent).join(name),
        _ => path.to_path_buf(),
    }
}
