//! Where the values of a figure come from, from the manifests of its runs.

use crate::plot::{Chart, Plot, Source};
use crate::results::StoredRun;
use crate::store::short_commit;
use std::collections::BTreeSet;

/// What counts are of, whatever machine emulated it.
const EMULATED: &str = "emulated CUDA device";

/// A run, with the sizes at which anything was timed, or else counted.
pub fn of_run(run: &StoredRun) -> Source {
    let timed = || run.results.summary.iter().filter(|row| row.is_timed());
    let mut devices = Vec::new();
    if let Some(environment) = run.environment() {
        let on = |gpu: bool| timed().any(|row| run.is_on_gpu(row) == gpu);
        devices.extend(environment.gpu().filter(|_| on(true)).map(|device| device.info.name.clone()));
        devices.extend(on(false).then(|| environment.host.cpu.clone()));
    }
    let manifest = &run.manifest;
    let name = run.name();
    let source = Source {
        devices,
        experiments: BTreeSet::from([manifest.experiment.name.clone()]),
        runs: if name.is_empty() { BTreeSet::new() } else { BTreeSet::from([name]) },
        sizes: None,
        dates: day(&manifest.started).into_iter().collect(),
        commits: BTreeSet::from([short_commit(&manifest.build.commit).to_string()]),
    };
    source.of_sizes(timed().map(|row| row.n))
}

/// What a run counted, which no machine's speed is in.
pub fn of_counts(run: &StoredRun) -> Source {
    let source = Source { devices: vec![EMULATED.to_string()], ..of_run(run) };
    source.of_sizes(run.results.counts.iter().map(|row| row.cell.n))
}

/// All of several runs.
pub fn of_runs(runs: &[&StoredRun]) -> Option<Source> {
    runs.iter().map(|run| of_run(run)).reduce(Source::and)
}

/// `plot` with a source where it has none: `source`, of the sizes on its axis where that is of n.
pub fn with_source(plot: Plot, source: impl Fn() -> Source) -> Plot {
    let sizes: Vec<usize> = match &plot.chart {
        Chart::Lines(chart) if chart.x.is_of_vertices() => {
            chart.series.iter().flat_map(|one| &one.points).map(|point| point.x as usize).collect()
        }
        _ => Vec::new(),
    };
    let source = plot.source.clone().unwrap_or_else(|| source().of_sizes(sizes));
    Plot { source: Some(source), ..plot }
}

/// The day of a time in RFC 3339.
pub fn day(time: &str) -> Option<String> {
    time.get(..10).map(String::from)
}
