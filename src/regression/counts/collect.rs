//! Collects figures: each target runs on the emulated device, and each kernel file goes through NVRTC and the disassembler, several at a
//! time. Figures of the emulated device are those of one verified solve.

use super::baseline::Baseline;
use super::metric::{Amount, CountMetric, KernelFigures, KernelKey, Tool, merge, select};
use super::{ARCHITECTURE, N, machine_code};
use crate::device::cuda::{Nvrtc, find_nvrtc};
use crate::device::emulated::{Counts, Finding, Instruments, toolchain};
use crate::device::{DeviceError, KernelSource};
use crate::implementation::{Implementation, Parameters, Target, catalogue};
use crate::measure::{EmulatedSolve, Failure, Observer};
use repro_machine_code::Disassembler;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use strum::VariantArray;

/// What was collected.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Collection {
    /// The version of each tool that this machine has.
    pub tools: BTreeMap<Tool, String>,
    /// For each missing tool, the reason in one line.
    pub missing: BTreeMap<Tool, String>,
    pub figures: KernelFigures,
    /// What failed although the tools are here, such as a kernel that does not compile or gives a wrong result: implementation and
    /// message, and the parameters that failed. Their figures are absent.
    pub failures: BTreeMap<(String, String), BTreeSet<String>>,
}

impl Collection {
    /// Checks that figures of this `tool` can be compared with those of `baseline`.
    ///
    /// # Errors
    /// The reason, in one line.
    pub fn check_comparable(&self, baseline: &Baseline, tool: Tool) -> Result<(), String> {
        match (tool, baseline.tools.get(&tool), self.tools.get(&tool)) {
            (_, _, None) => Err(self.missing.get(&tool).cloned().unwrap_or_default()),
            (_, None, _) => Err("the baseline has no figures of it".to_string()),
            // Another compiler makes other code of the same kernel.
            (Tool::Nvrtc, Some(before), Some(here)) if before != here => Err(format!(
                "the baseline is of NVRTC {before} and here is {here}: scripts/fetch nvrtc gets the pinned one, REPRO_NVRTC chooses"
            )),
            (Tool::Disassembler, ..) => self
                .check_comparable(baseline, Tool::Nvrtc)
                .map_err(|_| "what was disassembled is NVRTC's code, which is not compared".to_string()),
            // Current G++ and Clang++ give the same counts, and disassemblers do not differ in their listings.
            _ => Ok(()),
        }
    }
}

/// Collects every figure of `targets` that the tools of this machine report. A kernel file that several targets of one name
/// share is compiled for the first of them alone. Where a kernel's figures differ from those in a `baseline` of this NVRTC, its file is
/// compiled again: NVRTC varies.
pub fn collect(targets: &[CountTarget], baseline: &Baseline, observer: &mut dyn Observer) -> Collection {
    let (nvrtc, toolchain) = (nvrtc(), toolchain());
    let nothing = |_| DeviceError::unavailable("without NVRTC there is nothing to disassemble");
    let disassembler = nvrtc.as_ref().map_err(nothing).and_then(|_| Disassembler::find());
    let versions = [
        (Tool::Emulator, toolchain.as_ref().map(|it| it.version().to_string())),
        (Tool::Nvrtc, nvrtc.as_ref().map(Nvrtc::version)),
        (Tool::Disassembler, disassembler.as_ref().map(|it| it.version().to_string())),
    ];
    let mut collection = Collection::default();
    for (tool, version) in versions {
        match version {
            Ok(version) => collection.tools.insert(tool, version),
            Err(error) => collection.missing.insert(tool, error.message.clone()),
        };
    }
    let known = select(&baseline.figures, |_, metric| {
        metric.tool() != Tool::Emulator && collection.check_comparable(baseline, metric.tool()).is_ok()
    });
    let count = |target: &CountTarget| {
        let mut figures = if toolchain.is_ok() { emulated_figures(target)? } else { KernelFigures::new() };
        let same = |other: &&CountTarget| (&other.name, &other.source) == (&target.name, &target.source);
        let is_first = targets.iter().find(same).is_some_and(|first| first.parameters == target.parameters);
        if let (Ok(nvrtc), true) = (&nvrtc, is_first) {
            let compile = || machine_code::figures(target, nvrtc, disassembler.as_ref().ok());
            merge(&mut figures, machine_code::settle(&known, compile)?);
        }
        Ok::<_, Failure>(figures)
    };
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(targets.len());
    observer.progress("compiling", 0, targets.len(), None);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, next, count) = (sender.clone(), &next, &count);
            scope.spawn(move || {
                while let Some(target) = targets.get(next.fetch_add(1, Ordering::Relaxed)) {
                    // Sending fails only when the collector is gone, and then nobody misses the result.
                    let _ = sender.send((target, count(target)));
                }
            });
        }
        drop(sender);
        for (done, (target, result)) in receiver.iter().enumerate() {
            observer.progress(&target.name, done + 1, targets.len(), None);
            match result {
                Ok(figures) => collection.figures.extend(figures),
                Err(failure) => {
                    let failed = collection.failures.entry((target.name.clone(), failure.message));
                    failed.or_default().insert(target.parameters.to_string());
                }
            }
        }
    });
    collection
}

/// An NVRTC that compiles for [`ARCHITECTURE`].
fn nvrtc() -> Result<Nvrtc, DeviceError> {
    let nvrtc = find_nvrtc(None).and_then(|found| Nvrtc::load(&found))?;
    if nvrtc.architectures().iter().any(|known| format!("sm_{known}") == ARCHITECTURE) {
        return Ok(nvrtc);
    }
    Err(DeviceError::unavailable(format!(
        "NVRTC {} does not compile for {ARCHITECTURE}: point REPRO_NVRTC to another, or run scripts/fetch nvrtc",
        nvrtc.version()
    )))
}

/// Solves a small graph, the same for all targets, and counts kernel by kernel.
///
/// Runs on one thread: blocks may read distances before or after other blocks lower them, so how often they store depends on
/// timing. One after another, they do the same every time.
///
/// # Errors
/// When the kernels do not compile for the host, cannot be run, or give a wrong result.
pub(super) fn emulated_figures(target: &CountTarget) -> Result<KernelFigures, Failure> {
    let Some(implementation) = &target.implementation else { return Ok(KernelFigures::new()) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let none = |error| format!("no thread to run kernels in ({error}): stop other programs");
    let launches = pool.map_err(|error| Failure::other(none(error)))?.install(|| {
        let solve = EmulatedSolve::run(implementation, &target.parameters, N, Instruments::COUNT)?;
        Finding::in_short(&solve.findings).map_or(Ok(()), |found| Err(Failure::other(found)))?;
        solve.result.map(|_| solve.launches)
    })?;
    let mut kernels: BTreeMap<&str, (u64, Counts)> = BTreeMap::new();
    for launch in &launches {
        let (_, counts) = kernels.entry(&launch.kernel).or_insert((launch.threads(), Counts::default()));
        *counts += launch.counts;
    }
    let figures = |(kernel, (threads, counts)): (&str, (u64, Counts))| {
        let value = |metric| match metric {
            CountMetric::BlockThreads => Some(threads),
            CountMetric::SharedBlockBytes => Some(counts.shared_bytes + counts.dynamic_shared_bytes),
            counter => counts.field(counter.into()),
        };
        let figures = CountMetric::VARIANTS.iter().filter_map(|&one| Some((one, Amount::Whole(value(one)?))));
        (target.key(kernel), figures.collect())
    };
    Ok(kernels.into_iter().map(figures).collect())
}

/// An implementation with parameters, or a kernel file without one.
#[derive(Clone)]
pub struct CountTarget {
    /// The implementation's name.
    pub name: String,
    pub parameters: Parameters,
    pub source: KernelSource,
    /// None for a kernel file that is compiled and not run.
    pub implementation: Option<Arc<Implementation>>,
}

impl CountTarget {
    /// A target for an implementation, which need not be in the catalogue. None if it has no kernels.
    pub fn new(implementation: &Arc<Implementation>, parameters: &Parameters) -> Option<Self> {
        let target = Target { element: implementation.usual_element(), ..Target::default() };
        Some(Self {
            name: implementation.name.to_string(),
            parameters: parameters.clone(),
            source: implementation.kernels(target, parameters)?.source,
            implementation: Some(implementation.clone()),
        })
    }

    /// Every implementation that has kernels, with its defaults and with the other parameters that it is verified with, and
    /// the kernels that no implementation owns.
    pub fn all() -> Vec<Self> {
        let targets_of = |implementation: &Arc<Implementation>| -> Vec<Self> {
            let all = implementation.verified_parameters();
            all.filter_map(|parameters| Self::new(implementation, &parameters)).collect()
        };
        let shared = [("layout", KernelSource::LAYOUT), ("ceilings", KernelSource::CEILINGS)];
        let shared = shared.map(|(name, source)| Self {
            name: name.to_string(),
            parameters: Parameters::default(),
            source,
            implementation: None,
        });
        catalogue().iter().flat_map(targets_of).chain(shared).collect()
    }

    /// The name of one of its kernels in the baseline.
    pub(super) fn key(&self, kernel: &str) -> KernelKey {
        KernelKey {
            implementation: self.name.clone(),
            params: self.parameters.to_string(),
            kernel: kernel.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_parameters_are_targets_of_their_own() {
        let all = CountTarget::all();
        let generalized = all.iter().filter(|target| target.name == "generalized-blocked");
        let hashes: std::collections::BTreeSet<_> = generalized.map(|target| target.source.hash()).collect();
        assert_eq!(hashes.len(), 6);
        assert!(all.iter().all(|target| !target.name.starts_with("cpu-")));
        assert!(all.iter().any(|target| target.name == "layout" && target.implementation.is_none()));
    }
}
