//! How long a run will take, from stored runs on machines of the same model.

use crate::{StoredRun, SummaryRow};
use repro_plan::{Experiment, Mode, PlannedCell, runs_on_device, tasks_of};
use repro_store::{Environment, Manifest, Purpose, find_runs, groups, read_json, read_rows};
use repro_timing::median;
use repro_types::CellId;
use repro_types::lists::distinct;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// How long a run is expected to take.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "known_from", rename_all = "kebab-case")]
pub enum Expected {
    /// A stored run of the same cells on the same model of GPU, or of CPU without one, took so long.
    StoredRun { seconds: f64, run: PathBuf },
    /// By the rates and the overhead of so many stored runs on the same model.
    Rates {
        seconds: f64,
        model: String,
        runs: usize,
        /// Cells that have no time in it: they are counted on the emulated device, or no stored run has a rate for them.
        without: usize,
        of: usize,
    },
    /// Estimated from stored runs on other models, since none on this one is stored: they may be much faster or slower.
    OtherMachines { seconds: f64, model: String, others: Vec<String>, runs: usize, without: usize, of: usize },
    /// No finished run is stored that shows it. What the plan says: cells with the fewest samples of each, the seconds after which no further
    /// one is begun, and those after which one is stopped; and cells that are counted.
    Unknown { model: String, timed: usize, samples: usize, budget_s: f64, sample_s: f64, counted: usize },
}

/// A stored run, as far as it is read to estimate how long another will take.
pub struct PastRun {
    folder: PathBuf,
    manifest: Manifest,
    /// Of the manifest.
    environment: Environment,
    summary: Vec<SummaryRow>,
}

impl PastRun {
    /// Of all runs in and below `results` that can be read and measured something; nothing where there is no such folder. Smoke runs
    /// are too small to show how long another run takes, and none can be compared with one.
    pub fn below(results: &Path) -> Vec<Self> {
        let read = |folder: PathBuf| {
            let manifest: Manifest = read_json(&folder.join("manifest.json")).ok()?;
            if manifest.purpose == Purpose::Smoke {
                return None;
            }
            let summary = read_rows(&folder.join("summary.csv")).ok()?;
            let environment = manifest.environment.clone()?;
            Some(Self { folder, manifest, environment, summary })
        };
        find_runs(results).unwrap_or_default().into_iter().filter_map(read).collect()
    }

    /// The folders of those of `stored` that measured the same experiment on the same model before `run` began, and timed a cell that it
    /// timed, too: the latest first.
    pub fn before<'a>(run: &StoredRun, stored: &'a [Self]) -> Vec<&'a Path> {
        let Some(here) = run.environment() else { return Vec::new() };
        let timed: BTreeSet<CellId> = timed_cells(&run.results.summary).collect();
        let is_before = |one: &&Self| {
            is_like(here, &one.environment)
                && one.manifest.experiment.name == run.manifest.experiment.name
                && one.manifest.finished.is_some()
                && one.manifest.pair.is_none()
                && one.manifest.started < run.manifest.started
                && timed_cells(&one.summary).any(|cell| timed.contains(&cell))
        };
        let mut before: Vec<&Self> = stored.iter().filter(is_before).collect();
        before.sort_by(|one, other| other.manifest.started.cmp(&one.manifest.started));
        before.into_iter().map(|one| one.folder.as_path()).collect()
    }

    /// How long it took, if it ran alone from its beginning to its end, in seconds.
    fn took(&self) -> Option<f64> {
        let Manifest { started, finished: Some(finished), resumed, pair: None, .. } = &self.manifest else {
            return None;
        };
        let time = |text: &str| text.parse::<jiff::Timestamp>().ok();
        let took = time(finished)?.duration_since(time(started)?).as_secs_f64();
        (resumed.is_empty() && took > 0.0).then_some(took)
    }

    /// What it took in addition to its timed solves, seconds a cell: graphs, references, comparisons.
    fn overhead(&self) -> Option<f64> {
        let experiment = &self.manifest.experiment;
        let of_row = |row: &SummaryRow| {
            let seconds = row.median_s? * row.iterations.map_or(1.0, |some| some as f64 / row.n as f64);
            Some(experiment.cost(&row.cell(), seconds))
        };
        let timed: Vec<f64> = self.summary.iter().filter_map(of_row).collect();
        let took = self.took().filter(|_| !timed.is_empty())?;
        Some((took - timed.iter().sum::<f64>()).max(0.0) / timed.len() as f64)
    }
}

fn timed_cells(summary: &[SummaryRow]) -> impl Iterator<Item = CellId> {
    summary.iter().filter(|row| row.is_timed()).map(SummaryRow::cell)
}

/// How long the cells of `manifest`, whose environment is that of the machine at hand, take that are not `done`.
pub fn expected(manifest: &Manifest, done: &BTreeSet<CellId>, stored: &[&PastRun]) -> Option<Expected> {
    let here = manifest.environment.as_ref()?;
    let alike: Vec<&PastRun> = stored.iter().copied().filter(|one| is_like(here, &one.environment)).collect();
    if done.is_empty()
        && let Some((seconds, one)) = same_cells(manifest, &alike)
    {
        return Some(Expected::StoredRun { seconds, run: one.folder.clone() });
    }
    let runs_here = |cell: &PlannedCell| match cell.mode {
        Mode::Counted => here.device.is_some(),
        Mode::Timed => here.gpu().is_some() || !(cell.variant.needs_device() || cell.variant.takes_gpu()),
    };
    let all = groups(manifest).into_iter().flat_map(|group| group.cells);
    let planned: Vec<PlannedCell> = all.filter(|cell| runs_here(cell) && !done.contains(&cell.id)).collect();
    let (model, of) = (here.model().to_string(), planned.len());
    // What was counted alone has no rate.
    let is_timed = |one: &&PastRun| timed_cells(&one.summary).next().is_some();
    let alike: Vec<&PastRun> = alike.into_iter().filter(is_timed).collect();
    if let Some((seconds, without)) = by_rates(&manifest.experiment, &planned, &alike) {
        return Some(Expected::Rates { seconds, model, runs: alike.len(), without, of });
    }
    // Without a GPU the hosts of other runs show something, too.
    let has_what_is_here = |one: &&PastRun| here.gpu().is_none() || one.environment.gpu().is_some();
    let alike: Vec<&PastRun> = stored.iter().copied().filter(is_timed).filter(has_what_is_here).collect();
    if let Some((seconds, without)) = by_rates(&manifest.experiment, &planned, &alike) {
        let model_of =
            |there: &Environment| here.gpu().map_or(&*there.host.cpu, |_| there.model()).to_string();
        let others = distinct(alike.iter().map(|one| model_of(&one.environment)));
        return Some(Expected::OtherMachines { seconds, model, others, runs: alike.len(), without, of });
    }
    let counted = planned.iter().filter(|cell| cell.mode == Mode::Counted).count();
    let Experiment { sampling, limits, .. } = &manifest.experiment;
    Some(Expected::Unknown {
        model,
        timed: planned.len() - counted,
        samples: sampling.min_samples,
        budget_s: sampling.budget_s,
        sample_s: limits.sample_s,
        counted,
    })
}

/// The seconds that stored runs let expect of the cells of `planned`, and how many of these they have nothing on. None where no run ran from
/// its beginning to its end, or none has a rate for one of the cells.
fn by_rates(experiment: &Experiment, planned: &[PlannedCell], stored: &[&PastRun]) -> Option<(f64, usize)> {
    let overhead = median(&stored.iter().filter_map(|one| one.overhead()).collect::<Vec<_>>())?;
    let known: Vec<f64> = planned
        .iter()
        .filter(|cell| cell.mode == Mode::Timed)
        .filter_map(|cell| Some((cell, sample_seconds(&cell.id, stored)?)))
        .filter(|(cell, seconds)| !cell.optional || *seconds <= experiment.limits.full_cell_s)
        .map(|(cell, seconds)| experiment.cost(&cell.id, seconds) + overhead)
        .collect();
    (!known.is_empty()).then(|| (known.iter().sum(), planned.len() - known.len()))
}

/// Whether both have the same model of GPU; without one the same model of CPU and as many threads.
fn is_like(here: &Environment, there: &Environment) -> bool {
    let models = |of: &Environment| {
        let host = || (of.host.cpu.clone(), of.host.threads);
        of.gpu().map_or_else(|| (None, Some(host())), |device| (Some(device.info.name.clone()), None))
    };
    models(here) == models(there)
}

/// The latest run of just these cells, sampled by the same rule, and how long it took.
fn same_cells<'a>(manifest: &Manifest, alike: &[&'a PastRun]) -> Option<(f64, &'a PastRun)> {
    // What a GPU's run counts beside takes seconds, and says nothing of how alike two runs are.
    let of = |manifest: &Manifest| -> BTreeSet<CellId> {
        let has_gpu = manifest.environment.as_ref().is_some_and(|here| here.gpu().is_some());
        let all = groups(manifest).into_iter().flat_map(|group| group.cells);
        all.filter(|cell| !(has_gpu && cell.mode == Mode::Counted)).map(|cell| cell.id).collect()
    };
    let planned = of(manifest);
    let is_same = |one: &&&PastRun| {
        let (mine, other) = (&manifest.experiment, &one.manifest.experiment);
        mine.name == other.name
            && (mine.sampling, mine.clocks, mine.repeats) == (other.sampling, other.clocks, other.repeats)
            && of(&one.manifest) == planned
    };
    let same = alike.iter().filter(is_same).filter_map(|one| Some((one.took()?, *one)));
    same.max_by_key(|(_, one)| one.manifest.started.clone())
}

/// Seconds of one sample: of the same implementation at the nearest n, if possible with the same parameters, times the cube of the
/// ratio of the sizes; else at the median rate of the others that run on the same.
fn sample_seconds(cell: &CellId, alike: &[&PastRun]) -> Option<f64> {
    let rows = alike.iter().flat_map(|one| &one.summary).filter(|row| row.median_s.is_some());
    let on_device = runs_on_device(&cell.implementation);
    let beside: Vec<&SummaryRow> =
        rows.filter(|row| runs_on_device(&row.implementation) == on_device).collect();
    let distance = |row: &SummaryRow| (row.n as f64 / cell.n as f64).ln().abs();
    let of_other = |row: &SummaryRow| row.params != cell.params;
    let of_it = beside.iter().filter(|row| row.implementation == cell.implementation);
    let nearest =
        of_it.min_by(|a, b| of_other(a).cmp(&of_other(b)).then_with(|| distance(a).total_cmp(&distance(b))));
    let tasks = (cell.n as f64).powi(3);
    let whole = match nearest {
        Some(row) => row.median_s? * tasks / (row.n as f64).powi(3),
        None => tasks / median(&beside.iter().filter_map(|row| row.tasks_per_s).collect::<Vec<_>>())?,
    };
    Some(whole * tasks_of(cell) / tasks)
}

impl Expected {
    /// Whether runs on machines of the same model tell it.
    pub fn is_of_this_model(&self) -> bool {
        matches!(self, Self::StoredRun { .. } | Self::Rates { .. })
    }

    /// Whether no cell runs, as far as is known before one is tried.
    pub fn is_none(&self) -> bool {
        matches!(self, Self::Unknown { timed: 0, counted: 0, .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::build;
    use repro_device::Selection;
    use repro_plan::{Overrides, load_experiment, resolve};

    fn committed() -> Vec<PastRun> {
        PastRun::below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results/reference"))
    }

    fn of(all: &[PastRun]) -> Vec<&PastRun> {
        all.iter().collect()
    }

    fn named<'a>(all: &'a [PastRun], name: &str) -> &'a PastRun {
        all.iter().find(|one| one.folder.ends_with(name)).unwrap()
    }

    #[test]
    fn the_same_cells_on_the_same_machine_take_what_the_stored_run_took() {
        let all = committed();
        let one = named(&all, "h200/stage-depth");
        let Some(Expected::StoredRun { seconds, run }) = expected(&one.manifest, &BTreeSet::new(), &of(&all))
        else {
            panic!("the run itself is stored");
        };
        assert_eq!((Some(seconds), &run), (one.took(), &one.folder));
    }

    #[test]
    fn estimates_from_the_other_runs_are_within_a_factor_of_three_for_most() {
        let all = committed();
        let (mut within, mut printed) = (0, Vec::new());
        let on_gpu = |one: &&PastRun| one.environment.gpu().is_some();
        for one in all.iter().filter(on_gpu) {
            let Some(took) = one.took().filter(|took| *took >= 10.0) else { continue };
            let name = |of: &PastRun| of.manifest.experiment.name.clone();
            let others: Vec<&PastRun> = all.iter().filter(|other| name(other) != name(one)).collect();
            let Some(Expected::Rates { seconds, .. }) = expected(&one.manifest, &BTreeSet::new(), &others)
            else {
                panic!("{:?}", one.folder);
            };
            within += usize::from((1.0 / 3.0..3.0).contains(&(seconds / took)));
            printed.push(format!("{}: {:.2}", one.folder.file_name().unwrap().display(), seconds / took));
        }
        assert!(within * 10 >= printed.len() * 7, "{within} of {}: {printed:#?}", printed.len());
    }

    /// Table 1 on a machine without a GPU of which no run is stored.
    fn on_another(all: &[PastRun]) -> Manifest {
        let file = load_experiment("table1").unwrap();
        let experiment = resolve(&file, &Overrides::default(), Selection::Auto).unwrap();
        let mut environment = named(all, "h200/table1").environment.clone();
        environment.device = None;
        environment.host.cpu = "Abacus 3".into();
        Manifest {
            environment: Some(environment),
            ..Manifest::new(build(), experiment, Vec::new(), String::new())
        }
    }

    #[test]
    fn where_no_run_of_the_machine_is_stored_those_of_others_give_a_guess_that_says_so() {
        let all = committed();
        let manifest = on_another(&all);
        let known = expected(&manifest, &BTreeSet::new(), &of(&all)).unwrap();
        let Expected::OtherMachines { seconds, model, others, without, of: cells, .. } = &known else {
            panic!("{known:?}")
        };
        // The CPU's two columns, of four sizes each, as one core and as many do them.
        assert_eq!((model.as_str(), *without, *cells), ("Abacus 3", 0, 8));
        assert!((30.0..3000.0).contains(seconds), "{seconds}");
        assert!(others[0].starts_with("Intel(R) Xeon(R)"), "{others:?}");
        // With a GPU it is held against GPUs.
        let mut with_gpu = named(&all, "h200/table1").manifest.clone();
        let device = with_gpu.environment.as_mut().unwrap().device.as_mut().unwrap();
        device.info.name = "Loom 7".into();
        let known = expected(&with_gpu, &BTreeSet::new(), &of(&all)).unwrap();
        let Expected::OtherMachines { model, others, .. } = &known else { panic!("{known:?}") };
        assert_eq!(
            (model.as_str(), &others[..]),
            ("Loom 7", &["NVIDIA H100 80GB HBM3", "NVIDIA H200"].map(String::from)[..])
        );
    }

    #[test]
    fn where_nothing_is_stored_it_is_what_the_plan_says() {
        let manifest = on_another(&committed());
        let known = expected(&manifest, &BTreeSet::new(), &[]).unwrap();
        let Expected::Unknown { model, timed, samples, budget_s, sample_s, counted } = known else {
            panic!("{known:?}")
        };
        assert_eq!((model.as_str(), timed, samples, counted), ("Abacus 3", 8, 3, 0));
        assert_eq!((budget_s, sample_s), (2.0, 300.0));
    }
}
