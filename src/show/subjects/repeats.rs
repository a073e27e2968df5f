//! Solves that were made one after another: whether one differed, how fast they were, what energy they took.

use crate::results::StoredRun;
use crate::show::{Grid, RATE, digits, rate};
use crate::store::RepeatsRow;

/// A row a cell.
pub fn grid(run: &StoredRun) -> Option<Grid> {
    let tasks = |row: &RepeatsRow| row.solves as f64 * run.tasks(&row.cell());
    let title = "Solves one after another, each of the graph copied anew within the device and named by a digest there";
    let joules =
        |row: &RepeatsRow, over: f64| row.joules.map_or("-".to_string(), |joules| digits(joules / over));
    let throttled = |row: &RepeatsRow| match row.throttled_by.as_str() {
        "" => "no".to_string(),
        by => by.to_string(),
    };
    Grid::of_columns(
        title,
        &run.results.repeats,
        &[
            ("cell", &|row| row.cell().to_string()),
            ("solves", &|row| row.solves.to_string()),
            ("other\nresults", &|row| row.different.to_string()),
            ("seconds", &|row| digits(row.seconds)),
            (RATE, &|row| rate(tasks(row) / row.seconds)),
            ("pJ a task", &|row| joules(row, tasks(row) * 1e-12)),
            ("mean W", &|row| joules(row, row.seconds)),
            ("lowest\nMHz", &|row| row.sm_mhz.map_or("-".to_string(), |mhz| mhz.to_string())),
            ("throttled", &|row| throttled(row)),
        ],
    )
    .unless_empty()
}
