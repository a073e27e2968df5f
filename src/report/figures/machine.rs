//! Figures of all runs of one machine together. No number in them mixes two runs, unless its caption names what does.

mod energy;
mod heat;
mod roofline;
mod spread;

use crate::lists::distinct;
use crate::plot::Plot;
use crate::published::PublishedPaper;
use crate::results::StoredRun;
use crate::show::Context;
use crate::show::place;

/// Those that the runs of one machine have data for. `counted` are the runs with counts from the emulated device.
pub fn of_machine(runs: &[&StoredRun], counted: &[&StoredRun], papers: &[PublishedPaper]) -> Vec<Plot> {
    let contexts: Vec<Context> = runs.iter().map(|run| Context::new(run, papers)).collect();
    let energy = energy::plots(runs);
    let all = [heat::plot(&contexts), roofline::plot(&contexts, counted)];
    all.into_iter().flatten().chain(spread::plots(runs)).chain(energy).collect()
}

/// What was timed on the device in any of the runs, in the order of the catalogue.
fn device_implementations(contexts: &[Context]) -> Vec<String> {
    let timed = contexts.iter().flat_map(|context| {
        let rows = context.summary.iter();
        rows.filter(|row| row.median_s.is_some() && context.run.is_on_device(&row.implementation))
    });
    let mut names = distinct(timed.map(|row| row.implementation.clone()));
    names.sort_by_key(|name| (place(name), name.clone()));
    names
}

#[cfg(test)]
mod tests;
