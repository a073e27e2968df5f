//! System calls that a program is refused, by seccomp. It gets "operation not permitted".

use super::refused_calls::{
    NEW_NAMESPACES, NEWER_THAN_FLAGS, OF_CACHES, OF_FILES, OF_PROCESSES, REFUSED, REFUSED_WITHOUT_GPU,
    REQUESTS,
};
use crate::limits::Limits;
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};
use std::collections::BTreeMap;
use std::fs;

/// On x86-64 the same calls can be made by a second number.
#[cfg(target_arch = "x86_64")]
const SECOND_NUMBERS: Option<i64> = Some(0x4000_0000);
#[cfg(not(target_arch = "x86_64"))]
const SECOND_NUMBERS: Option<i64> = None;

/// The bits of a socket's type that are its kind.
const KIND_OF_SOCKET: u64 = 0xf;

/// Calls that have numbers of their own among the second ones: `asm/unistd_x32.h` of Linux.
const OF_SECOND_NUMBERS: std::ops::RangeInclusive<i64> = 512..=547;

/// Restricts this thread, the only one, and so the program. Whether the filter slows it, as [`Protections::slowed`](crate::Protections::slowed) says; none
/// where the system has no filters.
pub(super) fn restrict(limits: &Limits) -> Option<bool> {
    let before = speculation();
    let not_permitted = filter(rules(limits).ok()?, libc::EPERM).ok()?;
    // Libraries that are told that there is no such call do with the older one, whose arguments are seen.
    let unknown = filter(always(NEWER_THAN_FLAGS), libc::ENOSYS).ok()?;
    seccompiler::apply_filter(&unknown).ok()?;
    seccompiler::apply_filter(&not_permitted).ok()?;
    Some(speculation() != before)
}

/// Refuses this process, all threads and whatever they start, to execute programs from here on. False where the system cannot.
pub fn refuse_programs() -> bool {
    filter(always(&[libc::SYS_execve, libc::SYS_execveat]), libc::EPERM)
        .is_ok_and(|filter| seccompiler::apply_filter_all_threads(&filter).is_ok())
}

/// Rules of calls by their numbers. A call is refused if any of its rules fits, and always if it has none.
type Rules = BTreeMap<i64, Vec<SeccompRule>>;

fn always(calls: &[i64]) -> Rules {
    calls.iter().map(|call| (*call, Vec::new())).collect()
}

fn rules(limits: &Limits) -> Result<Rules, BackendError> {
    let mut rules = always(REFUSED);
    rules.extend(always(OF_FILES));
    rules.extend(always(OF_CACHES));
    let datagrams = || when(1, SeccompCmpOp::MaskedEq(KIND_OF_SOCKET), number(libc::SOCK_DGRAM));
    // A pair connects the program's own processes. One of datagrams can still send to, and be connected with, what listens in a folder.
    let elsewhere = || unless(0, number(libc::AF_UNIX));
    rules.insert(libc::SYS_socketpair, vec![elsewhere()?, datagrams()?]);
    if limits.gpu {
        // The driver takes a socket within the host, and connects it with nothing.
        rules.insert(libc::SYS_socket, vec![elsewhere()?, datagrams()?]);
        rules.insert(libc::SYS_connect, Vec::new());
    } else {
        rules.insert(libc::SYS_socket, Vec::new());
        rules.extend(always(REFUSED_WITHOUT_GPU));
    }
    // Of others: limits, on which processors they run, who comes first there and on a disk. Of itself, which is number 0, it may.
    for call in OF_PROCESSES {
        rules.insert(*call, vec![unless(0, 0)?]);
    }
    rules.insert(libc::SYS_setpriority, vec![unless(0, 0)?, unless(1, 0)?]);
    rules.insert(libc::SYS_ioprio_set, vec![unless(1, 0)?]);
    // Whoever hides its open files from other processes of its user hides them from its supervisor, which counts what deleted ones take.
    rules.insert(libc::SYS_prctl, vec![when(0, SeccompCmpOp::Eq, number(libc::PR_SET_DUMPABLE))?]);
    let namespaces = NEW_NAMESPACES.iter().map(|flag| when(0, SeccompCmpOp::MaskedEq(*flag), *flag));
    rules.insert(libc::SYS_clone, namespaces.collect::<Result<_, _>>()?);
    let requests = REQUESTS.iter().map(|request| when(1, SeccompCmpOp::Eq, *request));
    rules.insert(libc::SYS_ioctl, requests.collect::<Result<_, _>>()?);
    Ok(rules)
}

fn filter(mut rules: Rules, error: i32) -> Result<BpfProgram, BackendError> {
    if let Some(more) = SECOND_NUMBERS {
        let again: Vec<_> = rules.iter().map(|(call, rules)| (call | more, rules.clone())).collect();
        rules.extend(again);
        // No native program makes them.
        rules.extend(OF_SECOND_NUMBERS.map(|call| (call | more, Vec::new())));
    }
    let refused = SeccompAction::Errno(error.unsigned_abs());
    let architecture = TargetArch::try_from(std::env::consts::ARCH)?;
    SeccompFilter::new(rules, SeccompAction::Allow, refused, architecture)?.try_into()
}

/// Refuses a call unless this argument has this value.
fn unless(argument: u8, value: u64) -> Result<SeccompRule, BackendError> {
    when(argument, SeccompCmpOp::Ne, value)
}

/// Refuses a call when this argument, of which the kernel looks at 32 bits, compares so with the value.
fn when(argument: u8, comparison: SeccompCmpOp, value: u64) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(vec![SeccompCondition::new(argument, SeccompCmpArgLen::Dword, comparison, value)?])
}

fn number(constant: i32) -> u64 {
    constant.unsigned_abs().into()
}

/// What the kernel has of speculation for this process.
fn speculation() -> Vec<String> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().filter(|line| line.starts_with("Speculation")).map(str::to_string).collect()
}
