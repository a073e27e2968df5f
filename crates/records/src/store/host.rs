//! The host and the build that numbers come from, and what a run found out about its host: circumstances under which times on the CPU mean less
//! than they seem to.

use repro_base::CellId;
use repro_timing::LOADED;
use serde::{Deserialize, Serialize};
use sysinfo::System;

/// What the CPU and the system are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostInfo {
    pub cpu: String,
    /// Hardware threads this process may use.
    pub threads: usize,
    /// SIMD extensions that implementations can use, widest last.
    pub simd: Vec<String>,
    pub memory_bytes: u64,
    pub os: String,
    pub kernel: String,
}

impl HostInfo {
    /// Asks the operating system.
    pub fn capture() -> Self {
        let (cpu, memory_bytes) = hardware().unwrap_or_default();
        let or_unknown = |text: Result<String, _>| text.unwrap_or_else(|_: sysinfo::Error| "unknown".into());
        Self {
            cpu,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            simd: simd_extensions(),
            memory_bytes,
            os: or_unknown(System::long_os_version()),
            kernel: or_unknown(System::kernel_version()),
        }
    }
}

fn hardware() -> Option<(String, u64)> {
    let mut system = System::new().ok()?;
    system.refresh_memory();
    system.refresh_cpu_list(sysinfo::CpuRefreshKind::nothing());
    let brand = system.cpus().first()?.brand().trim().to_string();
    Some((brand, system.total_memory()))
}

#[cfg(target_arch = "x86_64")]
fn simd_extensions() -> Vec<String> {
    let [avx2, avx512] =
        [std::arch::is_x86_feature_detected!("avx2"), std::arch::is_x86_feature_detected!("avx512f")];
    let found = [avx2.then_some("avx2"), avx512.then_some("avx512f")];
    found.into_iter().flatten().map(str::to_string).collect()
}

#[cfg(not(target_arch = "x86_64"))]
fn simd_extensions() -> Vec<String> {
    Vec::new()
}

/// The first digits of a commit, as tables and captions name it; all of one that is shorter, as "unknown" may be.
pub fn short_commit(commit: &str) -> &str {
    commit.get(..7).unwrap_or(commit)
}

/// What a program was built from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Build {
    pub version: String,
    /// Git's commit, or "unknown" outside a checkout.
    pub commit: String,
    /// Whether the checkout had uncommitted changes.
    pub dirty: bool,
    pub profile: String,
}

/// One finding. Loads are shares of the time of the cores that the cell is solved on, which others can exceed on other cores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "finding", rename_all = "kebab-case")]
pub enum HostWarning {
    /// Others used the host when a cell was begun.
    BusyBefore {
        #[serde(flatten)]
        cell: CellId,
        others_load: f64,
    },
    /// Others used the host while a sample of the cell was taken; the most over any one sample.
    UnderLoad {
        #[serde(flatten)]
        cell: CellId,
        others_load: f64,
    },
    /// A solve on all cores took longer than one of the same graph on one core.
    AllCoresSlower {
        #[serde(flatten)]
        cell: CellId,
        all_cores_s: f64,
        one_core_s: f64,
    },
}

/// Whether others used so much that a solve counts as timed under load.
pub fn is_loaded(others_load: f64) -> bool {
    others_load > LOADED
}

/// A passing influence that changes times, so that they say nothing of the build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Disturbance {
    /// Others used the cores that it was solved on.
    UnderLoad,
    /// The GPU held its clocks down.
    Throttled,
}

impl Disturbance {
    /// The disturbance, by what others used of the host, where it was solved on the CPU, and by whether the GPU was throttled.
    pub fn classify(others_load: Option<f64>, throttled: bool) -> Option<Self> {
        match others_load {
            Some(load) if is_loaded(load) => Some(Self::UnderLoad),
            _ => throttled.then_some(Self::Throttled),
        }
    }
}
