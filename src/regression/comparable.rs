//! Whether two runs may be compared at all.

use super::compare::CompareError;
use super::kind::CellKind;
use crate::device::DeviceInfo;
use crate::plan::GraphSource;
use crate::results::StoredRun;
use crate::store::Environment;
use crate::timing::Scope;
use repro_types::CellId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// What two runs may differ in and still be compared, if that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Across {
    /// Another model of GPU, or of CPU for cells that run on it.
    Device,
    /// Another driver.
    Driver,
    /// Other graphs: weights, densities or seeds.
    Graph,
    /// One side had the device for itself, and the other took turns with another build.
    Pairing,
}

impl fmt::Display for Across {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        // As files have it.
        self.serialize(f)
    }
}

/// A difference that makes a comparison mean something else than whether the program became slower.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    pub across: Across,
    /// For example `driver: 570.86 before, 580.159 now`.
    pub told: String,
}

/// The differences between two runs that `across` means, as far as the cells of `shared` are concerned. `new` need not have
/// measured anything yet. Each cell with the scope that it is compared by.
///
/// # Errors
/// When there are others, which keep these cells from being compared.
pub fn meant_differences(
    base: &StoredRun,
    new: &StoredRun,
    shared: &[(CellId, Scope)],
    across: &[Across],
) -> Result<Vec<Difference>, CompareError> {
    let (meant, refused): (Vec<_>, Vec<_>) =
        differences(base, new, shared).into_iter().partition(|one| across.contains(&one.across));
    if refused.is_empty() {
        return Ok(meant);
    }
    let join = |of: &mut dyn Iterator<Item = String>, by: &str| of.collect::<Vec<_>>().join(by);
    Err(CompareError::Differ {
        base: base.name(),
        new: new.name(),
        differences: join(&mut refused.iter().map(|one| one.told.clone()), "; "),
        across: join(&mut refused.iter().map(|one| one.across.to_string()), ","),
    })
}

/// What keeps the cells of `shared` from being compared.
fn differences(base: &StoredRun, new: &StoredRun, shared: &[(CellId, Scope)]) -> Vec<Difference> {
    let mut all = Vec::new();
    let on_gpu = |(cell, scope): &(CellId, Scope)| CellKind::timed(new, cell, *scope).on_gpu;
    if let (Some(before), Some(now)) = (base.environment(), new.environment()) {
        let differ = |across, what: &str, of: &dyn Fn(&Environment) -> String| {
            let (before, now) = (of(before), of(now));
            (before != now)
                .then(|| Difference { across, told: format!("{what}: {before} before, {now} now") })
        };
        if shared.iter().any(on_gpu) {
            all.extend(differ(Across::Device, "GPU", &model));
            all.extend(differ(Across::Driver, "driver", &driver));
        }
        // Beside cells on the same GPU, those on another CPU are left undecided.
        if !shared.iter().any(on_gpu) {
            all.extend(differ(Across::Device, "CPU", &host));
        }
    }
    for (run, side) in [(base, "BASE"), (new, "NEW")] {
        if run.environment().is_none() {
            let told = format!("machine: not known of {side} ({})", run.name());
            all.push(Difference { across: Across::Device, told });
        }
    }
    if base.manifest.pair.is_some() != new.manifest.pair.is_some() {
        let how = |run: &StoredRun| match run.manifest.pair {
            Some(_) => "beside another build, which slows small cells,",
            None => "alone",
        };
        let told = format!("measured {} before, {} now", how(base), how(new));
        all.push(Difference { across: Across::Pairing, told });
    }
    all.extend(graphs(base, new, shared));
    all
}

/// Whether cells that run on the CPU were measured on another one.
pub fn on_another_cpu(base: &StoredRun, new: &StoredRun) -> Option<(String, String)> {
    let (before, now) = (host(base.environment()?), host(new.environment()?));
    (before != now).then_some((before, now))
}

fn model(of: &Environment) -> String {
    of.gpu().map_or("none".to_string(), |device| {
        let DeviceInfo { name, multiprocessors, .. } = &device.info;
        format!("{name} ({multiprocessors} multiprocessors)")
    })
}

fn driver(of: &Environment) -> String {
    of.gpu()
        .map_or("none".to_string(), |device| device.driver.clone().unwrap_or_else(|| "unknown".to_string()))
}

fn host(of: &Environment) -> String {
    format!("{} ({} threads)", of.host.cpu, of.host.threads)
}

/// Graphs of the same name that are not the same graph.
fn graphs(base: &StoredRun, new: &StoredRun, shared: &[(CellId, Scope)]) -> Option<Difference> {
    let differs = |told: String| Some(Difference { across: Across::Graph, told });
    let called = |name: &str| match name {
        "" => "graph".to_string(),
        name => format!("graph {name}"),
    };
    for (cell, _) in shared {
        let (Some(before), Some(now)) = (base.graph_source(&cell.graph), new.graph_source(&cell.graph))
        else {
            return differs(format!("{}: not in both manifests", called(&cell.graph)));
        };
        if !same(before, now) {
            return differs(format!(
                "{}: {} before, {} now",
                called(&cell.graph),
                in_words(before),
                in_words(now)
            ));
        }
    }
    // The same recipe may make another graph in another version of the program. All implementations give the same distances,
    // bit for bit, and so another result is one of another graph.
    let (before, now) = (digests(base), digests(new));
    let differ = |(before, now): (&BTreeMap<usize, &str>, &BTreeMap<usize, &str>)| {
        now.iter().any(|(sample, now)| {
            before.get(sample).is_some_and(|before| !before.is_empty() && !now.is_empty() && before != now)
        })
    };
    // What is no part of the program was timed on other graphs of the same kind, if each run drew its own.
    let drew = base.manifest.substitute_seed != new.manifest.substitute_seed;
    let is_given = |cell: &CellId| {
        let given = &base.manifest.experiment.given;
        given.iter().any(|given| given.name == cell.implementation)
    };
    let other = shared.iter().find(|(cell, _)| {
        !(drew && is_given(cell)) && before.get(cell).zip(now.get(cell)).is_some_and(differ)
    });
    let (other, _) = other?;
    differs(format!("{} of n = {}: its distances are not those of before", called(&other.graph), other.n))
}

/// A file is its content, wherever it lies.
fn same(before: &GraphSource, now: &GraphSource) -> bool {
    match (before, now) {
        (GraphSource::File { digest: before, .. }, GraphSource::File { digest: now, .. }) => before == now,
        (before, now) => before == now,
    }
}

fn in_words(source: &GraphSource) -> String {
    let text = serde_json::to_string(source).unwrap_or_default();
    text.replace(['{', '}', '"'], "").replace(':', " ").replace(',', ", ")
}

/// By cell and sample: those of an implementation from a file are of another graph each.
fn digests(run: &StoredRun) -> BTreeMap<CellId, BTreeMap<usize, &str>> {
    let mut all: BTreeMap<CellId, BTreeMap<usize, &str>> = BTreeMap::new();
    for row in [Scope::Kernel, Scope::Program].into_iter().flat_map(|scope| run.valid_rows(scope)) {
        all.entry(row.cell()).or_default().insert(row.sample, row.digest.as_str());
    }
    all
}
