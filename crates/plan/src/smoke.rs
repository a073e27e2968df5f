//! A smoke run of an experiment, to see within seconds that everything in it works: a few of its cells, at the smallest sizes that
//! exercise them. What comes out is verified as ever; its times are of no use.

use crate::config::wrong_option;
use crate::{
    Column, ConfigError, Experiment, ExperimentFile, GraphSource, NamedGraph, Overrides, RepeatRule, resolve,
};
use repro_device::Selection;
use repro_timing::SamplingRule;

/// Two tiles of most kernels a side, so that every kind of tile is there; and twice as many for parameters that ask for more.
const SIZES: [usize; 2] = [64, 128];
/// Two samples show that a solve can be repeated.
const SAMPLES: usize = 2;
/// A solve of so few vertices that takes this long hangs, also on the emulated device of a busy machine.
const LONGEST_SAMPLE_S: f64 = 20.0;
const REPEATED_SOLVES: u64 = 10;
/// Of a batch.
const MOST_GRAPHS: usize = 4;

/// The smoke run of the experiment in `file`. Every implementation runs with the first and the last of its sets of parameters that go
/// with one of [`SIZES`]: the first on every graph and in every element type, the last on one graph of a GPU's. The emulated device,
/// for which a compiler takes seconds for each set, runs the first alone.
///
/// # Errors
/// When the experiment cannot be resolved, or none of its parameters goes with a small n.
pub fn smoke(file: &ExperimentFile, device: Selection) -> Result<Experiment, ConfigError> {
    let whole = resolve(file, &Overrides::default(), device)?;
    let small: Vec<Column> = whole.columns.iter().filter_map(|column| shrunk(column, device)).collect();
    let mut columns: Vec<Column> = Vec::new();
    for (at, column) in small.iter().enumerate() {
        let is_same = |other: &Column| other.implementation == column.implementation;
        if !small[..at].iter().any(is_same) {
            columns.push(column.clone());
        } else if !small[at + 1..].iter().any(is_same) {
            let one = whole.graphs.iter().find(|graph| column.runs_on(&graph.name));
            let graphs = one.map(|graph| graph.name.clone()).into_iter().collect();
            let count_sizes = if column.sizes.is_empty() { column.count_sizes.clone() } else { Vec::new() };
            columns.push(Column { graphs, count_sizes, ..column.clone() });
        }
    }
    if columns.is_empty() {
        let problem = format!("no parameters of {} go with one of n = {SIZES:?}", file.name);
        return Err(wrong_option("--smoke", problem));
    }
    let mut graphs = whole.graphs;
    keep_few(&mut graphs);
    let mut limits = whole.limits;
    (limits.warm_up_s, limits.sample_s) = (0.0, LONGEST_SAMPLE_S.min(limits.sample_s));
    let repeats = whole.repeats.map(|_| RepeatRule { solves: REPEATED_SOLVES, seconds: 0.0 });
    let sampling = SamplingRule { min_samples: SAMPLES, max_samples: SAMPLES, ..whole.sampling };
    Ok(Experiment { columns, graphs, limits, repeats, sampling, orders: 1, ..whole })
}

/// Leaves so many graphs of a batch as a short run can solve, or the emulated device.
pub(crate) fn keep_few(graphs: &mut [NamedGraph]) {
    for graph in graphs {
        if let GraphSource::Random(random) = &mut graph.source {
            random.graphs = random.graphs.min(MOST_GRAPHS);
        }
    }
}

/// The column at the first of [`SIZES`] that goes with its parameters.
fn shrunk(column: &Column, device: Selection) -> Option<Column> {
    let variant = column.variant();
    variant.implementation.known()?;
    let n = SIZES.into_iter().find(|&n| variant.fits(n).is_ok())?;
    let on_device = variant.needs_device();
    let count_sizes = if on_device && device.may_emulate() { vec![n] } else { Vec::new() };
    let sizes = if on_device && device.is_emulated() { Vec::new() } else { vec![n] };
    Some(Column { sizes, optional: Vec::new(), count_sizes, ..column.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locate::tests::load;
    use crate::{DeviceKind, available_experiments, groups};
    use std::collections::BTreeSet;

    fn as_smoke_run(name: &str, device: Selection) -> Experiment {
        smoke(&load(name), device).unwrap()
    }

    fn implementations(columns: &[Column]) -> BTreeSet<&str> {
        columns.iter().map(|column| column.implementation.as_str()).collect()
    }

    #[test]
    fn every_experiment_keeps_all_its_implementations_at_sizes_of_a_second() {
        for name in available_experiments() {
            let whole = resolve(&load(&name), &Overrides::default(), Selection::Auto).unwrap();
            let small = as_smoke_run(&name, Selection::Auto);
            assert_eq!(implementations(&small.columns), implementations(&whole.columns), "{name}");
            assert!(small.columns.iter().all(|column| column.optional.is_empty()), "{name}");
            let sizes =
                small.columns.iter().flat_map(|column| column.sizes.iter().chain(&column.count_sizes));
            assert!(sizes.clone().count() > 0 && sizes.clone().all(|&n| (64..=128).contains(&n)), "{name}");
            assert_eq!((small.sampling.min_samples, small.sampling.max_samples), (2, 2), "{name}");
            assert!(small.repeats.is_none_or(|rule| rule.solves <= 10 && rule.seconds == 0.0), "{name}");
            let planned: usize = groups(&small, DeviceKind::None).iter().map(|group| group.cells.len()).sum();
            assert!((1..=20).contains(&planned), "{name}: {planned}");
        }
    }

    #[test]
    fn first_parameters_run_on_every_graph_and_last_ones_on_one() {
        let small = as_smoke_run("kappa-sweep", Selection::Auto);
        let params: Vec<String> = small.columns.iter().map(|column| column.parameters.to_string()).collect();
        assert_eq!(params.len(), 2, "{params:?}");
        assert_eq!(params[0], "kappa=1");
        let elements = |name: &str| {
            let small = as_smoke_run(name, Selection::Auto);
            let of =
                |column: &Column| small.graphs.iter().filter(|graph| column.runs_on(&graph.name)).count();
            small.columns.iter().map(of).collect::<Vec<_>>()
        };
        assert_eq!(elements("tile-sweep"), [3, 1]);
    }

    #[test]
    fn the_emulated_device_alone_times_nothing_and_the_cpu_alone_emulates_nothing() {
        let emulated = as_smoke_run("table1", Selection::Emulated(None));
        assert!(
            emulated.columns.iter().all(|column| column.sizes.is_empty() && !column.count_sizes.is_empty())
        );
        let cpu = as_smoke_run("table1", Selection::Cpu);
        assert!(cpu.columns.iter().all(|column| column.count_sizes.is_empty()));
    }
}
