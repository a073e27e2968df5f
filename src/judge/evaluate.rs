//! Every statement of every paper, compared on every machine.

use super::allowed::allowed;
use super::cells::Cells;
use super::effect::Effect;
use super::figures::Figures;
use super::relations::{Measured, compare, unit, unit_of};
use super::verdict::{Verdict, decide, share};
use super::{Change, ClaimResult, ClaimRow, Flip, Gap, Lack, Missing, Other, Point, PointSubject, Published};
use crate::device::gpus::Gpu;
use crate::lists::extent;
use crate::published::{Claim, ClaimKind, EvidenceKind, Figure, Inconsistency, PublishedPaper, Test};
use crate::results::{StoredRun, gpu_of};
use crate::timing::Estimate;

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
            // The latest first, whatever the order of files.
            runs.sort_by(|a, b| (&b.manifest.started, &b.folder).cmp(&(&a.manifest.started, &a.folder)));
            runs.into_iter().map(Cells::new).collect()
        };
        let is_other = |run: &&&StoredRun| timed.iter().all(|other| other.folder != run.folder);
        let others: Vec<&StoredRun> = counted.iter().filter(is_other).copied().collect();
        Self { machine: machine.to_string(), timed: of(timed), counted: of(&others) }
    }

    /// The runs of the machine, the latest first.
    pub fn runs(&self) -> impl Iterator<Item = &'a StoredRun> {
        self.timed.iter().map(|cells| cells.run)
    }

    /// The runs that may answer a claim: those of the machine, and where all that it needs is counted those with counts, of any.
    fn answering(&self, claim: &Claim) -> impl Iterator<Item = &Cells<'a>> {
        let is_counted =
            claim.evidence == EvidenceKind::Construction && claim.tests.iter().all(|test| test.is_counted());
        let counted = self.counted.iter().filter(move |_| is_counted);
        self.timed.iter().chain(counted)
    }

    /// Whether the machine has this GPU.
    fn has_gpu(&self, gpu: &str) -> bool {
        let gpu = gpu.to_lowercase();
        let devices = self.runs().filter(|run| !run.is_emulated()).filter_map(StoredRun::device);
        let mut names = devices.map(|device| device.info.name.to_lowercase());
        names.any(|name| name == gpu || name.ends_with(&format!(" {gpu}")))
    }
}

/// One row a claim, in the order of the papers and of their files: tables, claims, and where the paper contradicts itself.
pub fn evaluate(papers: &[PublishedPaper], machines: &[&Evidence]) -> Vec<ClaimRow> {
    papers.iter().flat_map(|paper| of_paper(paper, machines)).collect()
}

fn of_paper(paper: &PublishedPaper, machines: &[&Evidence]) -> Vec<ClaimRow> {
    let (columns, gpu) = (paper.columns_as_claims(), gpu_of(paper));
    let claims = columns.iter().chain(&paper.claims);
    let claims = claims.map(|claim| judged((paper, gpu.as_ref()), claim, machines));
    claims.chain(paper.inconsistencies.iter().map(|one| inconsistency(paper, one))).collect()
}

/// The row of a claim with a result a machine.
fn judged((paper, gpu): (&PublishedPaper, Option<&Gpu>), claim: &Claim, machines: &[&Evidence]) -> ClaimRow {
    // Figures are of something, and the statement alone does not always name it.
    let of = match claim.kind {
        ClaimKind::Ratio => claim.faster.clone(),
        ClaimKind::Absolute => {
            claim.tests.iter().find_map(|test| Some(test.series.first()?.implementation.clone()))
        }
        _ => None,
    };
    let published =
        |unit| Published { value: claim.value, low: claim.low, high: claim.high, bound: claim.bound, unit };
    ClaimRow {
        kind: claim.kind,
        evidence: Some(claim.evidence),
        of,
        short: claim.short.clone(),
        published: claim.unit.map(published),
        published_on: claim.gpu.clone().unwrap_or_else(|| paper.gpu.clone()),
        note: claim.note.clone(),
        reading: claim.reading.clone(),
        headline: claim.headline,
        tests: claim.tests.clone(),
        run: claim.run.clone(),
        results: machines.iter().map(|evidence| Question { paper, gpu, claim, evidence }.result()).collect(),
        ..plain(paper, &claim.id, &claim.statement, &claim.place)
    }
}

fn inconsistency(paper: &PublishedPaper, one: &Inconsistency) -> ClaimRow {
    plain(paper, &one.id, &one.statement, &one.place)
}

/// A row without tests and results.
fn plain(paper: &PublishedPaper, id: &str, statement: &str, place: &str) -> ClaimRow {
    ClaimRow {
        paper: paper.id.clone(),
        id: id.to_string(),
        kind: ClaimKind::Inconsistency,
        statement: statement.to_string(),
        place: place.to_string(),
        published_on: paper.gpu.clone(),
        ..ClaimRow::default()
    }
}

/// A claim and the machine on which it is judged.
struct Question<'a> {
    paper: &'a PublishedPaper,
    /// The paper's.
    gpu: Option<&'a Gpu>,
    claim: &'a Claim,
    evidence: &'a Evidence<'a>,
}

/// Runs of one build on one device that each meet all needs of a claim, with its comparisons from all of them.
struct BuildEvidence {
    runs: Vec<String>,
    points: Vec<Point>,
}

/// Runs of one build before their points are judged.
struct Joined {
    build: (String, String),
    runs: Vec<String>,
    measured: Vec<Measured>,
}

impl BuildEvidence {
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
}

impl Question<'_> {
    fn result(&self) -> ClaimResult {
        let answer = self.answer(None);
        let changes = [
            Change::Noise(0.5),
            Change::Noise(2.0),
            Change::Ours(0.5),
            Change::Ours(1.5),
            Change::Rounding(0.5),
            Change::Rounding(1.5),
        ];
        let flip = |change: Change| {
            let verdict = self.answer(Some(change)).verdict;
            (verdict != answer.verdict).then_some(Flip { change, verdict })
        };
        match answer.verdict.is_decided() {
            true => ClaimResult { sensitivity: changes.into_iter().filter_map(flip).collect(), ..answer },
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
        let gpu = claim.gpu.as_ref().unwrap_or(&self.paper.gpu);
        let is_of_other_gpu = claim.tests.iter().any(|test| test.own_gpu) && !self.evidence.has_gpu(gpu);
        let own = first.verdict(claim);
        let others: Vec<Other> = others.iter().map(|group| other(claim, group)).collect();
        let verdict = match own {
            own if others.iter().all(|other| other.verdict == own) => own,
            // What one exceeds and another has as claimed holds by both.
            own if own.holds() && others.iter().all(|other| other.verdict.holds()) => Verdict::Reproduced,
            _ => Verdict::Ambiguous,
        };
        let shown = first.points.first().map(|point| point.measured);
        if is_of_other_gpu {
            let lack = Lack::OtherGpu { tested_by: claim.tested_by.clone() };
            return ClaimResult { shown, runs: first.runs, ..self.without_verdict(lack) };
        }
        let needs_cause = matches!(verdict, Verdict::Differs | Verdict::InPart | Verdict::Exceeds);
        ClaimResult {
            verdict,
            share: share(first.points.iter().map(|point| point.verdict)),
            effect: Effect::of(&first.points),
            cause: claim.cause.clone().filter(|_| needs_cause),
            points: first.points,
            runs: first.runs,
            others,
            ..self.plain()
        }
    }

    fn without_verdict(&self, lack: Lack) -> ClaimResult {
        ClaimResult { verdict: lack.verdict(), lack: Some(lack), ..self.plain() }
    }

    /// A result of nothing.
    fn plain(&self) -> ClaimResult {
        ClaimResult {
            machine: self.evidence.machine.clone(),
            verdict: Verdict::NotMeasured,
            share: Default::default(),
            effect: None,
            unit: unit(self.claim),
            shown: None,
            lack: None,
            cause: None,
            sensitivity: Vec::new(),
            points: Vec::new(),
            runs: Vec::new(),
            others: Vec::new(),
        }
    }

    /// The runs that meet all needs, those of one build and device together: those with the latest, and the others.
    fn groups(&self, change: Option<Change>) -> Result<(BuildEvidence, Vec<BuildEvidence>), Lack> {
        const SHOWN_GAPS: usize = 3;
        let mut joined: Vec<Joined> = Vec::new();
        // Of the run that has most; of those that have nothing, of one that was to measure some.
        let mut best: ((usize, bool), Vec<Gap>) = Default::default();
        for cells in self.evidence.answering(self.claim) {
            let (mut measured, mut gaps) = (Vec::new(), Vec::new());
            for one in self.measured(cells, change) {
                match one {
                    Ok(one) => measured.push(one),
                    Err(gap) => gaps.push(gap),
                }
            }
            gaps.sort_by_key(|gap| gap.why == Missing::NotPlanned);
            let has = (measured.len(), gaps.first().is_some_and(|gap| gap.why != Missing::NotPlanned));
            if gaps.is_empty() {
                join(&mut joined, self.claim, cells.run, measured);
            } else if has > best.0 {
                gaps.truncate(SHOWN_GAPS);
                best = (has, gaps);
            }
        }
        let point = |(at, measured): Measured| {
            let test = &self.claim.tests[at.test];
            let allowed = allowed(self.claim, test, at.n, unit_of(test), change);
            Point::of(at, measured, allowed)
        };
        let group = |of: Joined| BuildEvidence {
            runs: of.runs,
            points: of.measured.into_iter().map(point).collect(),
        };
        let mut groups = joined.into_iter().map(group);
        let ((met, _), gaps) = best;
        let of = self.claim.tests.iter().map(Test::comparisons).sum();
        let lack = || Lack::Needs { met, of, gaps, run: self.claim.run.clone().unwrap_or_default() };
        Ok((groups.next().ok_or_else(lack)?, groups.collect()))
    }

    /// Every comparison of every test in one run, or what is missing.
    fn measured(&self, cells: &Cells, change: Option<Change>) -> Vec<Result<Measured, Gap>> {
        let uncertainty = if let Some(Change::Noise(factor)) = change { factor } else { 1.0 };
        let of_test = |(at, test)| {
            let figures = Figures { cells, test, uncertainty, gpu: self.gpu };
            let of = |(place, measured): Measured| {
                // After a division by next to nothing there is no number, and so no comparison.
                match [measured.value, measured.low, measured.high].iter().all(|end| end.is_finite()) {
                    true => Ok((PointSubject { test: at, ..place }, measured)),
                    false => Err(Gap { of: place.of, n: place.n, why: Missing::NotMeasured }),
                }
            };
            compare(&figures).into_iter().map(|one| one.and_then(of)).collect::<Vec<_>>()
        };
        self.claim.tests.iter().enumerate().flat_map(of_test).collect()
    }
}

/// Adds what a run measured to that of its build and device: a comparison of several runs has the mean of their values, and an interval
/// that contains all of theirs. Wrong results are no measure with noise: the most of any run count.
fn join(all: &mut Vec<Joined>, claim: &Claim, run: &StoredRun, measured: Vec<Measured>) {
    let device = run.device().map_or(String::new(), |device| device.info.uuid.clone());
    let commit = &run.manifest.build.commit;
    // Two builds with uncommitted changes may be of different code.
    let build = match run.manifest.build.dirty {
        true => format!("{commit} of {}", run.folder.display()),
        false => commit.clone(),
    };
    let build = (build, device);
    let Some(joined) = all.iter_mut().find(|joined| joined.build == build) else {
        all.push(Joined { build, runs: vec![run.name()], measured });
        return;
    };
    let before = joined.runs.len() as f64;
    for ((place, all), (_, one)) in joined.measured.iter_mut().zip(measured) {
        *all = match claim.tests[place.test].figure {
            Figure::WrongResults => Estimate::exact(all.value.max(one.value)),
            _ => Estimate {
                value: (all.value * before + one.value) / (before + 1.0),
                low: all.low.min(one.low),
                high: all.high.max(one.high),
            },
        };
    }
    joined.runs.push(run.name());
}

fn other(claim: &Claim, group: &BuildEvidence) -> Other {
    let (least, most) = extent(group.points.iter().map(|point| point.measured.value)).unwrap_or_default();
    Other {
        runs: group.runs.clone(),
        verdict: group.verdict(claim),
        share: share(group.points.iter().map(|point| point.verdict)),
        least,
        most,
    }
}
