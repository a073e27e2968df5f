//! What a program is kept from without landlock: system calls, which seccomp refuses as "operation not permitted", privileges of root, and more
//! than its limits of resources.

use crate::confine::limits::{Network, Protections, SandboxLimits};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set,
    remove_capability_from_bounding_set, set_capabilities, set_no_new_privs,
};
use seccompiler::SeccompCmpOp::{self, Eq, MaskedEq, Ne};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, sock_filter,
};
use std::collections::BTreeMap;
use std::{fs, io, thread};

/// Restricts this thread, the only one, and so the program; notes in `found` what that protects from.
///
/// # Errors
/// When the system has no filters.
pub(super) fn restrict(limits: &SandboxLimits, found: &mut Protections) -> seccompiler::Result<()> {
    let before = speculation();
    let of_gpu = if limits.gpu { &[] } else { REFUSED_WITHOUT_GPU };
    seccompiler::apply_filter(&filter(&[REFUSED, of_gpu].concat())?)?;
    (found.system_calls, found.network, found.slowed) = (true, Network::Denied, speculation() != before);
    Ok(())
}

/// Refuses this process, all threads and whatever they start, to execute programs from here on, where the system can.
pub fn refuse_programs() {
    let filter = filter(&[(&[libc::SYS_execve, libc::SYS_execveat], &[])]);
    let _ = filter.map(|filter| seccompiler::apply_filter_all_threads(&filter));
}

/// Refuses these calls with EPERM. All new calls, and clone3, whose flags lie in memory where no filter sees them, get ENOSYS, so that
/// libraries fall back to older ones.
fn filter(refused: &[DeniedCalls]) -> Result<BpfProgram, BackendError> {
    let mut rules = BTreeMap::new();
    for (calls, conditions) in refused {
        let conditions = conditions.iter().map(|(argument, comparison, value)| {
            SeccompCondition::new(*argument, SeccompCmpArgLen::Dword, comparison.clone(), *value)
        });
        let any: Vec<SeccompRule> =
            conditions.map(|condition| SeccompRule::new(vec![condition?])).collect::<Result<_, _>>()?;
        rules.extend(calls.iter().map(|call| (*call, any.clone())));
    }
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

/// The kernel's lines on speculation mitigations for this process.
fn speculation() -> Vec<String> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().filter(|line| line.starts_with("Speculation")).map(str::to_string).collect()
}

/// The first of those that Linux got after 6.4. No program needs any, since they are missing on older systems, and nobody has looked at what those of
/// later systems get around. Of those that are known, `cachestat` tells what is in the system's cache of files, and `fchmodat2`, `setxattrat`,
/// `removexattrat` and `file_setattr` change what is refused below. From 424 on, every architecture has the same numbers.
///
/// On x86-64 all calls can also be made by numbers far above this one, which no native program makes.
pub(super) const FIRST_NEW: u32 = 451;

/// Numbers of calls, and when each is refused: always, or when any of these holds of an argument, of which the kernel looks at 32 bits.
pub(super) type DeniedCalls = (&'static [i64], &'static [(u8, SeccompCmpOp, u64)]);

/// The bits of a socket's type that are its kind.
const KIND_OF_SOCKET: u64 = 0xf;
const NEW_USERS: u64 = libc::CLONE_NEWUSER as u64;

/// Calls that need a privilege (setting the clock, mounting, loading a module) are not listed: the program has none, and can get none in a
/// namespace.
pub(super) const REFUSED: &[DeniedCalls] = &[
    // io_uring makes sockets and changes files without the calls for that; connect reaches what listens on this system.
    (&[libc::SYS_io_uring_setup, libc::SYS_connect], &[]),
    // All but stream sockets of AF_UNIX. A pair connects only the program's own processes, but one of datagrams could reach sockets in the
    // file system. A GPU's driver makes a Unix socket and never connects it.
    (
        &[libc::SYS_socketpair, libc::SYS_socket],
        &[(0, Ne, libc::AF_UNIX as u64), (1, MaskedEq(KIND_OF_SOCKET), libc::SOCK_DGRAM as u64)],
    ),
    // Memory and files of other processes, and their faults and accesses.
    (&[libc::SYS_ptrace, libc::SYS_process_vm_readv, libc::SYS_process_vm_writev], &[]),
    (&[libc::SYS_process_madvise, libc::SYS_pidfd_getfd, libc::SYS_open_by_handle_at], &[]),
    (&[libc::SYS_userfaultfd, libc::SYS_fanotify_init], &[]),
    // Whoever hides its open files from other processes of its user hides them from its supervisor, which counts what deleted ones take.
    (&[libc::SYS_prctl], &[(0, Eq, libc::PR_SET_DUMPABLE as u64)]),
    // Of other processes: limits, on which processors they run, who comes first there and on a disk, where their memory is. Of itself, which is number
    // 0, a program may change that.
    (&[libc::SYS_prlimit64, libc::SYS_sched_setaffinity, libc::SYS_sched_setscheduler], &[(0, Ne, 0)]),
    (&[libc::SYS_sched_setparam, libc::SYS_sched_setattr], &[(0, Ne, 0)]),
    (&[libc::SYS_migrate_pages, libc::SYS_move_pages], &[(0, Ne, 0)]),
    (&[libc::SYS_setpriority], &[(0, Ne, 0), (1, Ne, 0)]),
    (&[libc::SYS_ioprio_set], &[(1, Ne, 0)]),
    // The system. A process in a new namespace of users has all privileges there, and only with those can it make other namespaces.
    (&[libc::SYS_unshare, libc::SYS_setns, libc::SYS_bpf, libc::SYS_perf_event_open], &[]),
    (&[libc::SYS_clone], &[(0, MaskedEq(NEW_USERS), NEW_USERS)]),
    // Memory that outlives a program, counts for nobody, or that nobody else can look at.
    (&[libc::SYS_shmget, libc::SYS_msgget, libc::SYS_semget, libc::SYS_mq_open, libc::SYS_memfd_secret], &[]),
    (&[libc::SYS_add_key, libc::SYS_request_key, libc::SYS_keyctl], &[]),
    // Modes, owners, times and attributes of files: of all that the user owns, since landlock does not know of them. In them a program could also
    // keep what it found until the next solve.
    #[cfg(target_arch = "x86_64")]
    (&[libc::SYS_chmod, libc::SYS_chown, libc::SYS_lchown], &[]),
    #[cfg(target_arch = "x86_64")]
    (&[libc::SYS_utime, libc::SYS_utimes, libc::SYS_futimesat], &[]),
    (&[libc::SYS_fchmod, libc::SYS_fchmodat, libc::SYS_fchown, libc::SYS_fchownat, libc::SYS_utimensat], &[]),
    (&[libc::SYS_setxattr, libc::SYS_lsetxattr, libc::SYS_fsetxattr], &[]),
    (&[libc::SYS_removexattr, libc::SYS_lremovexattr, libc::SYS_fremovexattr], &[]),
    // Likewise FS_IOC_SETFLAGS and FS_IOC_SETVERSION, whatever the size of what they set, and FS_IOC_FSSETXATTR (linux/fs.h); and input for a terminal.
    (
        &[libc::SYS_ioctl],
        &[
            (1, MaskedEq(0xffff), 0x6602),
            (1, MaskedEq(0xffff), 0x7602),
            (1, MaskedEq(0xffff), 0x5820),
            (1, Eq, libc::TIOCSTI),
            (1, Eq, libc::TIOCLINUX),
        ],
    ),
    // Changes of the system's cache of files, and what is in it, which the next solve could find: memory that no file shows.
    (&[libc::SYS_fadvise64, libc::SYS_readahead, libc::SYS_preadv2], &[]),
];

/// Where no GPU is needed these too; a rule here replaces that of the same call above: every socket; which pages of a file are in memory;
/// and memory behind a file without a name, of which unused pages count for nobody.
pub(super) const REFUSED_WITHOUT_GPU: &[DeniedCalls] =
    &[(&[libc::SYS_socket, libc::SYS_mincore, libc::SYS_memfd_create], &[])];

/// What root keeps: reading files of others, as those of a Python that another user installed.
const KEPT: CapabilitySet = CapabilitySet::DAC_READ_SEARCH;

/// Drops all capabilities but reading, for this process and what it executes. Returns whether only those are left and no other can be
/// gained.
pub(super) fn drop_capabilities() -> bool {
    // Not every user may do this, nor needs to: it is for what gains privileges when executed, which the next line prevents as well.
    for capability in CapabilitySet::all().difference(KEPT).iter() {
        let _ = remove_capability_from_bounding_set(capability);
    }
    let _ = clear_ambient_capability_set();
    let can_gain_none = set_no_new_privs(true).is_ok();
    let Ok(own) = capabilities(None) else { return false };
    let kept = CapabilitySets {
        effective: own.effective & KEPT,
        permitted: own.permitted & KEPT,
        inheritable: CapabilitySet::empty(),
    };
    can_gain_none && set_capabilities(None, kept).is_ok()
}

const OPEN_FILES: u64 = 4096;
/// Virtual memory in addition to twice the resident limit: libraries and the reserve of allocators.
const RESERVED_BYTES: u64 = 8 << 30;
/// Virtual memory for each processor, as libraries start a thread on each: a stack and an arena.
const RESERVED_BYTES_A_PROCESSOR: u64 = 256 << 20;
/// The first that the system takes when memory is short.
const OOM_SCORE: &str = "1000";

/// # Errors
/// When the system refuses one.
pub(super) fn limit(limits: &SandboxLimits) -> io::Result<()> {
    lower(Resource::Core, 0)?;
    lower(Resource::Fsize, limits.folder_bytes)?;
    lower(Resource::Nofile, OPEN_FILES)?;
    if !limits.gpu {
        let processors = thread::available_parallelism().map_or(1, usize::from) as u64;
        let reserve = RESERVED_BYTES + RESERVED_BYTES_A_PROCESSOR * processors;
        lower(Resource::As, limits.memory_bytes.saturating_mul(2).saturating_add(reserve))?;
    }
    // Some containers have no such file.
    let _ = fs::write("/proc/self/oom_score_adj", OOM_SCORE);
    Ok(())
}

fn lower(resource: Resource, limit: u64) -> io::Result<()> {
    let most = getrlimit(resource).maximum.map_or(limit, |maximum| maximum.min(limit));
    Ok(setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?)
}
