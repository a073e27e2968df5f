//! Solves by implementations that are no part of this program.

use super::Session;
use crate::device::{DeviceError, FailureKind};
use crate::graph::ElementType;
use crate::implementation::{Machine, Named, Prepared, Problem, Scope, Untimed};
use crate::lists::grouped;
use crate::measure::loaded_graph::{LoadedGraph, Memory};
use crate::measure::protocol::{Failure, FailureCause, GraphRequest};
use crate::plan::Variant;
use crate::store::StrangerRecord;
use crate::strangers::{SharedProcess, StrangersProcess};
use crate::timing::Seconds;
use std::time::{Duration, Instant};

/// Between the addresses of two samples, bytes: what the driver aligns memory to.
const OFFSET: usize = 2 << 20;
/// After so many samples addresses come again.
const OFFSETS: usize = 61;
/// As long as a GPU takes to reach its clock again.
const WARM_UP: Duration = Duration::from_millis(300);
/// How long a device that has nothing to do may take to say so.
const IDLE_S: f64 = 1e-3;
/// By how much of a solve, and by how many seconds, the host's clock may show more than the device's.
const SHARE_BESIDE: f64 = 0.05;
const BESIDE_S: f64 = 5e-3;

/// What is wrong where a device took `after` seconds to end what it had left when its result was there, and two clocks showed these seconds
/// for the same solve.
fn gap(after: f64, by_events: Option<f64>, by_host: Option<f64>) -> Option<String> {
    if after > IDLE_S {
        return Some(format!("the device worked on for {after:.3e} s after the last event of the solve"));
    }
    let (events, host) = by_events.zip(by_host)?;
    (host > events * (1.0 + SHARE_BESIDE) + BESIDE_S).then(|| {
        format!("its events enclose {events:.3e} s, and the host's clock {host:.3e} s: part of it is not between them")
    })
}

/// A graph in the place of the one that is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fresh {
    /// Of the same kind, the one of this number; the same with its vertices in another order, where there is no other.
    Next(u64),
    /// A cycle through all vertices, by this seed.
    Cycle(u64),
}

impl Fresh {
    fn number(self) -> u64 {
        match self {
            Self::Next(number) | Self::Cycle(number) => number,
        }
    }
}

impl Session {
    /// What solves `problem` on so many devices: in this process, or, where a stranger's kernel would be code of this host, in one apart.
    pub(super) fn prepare_alone(
        &mut self,
        variant: &Variant,
        problem: &Problem,
        count: usize,
    ) -> Result<Box<dyn Prepared>, DeviceError> {
        if let Some(process) = self.stranger_of(variant) {
            return StrangersProcess::prepare(&process, problem, &variant.parameters);
        }
        let known = variant.known().map_err(|unknown| DeviceError::other(unknown.to_string()))?;
        known.method.prepare(problem, Machine::of(&self.devices[..count]), &variant.parameters)
    }

    /// The first file of `variants` of which no kernel loads, whatever the parameters and the type, with what is wrong: every cell would say
    /// the same. None where a device lacks, which is no fault of a file.
    ///
    /// # Errors
    /// When the device is lost.
    pub(super) fn unusable(
        &mut self,
        variants: &[Variant],
        elements: &[ElementType],
    ) -> Result<Option<(Named, String)>, Failure> {
        let kernels = variants.iter().filter(|variant| variant.needs_device() && variant.is_strangers());
        for (named, of_file) in grouped(kernels.map(|variant| (variant.implementation.clone(), variant))) {
            if let Some(problem) = self.problem_of_all(&of_file, elements)? {
                return Ok(Some((named, problem)));
            }
        }
        Ok(None)
    }

    /// What is wrong with all of a file's variants; none where one loads.
    fn problem_of_all(
        &mut self,
        variants: &[&Variant],
        elements: &[ElementType],
    ) -> Result<Option<String>, Failure> {
        let mut first = None;
        for variant in variants {
            let known = variant.known()?.clone();
            let Ok(count @ 1..) = self.open_for(variant) else { return Ok(None) };
            for &element in elements.iter().filter(|one| known.takes(**one, &variant.parameters).is_ok()) {
                match self.load_kernels(variant, element, count) {
                    Ok(()) => return Ok(None),
                    // The same twice is no matter of parameters or types: the compiler need not say it a third time.
                    Err(error) if first.as_ref() == Some(&error.message) => return Ok(first),
                    Err(error) if error.kind == FailureKind::Other => {
                        first.get_or_insert(error.message);
                    }
                    Err(error) if error.kind == FailureKind::Lost => return Err(error.into()),
                    Err(_) => return Ok(None),
                }
            }
        }
        Ok(first)
    }

    /// The process that runs the variant's kernels, where they come from a file and the device is an emulated one.
    pub(super) fn stranger_of(&mut self, variant: &Variant) -> Option<SharedProcess> {
        let given = variant.known().ok()?.schedule()?.given()?.clone();
        let device = self.devices.first()?;
        let process = StrangersProcess::like(&**device, &given)?;
        let known = self.strangers.iter().find(|known| known.borrow().is_like(&process)).cloned();
        Some(known.unwrap_or_else(|| {
            let process = process.shared();
            self.strangers.push(process.clone());
            process
        }))
    }

    /// Does `work` with the variant prepared anew, on another graph of the kind that is loaded, the one of this number. Whatever a stranger remembers of earlier solves, by content or by address, is of no use then. The graph must be as
    /// it was afterwards.
    pub(super) fn on_fresh_graph<T>(
        &mut self,
        variant: &Variant,
        fresh: Fresh,
        work: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let number = fresh.number();
        let fresh = self.fresh(fresh)?;
        self.forget(variant);
        let mut kept = None;
        if let Some(fresh) = fresh {
            kept = self.graph.replace(fresh);
        }
        // Not between the solves that keep a GPU awake and the one that is timed.
        let before = self.graph.as_ref().map(LoadedGraph::input_digest);
        let done = self.ready_elsewhere(variant, number, kept.as_mut()).and_then(|()| {
            let done = work(self)?;
            if self.graph.as_ref().map(LoadedGraph::input_digest) != before {
                let problem = "it changed the graph in host memory, which it has no business with";
                return Err(Failure::new(FailureCause::WrongResult, problem));
            }
            Ok(done)
        });
        // It was for the graph that goes now.
        self.forget(variant);
        if kept.is_some() {
            self.graph = kept;
        }
        done
    }

    fn forget(&mut self, variant: &Variant) {
        self.prepared.retain(|(known, ..)| known != variant);
    }

    /// Prepares the variant at other addresses than before, and keeps a GPU from falling asleep with solves of the graph of before.
    fn ready_elsewhere(
        &mut self,
        variant: &Variant,
        number: u64,
        before: Option<&mut LoadedGraph>,
    ) -> Result<(), Failure> {
        let device = self.devices.first().filter(|_| variant.needs_device()).cloned();
        // In the place of the buffers of before, where there is room for both.
        let between = device.as_ref().map(|device| device.allocate((1 + number as usize % OFFSETS) * OFFSET));
        self.make_ready(variant)?;
        drop(between);
        let Some(device) = device.filter(|device| !device.info().emulated) else { return Ok(()) };
        if let (Some(before), Some((.., prepared))) = (before, self.prepared.last_mut()) {
            let start = Instant::now();
            while start.elapsed() < WARM_UP {
                before.solve(&mut **prepared, Memory::PageLocked, &mut Untimed)?;
                prepared.collect()?;
            }
        }
        device.reset_caches()?;
        Ok(())
    }

    /// Solves once more on another graph of the kind, and on one with the longest paths, and verifies both, where the variant is a
    /// stranger's: it may remember the first, or take all paths to be as short as in this kind of graph.
    pub(super) fn check_again(&mut self, variant: &Variant) -> Result<(), Failure> {
        if !variant.is_strangers() {
            return Ok(());
        }
        self.solve_fresh(variant, Fresh::Next(0))?;
        self.check_longest_paths(variant)
    }

    /// Solves a graph with the longest paths, and verifies the result.
    pub(super) fn check_longest_paths(&mut self, variant: &Variant) -> Result<(), Failure> {
        self.solve_fresh(variant, Fresh::Cycle(1))
    }

    fn solve_fresh(&mut self, variant: &Variant, fresh: Fresh) -> Result<(), Failure> {
        self.on_fresh_graph(variant, fresh, |session| {
            session.solve_rightly(variant, Memory::PageLocked, &mut Untimed)
        })
    }

    /// Makes a graph; none where there is none of this kind.
    fn fresh(&self, fresh: Fresh) -> Result<Option<LoadedGraph>, Failure> {
        let Some(of) = &self.requested else { return Ok(None) };
        let device = self.devices.first().map(|device| &**device);
        match fresh {
            Fresh::Next(number) => match of.source.fresh(number) {
                Some(source) => LoadedGraph::load(&GraphRequest { source, ..of.clone() }, device).map(Some),
                None => LoadedGraph::renumbered(of, number, device).map(Some),
            },
            // Of too many vertices for the type there is none.
            Fresh::Cycle(seed) => match LoadedGraph::cycle(of, seed, device) {
                Err(failure) if failure.cause == FailureCause::Graph => Ok(None),
                cycle => cycle.map(Some),
            },
        }
    }

    /// That a solve on a device was over when its last event was reached: nothing else works on, and the host's clock agrees.
    pub(super) fn check_end(&mut self, variant: &Variant, seconds: &Seconds) -> Result<(), Failure> {
        let gpu = self.devices.first().filter(|device| variant.needs_device() && !device.info().emulated);
        let Some(device) = gpu else { return Ok(()) };
        let start = Instant::now();
        device.synchronize_all()?;
        let after = start.elapsed().as_secs_f64();
        let problem = gap(after, seconds.get(Scope::Total), seconds.get(Scope::Host));
        problem.map_or(Ok(()), |problem| Err(Failure::new(FailureCause::WrongResult, problem)))
    }

    /// What records keep of a variant that comes from a file.
    pub(super) fn stranger_record(&mut self, variant: &Variant) -> Result<Option<StrangerRecord>, Failure> {
        let Some(given) = variant.known()?.method.given().cloned() else { return Ok(None) };
        let unconfined = self.stranger_of(variant).and_then(|process| process.borrow().unconfined());
        Ok(Some(StrangerRecord {
            file: given.file.rsplit('/').next().unwrap_or_default().to_string(),
            hash: given.hash(),
            unconfined,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_outside_of_the_events_is_noticed_and_a_slow_host_is_not() {
        assert_eq!(gap(2e-5, Some(1.0), Some(1.04)), None);
        assert_eq!(gap(2e-5, Some(1e-4), Some(4e-3)), None);
        assert_eq!(gap(2e-5, None, Some(4e-3)), None);
        assert!(gap(0.5, Some(1.0), Some(1.0)).unwrap().contains("worked on for 5.000e-1 s"));
        assert!(gap(2e-5, Some(0.1), Some(1.0)).unwrap().contains("not between them"));
    }
}
