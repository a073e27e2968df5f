//! The figures of a run: which there are follows from what its records hold, not from what the experiment is called.

use super::subjects::scaling::{self, Scaling};
use super::subjects::{alone, clocks, counts, procedures, programs, seconds, speedups, steps, sweep};
use super::{Context, source, words};
use crate::plot::Plot;
use crate::published::PublishedPaper;
use crate::results::StoredRun;

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
    plots.extend(steps::figure(&context));
    let (rates, clocks, baselines) =
        (seconds::rates(&context), clocks::figures(&context), speedups::baselines(&context));
    let is_beside = baselines.is_some();
    // The first figure is the one that a report shows in front: that with published values beside those measured.
    plots.extend(baselines);
    let gains = alone::figure(&context);
    let are_crossed = gains.is_some();
    plots.extend(gains);
    let scaling = Scaling::of(context.experiment, &run.results);
    let scaling = scaling.map_or_else(Vec::new, |scaling| scaling::figures(&scaling));
    match scaling.is_empty() {
        true => {
            plots.extend(sweep::figures(&context));
            plots.extend(sweep::absolute(&context));
        }
        false => plots.extend(scaling),
    }
    plots.extend(procedures::figures(&context));
    let has_table = context.table.is_some();
    // Rates are the same numbers without the cube of n in them; only a published table is of seconds.
    plots.extend(seconds::figure(&context).filter(|_| has_table || rates.is_none()));
    // Rates have the copy bandwidth as lines: by itself it belongs to the table that it explains.
    let bandwidth = seconds::bandwidth(&context).filter(|_| has_table || rates.is_none());
    // What is published of a pair is a line in these.
    let speedups = match clocks.is_empty() && !is_beside {
        true => speedups::figures(&context),
        false => Vec::new(),
    };
    plots.extend(programs::figure(&context));
    plots.extend(clocks);
    // A line for each of many settings tells nothing that their gains do not.
    plots.extend(rates.filter(|_| !are_crossed));
    plots.extend(bandwidth);
    plots.extend(speedups);
    plots.extend(clocks::copies(&context));
    plots.extend(counts::figures(&context));
    plots.into_iter().map(|plot| source::with_source(plot, || context.source([]))).collect()
}

#[cfg(test)]
pub(crate) mod tests;
