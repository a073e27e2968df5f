//! System calls that a program is refused, by seccomp. It gets "operation not permitted".

use crate::limits::Limits;
use seccompiler::{
    SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};
use std::collections::BTreeMap;
use std::fs;

/// Refused whatever their arguments are.
const REFUSED: &[i64] = &[
    // What makes sockets without the call for them.
    libc::SYS_io_uring_setup,
    // Memory and files of other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_open_by_handle_at,
    // The clock that measures it.
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    // The system.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_acct,
    libc::SYS_quotactl,
    // Memory that outlives a program and counts for nobody.
    libc::SYS_shmget,
    libc::SYS_msgget,
    libc::SYS_semget,
    libc::SYS_mq_open,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
];

/// Refused beside those where no GPU is needed: memory behind a file without a name, of which unused pages count for nobody.
const REFUSED_WITHOUT_GPU: &[i64] = &[libc::SYS_memfd_create];

/// On x86-64 the same calls can be made by a second number.
#[cfg(target_arch = "x86_64")]
const SECOND_NUMBERS: Option<i64> = Some(0x4000_0000);
#[cfg(not(target_arch = "x86_64"))]
const SECOND_NUMBERS: Option<i64> = None;

/// What the filter brings with it.
pub(super) struct Calls {
    /// As [`Protections::slowed`](crate::Protections::slowed).
    pub slows: bool,
}

/// Restricts this thread, the only one, and so the program. None where the system cannot.
pub(super) fn restrict(limits: &Limits) -> Option<Calls> {
    let before = speculation();
    let filter = filter(limits).ok()?;
    seccompiler::apply_filter(&filter).ok()?;
    Some(Calls { slows: speculation() != before })
}

fn filter(limits: &Limits) -> Result<seccompiler::BpfProgram, seccompiler::BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    // Pairs of sockets, which connect the program's own processes, are another call. The driver of a GPU takes one within the host.
    let mut sockets = Vec::new();
    if limits.gpu {
        sockets.push(unless(0, libc::AF_UNIX.unsigned_abs().into())?);
    } else {
        rules.extend(REFUSED_WITHOUT_GPU.iter().map(|call| (*call, Vec::new())));
    }
    rules.insert(libc::SYS_socket, sockets);
    // Of others: limits, and who comes first on a processor. Of itself it may.
    rules.insert(libc::SYS_prlimit64, vec![unless(0, 0)?]);
    rules.insert(libc::SYS_setpriority, vec![unless(0, 0)?, unless(1, 0)?]);
    if let Some(more) = SECOND_NUMBERS {
        let again: Vec<_> = rules.iter().map(|(call, rules)| (call | more, rules.clone())).collect();
        rules.extend(again);
    }
    let refused = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let architecture = TargetArch::try_from(std::env::consts::ARCH)?;
    SeccompFilter::new(rules, SeccompAction::Allow, refused, architecture)?.try_into()
}

/// Refuses a call unless this argument has this value.
fn unless(argument: u8, value: u64) -> Result<SeccompRule, seccompiler::BackendError> {
    let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, value)?;
    SeccompRule::new(vec![condition])
}

/// What the kernel has of speculation for this process.
fn speculation() -> Vec<String> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().filter(|line| line.starts_with("Speculation")).map(str::to_string).collect()
}
