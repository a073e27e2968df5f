//! The fastest values of tuned parameters beside what an implementation chooses by itself.

use crate::plan::{Experiment, Variant};
use crate::results::{Results, fastest};
use crate::show::{Grid, digits};

/// A row for each implementation, type of distance and n.
pub fn grid(experiment: &Experiment, results: &Results) -> Option<Grid> {
    let rows = fastest(experiment, &results.summary, &results.facts).into_iter().map(|row| {
        let gain =
            row.default_seconds.map(|seconds| format!("{:+.1}%", (seconds / row.seconds - 1.0) * 100.0));
        vec![
            row.n.to_string(),
            experiment.element_of(&row.graph).to_string(),
            Variant::new(&row.implementation, &row.given).to_string(),
            row.tuned.to_string(),
            digits(row.seconds),
            row.default_seconds.map_or("-".to_string(), digits),
            gain.unwrap_or("-".to_string()),
        ]
    });
    let header = ["n", "type", "implementation", "fastest", "seconds", "seconds as\nit chooses", "longer by"];
    let title = format!("The fastest {}, and what is chosen by n", experiment.tunes.join(" and "));
    Grid::new(title, header, rows).with_keys(3).unless_empty()
}
