//! Every statement of every paper, compared on every machine.

use super::allowed::allowed;
use super::cells::Cells;
use super::effect::Effect;
use super::figures::Figures;
use super::relations::{Comparison, Measured, compare, unit, unit_of};
use super::verdict::{Share, Verdict, decide, share};
use super::{Change, ClaimResult, ClaimRow, Flip, Gap, Lack, Missing, Other, Point, PointSubject};
use crate::device::gpus::Gpu;
use crate::lists::{distinct, extent};
use crate::published::{Claim, ClaimKind, Contender, EvidenceKind, Figure, PublishedPaper, Remark, Test};
use crate::results::{StoredRun, gpu_of};
use crate::timing::Estimate;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What claims by construction are judged on: the runs of all machines, and those with counts.
pub const ANY_MACHINE: &str = "any machine";

/// What claims are judged on before any machine: what their papers themselves have of what they compare.
pub const OWN_NUMBERS: &str = "its own numbers";

/// The runs of one machine, and those with counts, which are the same on every machine.
pub struct Evidence<'a> {
    /// The machine's label.
    pub machine: String,
    timed: Vec<Cells<'a>>,
    counted: Vec<Cells<'a>>,
}

impl<'a> Evidence<'a> {
    /// `timed` are runs of one machine; `counted` are runs with counts, of any.
    pub fn new(machine: &str, timed: &[&'a StoredRun], counted: &[&'a StoredRun]) -> Self {
        let of = |runs: &[&'a StoredRun]| {
            let mut runs = runs.to_vec();
            runs.sort_by_key(latest_first);
            runs.into_iter().map(Cells::new).collect()
        };
        Self { machine: machine.to_string(), timed: of(timed), counted: of(counted) }
    }

    /// The runs of the machine, the latest first.
    pub fn runs(&self) -> impl Iterator<Item = &'a StoredRun> {
        self.timed.iter().map(|cells| cells.run)
    }
}

/// Orders runs as they are asked, whatever the order of files.
fn latest_first<'a>(run: &&'a StoredRun) -> Reverse<(&'a String, &'a PathBuf)> {
    Reverse((&run.manifest.started, &run.folder))
}

/// One row a claim, in the order of the papers and of their files: tables, claims, and where the paper contradicts itself.
pub fn evaluate(papers: &[PublishedPaper], machines: &[&Evidence]) -> Vec<ClaimRow> {
    let all = machines.iter().flat_map(|one| one.timed.iter().chain(&one.counted));
    let any: BTreeMap<_, &Cells> = all.map(|cells| (latest_first(&cells.run), cells)).collect();
    let timed: Vec<(String, Vec<&Cells>)> =
        machines.iter().map(|one| (one.machine.clone(), one.timed.iter().collect())).collect();
    let any = [(ANY_MACHINE.to_string(), any.into_values().collect())];
    let of_paper = |paper: &PublishedPaper| {
        let gpu = gpu_of(paper);
        let row = |claim: &Claim| {
            let is_of_any = claim.evidence == Some(EvidenceKind::Construction) && !machines.is_empty();
            let machines = if is_of_any { &any[..] } else { &timed };
            judged((paper, gpu.as_ref()), claim, machines)
        };
        let columns = paper.columns_as_claims();
        let claims = columns.iter().chain(&paper.claims).map(row);
        claims.chain(paper.inconsistencies.iter().map(|one| inconsistency(paper, one))).collect::<Vec<_>>()
    };
    papers.iter().flat_map(of_paper).collect()
}

/// The row of a claim with a result a machine.
fn judged(
    (paper, gpu): (&PublishedPaper, Option<&Gpu>),
    claim: &Claim,
    machines: &[(String, Vec<&Cells>)],
) -> ClaimRow {
    // Figures are of something, and the statement alone does not always name it.
    let of = match claim.kind {
        ClaimKind::Ratio => claim.faster.clone(),
        ClaimKind::Absolute => {
            claim.tests.iter().find_map(|test| Some(test.series.first()?.implementation.clone()))
        }
        _ => None,
    };
    let result =
        |(machine, cells): &(String, Vec<&Cells>)| Question { paper, gpu, claim, machine, cells }.result();
    let published_on = claim.gpu.clone().unwrap_or_else(|| paper.gpu.clone());
    let (own, results) = (by_own_numbers(paper, claim), machines.iter().map(result).collect());
    ClaimRow { paper: paper.id.clone(), claim: claim.clone(), of, published_on, own, results }
}

/// A row without tests and results.
fn inconsistency(paper: &PublishedPaper, one: &Remark) -> ClaimRow {
    let claim = Claim {
        id: one.id.clone(),
        kind: ClaimKind::Inconsistency,
        statement: one.statement.clone(),
        place: one.place.clone(),
        ..Claim::default()
    };
    let published_on = paper.gpu.clone();
    ClaimRow { paper: paper.id.clone(), claim, published_on, ..ClaimRow::default() }
}

/// A claim by what its paper itself has of what its tests compare. None where it has nothing.
fn by_own_numbers(paper: &PublishedPaper, claim: &Claim) -> Option<ClaimResult> {
    // What is set against the paper's own numbers says nothing of them.
    let tests = claim.tests.iter().enumerate().filter(|(_, test)| !test.over_own);
    let of_test = |(at, test): (usize, &Test)| {
        own_numbers(paper, test)
            .into_iter()
            .map(move |(place, number)| (PointSubject { test: at, ..place }, number))
    };
    let measured: Vec<Measured> = tests.flat_map(of_test).collect();
    let own = (!measured.is_empty()).then(|| BuildEvidence::new(Vec::new(), claim, measured, None))?;
    let (machine, unit) = (OWN_NUMBERS.to_string(), unit(claim));
    let (verdict, share) = (own.verdict(claim), own.share());
    Some(ClaimResult { machine, unit, verdict, share, points: own.points, ..ClaimResult::default() })
}

/// The comparisons of a test that the paper has the numbers for, of implementations alone.
fn own_numbers(paper: &PublishedPaper, test: &Test) -> Vec<Measured> {
    let test = test.of_implementations();
    let read = |of: &Contender, _: &[&Contender], n: Option<usize>, _| {
        let number = paper.number(test.figure, &of.implementation, n).map(Estimate::exact);
        number.ok_or(Gap { of: Some(of.clone()), n, why: Missing::NotPlanned })
    };
    compare(&Comparison { test: &test, read: &read, run: None }).into_iter().flatten().collect()
}

/// A claim and the machine on which it is judged.
struct Question<'a> {
    paper: &'a PublishedPaper,
    /// The paper's.
    gpu: Option<&'a Gpu>,
    claim: &'a Claim,
    machine: &'a str,
    /// The runs that may answer it, the latest first.
    cells: &'a [&'a Cells<'a>],
}

/// Runs of one build on one device that together meet all needs of a claim, with its comparisons from all of them.
struct BuildEvidence {
    runs: Vec<String>,
    points: Vec<Point>,
}

/// Runs of one build on one device before their points are judged.
struct Joined {
    build: (String, String),
    runs: Vec<String>,
    /// By the place of an experiment among those that the claim needs, what each of its runs measured.
    parts: BTreeMap<usize, Vec<Vec<Measured>>>,
}

impl BuildEvidence {
    /// What was measured, judged by what the claim allows after `change`.
    fn new(runs: Vec<String>, claim: &Claim, measured: Vec<Measured>, change: Option<Change>) -> Self {
        let point = |(at, measured): Measured| {
            let test = &claim.tests[at.test];
            let allowed = allowed(claim, test, at.n, unit_of(test), change);
            Point::of(at, measured, allowed)
        };
        Self { runs, points: measured.into_iter().map(point).collect() }
    }

    fn verdict(&self, claim: &Claim) -> Verdict {
        let is_wrong = |point: &Point| {
            let figure = claim.tests[point.at.test].figure;
            figure == Figure::WrongResults && point.verdict == Verdict::Differs
        };
        // Right in some cells is not right.
        match self.points.iter().any(is_wrong) {
            true => Verdict::Differs,
            false => decide(self.points.iter().map(|point| point.verdict)).unwrap_or(Verdict::NotComparable),
        }
    }

    fn share(&self) -> Share {
        share(self.points.iter().map(|point| point.verdict))
    }

    fn other(self, claim: &Claim) -> Other {
        let (least, most) = extent(self.points.iter().map(|point| point.measured.value)).unwrap_or_default();
        Other { verdict: self.verdict(claim), share: self.share(), least, most, runs: self.runs }
    }
}

impl Question<'_> {
    fn result(&self) -> ClaimResult {
        let answer = self.answer(None);
        let bounds = [0.5, 1.5].map(Change::Ours).into_iter().chain([0.5, 1.5].map(Change::Rounding));
        let changes = [0.5, 2.0].map(Change::Noise).into_iter().chain(bounds);
        let flip = |change: Change| {
            let verdict = self.answer(Some(change)).verdict;
            (verdict != answer.verdict).then_some(Flip { change, verdict })
        };
        match answer.verdict.is_decided() {
            true => ClaimResult { sensitivity: changes.filter_map(flip).collect(), ..answer },
            false => answer,
        }
    }

    /// The result after a change, without its sensitivity.
    fn answer(&self, change: Option<Change>) -> ClaimResult {
        let claim = self.claim;
        let why = claim.untested.clone().map(Lack::Untested);
        if let Some(lack) = why.or_else(|| claim.incomparable.clone().map(Lack::Incomparable)) {
            return self.without_verdict(lack);
        }
        let (first, others) = match self.groups(change) {
            Ok(groups) => groups,
            Err(lack) => return self.without_verdict(lack),
        };
        if claim.tests.iter().any(|test| test.own_gpu) && !self.has_gpu() {
            let lack = Lack::OtherGpu { tested_by: claim.tested_by.clone() };
            let shown = first.points.first().map(|point| point.measured);
            return ClaimResult { shown, runs: first.runs, ..self.without_verdict(lack) };
        }
        let others: Vec<Other> = others.into_iter().map(|group| group.other(claim)).collect();
        let all = |is: fn(Verdict) -> bool| others.iter().all(|other| is(other.verdict));
        let verdict = match first.verdict(claim) {
            own if others.iter().all(|other| other.verdict == own) => own,
            // What one exceeds and another has as claimed holds by both.
            own if own.holds() && all(Verdict::holds) => Verdict::Reproduced,
            own if own.fails() && all(Verdict::fails) => Verdict::FailsWhereDecided,
            _ => Verdict::Ambiguous,
        };
        let needs_cause = verdict.fails() || matches!(verdict, Verdict::InPart | Verdict::Exceeds);
        ClaimResult {
            verdict,
            share: first.share(),
            effect: Effect::of(&first.points),
            cause: claim.cause.clone().filter(|_| needs_cause),
            points: first.points,
            runs: first.runs,
            others,
            ..self.of_nothing()
        }
    }

    fn without_verdict(&self, lack: Lack) -> ClaimResult {
        ClaimResult { verdict: lack.verdict(), lack: Some(lack), ..self.of_nothing() }
    }

    fn of_nothing(&self) -> ClaimResult {
        let (machine, unit) = (self.machine.to_string(), unit(self.claim));
        ClaimResult { machine, unit, ..ClaimResult::default() }
    }

    /// Whether the machine has the GPU that the claim is of.
    fn has_gpu(&self) -> bool {
        let gpu = self.claim.gpu.as_ref().unwrap_or(&self.paper.gpu).to_lowercase();
        let runs = self.cells.iter().map(|cells| cells.run).filter(|run| !run.is_emulated());
        let mut names = runs.filter_map(StoredRun::device).map(|device| device.info.name.to_lowercase());
        names.any(|name| name == gpu || name.ends_with(&format!(" {gpu}")))
    }

    /// The runs that meet all needs, those of one build and device together: those with the latest, and the others.
    fn groups(&self, change: Option<Change>) -> Result<(BuildEvidence, Vec<BuildEvidence>), Lack> {
        let claim = self.claim;
        let experiments: Vec<&str> = distinct(claim.tests.iter().map(|test| claim.run_of(test)));
        let mut joined: Vec<Joined> = Vec::new();
        let (mut met, mut lacking) = (0, None);
        for (part, experiment) in experiments.iter().enumerate() {
            // Of the run that has most; of those that have nothing, of one that was to measure some.
            let mut best: ((usize, bool), Vec<Gap>) = Default::default();
            let mut is_met = false;
            for cells in self.cells {
                let (measured, mut gaps) = self.measured(cells, experiment, change);
                gaps.sort_by_key(|gap| gap.why == Missing::NotPlanned);
                let has = (measured.len(), gaps.first().is_some_and(|gap| gap.why != Missing::NotPlanned));
                is_met |= gaps.is_empty();
                if has > best.0 {
                    best = (has, gaps.clone());
                }
                if gaps.is_empty() {
                    join(&mut joined, part, cells.run, measured);
                }
            }
            met += best.0.0;
            if !is_met && lacking.is_none() {
                lacking = Some((*experiment, best.1));
            }
        }
        joined.retain(|build| build.parts.len() == experiments.len());
        let mut groups = joined.into_iter().map(|build| build.evidence(claim, change));
        let lack = || {
            const SHOWN_GAPS: usize = 3;
            // Each experiment was measured, but by no one build.
            let apart = || (experiments[0], vec![Gap { of: None, n: None, why: Missing::OneBuild }]);
            let (run, mut gaps) = lacking.unwrap_or_else(apart);
            gaps.truncate(SHOWN_GAPS);
            let of = claim.tests.iter().map(Test::comparisons).sum();
            Lack::Needs { met, of, gaps, run: run.to_string() }
        };
        Ok((groups.next().ok_or_else(lack)?, groups.collect()))
    }

    /// Every comparison in one run of every test that this experiment measures, and what is missing.
    fn measured(&self, cells: &Cells, experiment: &str, change: Option<Change>) -> (Vec<Measured>, Vec<Gap>) {
        let uncertainty = if let Some(Change::Noise(factor)) = change { factor } else { 1.0 };
        let (mut measured, mut gaps) = (Vec::new(), Vec::new());
        for (at, test) in self.claim.tests.iter().enumerate() {
            if self.claim.run_of(test) != experiment {
                continue;
            }
            let figures = Figures { cells, test, uncertainty, gpu: self.gpu };
            let own = if test.over_own { own_numbers(self.paper, test) } else { Vec::new() };
            let over_own = |(place, figure): Measured| {
                let is_it = |one: &&Measured| one.0 == place.of_implementations();
                let number = own.iter().find(is_it).map(|(_, number)| *number);
                let gap = Gap { of: place.of.clone(), n: place.n, why: Missing::NotPlanned };
                match test.over_own {
                    true => Ok((place, figure.over(number.ok_or(gap)?))),
                    false => Ok((place, figure)),
                }
            };
            let read = |of: &Contender, beside: &[&Contender], n, clock| figures.read(of, beside, n, clock);
            for one in compare(&Comparison { test, read: &read, run: Some(&figures) }) {
                match one.and_then(over_own) {
                    // After a division by next to nothing there is no number, and so no comparison.
                    Ok((place, figure)) if figure.is_finite() => {
                        measured.push((PointSubject { test: at, ..place }, figure));
                    }
                    Ok((place, _)) => gaps.push(Gap { of: place.of, n: place.n, why: Missing::NotMeasured }),
                    Err(gap) => gaps.push(gap),
                }
            }
        }
        (measured, gaps)
    }
}

/// Adds what a run measured to that of its build and device.
fn join(all: &mut Vec<Joined>, part: usize, run: &StoredRun, measured: Vec<Measured>) {
    let device = run.device().map_or(String::new(), |device| device.info.uuid.clone());
    let commit = &run.manifest.build.commit;
    // Two builds with uncommitted changes may be of different code.
    let build = match run.manifest.build.dirty {
        true => format!("{commit} of {}", run.folder.display()),
        false => commit.clone(),
    };
    let build = (build, device);
    let at = all.iter().position(|joined| joined.build == build).unwrap_or_else(|| {
        all.push(Joined { build, runs: Vec::new(), parts: BTreeMap::new() });
        all.len() - 1
    });
    all[at].parts.entry(part).or_default().push(measured);
    if !all[at].runs.contains(&run.name()) {
        all[at].runs.push(run.name());
    }
}

impl Joined {
    /// A comparison of several runs has the mean of their values, and an interval that contains all of theirs. Wrong results are no measure
    /// with noise: the most of any run count.
    fn evidence(self, claim: &Claim, change: Option<Change>) -> BuildEvidence {
        let of_part = |runs: &Vec<Vec<Measured>>| -> Vec<Measured> {
            let joined = |at: usize| {
                let all: Vec<Estimate> = runs.iter().map(|run| run[at].1).collect();
                let place = runs[0][at].0.clone();
                let mean = all.iter().map(|one| one.value).sum::<f64>() / all.len() as f64;
                let ends = all.iter().flat_map(|one| [one.low, one.high]);
                let (low, high) = extent(ends).unwrap_or((mean, mean));
                match claim.tests[place.test].figure {
                    Figure::WrongResults => (place, Estimate::exact(high)),
                    _ => (place, Estimate { value: mean, low, high }),
                }
            };
            (0..runs[0].len()).map(joined).collect()
        };
        let mut measured: Vec<Measured> = self.parts.values().flat_map(of_part).collect();
        measured.sort_by_key(|(place, _)| place.test);
        BuildEvidence::new(self.runs, claim, measured, change)
    }
}
