//! A machine's history: what became of its times, and where they changed for good.

use super::Draft;
use super::ids::Ids;
use crate::lists::count_of;
use crate::regression::UNKNOWN_ON_CPU;
use crate::regression::history::{History, HistoryRow, LEAST_TOLERANCE, Step, series, steps};
use crate::report::figures::{Tracked, history as figure};
use crate::report::model::{Home, Section};
use crate::show::{Grid, change, digits};
use crate::store::short_commit;
use std::collections::BTreeSet;

/// The section of one history. None where it is empty.
pub(super) fn over_history(history: &History, ids: &mut Ids) -> Option<Draft> {
    let label = label(&history.rows)?;
    let tracked: Vec<Tracked> = series(&history.rows)
        .into_iter()
        .map(|history| Tracked { steps: steps(&history.rows), history })
        .collect();
    let id = ids.unique("history", &label);
    // On axes of their own: the times of a CPU that others use too would make every change of a GPU a flat line.
    let is_on_gpu = |one: &Tracked| one.history.rows.iter().any(|row| row.is_on_gpu());
    let (gpu, cpu): (Vec<Tracked>, Vec<Tracked>) = tracked.into_iter().partition(is_on_gpu);
    let plots = [figure(&gpu, "gpu"), figure(&cpu, "cpu")].into_iter().flatten().collect();
    let tracked: Vec<Tracked> = gpu.into_iter().chain(cpu).collect();
    let section = Section {
        id,
        title: "Over the history".to_string(),
        machine: label,
        home: Home::History,
        intro: intro(history, &tracked),
        ..Section::default()
    };
    Some(ids.draft(section, plots, changes(&tracked), Some("step-changes")))
}

/// What the machine is called: its GPU, or its CPU where nothing ran on a GPU.
fn label(rows: &[HistoryRow]) -> Option<String> {
    let of = |name: fn(&HistoryRow) -> &str| -> BTreeSet<&str> {
        rows.iter().map(name).filter(|name| !name.is_empty()).collect()
    };
    let joined = |names: BTreeSet<&str>| names.into_iter().collect::<Vec<_>>().join(", ");
    let (gpus, cpus) = (of(|row| &row.device), of(|row| &row.host_cpu));
    match (rows.is_empty(), gpus.is_empty()) {
        (true, _) => None,
        (_, false) => Some(joined(gpus)),
        _ => Some(format!("{}, no GPU", joined(cpus))),
    }
}

fn intro(history: &History, tracked: &[Tracked]) -> Vec<String> {
    let mut rows: Vec<&HistoryRow> = history.rows.iter().collect();
    rows.sort_by_key(|row| row.timestamp());
    let runs: BTreeSet<_> =
        rows.iter().map(|row| (&row.time, &row.commit, &row.experiment, &row.host_cpu)).collect();
    let day =
        |row: Option<&&HistoryRow>| row.and_then(|row| row.time.get(..10)).unwrap_or_default().to_string();
    let (first, last) = (day(rows.first()), day(rows.last()));
    let often = tracked.iter().filter(|one| one.history.rows.len() > 1).count();
    let name = history.path.file_name().unwrap_or_default().to_string_lossy();
    let mut said = vec![
        format!(
            "{name}: {}, {}; {}, {often} of them measured more than once.",
            count_of(runs.len(), "run"),
            if first == last { first } else { format!("{first} to {last}") },
            count_of(tracked.len(), "cell"),
        ),
        format!(
            "A cell stepped where its median left the level of the runs before by more than {:.0}% (of few runs on a CPU, {:.0}%), or by \
             more than it usually moves, its interval does not touch that level's, and the next run stayed there.",
            LEAST_TOLERANCE * 100.0,
            UNKNOWN_ON_CPU * 100.0
        ),
        stepped(tracked),
    ];
    let disturbed = rows.iter().filter(|row| row.is_disturbed()).count();
    if disturbed > 0 {
        said.push(format!(
            "{} measured while the GPU was throttled or others used the cores: drawn, but no part of a level or a step.",
            if disturbed == 1 { "1 entry was".to_string() } else { format!("{disturbed} entries were") }
        ));
    }
    let gpus: BTreeSet<&str> =
        rows.iter().map(|row| row.device_uuid.as_str()).filter(|uuid| !uuid.is_empty()).collect();
    if gpus.len() > 1 {
        said.push(format!(
            "{} GPUs of this model were measured; a step between two of them is told as one.",
            gpus.len()
        ));
    }
    for (what, of) in
        [("driver", (|row| &row.driver) as fn(&HistoryRow) -> &String), ("compiler", |row| &row.compiler)]
    {
        said.extend(became(&rows, what, of));
    }
    said
}

/// When drivers or compilers changed: times before and after are of one line, and this may be why they differ.
fn became(rows: &[&HistoryRow], what: &str, of: fn(&HistoryRow) -> &String) -> Vec<String> {
    let on_gpu: Vec<&&HistoryRow> =
        rows.iter().filter(|row| !row.device.is_empty() && !of(row).is_empty()).collect();
    let changes = on_gpu.windows(2).filter(|pair| of(pair[0]) != of(pair[1]));
    changes
        .map(|pair| {
            let day = pair[1].time.get(..10).unwrap_or_default();
            format!("From {day} on the {what} is {}, before it was {}.", of(pair[1]), of(pair[0]))
        })
        .collect()
}

fn stepped(tracked: &[Tracked]) -> String {
    let all: Vec<&Step> = tracked.iter().flat_map(|one| &one.steps).collect();
    let open = all.iter().filter(|step| !step.confirmed).count();
    match all.len() {
        0 => "No step change.".to_string(),
        many if open == 0 => format!("{}, all confirmed.", count_of(many, "step change")),
        many => format!("{}, {open} not confirmed.", count_of(many, "step change")),
    }
}

/// The step changes, oldest first. None where there is none.
fn changes(tracked: &[Tracked]) -> Option<Grid> {
    let mut all: Vec<(String, &Step)> =
        tracked.iter().flat_map(|one| one.steps.iter().map(|step| (one.history.name(), step))).collect();
    // Stable, so that the cells of one run stay in the order of their sizes.
    all.sort_by_key(|(_, step)| step.after.timestamp());
    let rows: Vec<Vec<String>> = all
        .into_iter()
        .map(|(cell, step)| {
            vec![
                cell,
                step.after.time.get(..10).unwrap_or_default().to_string(),
                format!("{} → {}", short_commit(&step.before.commit), short_commit(&step.after.commit)),
                format!("{} → {}", digits(step.level_before_s), digits(step.level_after_s)),
                format!("{:.3} ({})", step.ratio(), change(step.ratio())),
                if step.confirmed { "confirmed" } else { "not confirmed" }.to_string(),
                step.also_changed().join(", "),
            ]
        })
        .collect();
    let header = ["cell", "date", "commit", "seconds", "ratio", "confirmed", "what else changed"];
    Grid::new("Step changes: levels of the medians (scope kernel) before and after", header, rows)
        .unless_empty()
}
