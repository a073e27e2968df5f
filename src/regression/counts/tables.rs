//! What was collected, as tables and as JSON.

use super::collect::Collection;
use super::figure::{Figure, KernelFigures, KernelKey, Tool, Value};
use super::{ARCHITECTURE, N};
use crate::report::text::{Grid, digits};
use serde_json::{Value as Json, json};

/// The columns of a table: a title and whose figure it is.
type Columns = [(&'static str, Figure)];

/// The figures of the emulated device that a table has room for; files have all.
const EMULATED: [(&str, Figure); 10] = [
    ("launches", Figure::Launches),
    ("blocks", Figure::Blocks),
    ("barriers", Figure::Barriers),
    ("global\nloaded B", Figure::GlobalLoadBytes),
    ("load\nsectors", Figure::GlobalLoadSectors),
    ("global\nstored B", Figure::GlobalStoreBytes),
    ("shared\nloaded B", Figure::SharedLoadBytes),
    ("steps,\n32 banks", Figure::SharedLoadSteps32),
    ("steps,\n16 banks", Figure::SharedLoadSteps16),
    ("shared B\na block", Figure::SharedBlockBytes),
];

const MACHINE_CODE: [(&str, Figure); 5] = [
    ("registers", Figure::Registers),
    ("spill\nstores B", Figure::SpillStoreBytes),
    ("spill\nloads B", Figure::SpillLoadBytes),
    ("stack B", Figure::StackBytes),
    ("shared B\na block", Figure::CompiledSharedBytes),
];

const LOOPS: [(&str, Figure); 3] = [
    ("instructions", Figure::LoopInstructionsATask),
    ("of tasks", Figure::LoopTaskInstructionsATask),
    ("shared\nloads", Figure::LoopSharedLoadsATask),
];

/// A table for each side that has figures.
pub fn grids(collection: &Collection) -> Vec<Grid> {
    let titled = [
        (format!("One solve of n = {N} on the emulated device"), &EMULATED[..]),
        (format!("Machine code for {ARCHITECTURE}"), &MACHINE_CODE[..]),
        (format!("Innermost loops for {ARCHITECTURE}, a task"), &LOOPS[..]),
    ];
    let grids = titled.into_iter().map(|(title, columns)| grid(title, columns, &collection.figures));
    grids.filter(|grid| !grid.rows.is_empty()).collect()
}

fn grid(title: String, columns: &Columns, figures: &KernelFigures) -> Grid {
    let row = |key: &KernelKey, values: Vec<Option<Value>>| {
        let KernelKey { implementation, params, kernel } = key;
        let cells = values.into_iter().map(|value| value.map(shown).unwrap_or_default());
        [implementation, params, kernel].into_iter().cloned().chain(cells).collect()
    };
    Grid::new(
        title,
        ["implementation", "parameters", "kernel"].into_iter().chain(columns.iter().map(|(title, _)| *title)),
        figures
            .iter()
            .map(|(key, figures)| {
                let values: Vec<_> = columns.iter().map(|(_, figure)| figures.get(figure).copied()).collect();
                (key, values)
            })
            .filter(|(_, values)| values.iter().any(Option::is_some))
            .map(|(key, values)| row(key, values)),
    )
    .with_keys(3)
}

/// "188/64 = 2.938"
fn shown(value: Value) -> String {
    let text = value.to_string();
    if text.contains('/') { format!("{text} = {}", digits(value.as_f64())) } else { text }
}

/// Everything, with the version of each tool or why it is not here.
pub fn listing(collection: &Collection) -> Json {
    let tools = Tool::ALL.into_iter().filter_map(|tool| {
        let entry = match collection.tools.get(&tool)? {
            Ok(version) => json!({ "version": version }),
            Err(why) => json!({ "missing": why }),
        };
        Some((tool.name().to_string(), entry))
    });
    let kernels = collection.figures.iter().map(|(key, figures)| {
        let figures = figures.iter().map(|(figure, value)| (figure.name().to_string(), json!(value)));
        json!({
            "implementation": key.implementation,
            "params": key.params,
            "kernel": key.kernel,
            "figures": figures.collect::<serde_json::Map<_, _>>(),
        })
    });
    json!({
        "n": N,
        "architecture": ARCHITECTURE,
        "tools": tools.collect::<serde_json::Map<_, _>>(),
        "kernels": kernels.collect::<Vec<_>>(),
    })
}
