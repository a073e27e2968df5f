//! Which system calls a program is refused.

/// Refused whatever their arguments are. What needs a privilege is not among them, such as to set the clock, to mount or to load a module: the program
/// has none, and can get none in a namespace.
pub(super) const REFUSED: &[i64] = &[
    // What makes sockets and changes files without the calls for them.
    libc::SYS_io_uring_setup,
    // Memory and files of other processes, and their faults and accesses.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_open_by_handle_at,
    libc::SYS_userfaultfd,
    libc::SYS_fanotify_init,
    // The system.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    // Memory that outlives a program, counts for nobody, or that nobody else can look at.
    libc::SYS_shmget,
    libc::SYS_msgget,
    libc::SYS_semget,
    libc::SYS_mq_open,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_memfd_secret,
    // Modes, owners, times and attributes of files: of all that the user owns, since landlock does not know of them. In them a program could also
    // keep what it found until the next solve.
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    SETXATTRAT,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    REMOVEXATTRAT,
    FILE_SETATTR,
    // What is in the system's cache of files, and changes of it, which the next solve could find: memory that no file shows.
    CACHESTAT,
    libc::SYS_fadvise64,
    libc::SYS_readahead,
    libc::SYS_preadv2,
];

/// Refused in addition to those where no GPU is needed: which pages of a file are in memory; and memory behind a file without a name, of which unused pages count for nobody.
pub(super) const REFUSED_WITHOUT_GPU: &[i64] = &[libc::SYS_mincore, libc::SYS_memfd_create];

/// What these change or move is of a process by its number: limits, processors, scheduling, memory.
pub(super) const OF_PROCESSES: &[i64] = &[
    libc::SYS_prlimit64,
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setscheduler,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setattr,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
];

/// Flags of `clone`: in a namespace of its own a process has all privileges.
pub(super) const NEW_NAMESPACES: &[u64] = &[
    libc::CLONE_NEWUSER as u64,
    libc::CLONE_NEWNS as u64,
    libc::CLONE_NEWPID as u64,
    libc::CLONE_NEWNET as u64,
    libc::CLONE_NEWIPC as u64,
    libc::CLONE_NEWUTS as u64,
    libc::CLONE_NEWCGROUP as u64,
];

/// Requests of `ioctl`: flags, generation and attributes of files, of which the same holds as of calls for them, and input for a terminal.
pub(super) const REQUESTS: &[u64] = &[
    // FS_IOC_SETFLAGS and its variant of 32 bits, FS_IOC_SETVERSION likewise, FS_IOC_FSSETXATTR: linux/fs.h.
    0x4008_6602,
    0x4004_6602,
    0x4008_7602,
    0x4004_7602,
    0x401c_5820,
    // TIOCSTI and TIOCLINUX: asm-generic/ioctls.h.
    0x5412,
    0x541c,
];

// Newer than libc's lists. From 424 on, every architecture has the same numbers: scripts/syscall.tbl of Linux 6.17.
const CACHESTAT: i64 = 451;
const FCHMODAT2: i64 = 452;
const SETXATTRAT: i64 = 463;
const REMOVEXATTRAT: i64 = 466;
const FILE_SETATTR: i64 = 469;
