//! System calls that a program is refused, by seccomp. It gets "operation not permitted".

use super::refused_calls::{NEW_NAMESPACES, OF_PROCESSES, REFUSED, REFUSED_WITHOUT_GPU, REQUESTS};
use crate::limits::Limits;
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, sock_filter,
};
use std::collections::BTreeMap;
use std::fs;

/// On x86-64 the same calls can be made by numbers from here on, which no native program makes.
const SECOND_NUMBERS: u32 = 0x4000_0000;

/// The bits of a socket's type that are its kind.
const KIND_OF_SOCKET: u64 = 0xf;

/// Restricts this thread, the only one, and so the program. Whether the filter slows it, as [`Protections::slowed`](crate::Protections::slowed) says; none
/// where the system has no filters.
pub(super) fn restrict(limits: &Limits) -> Option<bool> {
    let before = speculation();
    let not_permitted = filter(rules(limits).ok()?, libc::EPERM).ok()?;
    // It takes its flags in memory, where no filter sees them. Libraries that are told that there is no such call do with the older one.
    let unknown = filter(always(&[libc::SYS_clone3]), libc::ENOSYS).ok()?;
    seccompiler::apply_filter(&unknown).ok()?;
    seccompiler::apply_filter(&not_permitted).ok()?;
    Some(speculation() != before)
}

/// Refuses this process, all threads and whatever they start, to execute programs from here on, where the system can.
pub fn refuse_programs() {
    let filter = filter(always(&[libc::SYS_execve, libc::SYS_execveat]), libc::EPERM);
    let _ = filter.map(|filter| seccompiler::apply_filter_all_threads(&filter));
}

/// Rules of calls by their numbers. A call is refused if any of its rules fits, and always if it has none.
type Rules = BTreeMap<i64, Vec<SeccompRule>>;

fn always(calls: &[i64]) -> Rules {
    calls.iter().map(|call| (*call, Vec::new())).collect()
}

fn rules(limits: &Limits) -> Result<Rules, BackendError> {
    let mut rules = always(REFUSED);
    // A pair connects the program's own processes. One of datagrams can still send to, and be connected with, what listens in a folder.
    let datagrams = when(1, SeccompCmpOp::MaskedEq(KIND_OF_SOCKET), libc::SOCK_DGRAM as u64)?;
    let elsewhere_or_datagrams = vec![unless(0, libc::AF_UNIX as u64)?, datagrams];
    rules.insert(libc::SYS_socketpair, elsewhere_or_datagrams.clone());
    if limits.gpu {
        // The driver takes a socket within the host, and connects it with nothing.
        rules.insert(libc::SYS_socket, elsewhere_or_datagrams);
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
    rules.insert(libc::SYS_prctl, vec![when(0, SeccompCmpOp::Eq, libc::PR_SET_DUMPABLE as u64)?]);
    let namespaces = NEW_NAMESPACES.iter().map(|flag| when(0, SeccompCmpOp::MaskedEq(*flag), *flag));
    rules.insert(libc::SYS_clone, namespaces.collect::<Result<_, _>>()?);
    let requests = REQUESTS.iter().map(|request| when(1, SeccompCmpOp::Eq, *request));
    rules.insert(libc::SYS_ioctl, requests.collect::<Result<_, _>>()?);
    Ok(rules)
}

fn filter(rules: Rules, error: i32) -> Result<BpfProgram, BackendError> {
    let error = error.unsigned_abs();
    let architecture = TargetArch::try_from(std::env::consts::ARCH)?;
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(error), architecture)?;
    let instruction = |code: u32, if_not, k| sock_filter { code: code as u16, jt: 0, jf: if_not, k };
    let mut program = vec![
        // The number of the call is what a filter reads first.
        instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0),
        instruction(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 1, SECOND_NUMBERS),
        instruction(libc::BPF_RET | libc::BPF_K, 0, libc::SECCOMP_RET_ERRNO | error),
    ];
    program.extend(BpfProgram::try_from(filter)?);
    Ok(program)
}

/// Refuses a call unless this argument has this value.
fn unless(argument: u8, value: u64) -> Result<SeccompRule, BackendError> {
    when(argument, SeccompCmpOp::Ne, value)
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
