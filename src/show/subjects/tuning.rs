//! The fastest values of tuned parameters beside what an implementation chooses by itself.

use crate::plan::{Experiment, Variant};
use crate::results::{Results, fastest};
use crate::show::{Grid, digits};

/// A row for each implementation, type of distance and n.
pub fn grid(experiment: &Experiment, results: &Results) -> Option<Grid> {
    let title = format!("The fastest {}, and what is chosen by n", experiment.tunes.join(" and "));
    let longer = |seconds: f64, fastest: f64| format!("{:+.1}%", (seconds / fastest - 1.0) * 100.0);
    Grid::of_columns(
        title,
        fastest(experiment, &results.summary, &results.facts),
        &[
            ("n", &|row| row.n.to_string()),
            ("type", &|row| experiment.element_of(&row.graph).to_string()),
            ("implementation", &|row| Variant::new(&row.implementation, &row.given).to_string()),
            ("fastest", &|row| row.tuned.to_string()),
            ("seconds", &|row| digits(row.seconds)),
            ("seconds as\nit chooses", &|row| row.default_seconds.map_or("-".to_string(), digits)),
            ("longer by", &|row| row.default_seconds.map_or("-".to_string(), |own| longer(own, row.seconds))),
        ],
    )
    .with_keys(3)
    .unless_empty()
}
