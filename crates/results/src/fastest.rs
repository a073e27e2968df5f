//! What was fastest in a run of an experiment that tunes parameters.

use crate::{Facts, SummaryRow};
use repro_plan::Experiment;
use repro_types::Parameters;
use repro_types::lists::grouped;

/// Of one implementation on one graph: what was fastest among the values of the tuned parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Fastest {
    pub implementation: String,
    pub n: usize,
    /// The graph's name in the experiment.
    pub graph: String,
    /// Parameters that the experiment does not tune.
    pub given: Parameters,
    /// The fastest values of those that it does.
    pub tuned: Parameters,
    pub seconds: f64,
    /// What the implementation takes when it is left to choose.
    pub default_seconds: Option<f64>,
}

/// What was fastest of `summary`'s cells that differ in tuned parameters alone; nothing of an experiment that tunes none.
pub fn fastest(experiment: &Experiment, summary: &[SummaryRow], facts: &Facts) -> Vec<Fastest> {
    let tunes = |name: &str| experiment.tunes.iter().any(|tuned| tuned == name);
    let measured = summary.iter().filter_map(|row| {
        let parameters: Parameters = row.params.parse().ok()?;
        let (tuned, given) = parameters.split(tunes);
        let given = facts.non_default(&row.implementation, &given);
        let key = (row.implementation.clone(), row.n, row.graph.clone(), given);
        Some((key, (tuned, row.median_s?)))
    });
    let rows = grouped(measured).into_iter().filter_map(|((implementation, n, graph, given), all)| {
        let (default, set): (Vec<_>, Vec<_>) = all.into_iter().partition(|(tuned, _)| tuned.is_empty());
        let (tuned, seconds) = set.into_iter().min_by(|(_, a), (_, b)| a.total_cmp(b))?;
        let default_seconds = default.first().map(|(_, seconds)| *seconds);
        Some(Fastest { implementation, n, graph, given, tuned, seconds, default_seconds })
    });
    rows.collect()
}
