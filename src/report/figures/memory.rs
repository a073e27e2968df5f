//! What the emulated device counted of memory: bank conflicts and bytes a task, by access pattern.

use super::context::Context;
use super::words::{kernel as words, list};
use crate::experiment::counted_last_kernel;
use crate::report::plot::palette::{GREY, ORANGE, SKY, place};
use crate::report::plot::{
    Axis, Bar, Chart, Ink, Key, Plot, Quantity, Row, Rows, Scale, Stroke, significant,
};

/// Two plots, where anything was counted: ways of bank conflicts, and bytes of global memory.
pub fn plots(context: &Context) -> Vec<Plot> {
    [conflicts(context), traffic(context)].into_iter().flatten().collect()
}

/// Implementations that were counted, in the order of the steps or else of the catalogue.
fn counted<'a>(context: &'a Context) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for row in &context.run.results.counts {
        if !names.contains(&row.cell.implementation.as_str()) {
            names.push(&row.cell.implementation);
        }
    }
    let steps = &context.run.manifest.experiment.steps;
    names.sort_by_key(|name| (steps.iter().position(|step| step == name), place(name)));
    names
}

fn bar(value: f64, lane: usize, ink: Ink, hollow: bool, name: &str, text: String) -> Bar {
    Bar { from: 0.0, to: value, ink, hollow, name: name.into(), text, lane }
}

/// Which kernel was counted, where it is the same of all; it then needs no notes.
fn one_kernel(rows: &mut [Row]) -> String {
    let first = rows.first().map_or(String::new(), |row| row.note.clone());
    if rows.iter().any(|row| row.note != first) {
        return "the kernel that does most tasks".to_string();
    }
    rows.iter_mut().for_each(|row| row.note.clear());
    format!("the kernel {first}, which does most tasks")
}

fn key(text: &str, ink: Ink) -> Key {
    Key { text: text.into(), ink, mark: None, stroke: Stroke::None }
}

fn conflicts(context: &Context) -> Option<Plot> {
    let mut worst: Vec<String> = Vec::new();
    let mut n = 0;
    let mut rows: Vec<Row> = counted(context)
        .into_iter()
        .filter_map(|name| {
            let found = counted_last_kernel(&context.run.results.counts, name)?;
            n = n.max(found.row.cell.n);
            let counts = found.row.counts;
            let (load, store) = (counts.shared_load, counts.shared_store);
            if load.requests + store.requests == 0 {
                return None;
            }
            let ways = |worst: u32| f64::from(worst);
            if load.banks_16.worst > 1 || load.banks_32.worst > 1 {
                worst.push(format!(
                    "{name} ({} ways of 16 banks, {} of 32)",
                    load.banks_16.worst, load.banks_32.worst
                ));
            }
            let text = |worst: u32| worst.to_string();
            let bars = vec![
                bar(
                    ways(load.banks_16.worst),
                    0,
                    ORANGE,
                    false,
                    "loads, ways of 16 banks",
                    text(load.banks_16.worst),
                ),
                bar(
                    ways(load.banks_32.worst),
                    1,
                    SKY,
                    true,
                    "loads, ways of 32 banks",
                    text(load.banks_32.worst),
                ),
            ];
            Some(Row { label: name.into(), note: words(&found.row.kernel), bars, ..Row::default() })
        })
        .collect();
    // One alone has nothing to be compared with: a table says it.
    if rows.len() < 2 {
        return None;
    }
    let kernel = one_kernel(&mut rows);
    let finding = if worst.is_empty() {
        "No load of shared memory conflicts. ".to_string()
    } else {
        format!("Loads conflict in {}. ", list(&worst))
    };
    Some(Plot {
        id: "bank-conflicts".into(),
        title: "Bank conflicts of shared memory by access pattern".into(),
        caption: format!(
            "{finding}Ways are the most steps that one load of a half-warp over 16 banks (compute capability 1.x) or of a warp \
             over 32 banks (2.0 and newer) takes: 1 without conflicts. Of {kernel}, counted on the \
             emulated device at n up to {n}."
        ),
        alt: format!(
            "Bars of the worst bank conflict over 16 and over 32 banks for {} kernels. {}",
            rows.len(),
            finding.trim()
        ),
        chart: Chart::Rows(Rows {
            x: Axis::new("Steps of the worst load: 1 without conflicts", Scale::Linear, Quantity::Ways)
                .including([0.0]),
            note_heading: if rows.iter().any(|row| !row.note.is_empty()) {
                "kernel".into()
            } else {
                String::new()
            },
            rows,
            heading: String::new(),
            guides: Vec::new(),
            keys: vec![key("16 banks", ORANGE), key("32 banks (frame)", SKY)],
            joined: false,
        }),
    })
}

fn traffic(context: &Context) -> Option<Plot> {
    let mut wasted: Vec<String> = Vec::new();
    let mut n = 0;
    let mut rows: Vec<Row> = counted(context)
        .into_iter()
        .filter_map(|name| {
            let found = counted_last_kernel(&context.run.results.counts, name)?;
            let (asked, sectors) = (found.bytes_a_task, found.sector_bytes_a_task);
            if !asked.is_finite() || !sectors.is_finite() || asked <= 0.0 {
                return None;
            }
            n = n.max(found.row.cell.n);
            if sectors > asked * 1.001 {
                wasted.push(format!(
                    "{name} ({} of {} bytes)",
                    significant(asked, 3),
                    significant(sectors, 3)
                ));
            }
            let bars = vec![
                bar(asked, 0, GREY, false, "bytes asked for, a task", significant(asked, 3)),
                bar(sectors, 1, SKY, true, "bytes in sectors of 32, a task", significant(sectors, 3)),
            ];
            Some(Row { label: name.into(), note: words(&found.row.kernel), bars, ..Row::default() })
        })
        .collect();
    // One alone has nothing to be compared with: a table says it.
    if rows.len() < 2 {
        return None;
    }
    let kernel = one_kernel(&mut rows);
    let finding = if wasted.is_empty() {
        "Every sector that is moved is wanted whole. ".to_string()
    } else {
        format!("More is moved than asked for in {}. ", list(&wasted))
    };
    Some(Plot {
        id: "traffic".into(),
        title: "Global memory a task by access pattern".into(),
        caption: format!(
            "{finding}Bytes that threads load and store a task of {kernel}, and the sectors of 32 bytes \
             that they lie in, counted on the emulated device at n up to {n}; caches are not modelled."
        ),
        alt: format!(
            "Bars of bytes a task, asked for and moved in sectors, for {} kernels. {}",
            rows.len(),
            finding.trim()
        ),
        chart: Chart::Rows(Rows {
            x: Axis::new("Bytes of global memory a task", Scale::Linear, Quantity::Bytes).including([0.0]),
            note_heading: if rows.iter().any(|row| !row.note.is_empty()) {
                "kernel".into()
            } else {
                String::new()
            },
            rows,
            heading: String::new(),
            guides: Vec::new(),
            keys: vec![key("asked for", GREY), key("in sectors of 32 bytes (frame)", SKY)],
            joined: false,
        }),
    })
}
