//! Which clock a time is of: only equal ones are compared.

use crate::timing::Scope;
use serde::Serialize;

/// What reads a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Clock {
    /// Events on the device, around work that is queued on it.
    Events,
    /// The host's clock, around a solve that it waits for.
    Host,
}

impl Clock {
    /// What reads `scope` of a solve on a device, or on the CPU, which has no events.
    pub fn of(scope: Scope, on_device: bool) -> Self {
        match scope {
            Scope::Kernel | Scope::Device | Scope::Total | Scope::CudaGraph if on_device => Self::Events,
            _ => Self::Host,
        }
    }
}

/// The scopes that are the time of a whole solve, in the order of records. The others do not wait for the GPU, are a copy alone, the first
/// solve of a process or one beside other work, or are read from a clock that is the program's own or may be set meanwhile.
pub const RANKED_SCOPES: [Scope; 9] = [
    Scope::CudaGraph,
    Scope::HostSynced,
    Scope::Everything,
    Scope::Kernel,
    Scope::Device,
    Scope::Total,
    Scope::Host,
    Scope::ProgramSolve,
    Scope::Program,
];
