//! The figures of a run: which there are follows from what its records hold, not from what the experiment is called.

mod alone;
mod bandwidth;
mod baselines;
mod clocks;
mod context;
mod copies;
mod family;
mod history;
mod jumps;
mod looks;
mod machine;
mod memory;
mod procedures;
mod programs;
mod rates;
mod scaling;
mod seconds;
mod source;
mod speedups;
mod steps;
mod summary;
mod sweep;
mod trend;
mod words;

#[cfg(test)]
mod tests;

pub use family::{FamilyLine, other_rates as other_family_rates, rates as family_rates};
pub use history::{Tracked, history};
pub use machine::of_machine;
pub use source::of_runs as source_of_runs;
pub use summary::{Which, summary};
pub use trend::trend;
pub(super) use words::list;

use super::plot::Plot;
use crate::published::PublishedPaper;
use crate::results::StoredRun;
use context::Context;

/// What a reader of any figure of `run` must know; none where nothing was timed.
pub fn reading(run: &StoredRun, papers: &[PublishedPaper]) -> Option<String> {
    let context = Context::new(run, papers);
    let is_timed = run.results.summary.iter().any(|row| row.is_timed());
    is_timed.then(|| {
        let of_programs = context.about_programs();
        format!("{}{}{}{of_programs}", words::MEDIANS, context.about_graphs(), context.about_estimates())
    })
}

/// The figures that the records of `run` have data for, without those that another shows better. Their ids are unique within
/// the run.
pub fn of_run(run: &StoredRun, papers: &[PublishedPaper]) -> Vec<Plot> {
    let context = Context::new(run, papers);
    let mut plots = Vec::new();
    plots.extend(steps::waterfall(&context));
    let (rates, clocks, baselines) =
        (rates::plot(&context), clocks::plots(&context), baselines::plot(&context));
    let is_beside = baselines.is_some();
    // The first figure is the one that a report shows in front: that with published values beside those measured.
    plots.extend(baselines);
    let gains = alone::plot(&context);
    let are_crossed = gains.is_some();
    plots.extend(gains);
    let scaling = scaling::plots(&context);
    match scaling.is_empty() {
        true => {
            plots.extend(sweep::plots(&context));
            plots.extend(sweep::absolute(&context));
        }
        false => plots.extend(scaling),
    }
    plots.extend(procedures::plots(&context));
    let has_table = context.table.is_some();
    // Rates are the same numbers without the cube of n in them; only a published table is of seconds.
    plots.extend(seconds::plot(&context).filter(|_| has_table || rates.is_none()));
    // Rates have the copy bandwidth as lines: by itself it belongs to the table that it explains.
    let bandwidth = bandwidth::plot(&context).filter(|_| has_table || rates.is_none());
    // What is published of a pair is a line in these.
    let speedups = match clocks.is_empty() && !is_beside {
        true => speedups::plots(&context),
        false => Vec::new(),
    };
    plots.extend(programs::plot(&context));
    plots.extend(clocks);
    // A line for each of many settings tells nothing that their gains do not.
    plots.extend(rates.filter(|_| !are_crossed));
    plots.extend(bandwidth);
    plots.extend(speedups);
    plots.extend(copies::plots(&context));
    plots.extend(memory::plots(&context));
    plots.into_iter().map(|plot| source::with_source(plot, || context.source([]))).collect()
}
