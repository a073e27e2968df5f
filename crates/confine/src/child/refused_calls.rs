//! Which system calls a program is refused.

/// The first of those that Linux got after 6.4. No program needs any, since they are missing on older systems, and nobody has looked at what those of
/// later systems get around. Of those that are known, `cachestat` tells what is in the system's cache of files, and `fchmodat2`, `setxattrat`,
/// `removexattrat` and `file_setattr` change what is refused below. From 424 on, every architecture has the same numbers.
///
/// On x86-64 all calls can also be made by numbers far above this one, which no native program makes.
pub(super) const FIRST_NEW: u32 = 451;

/// Refused whatever their arguments are. What needs a privilege is not among them, such as to set the clock, to mount or to load a module: the program
/// has none, and can get none in a namespace.
pub(super) const REFUSED: &[&[i64]] = &[
    // What makes sockets and changes files without the calls for them; and a way to what listens on this system.
    &[libc::SYS_io_uring_setup, libc::SYS_connect],
    // Memory and files of other processes, and their faults and accesses.
    &[libc::SYS_ptrace, libc::SYS_process_vm_readv, libc::SYS_process_vm_writev, libc::SYS_process_madvise],
    &[libc::SYS_pidfd_getfd, libc::SYS_open_by_handle_at, libc::SYS_userfaultfd, libc::SYS_fanotify_init],
    // The system.
    &[libc::SYS_unshare, libc::SYS_setns, libc::SYS_bpf, libc::SYS_perf_event_open],
    // Memory that outlives a program, counts for nobody, or that nobody else can look at.
    &[libc::SYS_shmget, libc::SYS_msgget, libc::SYS_semget, libc::SYS_mq_open, libc::SYS_memfd_secret],
    &[libc::SYS_add_key, libc::SYS_request_key, libc::SYS_keyctl],
    // Modes, owners, times and attributes of files: of all that the user owns, since landlock does not know of them. In them a program could also
    // keep what it found until the next solve.
    #[cfg(target_arch = "x86_64")]
    &[libc::SYS_chmod, libc::SYS_chown, libc::SYS_lchown],
    #[cfg(target_arch = "x86_64")]
    &[libc::SYS_utime, libc::SYS_utimes, libc::SYS_futimesat],
    &[libc::SYS_fchmod, libc::SYS_fchmodat, libc::SYS_fchown, libc::SYS_fchownat, libc::SYS_utimensat],
    &[libc::SYS_setxattr, libc::SYS_lsetxattr, libc::SYS_fsetxattr],
    &[libc::SYS_removexattr, libc::SYS_lremovexattr, libc::SYS_fremovexattr],
    // Changes of the system's cache of files, and what is in it, which the next solve could find: memory that no file shows.
    &[libc::SYS_fadvise64, libc::SYS_readahead, libc::SYS_preadv2],
];

/// Refused in addition to those where no GPU is needed: every socket; which pages of a file are in memory; and memory behind a file without a name, of
/// which unused pages count for nobody.
pub(super) const REFUSED_WITHOUT_GPU: &[&[i64]] =
    &[&[libc::SYS_socket, libc::SYS_mincore, libc::SYS_memfd_create]];

/// What these change or move is of a process by its number: limits, processors, scheduling, memory.
pub(super) const OF_PROCESSES: &[&[i64]] = &[
    &[libc::SYS_prlimit64, libc::SYS_sched_setaffinity, libc::SYS_sched_setscheduler],
    &[libc::SYS_sched_setparam, libc::SYS_sched_setattr, libc::SYS_migrate_pages, libc::SYS_move_pages],
];

/// Requests of `ioctl` for flags, generation and attributes of files, of which the same holds as of calls for them: FS_IOC_SETFLAGS and its variant of
/// 32 bits, FS_IOC_SETVERSION likewise, FS_IOC_FSSETXATTR (linux/fs.h); and for input of a terminal: TIOCSTI and TIOCLINUX (asm-generic/ioctls.h).
pub(super) const REQUESTS: [u64; 7] =
    [0x4008_6602, 0x4004_6602, 0x4008_7602, 0x4004_7602, 0x401c_5820, libc::TIOCSTI, libc::TIOCLINUX];
