//! One section a run: what was run, its figures, its sentences, its tables; and how a machine changed over time.

use super::figures::{of_run, reading, trend};
use super::machines::MachineRuns;
use super::model::{Figure, Section, Table};
use super::plot::{Plot, draw_all};
use super::words::in_words;
use crate::experiment::{Grid, StoredRun, digits, tables};
use crate::record::PublishedPaper;
use std::collections::{BTreeMap, BTreeSet};

/// What runs are labelled with that were counted and not timed.
pub const EMULATED: &str = "emulated CUDA device";
/// The figure that every run of several sizes has.
const RATES: &str = "tasks-per-second";

/// Sections of every machine in its experiments' order, then of the runs that were only counted.
pub fn sections(machines: &[MachineRuns], counted: &[&StoredRun], papers: &[PublishedPaper]) -> Vec<Section> {
    let mut ids = Ids::default();
    let mut drafts: Vec<(Section, Vec<Plot>)> = Vec::new();
    for machine in machines {
        let mut runs = machine.runs.clone();
        runs.sort_by_key(|run| (place(run), std::cmp::Reverse(run.results.summary.len())));
        // What only adds to a fuller run of the same experiment comes after the others.
        let mut further: Vec<(Section, Vec<Plot>)> = Vec::new();
        let mut by_experiment: BTreeMap<&str, Vec<&StoredRun>> = BTreeMap::new();
        for (at, run) in runs.iter().enumerate() {
            by_experiment.entry(&run.manifest.experiment.name).or_default().push(run);
            let is_repeated = runs.iter().enumerate().any(|(other, fuller)| other < at && holds(fuller, run));
            let is_first = by_experiment[run.manifest.experiment.name.as_str()].len() == 1;
            let part = match (is_repeated, is_first) {
                (true, _) => Part::Repeated,
                (_, true) => Part::Whole,
                _ => Part::More,
            };
            let draft = of_one(run, &machine.label, part, papers, &mut ids);
            if is_first { drafts.push(draft) } else { further.push(draft) }
        }
        for (experiment, runs) in by_experiment {
            let mut runs = runs;
            runs.sort_by(|a, b| a.manifest.started.cmp(&b.manifest.started));
            drafts.extend(over_time(experiment, &runs, &machine.label, &mut ids));
        }
        drafts.extend(further);
    }
    let timed = |run: &&&StoredRun| {
        machines.iter().flat_map(|machine| &machine.runs).any(|other| std::ptr::eq(**run, *other))
    };
    for run in counted.iter().filter(|run| !timed(run)) {
        drafts.push(of_one(run, EMULATED, Part::Whole, papers, &mut ids));
    }
    draw(drafts)
}

/// All figures at once: drawing is what takes time.
fn draw(drafts: Vec<(Section, Vec<Plot>)>) -> Vec<Section> {
    let plots: Vec<Plot> = drafts.iter().flat_map(|(_, plots)| plots.clone()).collect();
    let mut figures = draw_all(&plots).into_iter();
    drafts
        .into_iter()
        .map(|(section, plots)| {
            let figures: Vec<Figure> = figures.by_ref().take(plots.len()).collect();
            Section { figures, ..section }
        })
        .collect()
}

/// The experiments of the papers in the order of a story; others after them, by name.
fn place(run: &StoredRun) -> (usize, String) {
    const ORDER: [&str; 7] =
        ["table1", "ablation", "kappa-sweep", "occupancy", "over-cpu", "block-shapes", "timers"];
    let name = &run.manifest.experiment.name;
    (ORDER.iter().position(|known| known == name).unwrap_or(ORDER.len()), name.clone())
}

/// Whether `fuller` has every cell that `run` measured, of the same experiment: its figures show what those of `run` would.
fn holds(fuller: &StoredRun, run: &StoredRun) -> bool {
    let measured = |run: &StoredRun| -> BTreeSet<_> {
        run.results.summary.iter().filter(|row| row.median_s.is_some()).map(|row| row.cell()).collect()
    };
    fuller.manifest.experiment.name == run.manifest.experiment.name
        && measured(fuller).is_superset(&measured(run))
}

/// What a run is among those of its experiment on one machine.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// The only one or the fullest.
    Whole,
    /// It has cells that the fullest has not.
    More,
    /// The fullest has all its cells.
    Repeated,
}

fn of_one(
    run: &StoredRun,
    machine: &str,
    part: Part,
    papers: &[PublishedPaper],
    ids: &mut Ids,
) -> (Section, Vec<Plot>) {
    let manifest = &run.manifest;
    let name = run.name();
    let is_named = part != Part::Whole || machine == EMULATED;
    let id = ids.unique(&manifest.experiment.name, if is_named { &name } else { "" });
    let title = match part {
        Part::Whole if machine == EMULATED => format!("Counted on the emulated device: {name}"),
        Part::Whole => manifest.experiment.title.clone(),
        Part::More => format!("{}: more kernels or sizes ({name})", short(&manifest.experiment.title)),
        Part::Repeated => format!("{}: run once more ({name})", short(&manifest.experiment.title)),
    };
    let told = tables(manifest, &run.results);
    // The head's first line is the title, and the machine stands above or at the top.
    let told_above = |line: &&str| machine != EMULATED && line.starts_with("Here: ");
    let mut intro: Vec<String> =
        told.head.lines().skip(1).filter(|line| !told_above(line)).map(str::to_string).collect();
    let measured = run.results.summary.iter().filter(|row| row.median_s.is_some()).count();
    let amount = match measured {
        0 => "counted and not timed".to_string(),
        _ => {
            let samples: usize = run.results.summary.iter().map(|row| row.samples).sum();
            format!("{measured} cells measured, {samples} samples")
        }
    };
    intro.push(format!(
        "Run {name}, {}, commit {}: {amount}.",
        manifest.started.get(..10).unwrap_or_default(),
        manifest.build.commit.get(..7).unwrap_or(&manifest.build.commit),
    ));
    let mut plots = Vec::new();
    if part == Part::Repeated {
        intro.push("A fuller run of the same experiment has its figures; here are its tables.".to_string());
    } else {
        plots = of_run(run, papers);
        if part == Part::More && plots.iter().any(|plot| plot.id == RATES) {
            // The fullest run has the others.
            plots.retain(|plot| plot.id == RATES);
        }
        if !plots.is_empty() {
            intro.extend(reading(run, papers));
        }
        for plot in &mut plots {
            plot.id = ids.unique(&id, &plot.id);
        }
    }
    let tables = joined(told.grids)
        .into_iter()
        .map(|grid| Table { id: ids.unique(&id, &stem(&grid.title)), grid })
        .collect();
    let section = Section {
        id,
        title,
        machine: machine.to_string(),
        intro,
        figures: Vec::new(),
        findings: told.foot.iter().map(|said| in_words(said)).collect(),
        tables,
    };
    (section, plots)
}

/// A title up to where it goes into detail.
pub fn short(title: &str) -> &str {
    title.split([':', ',']).next().unwrap_or(title)
}

/// Grids of which each is of one n, joined where they are of the same implementation and say the same; all in words.
fn joined(grids: Vec<Grid>) -> Vec<Grid> {
    let mut all: Vec<Grid> = Vec::new();
    for grid in grids {
        let Some((name, n, rest)) = of_one_n(&grid.title) else {
            all.push(grid);
            continue;
        };
        let title = format!("{name}: {rest}");
        let place = all.iter().position(|one| one.title == title).unwrap_or_else(|| {
            all.push(Grid { title, header: vec!["n".to_string()], rows: Vec::new() });
            all.len() - 1
        });
        let one = &mut all[place];
        for column in &grid.header {
            if !one.header.contains(column) {
                one.header.push(column.clone());
            }
        }
        for row in grid.rows {
            let cell = |column: &String| {
                let place = grid.header.iter().position(|known| known == column);
                place.and_then(|place| row.get(place)).cloned().unwrap_or_default()
            };
            let cells = one.header.iter().skip(1).map(cell);
            let joined = std::iter::once(n.clone()).chain(cells).collect();
            one.rows.push(joined);
        }
    }
    for grid in &mut all {
        // Rows of the first of them lack the columns that came later.
        let width = grid.header.len();
        grid.rows.iter_mut().for_each(|row| row.resize(width.max(row.len()), String::new()));
        let empty = |place: usize| grid.rows.iter().all(|row| row.get(place).is_none_or(String::is_empty));
        let kept: Vec<usize> = (0..width).filter(|&place| place == 0 || !empty(place)).collect();
        if !grid.rows.is_empty() {
            let of = |row: &[String]| kept.iter().map(|&place| row[place].clone()).collect();
            grid.rows = grid.rows.iter().map(|row| of(row)).collect();
            grid.header = of(&grid.header);
        }
        grid.title = in_words(&grid.title);
        grid.header.iter_mut().for_each(|title| *title = in_words(title));
        grid.rows.iter_mut().filter_map(|row| row.first_mut()).for_each(|name| *name = in_words(name));
    }
    all
}

/// Name, n and what is said of them, where a title is `name, n = 1: what`.
fn of_one_n(title: &str) -> Option<(&str, String, &str)> {
    let (name, rest) = title.split_once(", n = ")?;
    let (n, rest) = rest.split_once(": ")?;
    n.parse::<usize>().ok().map(|n| (name, n.to_string(), rest))
}

/// What became of an experiment's times from its first run on.
fn over_time(
    experiment: &str,
    runs: &[&StoredRun],
    machine: &str,
    ids: &mut Ids,
) -> Option<(Section, Vec<Plot>)> {
    if runs.len() < 2 {
        return None;
    }
    let id = ids.unique(experiment, "over-time");
    let grid = changes(runs)?;
    let mut plots: Vec<Plot> = trend(runs).into_iter().collect();
    for plot in &mut plots {
        plot.id = ids.unique(&id, &plot.id);
    }
    let section = Section {
        title: format!("{} run by run", short(&runs[0].manifest.experiment.title)),
        machine: machine.to_string(),
        intro: vec![format!(
            "{} runs of {experiment} on GPUs of this model, the first of {}; a change here is of the GPU, of the host or of the program between two commits.",
            runs.len(),
            runs[0].manifest.started.get(..10).unwrap_or_default()
        )],
        figures: Vec::new(),
        findings: Vec::new(),
        tables: vec![Table { id: ids.unique(&id, "medians"), grid }],
        id,
    };
    Some((section, plots))
}

/// Medians of the cells that several runs have in common, a column a run.
fn changes(runs: &[&StoredRun]) -> Option<Grid> {
    let median = |run: &StoredRun, cell: &crate::record::CellId| {
        run.results.summary.iter().find(|row| row.cell() == *cell).and_then(|row| row.median_s)
    };
    let cells: BTreeSet<_> = runs
        .iter()
        .flat_map(|run| &run.results.summary)
        .filter(|row| row.median_s.is_some())
        .map(|row| row.cell())
        .collect();
    let shared =
        cells.into_iter().filter(|cell| runs.iter().filter(|run| median(run, cell).is_some()).count() > 1);
    let rows: Vec<Vec<String>> = shared
        .map(|cell| {
            let medians: Vec<Option<f64>> = runs.iter().map(|run| median(run, &cell)).collect();
            let first = medians.iter().flatten().next().copied();
            let shown = medians.iter().map(|seconds| match (seconds, first) {
                (Some(seconds), Some(first)) if first > 0.0 && *seconds != first => {
                    let change = format!("{:+.1}", (seconds / first - 1.0) * 100.0);
                    let change =
                        if change == "-0.0" { "+0.0".to_string() } else { change.replace('-', "−") };
                    format!("{} ({change}%)", digits(*seconds))
                }
                (Some(seconds), _) => digits(*seconds),
                _ => String::new(),
            });
            std::iter::once(cell.to_string()).chain(shown).collect()
        })
        .collect();
    let titles = runs.iter().map(|run| {
        format!("{}\n{}", run.name(), run.manifest.started.get(..16).unwrap_or_default().replace('T', " "))
    });
    (!rows.is_empty()).then(|| Grid {
        title: "Seconds (scope kernel), medians of the cells that several runs have; change since the first"
            .to_string(),
        header: std::iter::once("cell".to_string()).chain(titles).collect(),
        rows,
    })
}

/// Names that are anchors and names of files, each given once.
#[derive(Default)]
struct Ids(BTreeSet<String>);

impl Ids {
    /// Two names in one, and a number where that is taken.
    fn unique(&mut self, first: &str, second: &str) -> String {
        let joined = match (stem(first), stem(second)) {
            (first, second) if second.is_empty() || second == first => first,
            (first, second) if second.starts_with(&format!("{first}-")) => second,
            (first, second) => format!("{first}-{second}"),
        };
        let base = if joined.is_empty() { "run".to_string() } else { joined };
        let numbered = (2..).map(|count| format!("{base}-{count}"));
        // The endless numbers always have one that is free.
        let id =
            std::iter::once(base.clone()).chain(numbered).find(|id| !self.0.contains(id)).unwrap_or(base);
        self.0.insert(id.clone());
        id
    }
}

/// Lower-case letters, digits and hyphens of a text, at most some words of it.
fn stem(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut stem = String::new();
    for c in text.to_lowercase().chars() {
        if c.is_ascii_alphanumeric() {
            stem.push(c);
        } else if !stem.ends_with('-') && !stem.is_empty() {
            stem.push('-');
        }
        if stem.len() >= LONGEST {
            break;
        }
    }
    stem.trim_end_matches('-').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_fit_for_anchors_and_files() {
        let mut ids = Ids::default();
        assert_eq!(ids.unique("table1", "table1"), "table1");
        assert_eq!(ids.unique("table1", "Seconds (scope kernel), κ"), "table1-seconds-scope-kernel");
        assert_eq!(ids.unique("table1", ""), "table1-2");
        assert_eq!(ids.unique("<script>", "../../x"), "script-x");
        assert_eq!(ids.unique("κ", ""), "run");
    }
}
