//! Groups of real processes: this test program, started again as a member.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

/// The variable that says what a member does.
pub const ROLE: &str = "CLUSTER_ROLE";
/// No test waits longer for a process to end.
const PATIENCE: Duration = Duration::from_secs(20);

/// The first of 16 ports that no other group of this test program takes, below those that systems give away.
pub fn port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let group = NEXT.fetch_add(1, Ordering::Relaxed);
    assert!(group < 60, "more groups than ports");
    20_000 + u16::try_from(std::process::id() % 12).unwrap() * 1000 + group * 16
}

/// The variables that a launcher gives to one of its processes on one host.
pub fn variables(launcher: &str, rank: usize, size: usize, port: u16) -> Vec<(&'static str, String)> {
    let (rank, size) = (rank.to_string(), size.to_string());
    // Other test programs of this host may take the same ports.
    let job = std::process::id().to_string();
    let mut variables = match launcher {
        "torchrun" => vec![
            ("RANK", rank.clone()),
            ("WORLD_SIZE", size.clone()),
            ("LOCAL_RANK", rank),
            ("LOCAL_WORLD_SIZE", size),
            ("MASTER_ADDR", "127.0.0.1".into()),
            ("TORCHELASTIC_RUN_ID", job),
        ],
        "mpirun" => vec![
            ("OMPI_COMM_WORLD_RANK", rank.clone()),
            ("OMPI_COMM_WORLD_SIZE", size.clone()),
            ("OMPI_COMM_WORLD_LOCAL_RANK", rank),
            ("OMPI_COMM_WORLD_LOCAL_SIZE", size),
            ("PMIX_NAMESPACE", job),
        ],
        "srun" => vec![
            ("SLURM_JOB_ID", job),
            ("SLURM_STEP_ID", "0".into()),
            ("SLURM_PROCID", rank.clone()),
            ("SLURM_NTASKS", size),
            ("SLURM_LOCALID", rank),
            ("SLURM_STEP_NODELIST", "localhost".into()),
        ],
        other => panic!("no launcher {other}"),
    };
    variables.push(("MASTER_PORT", port.to_string()));
    variables
}

/// A process of a group. Killed when a test forgets it.
pub struct Started {
    pub rank: usize,
    child: Child,
    output: BufReader<ChildStdout>,
}

/// How a process ended.
#[derive(Debug)]
pub struct Ended {
    /// None when a signal ended it.
    pub code: Option<i32>,
    pub errors: String,
}

impl Started {
    pub fn new(role: &str, rank: usize, variables: &[(&'static str, String)]) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "member", "--nocapture", "--test-threads=1"]);
        for name in ["REPRO_SECRET", "REPRO_SECRET_FILE"] {
            command.env_remove(name);
        }
        command.env(ROLE, role).envs(variables.iter().map(|(name, value)| (name, value)));
        command.env("RUST_BACKTRACE", "0").stdin(Stdio::null());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { rank, child, output }
    }

    /// Reads until the process writes this.
    pub fn await_word(&mut self, word: &str) {
        let mut line = String::new();
        while !line.contains(word) {
            line.clear();
            assert_ne!(
                self.output.read_line(&mut line).unwrap(),
                0,
                "rank {} ended before '{word}'",
                self.rank
            );
        }
    }

    /// What the system says of the process under this name, in KiB.
    pub fn memory(&self, name: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        let process = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(process, signal).unwrap();
    }

    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Waits until the process ends by itself.
    pub fn end(mut self) -> Ended {
        let until = Instant::now() + PATIENCE;
        while self.is_running() {
            assert!(Instant::now() < until, "rank {} does not end", self.rank);
            std::thread::sleep(Duration::from_millis(5));
        }
        let mut errors = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        Ended { code: self.child.wait().unwrap().code(), errors }
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// All members of a group but those of the ranks `without`.
pub fn start(role: &str, launcher: &str, size: usize, port: u16, without: &[usize]) -> Vec<Started> {
    let ranks = (0..size).filter(|rank| !without.contains(rank));
    ranks.map(|rank| Started::new(role, rank, &variables(launcher, rank, size, port))).collect()
}

pub fn end_all(group: Vec<Started>) -> Vec<Ended> {
    group.into_iter().map(Started::end).collect()
}
