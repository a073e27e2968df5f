//! Programs that break every limit: each ends in time with its reason, and nothing of it is left. And foreign programs as implementations.

mod kept;
mod killed;
#[path = "../programs/mod.rs"]
mod programs;
mod trialled;

use libtest_mimic::{Arguments, Failed, Trial};
use repro_user::confine::{
    ExitCause, Network, Protections, SandboxCommand, SandboxLimits, SandboxedProcess, run_if_sandbox_child,
};
use std::io::Write;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};
use std::{fs, thread};
use trialled::{Trialled, attempting, program, python, shell};

/// The argument that makes this binary a caller that is killed.
const CALLER: &str = "be-a-caller";

/// The variable that has this binary hold a program without having served first.
const FORGETFUL: &str = "FORGETS_TO_SERVE";

fn main() -> ExitCode {
    if std::env::var_os(FORGETFUL).is_some() {
        let Err(ended) = SandboxedProcess::spawn(&shell("true").program, &SandboxLimits::default()) else {
            panic!("started")
        };
        println!("{ended}");
        return ExitCode::SUCCESS;
    }
    if let Some(code) = run_if_sandbox_child(|| ExitCode::FAILURE) {
        return code;
    }
    if std::env::args().nth(1).is_some_and(|argument| argument == CALLER) {
        return call(Path::new(&std::env::args().nth(2).unwrap_or_default()));
    }
    if std::env::args().nth(1).is_some_and(|argument| argument == kept::READER) {
        return kept::read_at_home(&std::env::args_os().nth(2).unwrap_or_default());
    }
    let tests: [Test; 15] = [
        ("one_whose_main_forgets_to_serve_is_told_so", one_whose_main_forgets_to_serve, None),
        ("the_code_and_the_end_of_standard_error_are_kept", code_and_standard_error_are_kept, None),
        ("one_that_does_not_exist_is_not_started", one_that_does_not_exist_is_not_started, None),
        ("one_that_hangs_gives_no_answer", one_that_hangs_gives_no_answer, None),
        ("one_that_ignores_termination_ends_at_its_limit_of_time", one_that_ignores_termination, None),
        ("what_breaks_a_limit_ends_in_time_and_says_which", what_breaks_a_limit_ends, None),
        ("a_daemon_does_not_outlive_its_program", a_daemon_does_not_outlive_its_program, None),
        ("nothing_outlives_its_caller", nothing_outlives_its_caller, None),
        ("nothing_outlives_its_supervisor", nothing_outlives_its_supervisor, Some(Needs::Seccomp)),
        ("nothing_outside_of_its_folder_is_written", nothing_outside_is_written, Some(Needs::Landlock(3))),
        ("no_connection_is_made", no_connection_is_made, Some(Needs::Seccomp)),
        ("the_memory_of_its_caller_is_out_of_reach", memory_is_out_of_reach, Some(Needs::Landlock(6))),
        ("one_that_closes_its_output_and_goes_on_is_stopped", one_that_closes_its_output, None),
        ("one_that_needs_a_gpu_can_use_it", one_that_needs_a_gpu_can_use_it, Some(Needs::Gpu)),
        ("it_inherits_no_file_and_no_variable", it_inherits_no_file_and_no_variable, None),
    ];
    let found = repro_user::confine::protections().unwrap();
    let trials = tests.into_iter().chain(kept::TESTS).chain(killed::TESTS).map(|(name, test, needs)| {
        // Reported as ignored, so that nobody takes it for one that holds.
        let is_left_out = needs.is_some_and(|needs| !needs.are_met(&found));
        let trial = Trial::test(name, move || {
            test();
            Ok::<(), Failed>(())
        });
        trial.with_ignored_flag(is_left_out)
    });
    let trials = trials.chain(programs::trials()).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// A test, and what the system must have for it.
type Test = (&'static str, fn(), Option<Needs>);

#[derive(Clone, Copy)]
enum Needs {
    /// With an interface of this version.
    Landlock(u32),
    Seccomp,
    /// Whoever runs the tests is root, on a system with landlock.
    Root,
    Gpu,
}

impl Needs {
    fn are_met(self, found: &Protections) -> bool {
        match self {
            Self::Landlock(version) => found.landlock >= version,
            Self::Seccomp => found.system_calls,
            Self::Root => found.files && rustix::process::geteuid().is_root(),
            Self::Gpu => Path::new("/dev/nvidia0").exists(),
        }
    }
}

/// What breaks a limit, the limits that it is given, and what is said of its end.
type Broken = (Trialled, fn(&mut SandboxLimits), &'static str);

fn what_breaks_a_limit_ends() {
    let cases: [Broken; 13] = [
        (shell("yes"), |_| {}, "sh printed more on standard output than its limit of 1.0 MiB"),
        (shell("yes >&2"), |_| {}, "sh printed more on standard error than its limit of 1.0 MiB"),
        (shell("tr '\\0' x </dev/zero"), |_| {}, "sh printed a line longer than its limit of 64.0 KiB"),
        (shell("printf '\\377\\n'; sleep 60"), |_| {}, "sh printed a line that is not UTF-8"),
        (
            shell("kill -9 $$"),
            |_| {},
            "sh was ended by signal: 9 (SIGKILL), as by the system when memory is short",
        ),
        // At most 300 processes, each the child of the one before, in a session of its own and deaf to signals.
        (
            python(
                "import os, signal, time\n\
                 signal.signal(15, signal.SIG_IGN)\n\
                 for i in range(300):\n    if os.fork(): time.sleep(60); os._exit(0)\n    os.setsid()\n\
                 time.sleep(60)",
            ),
            |limits| limits.processes = 30,
            "processes at a time, more than its limit of 30",
        ),
        (
            python(
                "import threading, time\nfor i in range(300): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\ntime.sleep(60)",
            ),
            |limits| limits.threads = 30,
            "threads at a time, more than its limit of 30",
        ),
        (
            shell("i=0; while :; do i=$((i+1)); head -c 1000000 /dev/zero > f$((i % 100)); done"),
            |limits| limits.folder_bytes = 8 << 20,
            "MiB in its folder, more than its limit of 8.0 MiB",
        ),
        // Of files without a name.
        (
            python(
                "import os, time\nfiles = []\nfor i in range(20):\n    f = open('f', 'wb'); os.unlink('f'); f.write(bytes(1 << 20)); f.flush(); files.append(f)\ntime.sleep(60)",
            ),
            |limits| limits.folder_bytes = 8 << 20,
            "MiB in its folder, more than its limit of 8.0 MiB",
        ),
        (
            python("import time\nfor i in range(500): open(str(i), 'w').close()\ntime.sleep(60)"),
            |limits| limits.folder_files = 100,
            "python3 had 101 files in its folder, more than its limit of 100",
        ),
        // A sparse file takes no room but has a length.
        (
            program(["truncate", "-s", "1G", "f"]),
            |limits| limits.folder_bytes = 1 << 20,
            "truncate wrote a file longer than the limit of its folder, 1.0 MiB",
        ),
        (
            python(
                "import time\nx = []\nfor i in range(40): x.append(bytearray(b'x' * (4 << 20))); time.sleep(0.01)\ntime.sleep(60)",
            ),
            |limits| limits.memory_bytes = 48 << 20,
            "MiB of memory, more than its limit of 48.0 MiB",
        ),
        // What processes share counts once.
        (
            python(
                "import os, time\nx = b'x' * (32 << 20)\nfor i in range(4):\n    if os.fork() == 0: time.sleep(0.3); os._exit(0)\nfor i in range(4): os.wait()",
            ),
            |limits| limits.memory_bytes = 100 << 20,
            "python3 ended with code 0",
        ),
    ];
    for (mut trial, limit, expected) in cases {
        limit(&mut trial.limits);
        let ended = trial.end();
        assert!(ended.to_string().contains(expected), "{ended}");
        assert!(ended.stderr.len() <= trial.limits.stderr_kept_bytes, "{ended}");
    }
}

fn code_and_standard_error_are_kept() {
    let mut trial = shell("echo first >&2; sleep 0.2; echo the last line >&2; exit 3");
    trial.limits.stderr_kept_bytes = 14;
    let ended = trial.end();
    assert_eq!((&ended.cause, ended.stderr.as_str()), (&ExitCause::Exited(3), "the last line\n"));
    assert_eq!(
        ended.to_string(),
        "sh ended with code 3; its last line on standard error is: \"the last line\""
    );
}

fn one_that_does_not_exist_is_not_started() {
    // The system says so once the program is executed, after it is reported as started.
    let ended = program(["no-such-program", "x"]).end();
    let ExitCause::NotStarted(reason) = &ended.cause else { panic!("{ended}") };
    assert!(reason.starts_with("no-such-program: "), "{reason}");
    let mut trial = shell("true");
    trial.program.folder = "/no/such/folder".into();
    let Err(ended) = SandboxedProcess::spawn(&trial.program, &trial.limits) else { panic!("started") };
    assert!(ended.to_string().starts_with("sh could not be started: /no/such/folder: "), "{ended}");
}

/// It would start itself again and again.
fn one_whose_main_forgets_to_serve() {
    let mut again = Command::new(std::env::current_exe().unwrap());
    let output = again.arg("sandbox-child").env(FORGETFUL, "1").output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(printed.contains("call repro_user::confine::run_if_sandbox_child first in main"), "{printed}");
}

fn one_that_hangs_gives_no_answer() {
    let trial = shell("sleep 600");
    let limit = Duration::from_millis(100);
    // The second is more than the pipe holds.
    for line in ["{}".to_string(), "x".repeat(1 << 20)] {
        let mut running = trial.start();
        let ended = running.exchange(&line, limit).unwrap_err();
        assert_eq!(ended.to_string(), "sh gave no answer within 0.1 s");
        trial.assert_nothing_is_left();
        // It stays what it is.
        assert_eq!(running.exchange("{}", limit).unwrap_err(), ended);
    }
}

fn one_that_ignores_termination() {
    let mut trial = python(
        "import signal, time\nfor s in set(signal.Signals) - {9, 19}: signal.signal(s, signal.SIG_IGN)\nwhile True: time.sleep(1)",
    );
    trial.limits.wall = Duration::from_millis(400);
    let begin = Instant::now();
    let ended = trial.end();
    assert_eq!(ended.to_string(), "python3 ran longer than its limit of 0.4 s");
    assert!(begin.elapsed() < Duration::from_secs(3), "{:?}", begin.elapsed());
}

/// The name of the process that stays, by PR_SET_NAME, is no text.
const DAEMON: &str = "import ctypes, os, time\n\
    if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        os.setsid()\n        ctypes.CDLL(None).prctl(15, b'\\xff')\n        open('ready', 'w').close()\n        time.sleep(60)\n    os._exit(0)\n\
    os.wait()\n\
    while not os.path.exists('ready'): time.sleep(0.01)\n";

/// Waits until the program and the daemon are left, once the process between them has ended.
fn wait_for_daemon(trial: &Trialled) {
    while !trial.folder.path().join("ready").exists() {
        thread::sleep(Duration::from_millis(5));
    }
    trial.wait_for(2);
}

fn a_daemon_does_not_outlive_its_program() {
    // The daemon keeps standard output open, which its program has not.
    assert_eq!(python(DAEMON).end().cause, ExitCause::Exited(0));
    let trial = python(&format!("{DAEMON}time.sleep(60)"));
    let running = trial.start();
    wait_for_daemon(&trial);
    drop(running);
    trial.assert_nothing_is_left();
}

fn nothing_outlives_its_caller() {
    let trial = python(&format!("{DAEMON}time.sleep(60)"));
    let mut caller = Command::new("/proc/self/exe").arg(CALLER).arg(trial.folder.path()).spawn().unwrap();
    wait_for_daemon(&trial);
    caller.kill().unwrap();
    caller.wait().unwrap();
    trial.wait_for(0);
}

/// The one process that the caller started; the system could take it when memory is short.
fn nothing_outlives_its_supervisor() {
    let trial = python(&format!("{DAEMON}print(os.getppid(), flush=True)\ntime.sleep(60)"));
    let mut running = trial.start();
    wait_for_daemon(&trial);
    let supervisor = running.exchange("", Duration::from_secs(10)).unwrap();
    // A child of this process, and so of the same subreaper, that is no part of the program.
    let mut other = Command::new("sleep").arg("60").spawn().unwrap();
    assert!(Command::new("kill").args(["-9", &supervisor]).status().unwrap().success());
    let ended = running.exchange("", Duration::from_secs(10)).unwrap_err();
    assert!(matches!(ended.cause, ExitCause::Lost(_)) && ended.left.is_empty(), "{ended}");
    trial.assert_nothing_is_left();
    assert!(other.try_wait().unwrap().is_none());
    other.kill().unwrap();
    other.wait().unwrap();
}

/// Another caller, which never ends by itself.
fn call(folder: &Path) -> ExitCode {
    let program = SandboxCommand {
        words: ["python3", "-c", &format!("{DAEMON}time.sleep(60)")].map(str::to_string).into(),
        folder: folder.into(),
        environment: vec![("MARK".to_string(), folder.display().to_string())],
    };
    let _running = SandboxedProcess::spawn(&program, &SandboxLimits::default()).unwrap().resume();
    thread::sleep(Duration::from_secs(60));
    ExitCode::SUCCESS
}

fn nothing_outside_is_written() {
    let outside = tempfile::tempdir().unwrap();
    let present = outside.path().join("present");
    fs::write(&present, "as it was").unwrap();
    let (path, file) = (outside.path().display(), present.display());
    let ended = shell(&format!(
        "echo x > own && cat {file} > /dev/null || exit 9\n\
         echo x > {path}/new; echo x >> {file}; true > {file}; rm {file}; ln {file} own2; echo x > /dev/shm/{0}; mkdir {path}/d; true",
        outside.path().file_name().unwrap().display()
    ))
    .end();
    assert_eq!(ended.cause, ExitCause::Exited(0), "{ended}");
    assert_eq!(fs::read_to_string(&present).unwrap(), "as it was");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
    assert!(!Path::new("/dev/shm").join(outside.path().file_name().unwrap()).exists());
}

fn no_connection_is_made() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut trial = python(&format!(
        "import socket\nfor family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, socket.AF_NETLINK):\n\
         \x20   for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):\n\
         \x20       try: socket.socket(family, kind).connect(('127.0.0.1', {port})); print('connected', family)\n\
         \x20       except PermissionError: print('refused')\n\
         a, b = socket.socketpair(); a.send(b'x'); print(b.recv(1))\n"
    ));
    let refused = |times| [vec!["refused"; times], vec!["b'x'"]].concat();
    assert_eq!(trial.printed(), refused(8));
    // The driver of a GPU needs sockets within the host, which lead to no other.
    trial.limits.gpu = true;
    trial.program.words[2] = trial.program.words[2].replace("socket.AF_UNIX, ", "");
    assert_eq!(trial.printed(), refused(6));
    assert!(listener.accept().is_err());
}

/// A number that no other memory has.
static SECRET: [u8; 16] = *b"the-real-result!";

fn memory_is_out_of_reach() {
    let own = std::process::id();
    let trial = attempting(&format!(
        "import signal\n\
         supervisor = os.getppid()\n\
         for pid in ({own}, supervisor):\n\
         \x20   attempt('mem', lambda: os.pread(os.open(f'/proc/{{pid}}/mem', os.O_RDONLY), 16, {address}))\n\
         \x20   attempt('environ', lambda: open(f'/proc/{{pid}}/environ').read())\n\
         \x20   attempt('fd', lambda: os.readlink(f'/proc/{{pid}}/fd/0'))\n\
         \x20   attempt('kill', lambda: os.kill(pid, signal.SIGCONT))\n\
         \x20   attempt('group', lambda: os.killpg(os.getpgid(pid), signal.SIGCONT))\n",
        address = SECRET.as_ptr() as usize
    ));
    assert_eq!(trial.printed(), ["mem 13", "environ 13", "fd 13", "kill 1", "group 1"].repeat(2));
}

fn one_that_closes_its_output() {
    let trial = shell("exec >&-; sleep 600");
    let ended = trial.start().exchange("x", Duration::from_secs(10)).unwrap_err();
    assert!(ended.to_string().contains("closed its standard output before it had answered"), "{ended}");
    trial.assert_nothing_is_left();
    // One that ends meanwhile has a code.
    let ended = shell("exit 4").start().exchange("x", Duration::from_secs(10)).unwrap_err();
    assert_eq!(ended.cause, ExitCause::Exited(4));
}

fn one_that_needs_a_gpu_can_use_it() {
    // Allocates, copies there and back, page-locked memory included, and compiles nothing.
    let mut trial = python(
        "import ctypes\ncuda = ctypes.CDLL('libcuda.so.1')\n\
         def call(name, *arguments):\n    code = getattr(cuda, name)(*arguments)\n    assert code == 0, (name, code)\n\
         call('cuInit', 0)\ncontext = ctypes.c_void_p(); call('cuDevicePrimaryCtxRetain', ctypes.byref(context), 0); call('cuCtxSetCurrent', context)\n\
         there = ctypes.c_uint64(); call('cuMemAlloc_v2', ctypes.byref(there), ctypes.c_size_t(1 << 20))\n\
         locked = ctypes.c_void_p(); call('cuMemAllocHost_v2', ctypes.byref(locked), ctypes.c_size_t(1 << 20))\n\
         ctypes.memset(locked, 7, 1 << 20)\n\
         call('cuMemcpyHtoD_v2', there, locked, ctypes.c_size_t(1 << 20))\n\
         ctypes.memset(locked, 0, 1 << 20)\n\
         call('cuMemcpyDtoH_v2', locked, there, ctypes.c_size_t(1 << 20))\n\
         print(ctypes.string_at(locked, 1 << 20) == bytes([7]) * (1 << 20), flush=True)\n",
    );
    trial.limits = SandboxLimits { gpu: true, memory_bytes: 16 << 30, ..SandboxLimits::default() };
    let mut running = trial.start();
    assert!(running.protections.files && running.protections.network == Network::Denied);
    assert_eq!(running.exchange("", Duration::from_secs(60)).unwrap(), "True");
    assert_eq!(running.finish(Duration::from_secs(20)).cause, ExitCause::Exited(0));
    trial.assert_nothing_is_left();
}

fn it_inherits_no_file_and_no_variable() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(b"secret").unwrap();
    rustix::io::fcntl_setfd(&file, rustix::io::FdFlags::empty()).unwrap();
    let names = "env | cut -d= -f1 | grep -v -x -E 'LANG|LC_ALL|LD_LIBRARY_PATH|_' | sort";
    let trial = shell(&format!("ls -l /proc/$$/fd | grep -c {}; echo $({names})", file.path().display()));
    assert_eq!(trial.printed(), ["0", "HOME MARK PATH PWD TMPDIR"]);
}
