//! What a clock enclosed, and one sample under every clock that was asked for.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// What a clock enclosed. Only equal scopes are compared.
///
/// The order is that of a sample's rows in records: the usual four last, so that a sample is whole when they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// The launches of one solve as one CUDA graph, made beforehand, between two events.
    CudaGraph,
    /// The host's clock around the call that launches that graph, waiting for nothing. Not the time of any solve.
    CudaGraphUnsynced,
    /// The host's clock around the calls that launch, waiting for nothing: the pitfall of pogorilyy-cuda. Not the time of
    /// any solve.
    HostUnsynced,
    /// The host's clock around the copy to pageable memory that follows those calls at once.
    CopyOutUnsynced,
    /// The host's clock around the launches, synchronized before and after.
    HostSynced,
    /// The copy from page-locked memory, between two events.
    CopyIn,
    /// The copy to page-locked memory, between two events.
    CopyOut,
    /// The host's clock around the copy from pageable memory, synchronized before and after.
    CopyInPageable,
    /// The host's clock around the copy to pageable memory, synchronized before and after.
    CopyOutPageable,
    /// The host's clock around everything, with both copies of pageable memory.
    TotalPageable,
    /// All launches of one solve, between two events of the device; on the CPU, the solve.
    Kernel,
    /// With the layout changes before and after.
    Device,
    /// With both copies between page-locked host memory and the device.
    Total,
    /// The host's monotonic clock around everything that `total` encloses, synchronized before and after.
    Host,
    /// The host's clock around loading the kernels in a fresh process, from the cache of compiled ones.
    FirstLoad,
    /// [`Scope::HostSynced`] of the first solve in a fresh process.
    FirstHost,
    /// [`Scope::Kernel`] of the first solve in a fresh process.
    FirstKernel,
}

impl Scope {
    /// The four of every sample.
    pub const USUAL: [Scope; 4] = [Scope::Kernel, Scope::Device, Scope::Total, Scope::Host];

    /// Those of the first solve in a fresh process, which is a sample of its own.
    pub const FIRST: [Scope; 3] = [Scope::FirstLoad, Scope::FirstHost, Scope::FirstKernel];
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Kernel => "kernel",
            Self::Device => "device",
            Self::Total => "total",
            Self::Host => "host",
            Self::CudaGraph => "cuda-graph",
            Self::CudaGraphUnsynced => "cuda-graph-unsynced",
            Self::HostUnsynced => "host-unsynced",
            Self::CopyOutUnsynced => "copy-out-unsynced",
            Self::HostSynced => "host-synced",
            Self::CopyIn => "copy-in",
            Self::CopyOut => "copy-out",
            Self::CopyInPageable => "copy-in-pageable",
            Self::CopyOutPageable => "copy-out-pageable",
            Self::TotalPageable => "total-pageable",
            Self::FirstLoad => "first-load",
            Self::FirstHost => "first-host",
            Self::FirstKernel => "first-kernel",
        })
    }
}

/// Which clocks an experiment reads beside the usual four, on a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Clocks {
    /// [`Scope::CudaGraph`] and [`Scope::CudaGraphUnsynced`].
    pub cuda_graph: bool,
    /// The host's clocks and those of the copies, the pitfall among them.
    pub host: bool,
    /// The first solve in a fresh process.
    pub first_run: bool,
    /// The time of each kernel, in a solve of its own whose launches have events between them.
    pub by_kernel: bool,
}

impl Clocks {
    /// How many solves one sample takes.
    pub fn solves(self) -> u32 {
        1 + u32::from(self.cuda_graph) + 2 * u32::from(self.host)
    }
}

/// One sample under every clock that was read, in seconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seconds(BTreeMap<Scope, f64>);

impl Seconds {
    /// The same time under all four usual clocks, as on the CPU.
    pub fn same(seconds: f64) -> Self {
        Scope::USUAL.map(|scope| (scope, seconds)).into_iter().collect()
    }

    pub fn get(&self, scope: Scope) -> Option<f64> {
        self.0.get(&scope).copied()
    }

    /// In the order of [`Scope`].
    pub fn iter(&self) -> impl Iterator<Item = (Scope, f64)> {
        self.0.iter().map(|(&scope, &seconds)| (scope, seconds))
    }
}

impl FromIterator<(Scope, f64)> for Seconds {
    fn from_iter<T: IntoIterator<Item = (Scope, f64)>>(all: T) -> Self {
        Self(all.into_iter().collect())
    }
}

impl Extend<(Scope, f64)> for Seconds {
    fn extend<T: IntoIterator<Item = (Scope, f64)>>(&mut self, more: T) {
        self.0.extend(more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_is_written_in_records_as_it_is_shown() {
        let seconds: Seconds = [(Scope::HostUnsynced, 1.0), (Scope::Kernel, 2.0)].into_iter().collect();
        let text = serde_json::to_string(&seconds).unwrap();
        assert_eq!(text, r#"{"host-unsynced":1.0,"kernel":2.0}"#);
        assert_eq!(serde_json::from_str::<Seconds>(&text).unwrap(), seconds);
        for (scope, _) in Seconds::same(1.0).iter() {
            assert_eq!(serde_json::to_string(&scope).unwrap(), format!("\"{scope}\""));
        }
    }
}
