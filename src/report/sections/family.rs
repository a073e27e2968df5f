//! Experiments that are one in several parts, as all whose file says `family = "frontier"`: what their runs on one machine say together.

use super::Draft;
use super::ids::Ids;
use crate::graph::ElementType;
use crate::lists::{distinct, grouped};
use crate::plan::GraphSource;
use crate::plot::{Plot, significant};
use crate::report::figures::{FamilyLine, family_rates, other_family_rates};
use crate::report::model::{Lead, Section};
use crate::results::{StoredRun, SummaryRow};
use crate::show::subjects::repeats;
use crate::show::{Grid, RATE, list, of_run, rate, rate_with_unit};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// A run of the first part, and then those of the others.
pub(super) struct Family<'a> {
    runs: Vec<&'a StoredRun>,
}

/// The families among runs of one machine that have a run of the first part and of another one.
pub(super) fn families<'a>(runs: &[&'a StoredRun]) -> Vec<Family<'a>> {
    let name = |run: &'a StoredRun| run.manifest.experiment.name.as_str();
    let named = runs.iter().filter_map(|&run| Some((run.manifest.experiment.report.family.clone()?, run)));
    let families = grouped(named).into_iter().filter_map(|(family, mut runs)| {
        let has_parts =
            runs.iter().any(|run| name(run) != family) && runs.iter().any(|run| name(run) == family);
        runs.sort_by_key(|run| name(run));
        has_parts.then_some(Family { runs })
    });
    families.collect()
}

impl<'a> Family<'a> {
    pub(super) fn holds(&self, run: &StoredRun) -> bool {
        self.runs.iter().any(|one| std::ptr::eq(*one, run))
    }

    pub(super) fn begins_with(&self, run: &StoredRun) -> bool {
        std::ptr::eq(self.runs[0], run)
    }

    /// The name of the experiment that the others are parts of.
    pub(super) fn name(&self) -> &str {
        &self.runs[0].manifest.experiment.name
    }

    /// What its section is called: the title of the first part up to where it goes into detail.
    pub(super) fn title(&self) -> String {
        let title = &self.runs[0].manifest.experiment.title;
        format!("{}, all runs together", super::short(title))
    }

    /// The section with its figures. None where nothing was timed at two sizes.
    pub(super) fn section(&self, machine: &str, ids: &mut Ids) -> Option<Draft> {
        let lines = self.lines();
        let id = ids.unique(&self.runs[0].manifest.experiment.name, "all");
        let mut plots: Vec<Plot> = family_rates(&lines, &self.runs).into_iter().collect();
        if plots.is_empty() {
            return None;
        }
        let steps = self.runs.iter().find(|run| !run.manifest.experiment.steps.is_empty());
        plots.extend(steps.and_then(|run| of_run(run, &[]).into_iter().find(|plot| plot.id == "steps")));
        // On the front page there is room for few lines.
        let lead = Lead { paper: None, figures: plots.len(), across: false };
        plots.extend(other_family_rates(&lines, &self.runs));
        let section = Section {
            id,
            title: self.title(),
            machine: machine.to_string(),
            home: super::home(self.name()),
            lead: Some(lead),
            intro: self.intro(),
            findings: self.findings(&lines),
            ..Section::default()
        };
        Some(ids.draft(section, plots, [Some(rates(&lines)), self.repeats()].into_iter().flatten(), None))
    }

    /// The repeated solves of every run, with its name.
    fn repeats(&self) -> Option<Grid> {
        let mut all: Option<Grid> = None;
        for run in &self.runs {
            let Some(mut grid) = repeats::grid(run) else { continue };
            grid.header.insert(0, "run".to_string());
            grid.rows.iter_mut().for_each(|row| row.insert(0, run.name()));
            match &mut all {
                Some(all) => all.rows.extend(grid.rows),
                None => all = Some(grid),
            }
        }
        all
    }

    fn intro(&self) -> Vec<String> {
        let names: Vec<String> = self.runs.iter().map(|run| run.name()).collect();
        let gpus: BTreeSet<&str> =
            self.runs.iter().filter_map(|run| Some(run.environment()?.gpu()?.info.uuid.as_str())).collect();
        let gpus = match gpus.len() {
            0 | 1 => String::new(),
            count => format!(", on {count} GPUs of one model"),
        };
        vec![format!(
            "Runs {}{gpus}. Of a cell that several measured, a run of the newest build counts before others, and then the one with the most samples. Each run's own section is below.",
            list(&names)
        )]
    }

    /// What was measured of each variant, type and kind of graph. Steps of a design are a figure of their own.
    fn lines(&self) -> Vec<FamilyLine> {
        let newest = self.runs.iter().max_by_key(|run| &run.manifest.started).map(|run| &run.manifest.build);
        let timed = self.runs.iter().filter(|run| run.manifest.experiment.steps.is_empty());
        let mut all: Vec<(&StoredRun, &SummaryRow)> = timed
            .flat_map(|run| run.results.summary.iter().map(move |row| (*run, row)))
            .filter(|(_, row)| row.median_s.is_some())
            .collect();
        // The first of a cell counts. An earlier build may have had other kernels.
        all.sort_by_key(|(run, row)| Reverse((Some(&run.manifest.build) == newest, row.samples)));
        let mut rows: BTreeMap<Key, BTreeMap<usize, &SummaryRow>> = BTreeMap::new();
        for (run, row) in all {
            let Some(source) = run.graph_source(&row.graph) else { continue };
            let key = Key {
                element: run.manifest.experiment.element_of(&row.graph),
                implementation: row.implementation.clone(),
                params: run.results.facts.written_non_default(&row.implementation, &row.params),
                graph: set_apart(source, &row.graph, run.manifest.experiment.element_of(&row.graph)),
            };
            rows.entry(key).or_default().entry(row.n).or_insert(row);
        }
        rows.into_iter().map(|(key, rows)| key.line(&rows)).collect()
    }

    fn findings(&self, lines: &[FamilyLine]) -> Vec<String> {
        let mut said = Vec::new();
        for element in distinct(lines.iter().map(|line| line.element)) {
            let of_type = || lines.iter().filter(move |line| line.element == element);
            let Some((best, point)) = of_type()
                .flat_map(|line| line.points.iter().map(move |point| (line, point)))
                .max_by(|a, b| a.1.y.total_cmp(&b.1.y))
            else {
                continue;
            };
            let others = of_type().filter(|line| line.implementation != best.implementation);
            let beside = others.filter_map(|line| {
                let (at, ratio) = line.points.iter().rev().find_map(|theirs| {
                    let ours = best.points.iter().find(|ours| ours.x == theirs.x)?;
                    Some((theirs.x, ours.y / theirs.y))
                })?;
                Some(format!("×{} of {} at n = {at}", significant(ratio, 3), line.name_of_variant()))
            });
            let beside: Vec<String> = beside.collect();
            let beside = if beside.is_empty() { String::new() } else { format!(": {}", list(&beside)) };
            said.push(format!(
                "{element}: at most {}, by {} at n = {}{beside}.",
                rate_with_unit(point.y),
                best.name_of_variant(),
                point.x
            ));
        }
        let repeats = || self.runs.iter().flat_map(|run| &run.results.repeats);
        let (solves, different) = repeats()
            .fold((0, 0), |(solves, different), row| (solves + row.solves, different + row.different));
        if solves > 0 {
            let held =
                distinct(repeats().filter(|row| !row.throttled_by.is_empty()).map(|row| &row.throttled_by));
            let held: Vec<String> = held.into_iter().cloned().collect();
            let clock = repeats().filter_map(|row| row.sm_mhz).min();
            let clock =
                clock.map_or(String::new(), |mhz| format!(" The lowest clock meanwhile was {mhz} MHz,"));
            let held = match (clock.is_empty(), held.is_empty()) {
                (true, _) => String::new(),
                (false, true) => " never held down.".to_string(),
                (false, false) => format!(" held down at times by {}.", list(&held)),
            };
            said.push(format!(
                "Of {solves} solves that were repeated on the device, {different} gave another result than the first.{clock}{held}"
            ));
        }
        said
    }
}

/// What the cells of a line have in common.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    element: ElementType,
    graph: Option<String>,
    implementation: String,
    params: String,
}

impl Key {
    fn line(self, rows: &BTreeMap<usize, &SummaryRow>) -> FamilyLine {
        FamilyLine::new(self.element, self.implementation, self.params, self.graph, rows)
    }
}

/// What sets a graph apart from a complete one of positive weights.
fn set_apart(source: &GraphSource, name: &str, element: ElementType) -> Option<String> {
    // Its own, without that of its type.
    let own = name.strip_suffix(&element.to_string()).map_or(name, str::trim_end);
    match source {
        GraphSource::Random(_) if !own.is_empty() => Some(own.to_string()),
        GraphSource::Random(random) => {
            let density = (random.density < 1.0).then(|| format!("density {}", random.density));
            let negative = random.negative.then(|| "negative weights".to_string());
            density.into_iter().chain(negative).reduce(|one, other| format!("{one}, {other}"))
        }
        GraphSource::Edges(_) => Some("sparse".to_string()),
        GraphSource::File { .. } => Some(name.to_string()),
    }
}

/// A row a line, a column a size.
fn rates(lines: &[FamilyLine]) -> Grid {
    let sizes: BTreeSet<usize> =
        lines.iter().flat_map(|line| &line.points).map(|point| point.x as usize).collect();
    let of = |line: &FamilyLine, n: usize| {
        let point = line.points.iter().find(|point| point.x as usize == n);
        point.map_or(String::new(), |point| rate(point.y))
    };
    let rows = lines.iter().map(|line| {
        let cells = sizes.iter().map(|&n| of(line, n));
        [line.element.to_string(), line.name_of_variant()].into_iter().chain(cells).collect::<Vec<_>>()
    });
    let header =
        ["type".to_string(), "kernel".to_string()].into_iter().chain(sizes.iter().map(usize::to_string));
    Grid::new(format!("{RATE} (scope kernel), medians"), header, rows).with_keys(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn open(name: &str) -> StoredRun {
        StoredRun::open(&Path::new("results/reference/h200").join(name)).unwrap()
    }

    #[test]
    fn a_parameter_at_its_default_makes_no_line_and_the_most_samples_count() {
        let runs = ["frontier", "frontier-energy", "frontier-reordered"].map(open);
        let family = Family { runs: runs.iter().collect() };
        let lines = family.lines();
        let of =
            |name: &str| -> Vec<&FamilyLine> { lines.iter().filter(|line| line.name() == name).collect() };
        assert!(of("register-blocked (reorder=0)").is_empty());
        let [compiled] = of("register-blocked")[..] else { panic!("not one line") };
        // 256 is of the first run alone; of 1,024 the energy run has five samples and the others more.
        assert_eq!(compiled.points.first().map(|point| point.x), Some(256.0));
        let [reordered] = of("register-blocked (reorder=1)")[..] else { panic!("not one line") };
        let is_of = |run: &StoredRun, line: &FamilyLine, params: &str| {
            let row = run.results.summary.iter().find(|row| {
                (row.n, row.params.as_str(), row.graph.as_str()) == (1024, params, "")
                    && row.implementation == "register-blocked"
            });
            let rate = 1024f64.powi(3) / row.unwrap().median_s.unwrap();
            line.points.iter().any(|point| point.x == 1024.0 && point.y == rate)
        };
        assert!(is_of(&runs[2], reordered, "reorder=1") && !is_of(&runs[1], reordered, "reorder=1"));
        assert!(is_of(&runs[0], compiled, "") || is_of(&runs[2], compiled, "reorder=0"));
    }
}
