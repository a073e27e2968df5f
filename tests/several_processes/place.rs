//! A folder with a sharded experiment, and processes that are started in it as launchers start them.

use crate::common::place::Place;
use repro::device::emulated::toolchain;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How soon all processes must have ended once one is lost.
pub const TIME_TO_END: Duration = Duration::from_secs(60);
/// Longer than any run here takes on a busy machine.
const LONGEST: Duration = Duration::from_secs(300);
/// A variable that a process has from whoever started it, and that tells those of one start from all others.
const MARKER: &str = "REPRO_TEST_START";
/// All rows are compared: each of four parts has a quarter of these to compare, and no graph here has more.
const EVERY_ROW: usize = 4096;

/// What starts processes, and by which variables they know of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launcher {
    Torchrun,
    OpenMpi,
    Slurm,
}

impl Launcher {
    /// The variables of one process of so many on this host.
    pub fn variables(self, rank: usize, size: usize) -> BTreeMap<&'static str, String> {
        let pairs = match self {
            Self::Torchrun => {
                "RANK=R WORLD_SIZE=S LOCAL_RANK=R LOCAL_WORLD_SIZE=S MASTER_PORT=29500 TORCHELASTIC_RUN_ID=none"
            }
            Self::OpenMpi => {
                "OMPI_COMM_WORLD_RANK=R OMPI_COMM_WORLD_SIZE=S OMPI_COMM_WORLD_LOCAL_RANK=R \
                 OMPI_COMM_WORLD_LOCAL_SIZE=S PMIX_NAMESPACE=prterun-here-1@1"
            }
            Self::Slurm => "SLURM_JOB_ID=77 SLURM_STEP_ID=0 SLURM_PROCID=R SLURM_NTASKS=S SLURM_LOCALID=R",
        };
        let value = |value: &str| match value {
            "R" => rank.to_string(),
            "S" => size.to_string(),
            value => value.to_string(),
        };
        pairs
            .split(' ')
            .filter_map(|pair| pair.split_once('='))
            .map(|(name, one)| (name, value(one)))
            .collect()
    }
}

/// The stand-in for NCCL, compiled once.
pub fn nccl() -> &'static Path {
    static LIBRARY: OnceLock<(TempDir, PathBuf)> = OnceLock::new();
    let (_, library) = LIBRARY.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let library = folder.path().join("libnccl.so.2");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/solvers/src/distributed/nccl/stand_in.cc");
        let mut command = Command::new(toolchain().unwrap().program());
        command.args(["-shared", "-fPIC", "-std=c++17", source, "-o"]).arg(&library);
        assert!(command.status().unwrap().success());
        (folder, library)
    });
    library
}

/// A folder with `parts.toml`.
pub struct Parts(pub Place);

impl Parts {
    /// With cells of so many devices, each of these sizes.
    pub fn new(sizes: &str, devices: &str) -> Self {
        let place = Place::new();
        let text = format!(
            "title = \"In parts\"
sharded = true
graph = {{ edges_per_vertex = [4], max_weight = 100, seed = 1 }}
sampling = {{ min_samples = 1, max_samples = 1, precision = 0.1, budget_s = 9.0 }}
limits = {{ warm_up_s = 0.0, sample_s = 900.0, full_cell_s = 900.0, whole_reference_n = 512, reference_rows = {EVERY_ROW} }}
emulated = {{ sizes = [{sizes}] }}

[[cells]]
implementation = \"distributed-blocked\"
parameters = {{ devices = [{devices}] }}
sizes = [512]
"
        );
        place.write("parts.toml", &text);
        std::fs::create_dir(place.path("temporary")).unwrap();
        Self(place)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path(name)
    }

    /// A column of the samples of the run in `run`.
    pub fn samples(&self, title: &str) -> Vec<String> {
        self.0.column("run/samples.csv", title)
    }

    /// `repro CALL` here.
    pub fn command(&self, call: &str) -> Command {
        let mut command = self.0.emulating(call);
        command.env("REPRO_NCCL", nccl()).env("TMPDIR", self.path("temporary"));
        command
    }

    /// What the stand-in for NCCL has left: nothing of processes that ended in order.
    pub fn left(&self) -> usize {
        let all = std::fs::read_dir(self.path("temporary")).unwrap().flatten();
        all.filter(|entry| entry.file_name().to_string_lossy().starts_with("nccl-")).count()
    }

    /// A new run in the folder `run`.
    pub const NEW: &str = "run parts.toml --device emulated --quiet --out run";
    /// What continues it.
    pub const RESUME: &str = "run --resume run --quiet";

    /// So many processes as torchrun starts them.
    pub fn start(&self, count: usize, call: &str) -> Started {
        let variables = |rank| Launcher::Torchrun.variables(rank, count);
        self.start_with(call, &variables, count)
    }

    /// So many processes, each with its variables.
    pub fn start_with(
        &self,
        call: &str,
        variables: &dyn Fn(usize) -> BTreeMap<&'static str, String>,
        count: usize,
    ) -> Started {
        let mut started = Started::none();
        for at in 0..count {
            let mut command = self.command(call);
            command.envs(variables(at));
            started.add(command, &self.path(&format!("{}-{at}", started.marker)));
        }
        started
    }

    /// Of each cell how it ended and its digest.
    pub fn results(&self) -> Vec<(String, String)> {
        self.samples("status").into_iter().zip(self.samples("digest")).collect()
    }
}

/// Processes of one start, in the order in which they were started.
pub struct Started {
    marker: String,
    processes: Vec<(Child, PathBuf)>,
}

/// How a process ended.
#[derive(Debug)]
pub struct Ended {
    /// None where a signal ended it.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ended {
    /// The lines of its standard error that say why it could not go on.
    pub fn errors(&self) -> Vec<&str> {
        self.stderr.lines().filter(|line| line.contains("error: ")).collect()
    }
}

impl Started {
    pub fn none() -> Self {
        static STARTS: AtomicU32 = AtomicU32::new(0);
        let marker = format!("start-{}-{}", std::process::id(), STARTS.fetch_add(1, Ordering::Relaxed));
        Self { marker, processes: Vec::new() }
    }

    /// Starts one more, whose output goes to files of this name.
    pub fn add(&mut self, mut command: Command, output: &std::path::Path) {
        let file = |end: &str| File::create(output.with_extension(end)).unwrap();
        command.env(MARKER, &self.marker).stdin(Stdio::null()).stdout(file("out")).stderr(file("err"));
        self.processes.push((command.spawn().unwrap(), output.to_path_buf()));
    }

    pub fn id(&self, at: usize) -> u32 {
        self.processes[at].0.id()
    }

    /// The worker of rank 0, once there is one.
    pub fn worker(&self) -> Option<u32> {
        self.left().into_iter().find(|id| {
            let command = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
            command.split(|byte| *byte == 0).skip(1).take(2).eq([&b"worker"[..], b"team"])
        })
    }

    /// All processes that came of this start and live.
    pub fn left(&self) -> Vec<u32> {
        let marker = format!("{MARKER}={}", self.marker).into_bytes();
        let is_of_start = |id: &u32| {
            let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|variable| variable == marker)
        };
        let ids = std::fs::read_dir("/proc").unwrap().flatten();
        ids.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(is_of_start).collect()
    }

    /// Waits until all have ended, and nothing that they started is left. How each ended.
    #[track_caller]
    pub fn ends(self) -> Vec<Ended> {
        self.ends_within(LONGEST).0
    }

    /// Waits at most `limit` until all have ended. How each ended, and how long that took.
    #[track_caller]
    pub fn ends_within(mut self, limit: Duration) -> (Vec<Ended>, Duration) {
        let begun = Instant::now();
        loop {
            let all: Vec<Option<ExitStatus>> =
                self.processes.iter_mut().map(|(child, _)| child.try_wait().unwrap()).collect();
            let ended = self.processes.iter().zip(&all).map(|((_, output), status)| {
                let read = |end: &str| std::fs::read_to_string(output.with_extension(end)).unwrap();
                let code = status.and_then(|status| status.code());
                Ended { code, stdout: read("out"), stderr: read("err") }
            });
            let left = self.left();
            if left.is_empty() && all.iter().all(Option::is_some) {
                return (ended.collect(), begun.elapsed());
            }
            let told = || ended.collect::<Vec<_>>();
            assert!(begun.elapsed() < limit, "{left:?} are left after {limit:?}: {:?}", told());
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// A test that fails leaves nothing behind.
impl Drop for Started {
    fn drop(&mut self) {
        for (child, _) in &mut self.processes {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Asserts that all ended well, and that only the first wrote to its standard output.
#[track_caller]
pub fn assert_all_right(ended: &[Ended]) {
    for (at, one) in ended.iter().enumerate() {
        assert_eq!(one.code, Some(0), "{at}: {}", one.stderr);
        assert!(at == 0 || one.stdout.is_empty(), "{at}: {}", one.stdout);
    }
}
