//! Which clocks are read, and one sample under every clock that was.

use repro_solvers::Scope;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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
    /// [`Scope::Everything`].
    #[serde(skip_serializing_if = "is_false")]
    pub everything: bool,
    /// [`Scope::KernelLoaded`], [`Scope::HostUnsyncedLoaded`] and [`Scope::CopyOutUnsyncedLoaded`].
    #[serde(skip_serializing_if = "is_false")]
    pub loaded: bool,
}

/// What is not asked for is not written: builds from before there was such a clock refuse its name.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_false(asked: &bool) -> bool {
    !asked
}

impl Clocks {
    /// How many solves one sample takes.
    pub fn solves(self) -> u32 {
        let twice = [self.host, self.loaded].map(u32::from);
        1 + u32::from(self.cuda_graph) + u32::from(self.everything) + 2 * twice.iter().sum::<u32>()
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

    /// As the scopes of a solve beside other work; those that are read without it alone are left out.
    pub fn under_load(&self) -> Self {
        self.iter().filter_map(|(scope, seconds)| Some((scope.under_load()?, seconds))).collect()
    }

    pub fn get(&self, scope: Scope) -> Option<f64> {
        self.0.get(&scope).copied()
    }

    /// Every time so many times as long.
    #[must_use]
    pub fn times(&self, factor: f64) -> Self {
        self.iter().map(|(scope, seconds)| (scope, seconds * factor)).collect()
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
    fn clocks_of_before_are_written_as_before_and_others_where_they_are_asked_for() {
        let before = r#"{"cuda_graph":false,"host":true,"first_run":false,"by_kernel":false}"#;
        let host = Clocks { host: true, ..Clocks::default() };
        assert_eq!(serde_json::to_string(&host).unwrap(), before);
        assert_eq!(serde_json::from_str::<Clocks>(before).unwrap(), host);
        let more = Clocks { everything: true, loaded: true, ..host };
        let text = serde_json::to_string(&more).unwrap();
        assert_eq!(serde_json::from_str::<Clocks>(&text).unwrap(), more);
        assert_eq!((host.solves(), more.solves()), (3, 6));
    }

    #[test]
    fn under_load_a_time_has_a_scope_of_its_own() {
        let seconds = Seconds::from_iter([(Scope::HostUnsynced, 1.0), (Scope::CopyOutUnsynced, 2.0)]);
        let loaded = [(Scope::HostUnsyncedLoaded, 1.0), (Scope::CopyOutUnsyncedLoaded, 2.0)];
        assert_eq!(seconds.under_load(), Seconds::from_iter(loaded));
        assert_eq!(Seconds::same(3.0).under_load(), Seconds::from_iter([(Scope::KernelLoaded, 3.0)]));
    }

    #[test]
    fn a_scope_is_written_in_records_as_it_is_shown() {
        let seconds: Seconds = [(Scope::Kernel, 2.0), (Scope::HostUnsynced, 1.0)].into_iter().collect();
        let text = serde_json::to_string(&seconds).unwrap();
        assert_eq!(text, r#"{"host-unsynced":1.0,"kernel":2.0}"#);
        assert_eq!(serde_json::from_str::<Seconds>(&text).unwrap(), seconds);
        for scope in Scope::ALL {
            assert_eq!(serde_json::to_string(&scope).unwrap(), format!("\"{scope}\""));
        }
    }
}
