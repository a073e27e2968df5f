//! The points of a solve, what clocks enclose between them, and one sample under every clock that was read.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use strum::{Display, EnumString, VariantArray};

/// A point that every solve passes, in this order. Between two of them it may do nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TimingPoint {
    Start,
    /// The input is on the device.
    CopiedIn,
    /// The input is in the layout that is worked on.
    Packed,
    Solved,
    /// The result is row-major.
    Unpacked,
    /// The result is in host memory.
    CopiedOut,
}

/// What a clock enclosed. Only equal scopes are compared.
///
/// The order is that of a sample's rows in records: the usual four last, so that a sample is whole when they are.
#[derive(Serialize, Deserialize, Display, EnumString, VariantArray)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// The launches of one solve as one CUDA graph, made beforehand, between two events.
    CudaGraph,
    /// The host's clock around the calls that launch, waiting for nothing: the pitfall of pogorilyy-cuda. Not the time of
    /// any solve.
    HostUnsynced,
    /// The host's clock around the copy to pageable memory that follows the calls of [`Scope::HostUnsynced`] at once.
    CopyOutUnsynced,
    /// The host's clock around the launches, synchronized before and after.
    HostSynced,
    /// The operating system's clock over the same span of the same solve as [`Scope::HostSynced`], started before it and stopped
    /// after it: `SystemTime`, on Linux `CLOCK_REALTIME`, which counts nanoseconds and may be set while it is read. It stands for the
    /// "standard Windows timer" of pogorilyy-cuda, which does not say which one it was.
    OsSynced,
    /// The host's clock around the copy from pageable memory, synchronized before and after.
    CopyInPageable,
    /// The host's clock around the copy to pageable memory, synchronized before and after.
    CopyOutPageable,
    /// The host's clock around one solve with everything that its device has to be asked for: allocating its memory, both copies of
    /// pageable memory, all launches, waiting, and freeing. Not the context of the process, nor compiling and loading of kernels,
    /// which the papers' programs had in them.
    Everything,
    /// [`Scope::CopyOutUnsynced`] while the same process keeps the device busy: with additions and minima in registers, a block of 256
    /// threads a multiprocessor on another queue. That copy does not wait for them.
    CopyOutUnsyncedLoaded,
    /// All launches of one solve, between two events of the device; on the CPU, the solve.
    #[default]
    Kernel,
    /// As [`Scope::Kernel`], with the layout changes before and after.
    Device,
    /// As [`Scope::Device`], with both copies between page-locked host memory and the device.
    Total,
    /// The host's monotonic clock around everything that `total` encloses, synchronized before and after.
    Host,
    /// The host's clock around making the buffers of a solve on the device in a fresh process. Where weights may be negative, kernels
    /// may be loaded again meanwhile.
    FirstPrepare,
    /// The host's clock around loading the kernels in a fresh process, from the cache of compiled ones.
    FirstLoad,
    /// [`Scope::HostSynced`] of the first solve in a fresh process.
    FirstHost,
    /// [`Scope::Kernel`] of the first solve in a fresh process.
    FirstKernel,
    /// What a foreign program's own clock showed for its solve. It rests on the program's word.
    ProgramOwn,
    /// The host's clock from the request to solve, to a foreign program that has loaded the graph, until its answer.
    ProgramSolve,
    /// The host's clock from before a foreign program is executed until none of its processes computes any more, which is when it says that the
    /// distances are stored: interpreter, libraries, reading and writing files included. Every sample of a program has it, as the last.
    Program,
}

impl Scope {
    pub const ALL: &[Self] = Self::VARIANTS;

    /// Names of clocks that records have and this program does not read. What was measured stays as it is, byte by byte, so that rows
    /// of these are passed over where samples are read.
    pub const PASSED_OVER: [&str; 6] = [
        "cuda-graph-unsynced",
        "copy-in",
        "copy-out",
        "total-pageable",
        "kernel-loaded",
        "host-unsynced-loaded",
    ];

    /// The four scopes of every sample, except those of foreign programs.
    pub const USUAL: [Scope; 4] = [Scope::Kernel, Scope::Device, Scope::Total, Scope::Host];

    /// Scopes of the first solve in a fresh process, which is a sample of its own. Records from before [`Scope::FirstPrepare`] have
    /// these alone.
    pub const FIRST: [Scope; 3] = [Scope::FirstLoad, Scope::FirstHost, Scope::FirstKernel];

    /// Scopes of foreign programs, which have none of the usual four: their times are by another clock and enclose other things.
    pub const PROGRAM: [Scope; 3] = [Scope::ProgramOwn, Scope::ProgramSolve, Scope::Program];

    /// Whether each sample of a cell has it once, so that samples can be counted by it and forecast from it: scope `kernel`, or that of foreign
    /// programs.
    pub fn counts_samples(self) -> bool {
        matches!(self, Self::Kernel | Self::Program)
    }
}

/// One sample under every clock that was read, in seconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seconds(BTreeMap<Scope, f64>);

impl Seconds {
    /// One time under all four usual clocks, as on the CPU.
    pub fn same(seconds: f64) -> Self {
        Scope::USUAL.map(|scope| (scope, seconds)).into_iter().collect()
    }

    pub fn get(&self, scope: Scope) -> Option<f64> {
        self.0.get(&scope).copied()
    }

    /// Every time multiplied by `factor`.
    #[must_use]
    pub fn times(&self, factor: f64) -> Self {
        self.iter().map(|(scope, seconds)| (scope, seconds * factor)).collect()
    }

    /// Every scope with its seconds, in the order of [`Scope`].
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
