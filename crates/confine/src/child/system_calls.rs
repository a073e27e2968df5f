//! System calls that a program is refused, by seccomp. It gets "operation not permitted".

use super::refused_calls::{FIRST_NEW, OF_PROCESSES, REFUSED, REFUSED_WITHOUT_GPU, REQUESTS};
use crate::limits::Limits;
use seccompiler::SeccompCmpOp::{self, Eq, MaskedEq, Ne};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, sock_filter,
};
use std::collections::BTreeMap;
use std::fs;

/// The bits of a socket's type that are its kind.
const KIND_OF_SOCKET: u64 = 0xf;
/// A process in a new namespace of users has all privileges there, and only with those can it make other namespaces.
const NEW_USERS: u64 = libc::CLONE_NEWUSER as u64;

/// Restricts this thread, the only one, and so the program. Whether the filter slows it, as [`Protections::slowed`](crate::Protections::slowed) says; none
/// where the system has no filters.
pub(super) fn restrict(limits: &Limits) -> Option<bool> {
    let before = speculation();
    seccompiler::apply_filter(&filter(rules(limits).ok()?).ok()?).ok()?;
    Some(speculation() != before)
}

/// Refuses this process, all threads and whatever they start, to execute programs from here on, where the system can.
pub fn refuse_programs() {
    let filter = filter(always(&[&[libc::SYS_execve, libc::SYS_execveat]]));
    let _ = filter.map(|filter| seccompiler::apply_filter_all_threads(&filter));
}

/// Rules of calls by their numbers. A call is refused if any of its rules fits, and always if it has none.
type Rules = BTreeMap<i64, Vec<SeccompRule>>;

fn always(calls: &[&[i64]]) -> Rules {
    calls.concat().into_iter().map(|call| (call, Vec::new())).collect()
}

fn rules(limits: &Limits) -> Result<Rules, BackendError> {
    let mut rules = always(REFUSED);
    // A pair connects the program's own processes. One of datagrams can still send to, and be connected with, what listens in a folder.
    let datagrams = when(1, MaskedEq(KIND_OF_SOCKET), libc::SOCK_DGRAM as u64)?;
    let elsewhere_or_datagrams = vec![when(0, Ne, libc::AF_UNIX as u64)?, datagrams];
    rules.insert(libc::SYS_socketpair, elsewhere_or_datagrams.clone());
    // The driver of a GPU takes a socket within the host, and connects it with nothing.
    rules.insert(libc::SYS_socket, elsewhere_or_datagrams);
    if !limits.gpu {
        rules.extend(always(REFUSED_WITHOUT_GPU));
    }
    // Of others: limits, on which processors they run, who comes first there and on a disk. Of itself, which is number 0, it may.
    for call in OF_PROCESSES.concat() {
        rules.insert(call, vec![when(0, Ne, 0)?]);
    }
    rules.insert(libc::SYS_setpriority, vec![when(0, Ne, 0)?, when(1, Ne, 0)?]);
    rules.insert(libc::SYS_ioprio_set, vec![when(1, Ne, 0)?]);
    // Whoever hides its open files from other processes of its user hides them from its supervisor, which counts what deleted ones take.
    rules.insert(libc::SYS_prctl, vec![when(0, Eq, libc::PR_SET_DUMPABLE as u64)?]);
    rules.insert(libc::SYS_clone, vec![when(0, MaskedEq(NEW_USERS), NEW_USERS)?]);
    let requests = REQUESTS.map(|request| when(1, Eq, request));
    rules.insert(libc::SYS_ioctl, requests.into_iter().collect::<Result<_, _>>()?);
    Ok(rules)
}

/// Refuses calls by these rules, and all new ones. Those, and the one that starts a process with its flags in memory, where no filter sees them, are
/// said not to be there, since libraries then do with older ones.
fn filter(rules: Rules) -> Result<BpfProgram, BackendError> {
    let architecture = TargetArch::try_from(std::env::consts::ARCH)?;
    let not_permitted = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let by_rules = SeccompFilter::new(rules, SeccompAction::Allow, not_permitted, architecture)?;
    let instruction = |code: u32, jt, jf, k| sock_filter { code: code as u16, jt, jf, k };
    let mut program = vec![
        // The number of the call is what a filter reads first.
        instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
        instruction(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 1, 0, libc::SYS_clone3 as u32),
        instruction(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 0, 1, FIRST_NEW),
        instruction(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs()),
    ];
    program.extend(BpfProgram::try_from(by_rules)?);
    Ok(program)
}

/// Refuses a call when this argument, of which the kernel looks at 32 bits, compares so with the value.
fn when(argument: u8, comparison: SeccompCmpOp, value: u64) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(vec![SeccompCondition::new(argument, SeccompCmpArgLen::Dword, comparison, value)?])
}

/// What the kernel has of speculation for this process.
fn speculation() -> Vec<String> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().filter(|line| line.starts_with("Speculation")).map(str::to_string).collect()
}
