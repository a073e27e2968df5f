//! A smoke run of an experiment, to see that everything in it works: each implementation at one small size. What comes out is verified as
//! ever; its times are of no use.

use crate::plan::config::wrong_option;
use crate::plan::{
    Column, ConfigError, Experiment, ExperimentFile, GraphSource, NamedGraph, Overrides, RepeatRule, resolve,
};
use repro_device::Selection;
use repro_timing::SamplingRule;

/// Two tiles of most kernels a side, so that every kind of tile is there; the second is for parameters that the first does not go with.
const SIZES: [usize; 2] = [64, 128];
/// Two samples show that a solve can be repeated.
const SAMPLES: usize = 2;
/// A solve of so few vertices that takes this long hangs, also on the emulated device of a busy machine.
const LONGEST_SAMPLE_S: f64 = 20.0;
const REPEATED_SOLVES: u64 = 10;
/// Of a batch.
const MOST_GRAPHS: usize = 4;

/// The smoke run of the experiment in `file`: each implementation once, with the first of its sets of parameters that goes with one of
/// [`SIZES`], on every graph.
///
/// # Errors
/// When the experiment cannot be resolved, or none of its parameters goes with a small n.
pub fn smoke(file: &ExperimentFile, device: Selection) -> Result<Experiment, ConfigError> {
    let whole = resolve(file, &Overrides::default(), device)?;
    let mut columns: Vec<Column> = Vec::new();
    for column in whole.columns.iter().filter_map(|column| shrunk(column, device)) {
        if columns.iter().all(|known| known.implementation != column.implementation) {
            columns.push(column);
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
    use crate::plan::locate::tests::load;
    use crate::plan::{DeviceKind, available_experiments, groups};
    use std::collections::BTreeSet;

    fn as_smoke_run(name: &str, device: Selection) -> Experiment {
        smoke(&load(name), device).unwrap()
    }

    fn implementations(columns: &[Column]) -> BTreeSet<&str> {
        columns.iter().map(|column| column.implementation.as_str()).collect()
    }

    #[test]
    fn every_experiment_keeps_each_of_its_implementations_once_at_a_small_size() {
        for name in available_experiments() {
            let whole = resolve(&load(&name), &Overrides::default(), Selection::Auto).unwrap();
            let small = as_smoke_run(&name, Selection::Auto);
            let of_small = implementations(&small.columns);
            assert_eq!(of_small, implementations(&whole.columns), "{name}");
            assert_eq!(of_small.len(), small.columns.len(), "{name}");
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
    fn the_emulated_device_alone_times_nothing_and_the_cpu_alone_emulates_nothing() {
        let emulated = as_smoke_run("table1", Selection::Emulated(None));
        assert!(
            emulated.columns.iter().all(|column| column.sizes.is_empty() && !column.count_sizes.is_empty())
        );
        let cpu = as_smoke_run("table1", Selection::Cpu);
        assert!(cpu.columns.iter().all(|column| column.count_sizes.is_empty()));
    }
}
