//! The host's C++ compiler, which runs under limits: what a kernel file includes or instantiates may have no end.

use crate::EmulatorError;
use repro_base::files::{scratch_file, variable};
use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process_group, setrlimit};
use std::fs::File;
use std::io;
use std::io::{Read, Seek};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The environment variable that names the C++ compiler. It wins over `CXX` and the compilers in the path.
pub const COMPILER_VARIABLE: &str = "REPRO_CXX";

/// A C++ compiler that was found and answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Toolchain {
    pub(crate) program: PathBuf,
    /// The first line of its description of itself.
    pub(crate) version: String,
    pub(crate) clang: bool,
}

impl Toolchain {
    /// Finds a compiler: [`COMPILER_VARIABLE`], CXX, then c++, g++ and clang++ in the path.
    ///
    /// # Errors
    /// When there is none; the message says how to get one.
    pub fn find() -> Result<Self, EmulatorError> {
        // Looked for once: later, a sandbox may forbid this process to execute anything.
        static FOUND: OnceLock<Toolchain> = OnceLock::new();
        FOUND.get().cloned().map_or_else(|| Self::look().map(|it| FOUND.get_or_init(|| it).clone()), Ok)
    }

    fn look() -> Result<Self, EmulatorError> {
        if let Some(named) = variable(COMPILER_VARIABLE) {
            return Self::ask(Path::new(&named)).ok_or_else(|| {
                EmulatorError::unavailable(format!(
                    "{COMPILER_VARIABLE} names {}, which is no C++ compiler that answers --version: correct it or unset it",
                    Path::new(&named).display()
                ))
            });
        }
        let of_build = variable("CXX").map(PathBuf::from);
        let usual = ["c++", "g++", "clang++"].map(PathBuf::from);
        of_build.into_iter().chain(usual).find_map(|program| Self::ask(&program)).ok_or_else(|| {
            EmulatorError::unavailable(format!(
                "the emulated device needs a C++ compiler and found none: install g++ or clang++, or set {COMPILER_VARIABLE} to one"
            ))
        })
    }

    fn ask(program: &Path) -> Option<Self> {
        let output = Command::new(program).arg("--version").output().ok().filter(|it| it.status.success())?;
        let printed = String::from_utf8_lossy(&output.stdout);
        let version = printed.lines().next()?.trim().to_string();
        Some(Self { program: program.to_path_buf(), clang: version.contains("clang"), version })
    }

    /// For example "g++ (Debian 12.2.0-14) 12.2.0".
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The compiler as it is called: a name in the path, or a path.
    pub fn program(&self) -> &Path {
        &self.program
    }
}

/// The limits of a compiler's run.
#[derive(Clone, Copy)]
struct CompilerLimits {
    /// Processor time of each of its processes, in seconds. On a busy machine it lasts longer.
    processor_seconds: u64,
    /// By the clock on the wall, for what waits and does not compute: a pipe that nobody writes to.
    wall: Duration,
    /// Virtual memory of each of its processes.
    memory_bytes: u64,
    /// Bytes of each file that it writes, and of what it prints.
    file_bytes: u64,
}

/// Far more than the kernels of this repository need.
const LIMITS: CompilerLimits = CompilerLimits {
    processor_seconds: 60,
    wall: Duration::from_secs(180),
    memory_bytes: 4 << 30,
    file_bytes: 256 << 20,
};

/// How a compiler ended.
pub struct CompilerOutput {
    pub status: ExitStatus,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// The limit that ended it.
    pub exceeded: Option<ExceededLimit>,
}

/// A limit, in words for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExceededLimit {
    Time,
    Memory,
    Output,
}

impl std::fmt::Display for ExceededLimit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Time => write!(
                f,
                "{} s of processor time, or {} s in all",
                LIMITS.processor_seconds,
                LIMITS.wall.as_secs()
            ),
            Self::Memory => write!(f, "{} GiB of memory", LIMITS.memory_bytes >> 30),
            Self::Output => write!(f, "{} MiB of output", LIMITS.file_bytes >> 20),
        }
    }
}

/// Runs a command to its end, or ends its whole process group when its time is over. Its output goes through files in `folder`,
/// where it is limited as every file is.
///
/// # Errors
/// When it cannot be started, or the files cannot be written.
pub fn run(command: &mut Command, folder: &Path) -> io::Result<CompilerOutput> {
    run_within(command, folder, LIMITS)
}

fn run_within(command: &mut Command, folder: &Path, limits: CompilerLimits) -> io::Result<CompilerOutput> {
    let (mut stdout, mut stderr) = (scratch_file(folder)?, scratch_file(folder)?);
    command
        .stdin(Stdio::null())
        .stdout(stdout.try_clone()?)
        .stderr(stderr.try_clone()?)
        .current_dir(folder)
        .process_group(0);
    // SAFETY: between fork and exec it calls getrlimit and setrlimit alone, which are system calls and allocate nothing.
    unsafe {
        command.pre_exec(move || {
            lower(Resource::Cpu, limits.processor_seconds)?;
            lower(Resource::As, limits.memory_bytes)?;
            lower(Resource::Fsize, limits.file_bytes)?;
            lower(Resource::Core, 0)
        });
    }
    let mut child = command.spawn()?;
    let began = Instant::now();
    let mut pause = Duration::from_millis(1);
    let (status, is_late) = loop {
        if let Some(status) = child.try_wait()? {
            break (status, false);
        }
        if began.elapsed() > limits.wall {
            // No other process can have its number yet: nobody has waited for it.
            let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
            break (child.wait()?, true);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(10));
    };
    let read = |file: &mut File| {
        let mut bytes = Vec::new();
        file.rewind()?;
        file.take(limits.file_bytes).read_to_end(&mut bytes).map(|_| bytes)
    };
    let (stdout, stderr) = (read(&mut stdout)?, read(&mut stderr)?);
    let exceeded = if is_late { Some(ExceededLimit::Time) } else { exceeded(status, &stderr) };
    Ok(CompilerOutput { status, stdout, stderr, exceeded })
}

/// Which limit a compiler ran into. A compiler's driver says only in words what ended its processes.
fn exceeded(status: ExitStatus, stderr: &[u8]) -> Option<ExceededLimit> {
    if status.success() {
        return None;
    }
    match status.signal() {
        Some(libc::SIGXCPU) => return Some(ExceededLimit::Time),
        Some(libc::SIGXFSZ) => return Some(ExceededLimit::Output),
        _ => {}
    }
    let printed = String::from_utf8_lossy(stderr).to_lowercase();
    let holds = |words: &[&str]| words.iter().any(|words| printed.contains(words));
    if holds(&["cpu time limit exceeded"]) {
        Some(ExceededLimit::Time)
    } else if holds(&["file size limit exceeded", "file too large"]) {
        Some(ExceededLimit::Output)
    } else if holds(&["out of memory", "virtual memory exhausted", "bad_alloc", "cannot allocate memory"]) {
        Some(ExceededLimit::Memory)
    } else {
        None
    }
}

fn lower(resource: Resource, limit: u64) -> io::Result<()> {
    let most = getrlimit(resource).maximum.unwrap_or(u64::MAX);
    // Where the soft and the hard limit are equal, the system sends SIGKILL to a process that has had its time, which does not say why.
    let (current, maximum) = (Some(most.min(limit)), Some(most.min(limit + 1)));
    Ok(setrlimit(resource, Rlimit { current, maximum })?)
}

/// The place of an include of a missing header, and the header, from a compiler's message.
pub(crate) fn missing_header(line: &str) -> Option<(String, String)> {
    let (place, words) = line.split_once(": fatal error: ")?;
    let header = words
        .strip_suffix(": No such file or directory")
        .or_else(|| words.strip_suffix("' file not found").map(|header| header.trim_start_matches('\'')))?;
    let mut parts = place.split(':');
    let (file, number) = (parts.next()?, parts.next()?);
    Some((format!("{file}:{number}"), header.to_string()))
}

/// The name that is defined nowhere, from a linker's message.
pub(crate) fn undefined_name(line: &str) -> Option<&str> {
    let after =
        ["undefined reference to ", "undefined symbol: "].iter().find_map(|words| line.split_once(words))?.1;
    Some(after.trim().trim_matches(['`', '\'', '"']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(script: &str) -> (CompilerOutput, Duration) {
        let folder = tempfile::tempdir().unwrap();
        let began = Instant::now();
        let mut shell = Command::new("sh");
        let wall = Duration::from_secs(1);
        let limits = CompilerLimits { processor_seconds: 1, wall, file_bytes: 1 << 20, ..LIMITS };
        let ended = run_within(shell.args(["-c", script]), folder.path(), limits).unwrap();
        (ended, began.elapsed())
    }

    #[test]
    fn what_computes_or_waits_without_end_is_ended_with_its_children() {
        let (computing, _) = ended("while :; do :; done");
        assert_eq!(computing.exceeded, Some(ExceededLimit::Time));
        let (waiting, took) = ended("sleep 300 & echo $!; wait");
        assert_eq!(waiting.exceeded, Some(ExceededLimit::Time));
        assert!(took < Duration::from_secs(60), "{took:?}");
        let child = String::from_utf8(waiting.stdout).unwrap();
        let state = || std::fs::read_to_string(format!("/proc/{}/stat", child.trim())).unwrap_or_default();
        // It ends when the system comes to it, and nobody may have waited for it yet.
        let has_ended = || state().is_empty() || state().contains(") Z ");
        let asked = Instant::now();
        while !has_ended() && asked.elapsed() < Duration::from_secs(30) {
            std::thread::sleep(Duration::from_millis(10));
        }
        assert!(has_ended(), "{}", state());
    }

    #[test]
    fn what_prints_without_end_is_ended() {
        let (flooding, _) = ended("exec cat /dev/zero");
        assert_eq!(flooding.exceeded, Some(ExceededLimit::Output));
        assert_eq!(flooding.stdout.len(), 1 << 20);
    }

    #[test]
    fn a_header_that_is_missing_is_read_from_what_compilers_say() {
        let gnu = "k.cu:3:10: fatal error: cstdint: No such file or directory";
        assert_eq!(missing_header(gnu), Some(("k.cu:3".to_string(), "cstdint".to_string())));
        let clang = "k.cu:3:10: fatal error: 'cstdint' file not found";
        assert_eq!(missing_header(clang), Some(("k.cu:3".to_string(), "cstdint".to_string())));
        assert_eq!(missing_header("k.cu:3:10: error: expected ;"), None);
    }

    #[test]
    fn the_name_that_is_missing_is_read_from_what_linkers_say() {
        let gnu = "kernel.cpp:3:(.text+0x8): undefined reference to `__tsan_atomic_thread_fence'";
        assert_eq!(undefined_name(gnu), Some("__tsan_atomic_thread_fence"));
        assert_eq!(undefined_name("ld.lld: error: undefined symbol: missing(int)"), Some("missing(int)"));
        assert_eq!(undefined_name("collect2: error: ld returned 1 exit status"), None);
    }
}
