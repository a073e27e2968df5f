//! The machine and the build that numbers come from.

use serde::{Deserialize, Serialize};
use sysinfo::System;

/// The host.
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

fn simd_extensions() -> Vec<String> {
    #[cfg(target_arch = "x86_64")]
    let found = [
        ("avx2", std::arch::is_x86_feature_detected!("avx2")),
        ("avx512f", std::arch::is_x86_feature_detected!("avx512f")),
    ];
    #[cfg(not(target_arch = "x86_64"))]
    let found: [(&str, bool); 0] = [];
    found.iter().filter(|(_, has)| *has).map(|(name, _)| (*name).to_string()).collect()
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
