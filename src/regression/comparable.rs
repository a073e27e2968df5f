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

/// A difference between two runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// What lets them be compared all the same. None where it hinders no comparison, and is only printed.
    pub across: Option<Across>,
    /// For example `driver: 570.86 before, 580.159 now`.
    pub sentence: String,
}

/// The differences between two runs, as far as the cells of `shared` are concerned. `new` need not have measured anything yet. Each cell
/// with the scope that it is compared by.
///
/// # Errors
/// When there are others than those that `across` means, which make a comparison mean something else than whether the program became
/// slower.
pub fn meant_differences(
    base: &StoredRun,
    new: &StoredRun,
    shared: &[(CellId, Scope)],
    across: &[Across],
) -> Result<Vec<Difference>, CompareError> {
    let (refused, meant): (Vec<_>, Vec<_>) = differences(base, new, shared)
        .into_iter()
        .partition(|one| one.across.is_some_and(|one| !across.contains(&one)));
    if refused.is_empty() {
        return Ok(meant);
    }
    let names = refused.iter().filter_map(|one| one.across).map(|one| one.to_string());
    Err(CompareError::Differ {
        base: base.name(),
        new: new.name(),
        differences: refused.iter().map(|one| one.sentence.as_str()).collect::<Vec<_>>().join("; "),
        across: names.collect::<Vec<_>>().join(","),
    })
}

/// What is read of a machine.
type ReadOf = fn(&Environment) -> String;

fn differences(base: &StoredRun, new: &StoredRun, shared: &[(CellId, Scope)]) -> Vec<Difference> {
    let on_gpu = shared.iter().any(|(cell, scope)| CellKind::timed(new, cell, *scope).on_gpu);
    let mut all = Vec::new();
    let mut add = |across, sentence| all.push(Difference { across, sentence });
    for (run, side) in [(base, "BASE"), (new, "NEW")] {
        if run.environment().is_none() {
            add(Some(Across::Device), format!("machine: not known of {side} ({})", run.name()));
        }
    }
    let of_machine: [(bool, _, _, ReadOf); 5] = [
        (on_gpu, Some(Across::Device), "GPU", model),
        (on_gpu, Some(Across::Driver), "driver", driver),
        // Beside cells on the same GPU, those on another CPU are left undecided, and a note says so.
        (!on_gpu, Some(Across::Device), "CPU", host),
        (true, None, "GPU's UUID", |of| known(of.gpu().map(|device| &device.info.uuid))),
        (true, None, "compiler", |of| known(of.gpu().and_then(|device| device.compiler.as_ref()))),
    ];
    if let (Some(before), Some(now)) = (base.environment(), new.environment()) {
        for (_, across, what, of) in of_machine.into_iter().filter(|(is_asked, ..)| *is_asked) {
            let (before, now) = (of(before), of(now));
            if before != now {
                add(across, format!("{what}: {before} before, {now} now"));
            }
        }
    }
    if base.manifest.pair.is_some() != new.manifest.pair.is_some() {
        let how = |run: &StoredRun| match run.manifest.pair {
            Some(_) => "in turn with another build, which slows small cells,",
            None => "alone",
        };
        add(Some(Across::Pairing), format!("measured {} before, {} now", how(base), how(new)));
    }
    if let Some(sentence) = graphs(base, new, shared) {
        add(Some(Across::Graph), sentence);
    }
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

fn known(text: Option<&String>) -> String {
    text.cloned().unwrap_or_else(|| "none".to_string())
}

fn host(of: &Environment) -> String {
    format!("{} ({} threads)", of.host.cpu, of.host.threads)
}

/// That graphs of the same name are not the same graph.
fn graphs(base: &StoredRun, new: &StoredRun, shared: &[(CellId, Scope)]) -> Option<String> {
    for (CellId { graph, .. }, _) in shared {
        match (base.graph_source(graph), new.graph_source(graph)) {
            (Some(before), Some(now)) if same(before, now) => (),
            (Some(before), Some(now)) => {
                return Some(format!(
                    "{}: {} before, {} now",
                    called(graph),
                    in_words(before),
                    in_words(now)
                ));
            }
            _ => return Some(format!("{}: not in both manifests", called(graph))),
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
    let (other, _) = shared.iter().find(|(cell, _)| {
        !(drew && is_given(cell)) && before.get(cell).zip(now.get(cell)).is_some_and(differ)
    })?;
    Some(format!("{} of n = {}: its distances differ from the earlier ones", called(&other.graph), other.n))
}

fn called(graph: &str) -> String {
    if graph.is_empty() { "graph".to_string() } else { format!("graph {graph}") }
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
