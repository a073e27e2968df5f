//! What the system keeps a program from: files of others, other systems, and whatever one run could leave for the next.

use super::trialled::{Trialled, python};
use super::{Needs, Test};
use repro_confine::End;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

pub const TESTS: [Test; 8] = [
    ("modes_owners_times_and_attributes_of_files_stay", modes_owners_times_stay, Some(Needs::Seccomp)),
    ("no_call_that_is_refused_has_another_name", no_refused_call_has_another_name, Some(Needs::Seccomp)),
    ("threads_and_processes_start_all_the_same", threads_and_processes_start, None),
    ("no_datagram_leaves", no_datagram_leaves, Some(Needs::Seccomp)),
    ("secrets_of_the_user_are_not_read", secrets_of_the_user_are_not_read, Some(Needs::Landlock(1))),
    ("passwords_of_the_system_are_not_read_by_root", passwords_are_not_read, Some(Needs::Root)),
    ("no_device_but_the_harmless_is_read", no_device_is_read, Some(Needs::Root)),
    ("nothing_that_one_run_leaves_is_found_by_the_next", nothing_is_left, Some(Needs::Landlock(6))),
];

/// The argument that makes this binary a caller with another home folder.
pub const READER: &str = "be-a-reader";

/// Defines `attempt`, which prints the name of an action and the error that it met, and `call`, which makes a system call by its number.
const ATTEMPT: &str = "import ctypes, os, fcntl\n\
    libc = ctypes.CDLL(None, use_errno=True)\n\
    def attempt(name, action):\n    try: action(); print(name, 'done', flush=True)\n    except OSError as error: print(name, error.errno, flush=True)\n\
    def call(number, *arguments):\n    ctypes.set_errno(0)\n    if libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, arguments)) < 0: raise OSError(ctypes.get_errno(), '')\n";

/// What a program prints, whose script ends by itself.
fn printed(trial: &Trialled) -> Vec<String> {
    let mut running = trial.start();
    let mut lines = Vec::new();
    loop {
        match running.exchange("", Duration::from_secs(20)) {
            Ok(line) => lines.push(line),
            Err(ended) => {
                assert_eq!(ended.end, End::Exited { code: 0 }, "{ended}");
                return lines;
            }
        }
    }
}

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
    let trial = python(&format!(
        "{ATTEMPT}\
         path = '{path}'; fd = os.open(path, os.O_RDONLY); name = ctypes.create_string_buffer(path.encode()); address = ctypes.addressof(name)\n\
         attempt('chmod', lambda: os.chmod(path, 0o777))\n\
         attempt('fchmod', lambda: os.chmod(fd, 0o777))\n\
         attempt('fchmodat', lambda: call({fchmodat}, -100, address, 0o777))\n\
         attempt('fchmodat2', lambda: call(452, -100, address, 0o777, 0))\n\
         attempt('chown', lambda: os.chown(path, os.getuid(), os.getgid()))\n\
         attempt('fchown', lambda: os.chown(fd, os.getuid(), os.getgid()))\n\
         attempt('lchown', lambda: os.lchown(path, os.getuid(), os.getgid()))\n\
         attempt('utime', lambda: os.utime(path, (1, 1)))\n\
         attempt('futime', lambda: os.utime(fd, (1, 1)))\n\
         attempt('setxattr', lambda: os.setxattr(path, 'user.kept', b'x'))\n\
         attempt('fsetxattr', lambda: os.setxattr(fd, 'user.kept', b'x'))\n\
         attempt('removexattr', lambda: os.removexattr(path, 'user.kept'))\n\
         attempt('setxattrat', lambda: call(463, -100, address, 0, address, 0, 0))\n\
         attempt('file_setattr', lambda: call(469, -100, address, 0, 0, 0))\n\
         for request in (0x40086602, 0x40087602, 0x401c5820): attempt('ioctl', lambda: fcntl.ioctl(fd, request, bytes(64)))\n",
        fchmodat = libc::SYS_fchmodat,
    ));
    let lines = printed(&trial);
    all_met(&lines, libc::EPERM);
    assert_eq!((lines.len(), about().unwrap()), (17, before));
}

fn no_refused_call_has_another_name() {
    let mut trial = python(&format!(
        "{ATTEMPT}\
         attempt('user namespace', lambda: call({clone}, 0x10000000 | 17, 0, 0, 0, 0) or os._exit(0))\n\
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
            libc::SYS_open_tree,
            libc::SYS_fsopen,
            libc::SYS_mount_setattr,
            libc::SYS_quotactl_fd,
            libc::SYS_bpf,
            libc::SYS_perf_event_open,
            libc::SYS_ptrace,
            libc::SYS_fanotify_init,
            // What is in the cache of files.
            451,
            libc::SYS_mincore,
            libc::SYS_fadvise64,
            libc::SYS_readahead,
            libc::SYS_preadv2,
        ],
    ));
    all_met(&printed(&trial), libc::EPERM);
    let clone3 = libc::SYS_clone3;
    trial.program.command[2] = format!("{ATTEMPT}attempt('clone3', lambda: call({clone3}, 0, 0))\n");
    all_met(&printed(&trial), libc::ENOSYS);
    if cfg!(target_arch = "x86_64") {
        let again = [libc::SYS_unshare, libc::SYS_fchmod].map(|number| number | 0x4000_0000);
        trial.program.command[2] =
            format!("{ATTEMPT}for number in {again:?}: attempt(number, lambda: call(number, 0, 0, 0))\n");
        all_met(&printed(&trial), libc::EPERM);
    }
}

fn threads_and_processes_start() {
    let trial = python(
        "import subprocess, threading, os\n\
         thread = threading.Thread(target=lambda: print('thread', flush=True)); thread.start(); thread.join()\n\
         print(subprocess.run(['echo', 'process'], capture_output=True, text=True).stdout.strip(), flush=True)\n\
         if os.fork() == 0: print('fork', flush=True); os._exit(0)\n\
         os.wait()\n",
    );
    assert_eq!(printed(&trial), ["thread", "process", "fork"]);
}

fn no_datagram_leaves() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("listens");
    let listener = UnixDatagram::bind(&path).unwrap();
    listener.set_nonblocking(true).unwrap();
    let trial = python(&format!(
        "{ATTEMPT}import socket\n\
         def send(kind):\n    a, b = socket.socketpair(socket.AF_UNIX, kind)\n    a.sendto(b'x', '{0}')\n    a.connect('{0}')\n    a.send(b'x')\n\
         attempt('datagrams', lambda: send(socket.SOCK_DGRAM))\n\
         attempt('stream', lambda: send(socket.SOCK_STREAM))\n\
         a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET); a.sendto(b'x', '{0}'); print('own', b.recv(1), flush=True)\n",
        path.display()
    ));
    // EISCONN: it stays connected with its other end.
    assert_eq!(printed(&trial), ["datagrams 1", "stream 106", "own b'x'"]);
    assert!(listener.recv(&mut [0; 8]).is_err());
}

/// Another caller, which prints what a program of it can read below its home folder.
pub fn read_at_home(home: &OsStr) -> ExitCode {
    let home = Path::new(home).display();
    let trial = python(&format!(
        "{ATTEMPT}\
         for name in ('.ssh/id', '.config/gh/token', '.config/other', 'notes'): attempt(name, lambda: open('{home}/' + name).read())\n\
         attempt('list', lambda: os.listdir('{home}'))\n"
    ));
    printed(&trial).iter().for_each(|line| println!("{line}"));
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
    let trial = python(&format!(
        "{ATTEMPT}for path in {there:?}: attempt(path, lambda: open(path).read())\nattempt('passwd', lambda: open('/etc/passwd').read())\n"
    ));
    let lines = printed(&trial);
    all_met(&lines[..there.len()], libc::EACCES);
    assert_eq!(lines.last().unwrap(), "passwd done");
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
    let trial = python(&format!(
        "{ATTEMPT}for path in {names:?}: attempt(path, lambda: os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY))\n"
    ));
    let mut opened: Vec<String> = printed(&trial);
    assert_eq!(opened.len(), devices.len());
    opened.retain(|line| !line.ends_with(" 13"));
    opened.sort();
    let harmless = ["full", "null", "random", "urandom", "zero"].map(|name| format!("/dev/{name} done"));
    assert_eq!(opened, harmless);
}

fn nothing_is_left() {
    let outside = tempfile::tempdir().unwrap();
    let file = outside.path().join("adapter.py");
    fs::write(&file, "").unwrap();
    let home = std::env::var("HOME").unwrap_or_default();
    let mark = outside.path().file_name().unwrap().to_str().unwrap();
    let key: u32 = std::process::id() | 0x4000_0000;
    // Each door is a way to leave something and a way to find it.
    let doors = format!(
        "{ATTEMPT}import socket, sys, time\n\
         libc.shmat.restype = ctypes.c_void_p\n\
         def wrote(path): open(path, 'w').write('x')\n\
         def checked(result):\n    if result < 0: raise OSError(ctypes.get_errno(), '')\n    return result\n\
         folders = ['/tmp', '/var/tmp', '/dev/shm', '/dev/mqueue', '/run', '/run/lock', '{home}', '{outside}', os.path.dirname(os.getcwd())]\n\
         doors = {{folder: (lambda path=folder + '/{mark}.left': wrote(path), lambda path=folder + '/{mark}.left': open(path)) for folder in folders}}\n\
         doors['cache'] = (lambda: os.makedirs('{outside}/__pycache__'), lambda: os.listdir('{outside}/__pycache__'))\n\
         doors['file'] = (lambda: open('{file}', 'a').write('x'), lambda: 1 / os.path.getsize('{file}'))\n\
         doors['time'] = (lambda: os.utime('{file}', (7, 7)), lambda: 1 / (os.stat('{file}').st_mtime == 7))\n\
         doors['mode'] = (lambda: os.chmod('{file}', 0o700), lambda: 1 / (os.stat('{file}').st_mode & 0o777 == 0o700))\n\
         doors['attribute'] = (lambda: os.setxattr('{file}', 'user.left', b'x'), lambda: os.getxattr('{file}', 'user.left'))\n\
         doors['memory'] = (lambda: checked(libc.shmget({key}, 4096, 0o1600)), lambda: checked(libc.shmget({key}, 4096, 0)))\n\
         doors['semaphore'] = (lambda: checked(libc.semget({key}, 1, 0o1600)), lambda: checked(libc.semget({key}, 1, 0)))\n\
         doors['messages'] = (lambda: checked(libc.msgget({key}, 0o1600)), lambda: checked(libc.msgget({key}, 0)))\n\
         doors['queue'] = (lambda: checked(libc.mq_open(b'/{mark}', os.O_CREAT | os.O_RDWR, 0o600, None)), lambda: checked(libc.mq_open(b'/{mark}', os.O_RDWR)))\n\
         at = ctypes.addressof\n\
         kind, label = ctypes.create_string_buffer(b'user'), ctypes.create_string_buffer(b'{mark}')\n\
         doors['key'] = (lambda: call({add_key}, at(kind), at(label), at(label), 4, -4), lambda: call({request_key}, at(kind), at(label), 0, 0))\n\
         def daemon():\n    s = socket.socket(socket.AF_UNIX); s.bind(b'\\0{mark}'); s.listen()\n    if os.fork() == 0:\n        os.setsid(); time.sleep(60)\n\
         doors['daemon'] = (daemon, lambda: socket.socket(socket.AF_UNIX).connect(b'\\0{mark}'))\n\
         turn = int(sys.argv[1])\n\
         for name, door in doors.items():\n\
         \x20   try: door[turn](); print(name, flush=True)\n\
         \x20   except (OSError, ZeroDivisionError): pass\n\
         print('end', flush=True)\n",
        outside = outside.path().display(),
        file = file.display(),
        add_key = libc::SYS_add_key,
        request_key = libc::SYS_request_key,
    );
    for gpu in [false, true] {
        let ran = |turn: &str| {
            let mut trial = python(&doors);
            trial.program.command.push(turn.into());
            trial.limits.gpu = gpu;
            printed(&trial)
        };
        ran("0");
        assert_eq!(ran("1"), ["end"], "gpu: {gpu}");
    }
}
