//! Which clock a time is of: only equal ones stand in one list.

use crate::timing::Scope;
use serde::Serialize;
use std::fmt;

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
    /// What reads `scope` of a solve on a device, or on the CPU. None of a scope that is no time of a whole solve, or that only devices
    /// have.
    pub fn of(scope: Scope, on_device: bool) -> Option<Self> {
        match scope {
            Scope::Kernel | Scope::Device | Scope::Total | Scope::Host if !on_device => Some(Self::Host),
            Scope::Program | Scope::ProgramSolve => Some(Self::Host),
            _ if !on_device => None,
            Scope::Kernel | Scope::Device | Scope::Total | Scope::CudaGraph => Some(Self::Events),
            Scope::Host | Scope::HostSynced | Scope::Everything => Some(Self::Host),
            _ => None,
        }
    }

    /// The scopes that can be ranked, in the order of records.
    pub fn scopes() -> Vec<Scope> {
        Scope::ALL.into_iter().filter(|scope| Self::of(*scope, true).is_some()).collect()
    }
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Events => "GPU events",
            Self::Host => "the host's clock",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scope_is_read_by_one_clock_or_is_known_to_be_no_time_of_a_solve() {
        let not_ranked = [
            // What does not wait for the GPU.
            Scope::HostUnsynced,
            Scope::CopyOutUnsynced,
            // A copy alone.
            Scope::CopyInPageable,
            Scope::CopyOutPageable,
            // By a clock that the program has to itself.
            Scope::ProgramOwn,
            // Beside other work, or the first of a process.
            Scope::CopyOutUnsyncedLoaded,
            Scope::FirstPrepare,
            Scope::FirstLoad,
            Scope::FirstHost,
            Scope::FirstKernel,
            // The same solve as host-synced, by a clock that may be set meanwhile.
            Scope::OsSynced,
        ];
        for scope in Scope::ALL {
            assert_eq!(Clock::of(scope, true).is_none(), not_ranked.contains(&scope), "{scope}");
        }
    }

    #[test]
    fn a_solve_on_the_cpu_is_never_timed_by_events() {
        for scope in Scope::ALL {
            assert_ne!(Clock::of(scope, false), Some(Clock::Events), "{scope}");
        }
        assert_eq!(Clock::of(Scope::Host, false), Clock::of(Scope::Host, true));
        assert_eq!(Clock::of(Scope::CudaGraph, false), None);
    }
}
