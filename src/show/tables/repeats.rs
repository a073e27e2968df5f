//! Solves that were made one after another: whether one differed, how fast they were, what energy they took.

use crate::show::{Grid, RATE, digits, rate};
use crate::store::RepeatsRow;

/// A row a cell.
pub fn grid(repeats: &[RepeatsRow]) -> Option<Grid> {
    let rows = repeats.iter().map(|row| {
        let told = |value: Option<f64>| value.map_or("-".to_string(), digits);
        vec![
            row.cell().to_string(),
            row.solves.to_string(),
            row.different.to_string(),
            digits(row.seconds),
            rate(row.tasks() / row.seconds),
            told(row.joules.map(|joules| joules / row.tasks() * 1e12)),
            told(row.joules.map(|joules| joules / row.seconds)),
            row.sm_mhz.map_or("-".to_string(), |mhz| mhz.to_string()),
            if row.throttled_by.is_empty() { "no".to_string() } else { row.throttled_by.clone() },
        ]
    });
    let header = [
        "cell",
        "solves",
        "other\nresults",
        "seconds",
        RATE,
        "pJ a task",
        "mean W",
        "lowest\nMHz",
        "throttled",
    ];
    let title = "Solves one after another, each of the graph copied anew within the device and named by a digest there";
    Grid::new(title, header, rows).unless_empty()
}
