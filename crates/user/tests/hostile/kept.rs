//! What the system keeps a program from: files of others, other systems, and whatever one run could leave for the next.

use super::trialled::attempting;
use super::{Needs, Test};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::{Command, ExitCode};

pub const TESTS: [Test; 9] = [
    ("modes_owners_times_and_attributes_of_files_stay", modes_owners_times_stay, Some(Needs::Seccomp)),
    ("no_call_that_is_refused_has_another_name", no_refused_call_has_another_name, Some(Needs::Seccomp)),
    (
        "processes_of_others_keep_their_processors_and_priority",
        others_are_scheduled_as_before,
        Some(Needs::Seccomp),
    ),
    ("no_datagram_leaves", no_datagram_leaves, Some(Needs::Seccomp)),
    ("secrets_of_the_user_are_not_read", secrets_of_the_user_are_not_read, Some(Needs::Landlock(1))),
    ("passwords_of_the_system_are_not_read_by_root", passwords_are_not_read, Some(Needs::Root)),
    ("root_has_no_privilege_to_change_the_system", no_privilege_is_left, Some(Needs::Root)),
    ("no_device_but_the_harmless_is_read", no_device_is_read, Some(Needs::Root)),
    ("nothing_that_one_run_leaves_is_found_by_the_next", nothing_is_left, Some(Needs::Landlock(6))),
];

/// The argument that makes this binary a caller with another home folder.
pub const READER: &str = "be-a-reader";

fn all_met(lines: &[String], errno: i32) {
    assert!(!lines.is_empty());
    let others: Vec<&String> = lines.iter().filter(|line| !line.ends_with(&format!(" {errno}"))).collect();
    assert!(others.is_empty(), "{others:?}");
}

fn modes_owners_times_stay() {
    let outside = tempfile::tempdir().unwrap();
    let file = outside.path().join("file");
    fs::write(&file, "").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    let about = || {
        fs::metadata(&file)
            .map(|about| (about.mode(), about.uid(), about.gid(), about.mtime(), about.ctime()))
    };
    let before = about().unwrap();
    let path = file.display();
    // AT_FDCWD is -100. The name of a file is the only pointer that the calls look at before they are refused.
    let opened = format!(
        "path = '{path}'; fd = os.open(path, os.O_RDONLY); name = ctypes.create_string_buffer(path.encode()); address = ctypes.addressof(name)\n"
    );
    let trial = attempting(&format!(
        "{opened}\
         attempt('chmod', lambda: os.chmod(path, 0o777))\n\
         attempt('fchmod', lambda: os.chmod(fd, 0o777))\n\
         attempt('fchmodat', lambda: call({fchmodat}, -100, address, 0o777))\n\
         attempt('chown', lambda: os.chown(path, os.getuid(), os.getgid()))\n\
         attempt('fchown', lambda: os.chown(fd, os.getuid(), os.getgid()))\n\
         attempt('lchown', lambda: os.lchown(path, os.getuid(), os.getgid()))\n\
         attempt('utime', lambda: os.utime(path, (1, 1)))\n\
         attempt('futime', lambda: os.utime(fd, (1, 1)))\n\
         attempt('setxattr', lambda: os.setxattr(path, 'user.kept', b'x'))\n\
         attempt('fsetxattr', lambda: os.setxattr(fd, 'user.kept', b'x'))\n\
         attempt('removexattr', lambda: os.removexattr(path, 'user.kept'))\n\
         for request in (0x40086602, 0x40087602, 0x401c5820): attempt('ioctl', lambda: fcntl.ioctl(fd, request, bytes(64)))\n",
        fchmodat = libc::SYS_fchmodat,
    ));
    let lines = trial.printed();
    all_met(&lines, libc::EPERM);
    // fchmodat2, setxattrat, removexattrat, file_setattr.
    let newer = attempting(&format!(
        "{opened}\
         attempt('mode', lambda: call(452, -100, address, 0o777, 0))\n\
         attempt('set', lambda: call(463, -100, address, 0, address, 0, 0))\n\
         attempt('remove', lambda: call(466, -100, address, 0, address))\n\
         attempt('flags', lambda: call(469, -100, address, 0, 0, 0))\n"
    ));
    let newer_lines = newer.printed();
    all_met(&newer_lines, libc::ENOSYS);
    assert_eq!((lines.len(), newer_lines.len(), about().unwrap()), (14, 4, before));
}

fn no_refused_call_has_another_name() {
    let trial = attempting(&format!(
        "attempt('user namespace', lambda: call({clone}, 0x10000000 | 17, 0, 0, 0, 0) or os._exit(0))\n\
         attempt('mount namespace', lambda: call({clone}, 0x00020000 | 17, 0, 0, 0, 0) or os._exit(0))\n\
         for number in {numbers:?}: attempt(f'call {{number}}', lambda: call(number, 0, 0, 0, 0, 0))\n\
         attempt('hidden files', lambda: call({prctl}, 4, 0, 0, 0, 0))\n",
        clone = libc::SYS_clone,
        prctl = libc::SYS_prctl,
        numbers = [
            libc::SYS_unshare,
            libc::SYS_setns,
            libc::SYS_memfd_secret,
            libc::SYS_memfd_create,
            libc::SYS_userfaultfd,
            libc::SYS_io_uring_setup,
            libc::SYS_bpf,
            libc::SYS_perf_event_open,
            libc::SYS_ptrace,
            libc::SYS_fanotify_init,
            // What is in the cache of files.
            libc::SYS_mincore,
            libc::SYS_fadvise64,
            libc::SYS_readahead,
            libc::SYS_preadv2,
        ],
    ));
    all_met(&trial.printed(), libc::EPERM);
    // The first of the new ones, cachestat; and, on x86-64, old ones by other numbers.
    let again = [libc::SYS_unshare, libc::SYS_fchmod].map(|number| number | 0x4000_0000);
    let numbers = [&[libc::SYS_clone3, 451], &again[..]].concat();
    let script = format!("for number in {numbers:?}: attempt(number, lambda: call(number, 0, 0, 0))\n");
    all_met(&attempting(&script).printed(), libc::ENOSYS);
}

fn others_are_scheduled_as_before() {
    let trial = attempting(&format!(
        "own = {own}; here = ctypes.create_string_buffer(128); address = ctypes.addressof(here)\n\
         attempt('affinity', lambda: os.sched_setaffinity(own, {{0}}))\n\
         attempt('scheduler', lambda: os.sched_setscheduler(own, os.SCHED_IDLE, os.sched_param(0)))\n\
         attempt('parameters', lambda: os.sched_setparam(own, os.sched_param(0)))\n\
         attempt('attributes', lambda: call({attributes}, own, address, 0))\n\
         attempt('priority', lambda: os.setpriority(os.PRIO_PROCESS, own, 19))\n\
         attempt('priorities', lambda: os.setpriority(os.PRIO_USER, os.getuid(), 19))\n\
         attempt('disk', lambda: call({disk}, 1, own, 0))\n\
         import resource; attempt('limit', lambda: resource.prlimit(own, resource.RLIMIT_NOFILE, (64, 64)))\n\
         attempt('pages', lambda: call({pages}, own, 0, address, address))\n",
        own = std::process::id(),
        attributes = libc::SYS_sched_setattr,
        disk = libc::SYS_ioprio_set,
        pages = libc::SYS_migrate_pages,
    ));
    let lines = trial.printed();
    all_met(&lines, libc::EPERM);
    assert_eq!(lines.len(), 9);
    // Its own it may choose.
    let own =
        "attempt('own', lambda: (os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}), os.nice(1)))\n";
    assert_eq!(attempting(own).printed(), ["own done"]);
}

fn no_datagram_leaves() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("listens");
    let listener = UnixDatagram::bind(&path).unwrap();
    listener.set_nonblocking(true).unwrap();
    let trial = attempting(&format!(
        "import socket\n\
         def send(kind):\n    a, b = socket.socketpair(socket.AF_UNIX, kind)\n    a.sendto(b'x', '{0}')\n    a.connect('{0}')\n    a.send(b'x')\n\
         attempt('datagrams', lambda: send(socket.SOCK_DGRAM))\n\
         attempt('stream', lambda: send(socket.SOCK_STREAM))\n\
         a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET); a.sendto(b'x', '{0}'); print('own', b.recv(1), flush=True)\n",
        path.display()
    ));
    // EISCONN: it stays connected with its other end.
    assert_eq!(trial.printed(), ["datagrams 1", "stream 106", "own b'x'"]);
    assert!(listener.recv(&mut [0; 8]).is_err());
}

/// Another caller, which prints what a program of it can read below its home folder.
pub fn read_at_home(home: &OsStr) -> ExitCode {
    let home = Path::new(home).display();
    let trial = attempting(&format!(
        "for name in ('.ssh/id', '.config/gh/token', '.config/other', 'notes'): attempt(name, lambda: open('{home}/' + name).read())\n\
         attempt('list', lambda: os.listdir('{home}'))\n"
    ));
    trial.printed().iter().for_each(|line| println!("{line}"));
    ExitCode::SUCCESS
}

fn secrets_of_the_user_are_not_read() {
    let home = tempfile::tempdir().unwrap();
    for name in [".ssh/id", ".config/gh/token", ".config/other", "notes"] {
        fs::create_dir_all(home.path().join(name).parent().unwrap()).unwrap();
        fs::write(home.path().join(name), "x").unwrap();
    }
    let mut reader = Command::new("/proc/self/exe");
    let found = reader.arg(READER).arg(home.path()).env("HOME", home.path()).output().unwrap();
    let expected = ".ssh/id 13\n.config/gh/token 13\n.config/other done\nnotes done\nlist done\n";
    assert_eq!(String::from_utf8_lossy(&found.stdout), expected);
}

fn passwords_are_not_read() {
    let there: Vec<&str> =
        ["/etc/shadow", "/etc/gshadow"].into_iter().filter(|path| fs::read(path).is_ok()).collect();
    assert!(!there.is_empty());
    let trial = attempting(&format!(
        "for path in {there:?}: attempt(path, lambda: open(path).read())\nattempt('passwd', lambda: open('/etc/passwd').read())\n"
    ));
    let lines = trial.printed();
    all_met(&lines[..there.len()], libc::EACCES);
    assert_eq!(lines.last().unwrap(), "passwd done");
}

fn no_privilege_is_left() {
    let numbers = [
        libc::SYS_umount2,
        libc::SYS_fsopen,
        libc::SYS_pivot_root,
        libc::SYS_reboot,
        libc::SYS_swapon,
        libc::SYS_swapoff,
        libc::SYS_setdomainname,
        libc::SYS_acct,
    ];
    let trial = attempting(&format!(
        "import socket, time\n\
         name = ctypes.create_string_buffer(b'/'); address = ctypes.addressof(name)\n\
         status = ctypes.create_string_buffer(b'\\x10', 256); times = ctypes.addressof(status)\n\
         attempt('clock', lambda: time.clock_settime(time.CLOCK_REALTIME, time.time()))\n\
         attempt('rate', lambda: call({adjtimex}, times))\n\
         attempt('host name', lambda: socket.sethostname(socket.gethostname()))\n\
         attempt('root', lambda: os.chroot('/'))\n\
         attempt('mount', lambda: call({mount}, address, address, address, 0x1000, 0))\n\
         attempt('tree', lambda: call({open_tree}, -100, address, 1))\n\
         attempt('messages', lambda: call({syslog}, 5, 0, 0))\n\
         for number in {numbers:?}: attempt(f'call {{number}}', lambda: call(number, address, 0, 0, 0, 0))\n",
        adjtimex = libc::SYS_adjtimex,
        mount = libc::SYS_mount,
        open_tree = libc::SYS_open_tree,
        syslog = libc::SYS_syslog,
    ));
    let lines = trial.printed();
    all_met(&lines, libc::EPERM);
    assert_eq!(lines.len(), 7 + numbers.len());
}

fn no_device_is_read() {
    let mut devices = Vec::new();
    let mut unvisited = vec![std::path::PathBuf::from("/dev")];
    while let Some(folder) = unvisited.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.file_type().unwrap() {
                kind if kind.is_dir() => unvisited.push(entry.path()),
                kind if kind.is_char_device() || kind.is_block_device() => devices.push(entry.path()),
                _ => {}
            }
        }
    }
    let names: Vec<_> =
        devices.iter().map(|path| String::from_utf8_lossy(path.as_os_str().as_bytes())).collect();
    let trial = attempting(&format!(
        "for path in {names:?}: attempt(path, lambda: os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY))\n"
    ));
    let mut opened: Vec<String> = trial.printed();
    assert_eq!(opened.len(), devices.len());
    opened.retain(|line| !line.ends_with(" 13"));
    opened.sort();
    let harmless = ["full", "null", "random", "urandom", "zero"].map(|name| format!("/dev/{name} done"));
    assert_eq!(opened, harmless);
}

fn nothing_is_left() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("adapter.py"), "").unwrap();
    let key = (std::process::id() | 0x4000_0000).to_string();
    let [add_key, request_key] = [libc::SYS_add_key, libc::SYS_request_key].map(|number| number.to_string());
    for gpu in [false, true] {
        let ran = |turn: &str| {
            let mut trial = attempting(include_str!("doors.py"));
            let arguments = [turn, outside.path().to_str().unwrap(), &key, &add_key, &request_key];
            trial.program.words.extend(arguments.map(String::from));
            let home = std::env::var("HOME").unwrap_or_default();
            trial.program.environment.push(("CALLERS_HOME".into(), home));
            trial.limits.gpu = gpu;
            trial.printed()
        };
        ran("0");
        assert_eq!(ran("1"), ["end"], "gpu: {gpu}");
    }
}
