//! What time owes to the graph.

use super::Question;
use crate::claims::Point;
use crate::claims::evidence::Measurements;
use crate::claims::outcome::Outcome;
use crate::claims::said::{Comparison, FigureUnit, Lack, Place};
use crate::claims::settings::Threshold;
use crate::claims::verdict::Range;
use crate::lists::distinct;
use crate::timing::{Estimate, Scope};
use repro_types::CellId;

/// The slowest graph over the fastest, of each implementation that ran on several.
pub fn is_flat(question: &Question) -> Outcome {
    let range = Range::at_most(1.0 + question.settings.get(Threshold::Hardly));
    let found = question.evidence.fullest(&question.paper.id, |run| {
        let columns = run.run.manifest.experiment.columns.iter();
        let mut points = Vec::new();
        for (name, params) in
            distinct(columns.map(|one| (one.implementation.clone(), one.parameters.to_string())))
        {
            for n in run.sizes_of((&name, &params), Scope::Kernel) {
                if let Some(ratio) = spread(question, run, (&name, &params), n) {
                    points.push(Point::of(Place::contender(&name, n), ratio, range));
                }
            }
        }
        points
    });
    let Some((run, points)) = found else {
        return Outcome::lacking(Lack::NoRunOf { experiment: "densities".to_string() });
    };
    Outcome::of(run.name(), Comparison::SlowestGraph, FigureUnit::Times, points)
}

fn spread(
    question: &Question,
    run: &Measurements,
    (name, params): (&str, &str),
    n: usize,
) -> Option<Estimate> {
    let graphs = run.run.manifest.experiment.graphs.iter();
    let all: Vec<Estimate> = graphs
        .filter_map(|graph| run.cell(&CellId::new(name, n, params, &graph.name), Scope::Kernel))
        .collect();
    let by = |a: &&Estimate, b: &&Estimate| a.value.total_cmp(&b.value);
    if all.len() < 2 {
        return None;
    }
    let noise = question.evidence.within(name, n);
    Some(all.iter().max_by(by)?.over(*all.iter().min_by(by)?).widened(noise))
}
