//! What is not the same in two runs, and whether they may be compared at all.

use super::compare::CompareError;
use super::comparison::{AllowedDifference, Difference};
use super::rule::CellKind;
use crate::device::DeviceInfo;
use crate::plan::GraphSource;
use crate::results::StoredRun;
use crate::store::Environment;
use crate::timing::Scope;
use repro_base::CellId;
use std::collections::BTreeMap;

/// The differences between two runs that matter to the cells of `shared`, each with the scope by which it is compared. `new` need not
/// have measured anything yet.
///
/// # Errors
/// When there are differences that hinder a comparison and that `across` does not allow: then it would not tell whether the program
/// became slower.
pub fn allowed_differences(
    base: &StoredRun,
    new: &StoredRun,
    shared: &[(CellId, Scope)],
    across: &[AllowedDifference],
) -> Result<Vec<Difference>, CompareError> {
    let (refused, allowed): (Vec<_>, Vec<_>) = differences(base, new, shared)
        .into_iter()
        .partition(|one| one.across.is_some_and(|one| !across.contains(&one)));
    if refused.is_empty() {
        return Ok(allowed);
    }
    Err(CompareError::Differ { base: base.name(), new: new.name(), differences: refused })
}

fn differences(base: &StoredRun, new: &StoredRun, shared: &[(CellId, Scope)]) -> Vec<Difference> {
    let mut all = Vec::new();
    let mut add = |across, what: &str, base: String, new: String| {
        if base != new {
            all.push(Difference { across, what: what.to_string(), base, new });
        }
    };
    let known = |run: &StoredRun| match run.environment() {
        Some(_) => "known".to_string(),
        None => format!("not known of {}", run.name()),
    };
    add(Some(AllowedDifference::Device), "machine", known(base), known(new));
    if let (Some(before), Some(now)) = (base.environment(), new.environment()) {
        if shared.iter().any(|(cell, scope)| CellKind::timed(new, cell, *scope).on_gpu) {
            add(Some(AllowedDifference::Device), "GPU", model(before), model(now));
            add(Some(AllowedDifference::Driver), "driver", driver(before), driver(now));
        } else {
            // Where GPU cells are compared, another CPU is no difference here: CPU cells are left undecided.
            add(Some(AllowedDifference::Device), "CPU", cpu(before), cpu(now));
        }
        let uuid = |of: &Environment| of.gpu().map_or_else(none, |device| device.info.uuid.clone());
        let compiler = |of: &Environment| of.gpu().and_then(|device| device.compiler.clone());
        add(None, "GPU's UUID", uuid(before), uuid(now));
        add(None, "compiler", compiler(before).unwrap_or_else(none), compiler(now).unwrap_or_else(none));
    }
    let turns = |run: &StoredRun| match run.manifest.pair {
        Some(_) => "in turn with another build, which slows small cells".to_string(),
        None => "alone".to_string(),
    };
    add(Some(AllowedDifference::Pairing), "measured", turns(base), turns(new));
    all.extend(shared.iter().find_map(|(cell, _)| graphs(base, new, &cell.graph)));
    if !all.iter().any(|one| one.across == Some(AllowedDifference::Graph)) {
        all.extend(results(base, new, shared));
    }
    all
}

/// The CPUs of both runs, if they differ.
pub fn other_cpu(base: &StoredRun, new: &StoredRun) -> Option<(String, String)> {
    let (before, now) = (cpu(base.environment()?), cpu(new.environment()?));
    (before != now).then_some((before, now))
}

fn none() -> String {
    "none".to_string()
}

fn model(of: &Environment) -> String {
    of.gpu().map_or_else(none, |device| {
        let DeviceInfo { name, multiprocessors, .. } = &device.info;
        format!("{name} ({multiprocessors} multiprocessors)")
    })
}

fn driver(of: &Environment) -> String {
    let unknown = || "unknown".to_string();
    of.gpu().map_or_else(none, |device| device.driver.clone().unwrap_or_else(unknown))
}

fn cpu(of: &Environment) -> String {
    format!("{} ({} threads)", of.host.cpu, of.host.threads)
}

/// The difference, if graphs of the same name are not the same. A file is identified by its content, wherever it lies.
fn graphs(base: &StoredRun, new: &StoredRun, graph: &str) -> Option<Difference> {
    let same = |before: &GraphSource, now: &GraphSource| match (before, now) {
        (GraphSource::File { digest: before, .. }, GraphSource::File { digest: now, .. }) => before == now,
        (before, now) => before == now,
    };
    let (before, now) = (base.graph_source(graph), new.graph_source(graph));
    if before.zip(now).is_some_and(|(before, now)| same(before, now)) {
        return None;
    }
    let recipe = |source: Option<&GraphSource>| {
        let text = serde_json::to_string(&source).unwrap_or_default();
        text.replace(['{', '}', '"'], "").replace(':', " ").replace(',', ", ")
    };
    Some(of_graph(graph, "", recipe(before), recipe(now)))
}

/// A difference in distances. The same recipe may make another graph in another version of the program; since all implementations give the
/// same distances bit for bit, other distances mean another graph.
fn results(base: &StoredRun, new: &StoredRun, shared: &[(CellId, Scope)]) -> Option<Difference> {
    let (before, now) = (digests(base), digests(new));
    // If each run drew its own graphs, external code (user kernels and programs) was timed on other graphs of the same kind.
    let drew = base.manifest.substitute_seed != new.manifest.substitute_seed;
    let is_given = |cell: &CellId| {
        let given = &base.manifest.experiment.given;
        given.iter().any(|given| given.name == cell.implementation)
    };
    let differing = |cell: &CellId| {
        let (before, now) = before.get(cell).zip(now.get(cell))?;
        let both = now.iter().filter_map(|(sample, now)| Some((*before.get(sample)?, *now)));
        both.into_iter().find(|(before, now)| !before.is_empty() && !now.is_empty() && before != now)
    };
    let cells = shared.iter().map(|(cell, _)| cell).filter(|cell| !(drew && is_given(cell)));
    cells.into_iter().find_map(|cell| {
        let (before, now) = differing(cell)?;
        let what = format!(": distances of {cell}");
        Some(of_graph(&cell.graph, &what, before.to_string(), now.to_string()))
    })
}

fn of_graph(graph: &str, of: &str, base: String, new: String) -> Difference {
    let named = format!("graph {graph}");
    Difference {
        across: Some(AllowedDifference::Graph),
        what: format!("{}{of}", named.trim_end()),
        base,
        new,
    }
}

/// The digest of each sample, by cell. Implementations from a file solve another graph in each sample.
fn digests(run: &StoredRun) -> BTreeMap<CellId, BTreeMap<usize, &str>> {
    let mut all: BTreeMap<CellId, BTreeMap<usize, &str>> = BTreeMap::new();
    for row in [Scope::Kernel, Scope::Program].into_iter().flat_map(|scope| run.valid_rows(scope)) {
        all.entry(row.cell()).or_default().insert(row.sample, row.digest.as_str());
    }
    all
}
