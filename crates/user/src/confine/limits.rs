//! A program to start, its limits, and what this system keeps it from.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;

/// A program to start, or the job of this binary.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxCommand {
    /// The program, looked for in `PATH` where it has no slash, and its arguments. Without words the job of this binary is done, as
    /// [`run_if_sandbox_child`](crate::confine::run_if_sandbox_child) was given it.
    pub words: Vec<String>,
    /// Where it runs, and the only place where it may write. It exists, and nothing else uses it. `HOME` and `TMPDIR` are here too.
    pub folder: PathBuf,
    /// Variables in addition to those that every program gets: `PATH`, `LANG`, `LD_LIBRARY_PATH`, and those of CUDA where it needs a GPU.
    pub environment: Vec<(String, String)>,
}

/// The limits of a program. Sizes are in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxLimits {
    /// From its start to its end.
    pub wall: Duration,
    /// Resident memory of all its processes together. What several of them share counts once.
    pub memory_bytes: u64,
    /// Processes at one time, the first of them included.
    pub processes: u32,
    /// Threads of all its processes at one time.
    pub threads: u32,
    /// All that it prints on standard output.
    pub stdout_bytes: u64,
    /// All that it prints on standard error.
    pub stderr_bytes: u64,
    /// How much of the end of standard error is kept.
    pub stderr_kept_bytes: usize,
    /// One line on standard output.
    pub line_bytes: usize,
    /// What the files in its folder take on disk, with those that it has deleted and not closed.
    pub folder_bytes: u64,
    /// Files in its folder at any time, folders included.
    pub folder_files: u32,
    /// Whether it needs a GPU: it can then use `/dev/nvidia*` and a socket that is connected with nothing, and its virtual memory has no limit.
    pub gpu: bool,
}

impl Default for SandboxLimits {
    /// A minute, 4 GiB of memory, 64 processes, 1024 threads, 1 MiB on each output, 4 GiB in 1000 files.
    fn default() -> Self {
        Self {
            wall: Duration::from_secs(60),
            memory_bytes: 4 << 30,
            processes: 64,
            threads: 1024,
            stdout_bytes: 1 << 20,
            stderr_bytes: 1 << 20,
            stderr_kept_bytes: 8 << 10,
            line_bytes: 64 << 10,
            folder_bytes: 4 << 30,
            folder_files: 1000,
            gpu: false,
        }
    }
}

/// What the process that becomes the program and its supervisor are told, as their only argument: a list of these in JSON.
#[derive(Debug, Deserialize)]
pub(crate) struct SpawnRequest {
    pub command: SandboxCommand,
    pub limits: SandboxLimits,
    /// What it must not read.
    pub secrets: Vec<PathBuf>,
}

/// What no system keeps a program from, as the end of the sentence "it could".
pub const NOT_HELD: &str = "read what else the user may read, see the names and arguments of other processes, leave a trace in the times at which \
                            files were last read, for itself or another that solves the same graph, keep deleted files that it maps or sends to itself, and load \
                            processors, caches and memory";

/// What of the network a program is kept from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Network {
    /// No socket can be made, except within this host, by a program that uses a GPU.
    Denied,
    /// TCP alone is refused.
    TcpDenied,
    #[default]
    Open,
}

/// What this system keeps a program from, found when it was started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Protections {
    /// The version of landlock's interface; 0 where the kernel has none.
    pub landlock: u32,
    /// Whether it can write in its folder alone, read no secrets and nothing else that it must not, and reach no memory of other processes.
    pub files: bool,
    /// Whether it can send no signals to other processes.
    pub signals: bool,
    pub network: Network,
    /// Whether calls are refused that change the clock, other processes, the system or what is known of files, or that go around limits.
    pub system_calls: bool,
    /// Whether it has no privileges of root but reading, and cannot gain any.
    pub privileges: bool,
    /// Whether the kernel turned on a defence against speculation because of the filter of system calls, which slows programs down. Kernels
    /// before 5.16 do.
    pub slowed: bool,
}

impl Protections {
    /// What a program is not kept from, each as the end of the sentence "it could".
    pub fn lacks(&self) -> Vec<String> {
        let lacks = [
            (
                !self.files,
                "write outside of its folder, read secrets of the user, and reach the memory of other processes",
            ),
            (!self.signals, "send signals to other processes"),
            (self.network == Network::TcpDenied, "use the network, but for TCP"),
            (self.network == Network::Open, "use the network"),
            (
                !self.system_calls,
                "change the clock, the settings of other processes, and the modes and times of files",
            ),
            (!self.privileges, "use privileges of root"),
        ];
        lacks.into_iter().filter(|(lacks, _)| *lacks).map(|(_, what)| what.to_string()).collect()
    }
}

/// Paths that a program must not read; below the home folder where they do not begin with a slash.
const SECRETS: &[&[&str]] = &[
    // Passwords of the system, and who may become root.
    &["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d"],
    // Keys and secrets of the system, and jobs that it runs for users.
    &["/etc/ssh", "/etc/ssl/private", "/etc/krb5.keytab", "/run/secrets", "/var/spool/cron"],
    // Keys and passwords of the user.
    &[".ssh", ".gnupg", ".password-store", ".local/share/keyrings", ".netrc", ".pgpass", ".my.cnf"],
    // Accounts of cloud providers.
    &[".aws", ".azure", ".kube", ".docker", ".config/gcloud", ".config/rclone"],
    // Tokens of registries and of hosts of code and models.
    &[".pypirc", ".npmrc", ".cargo/credentials", ".cargo/credentials.toml"],
    &[".git-credentials", ".config/git/credentials", ".config/gh", ".kaggle", ".cache/huggingface/token"],
    // What browsers keep, and what was typed.
    &[".mozilla", ".config/chromium", ".config/google-chrome", ".bash_history", ".zsh_history"],
];

/// The secrets that this machine has.
pub(crate) fn secrets_present() -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    // `join` with a path that begins with a slash gives that path alone.
    let all = SECRETS.concat().into_iter().map(|name| home.join(name));
    all.filter(|path| path.is_absolute() && path.exists()).collect()
}
