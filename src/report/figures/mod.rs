//! The figures of a run: which there are follows from what its records hold, not from what the experiment is called.

mod bandwidth;
mod baselines;
mod clocks;
mod context;
mod copies;
mod memory;
mod procedures;
mod rates;
mod seconds;
mod speedups;
mod steps;
mod sweep;
mod trend;
mod words;

#[cfg(test)]
mod tests;

pub use trend::trend;

use super::plot::Plot;
use crate::experiment::StoredRun;
use crate::record::PublishedPaper;
use context::Context;

/// Every figure that the records of `run` have data for. Their ids are unique within the run.
pub fn of_run(run: &StoredRun, papers: &[PublishedPaper]) -> Vec<Plot> {
    let context = Context::new(run, papers);
    let mut plots = Vec::new();
    plots.extend(steps::waterfall(&context));
    plots.extend(sweep::plots(&context));
    plots.extend(procedures::plots(&context));
    plots.extend(seconds::plot(&context));
    plots.extend(clocks::plots(&context));
    plots.extend(rates::plot(&context));
    plots.extend(bandwidth::plot(&context));
    plots.extend(speedups::plots(&context));
    plots.extend(baselines::plot(&context));
    plots.extend(copies::plots(&context));
    plots.extend(memory::plots(&context));
    plots
}
