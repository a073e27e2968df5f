//! One section a run: what was run, its figures, its sentences, its tables; and how a machine changed over time.

mod family;
mod grids;
mod history;
mod ids;
mod over_time;

use super::assemble::unfinished;
use super::figures::of_machine;
use super::model::{Figure, Home, Lead, Section};
use crate::lists::count_of;
use crate::plot::{Plot, draw_all};
use crate::published::PublishedPaper;
use crate::regression::history::History;
use crate::results::{MachineRuns, StoredRun};
use crate::show::{of_run, reading, tables};
use crate::store::short_commit;
use family::{Family, families};
use grids::joined;
use history::over_history;
use ids::Ids;
use over_time::over_time;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// What runs are labelled with that were counted and not timed.
pub const EMULATED: &str = "emulated CUDA device";
/// A section, and the plots that become its figures.
type Draft = (Section, Vec<Plot>);
/// The figure that every run of several sizes has.
const RATES: &str = "tasks-per-second";

/// Sections of every machine in its experiments' order, then of the histories, then of the runs that were only counted.
pub fn sections(
    machines: &[MachineRuns],
    histories: &[History],
    counted: &[&StoredRun],
    papers: &[PublishedPaper],
) -> Vec<Section> {
    let mut ids = Ids::default();
    let mut drafts: Vec<Draft> = Vec::new();
    for machine in machines {
        let mut runs = machine.runs.clone();
        // Of runs that are as full the latest: verdicts are of it, too.
        runs.sort_by_cached_key(|run| {
            (place(run), Reverse((run.results.summary.len(), run.manifest.started.clone())))
        });
        // What only adds to a fuller run of the same experiment comes after the others.
        let mut further: Vec<Draft> = Vec::new();
        let mut families: Vec<_> = families(&runs)
            .into_iter()
            .filter_map(|family| Some((Some(family.section(&machine.label, &mut ids)?), family)))
            .collect();
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
            let begun = families.iter_mut().find(|(_, family)| family.begins_with(run));
            drafts.extend(begun.and_then(|(section, _)| section.take()));
            let family = families.iter().map(|(_, family)| family).find(|family| family.holds(run));
            let draft = of_one(run, &machine.label, part, family, papers, &mut ids);
            if is_first { drafts.push(draft) } else { further.push(draft) }
        }
        // After the experiments, of which one shows a figure on the front page.
        drafts.extend(across(machine, counted, papers, &mut ids));
        for (experiment, runs) in by_experiment {
            let mut runs = runs;
            // Times of other numbers of processes are no change of the program or the machine.
            let first = processes(runs[0]);
            runs.retain(|run| processes(run) == first);
            runs.sort_by(|a, b| a.manifest.started.cmp(&b.manifest.started));
            let family = families.iter().map(|(_, family)| family).find(|family| family.holds(runs[0]));
            let home = home(family.map_or(experiment, Family::name));
            drafts.extend(over_time(experiment, &runs, &machine.label, home, &mut ids));
        }
        drafts.extend(further);
    }
    drafts.extend(histories.iter().filter_map(|history| over_history(history, &mut ids)));
    let timed = |run: &&&StoredRun| {
        machines.iter().flat_map(|machine| &machine.runs).any(|other| std::ptr::eq(**run, *other))
    };
    for run in counted.iter().filter(|run| !timed(run)) {
        let (mut section, plots) = of_one(run, EMULATED, Part::Whole, None, papers, &mut ids);
        // An experiment that was timed leads with its times.
        let is_led = drafts.iter().any(|(other, _)| other.home == section.home && other.lead.is_some());
        section.lead = section.lead.filter(|_| !is_led);
        drafts.push((section, plots));
    }
    limit_leads(&mut drafts);
    disambiguate_names(&mut drafts);
    draw(drafts)
}

/// Figures that show the same by their words name their section with it, and the machine where that is not enough.
fn disambiguate_names(drafts: &mut [Draft]) {
    let more: [fn(&Section) -> String; 2] =
        [|section| format!(" ({})", section.title), |section| format!(", {}", section.machine)];
    for more in more {
        let mut known: BTreeMap<String, usize> = BTreeMap::new();
        for plot in drafts.iter().flat_map(|(_, plots)| plots) {
            *known.entry(plot.shows.clone()).or_default() += 1;
        }
        for (section, plots) in drafts.iter_mut() {
            for plot in plots.iter_mut().filter(|plot| known[&plot.shows] > 1) {
                plot.shows += &more(section);
            }
        }
    }
}

/// Figures that the front page shows of a paper's experiments: a row.
const IN_A_ROW: usize = 2;

/// Leaves to the front page the figures of the first experiments of each paper, each of one machine; those of further experiments and
/// machines stand on their own pages.
fn limit_leads(drafts: &mut [Draft]) {
    let mut shown: BTreeMap<Option<String>, usize> = BTreeMap::new();
    let mut homes: BTreeSet<Home> = BTreeSet::new();
    for (section, _) in drafts {
        if let Some(lead) = &mut section.lead {
            // Beyond the papers there is one: the pages of experiments have the others.
            let all = if lead.paper.is_some() { IN_A_ROW } else { 1 };
            let shown = shown.entry(lead.paper.clone()).or_default();
            let is_first = homes.insert(section.home.clone());
            lead.figures = if is_first { lead.figures.min(all - *shown) } else { 0 };
            *shown += if lead.across && lead.figures > 0 { all - *shown } else { lead.figures };
        }
    }
}

/// What all runs of a machine show together; None where they have data for no figure.
fn across(
    machine: &MachineRuns,
    counted: &[&StoredRun],
    papers: &[PublishedPaper],
    ids: &mut Ids,
) -> Option<Draft> {
    let plots = of_machine(&machine.runs, counted, papers);
    if plots.is_empty() {
        return None;
    }
    let section = Section {
        id: ids.unique("across-experiments", ""),
        title: "Across experiments".to_string(),
        machine: machine.label.clone(),
        home: home("across-experiments"),
        lead: Some(Lead { paper: None, figures: plots.len(), across: false }),
        intro: vec![format!("Drawn from {} on this machine.", count_of(machine.runs.len(), "run"))],
        ..Section::default()
    };
    Some(ids.draft(section, plots, [], None))
}

/// All figures at once: drawing is what takes time.
fn draw(drafts: Vec<Draft>) -> Vec<Section> {
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
fn place(run: &StoredRun) -> (u32, String) {
    (run.manifest.experiment.report.order.unwrap_or(u32::MAX), run.manifest.experiment.name.clone())
}

/// Whether `fuller` has every cell that `run` measured, of the same experiment: its figures show what those of `run` would.
fn holds(fuller: &StoredRun, run: &StoredRun) -> bool {
    let measured = |run: &StoredRun| -> BTreeSet<_> {
        run.results.summary.iter().filter(|row| row.is_timed()).map(|row| row.cell()).collect()
    };
    fuller.manifest.experiment.name == run.manifest.experiment.name
        && processes(fuller) == processes(run)
        && measured(fuller).is_superset(&measured(run))
}

/// How many processes solved together.
fn processes(run: &StoredRun) -> usize {
    run.environment().and_then(|of| of.together.as_ref()).map_or(1, |together| together.processes)
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
    family: Option<&Family>,
    papers: &[PublishedPaper],
    ids: &mut Ids,
) -> Draft {
    let manifest = &run.manifest;
    let name = run.name();
    let is_named = part != Part::Whole || machine == EMULATED;
    let id = ids.unique(&manifest.experiment.name, if is_named { &name } else { "" });
    let title = match part {
        Part::Whole if machine == EMULATED => format!("Counted on the emulated device: {name}"),
        Part::Whole => manifest.experiment.title.clone(),
        Part::More if processes(run) > 1 => {
            format!("{}: in {} processes ({name})", short(&manifest.experiment.title), processes(run))
        }
        Part::More => format!("{}: more kernels or sizes ({name})", short(&manifest.experiment.title)),
        Part::Repeated => format!("{}: run once more ({name})", short(&manifest.experiment.title)),
    };
    let told = tables(run);
    // The head's first line is the title, and the machine stands above or at the top.
    let told_above = |line: &&str| machine != EMULATED && line.starts_with("Here: ");
    let mut intro: Vec<String> =
        told.head.lines().skip(1).filter(|line| !told_above(line)).map(str::to_string).collect();
    let measured = run.results.summary.iter().filter(|row| row.is_timed()).count();
    let amount = match measured {
        0 => "counted and not timed".to_string(),
        _ => {
            let samples: usize = run.results.summary.iter().map(|row| row.samples).sum();
            format!("{} measured, {}", count_of(measured, "cell"), count_of(samples, "sample"))
        }
    };
    intro.push(format!(
        "Run {}, {}, commit {}: {amount}.",
        run.name(),
        manifest.started.get(..10).unwrap_or_default(),
        short_commit(&manifest.build.commit),
    ));
    intro.extend(unfinished(run).filter(|_| manifest.experiment.paper.is_none()));
    let mut plots = Vec::new();
    if part == Part::Repeated {
        intro.push("A fuller run of the same experiment has its figures; here are its tables.".to_string());
    } else if let Some(family) = family {
        intro.push(format!("Its figures are those of \"{}\"; here are its tables.", family.title()));
    } else if run.manifest.experiment.report.tables_alone {
        intro.push("Its numbers decide claims and stand there; here are its tables.".to_string());
    } else {
        plots = of_run(run, papers);
        if part == Part::More && plots.iter().any(|plot| plot.id == RATES) {
            // The fullest run has the others.
            plots.retain(|plot| plot.id == RATES);
        }
        if !plots.is_empty() {
            intro.extend(reading(run, papers));
        }
    }
    let lead = Lead {
        paper: manifest.experiment.paper.clone(),
        figures: plots.len().min(1),
        across: run.manifest.experiment.report.across,
    };
    let section = Section {
        id,
        title,
        machine: machine.to_string(),
        run: Some(run.name()),
        home: home(family.map_or(&manifest.experiment.name, Family::name)),
        // What the section of a family shows is for the page behind it.
        lead: (part == Part::Whole && family.is_none()).then_some(lead),
        intro,
        findings: [told.ceilings, told.foot].concat(),
        ..Section::default()
    };
    ids.draft(section, plots, joined(told.grids), None)
}

/// The page of an experiment.
fn home(experiment: &str) -> Home {
    let stem = ids::stem(experiment);
    Home::Experiment(if stem.is_empty() { "run".to_string() } else { stem })
}

/// A title up to where it goes into detail.
pub fn short(title: &str) -> &str {
    title.split([':', ',']).next().unwrap_or(title)
}
