//! Tables of what several devices gain, and of what the model says of more.

use super::Scaling;
use crate::show::{Grid, RATE, digits, rate, rate_with_unit};

/// What was measured, beside the model; and projections.
pub fn tables(scaling: &Scaling) -> Vec<Grid> {
    let measured = Grid::of_columns(
        "One solve on several devices: measured, and what the model says",
        &scaling.cells,
        &[
            ("n", &|cell| cell.n.to_string()),
            ("devices", &|cell| cell.devices.to_string()),
            ("seconds", &|cell| digits(cell.seconds)),
            (RATE, &|cell| rate(cell.tasks_per_s())),
            ("efficiency\n%", &|cell| percent(cell.efficiency)),
            ("as many numbers\na device, %", &|cell| percent(cell.weak.map(|(_, weak)| weak))),
            ("waiting\n%", &|cell| percent(cell.waiting)),
            ("broadcasts\n%", &|cell| percent(cell.communication)),
            ("model\nseconds", &|cell| told(cell.model.map(|model| model.seconds))),
            ("measured\nover model", &|cell| told(cell.model.map(|model| cell.seconds / model.seconds))),
        ],
    );
    let projected = Grid::of_columns(
        "Projection by the model, not measured: more devices, eight in each host",
        &scaling.projections,
        &[
            ("n", &|one| one.n.to_string()),
            ("devices", &|one| one.devices.to_string()),
            ("grid", &|one| format!("{} x {}", one.grid.0, one.grid.1)),
            ("seconds", &|one| digits(one.seconds)),
            ("efficiency\n%", &|one| percent(Some(one.efficiency))),
            ("broadcasts\n%", &|one| percent(Some(one.communication))),
        ],
    );
    [Some(measured), projected.unless_empty()].into_iter().flatten().collect()
}

fn told(value: Option<f64>) -> String {
    value.map_or("-".to_string(), digits)
}

fn percent(share: Option<f64>) -> String {
    share.map_or("-".to_string(), |share| format!("{:.1}", share * 100.0))
}

/// What the columns mean, and what the model is.
pub fn sentences(scaling: &Scaling) -> Vec<String> {
    let mut said = vec![
        "Efficiency: seconds on one device over as many times the seconds on these. With as many numbers a device: tasks a second of \
         each device over those of one device whose whole matrix has as many numbers as the part of each."
            .to_string(),
        "Waiting: of the time of all devices, that in which they had no tile to work on. Broadcasts: of the same, what they took beside \
         the work or not; hidden broadcasts cost nothing."
            .to_string(),
    ];
    if let Some((n, of_one)) = scaling.one {
        said.push(format!(
            "The model: in each round the devices of a grid update their parts and receive the next round's panels. A round takes the \
             longer of the two, and before the first one nothing hides the panels. It has the rate of one device at the same n, or else \
             at n = {n} ({}); 340 GB/s and 25 us for broadcasts in a host, 50 GB/s and 50 us between hosts. The projection has the \
             rate at n = {n}. It is a bound from above: the model leaves out what precedes a panel in each round, the closure of the diagonal \
             block and its product with the panel, which more devices do not shorten.",
            rate_with_unit(of_one)
        ));
    }
    said
}
