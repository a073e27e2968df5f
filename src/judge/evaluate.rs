//! Every statement of every paper, compared on every machine.

use super::allowed::allowed;
use super::cells::Cells;
use super::effect::Effect;
use super::figures::Figures;
use super::relations::{compare, unit, unit_of};
use super::verdict::{Allowed, Verdict, decide, share};
use super::{Change, ClaimResult, ClaimRow, Gap, Lack, Missing, Other, Place, Point, Published, Turn};
use crate::lists::extent;
use crate::published::{Claim, ClaimKind, EvidenceKind, Figure, Inconsistency, PublishedPaper, Test};
use crate::results::StoredRun;
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

    /// The runs that may answer a claim of this kind.
    fn answering(&self, kind: EvidenceKind) -> impl Iterator<Item = &Cells<'a>> {
        let counted = self.counted.iter().filter(move |_| kind == EvidenceKind::Construction);
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
    let columns = paper.columns_as_claims();
    let claims = columns.iter().chain(&paper.claims).map(|claim| judged(paper, claim, machines));
    claims.chain(paper.inconsistencies.iter().map(|one| inconsistency(paper, one))).collect()
}

/// The row of a claim with a result a machine.
fn judged(paper: &PublishedPaper, claim: &Claim, machines: &[&Evidence]) -> ClaimRow {
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
        published: claim.unit.map(published),
        published_on: claim.gpu.clone().unwrap_or_else(|| paper.gpu.clone()),
        note: claim.note.clone(),
        reading: claim.reading.clone(),
        headline: claim.headline,
        tests: claim.tests.clone(),
        run: claim.run.clone(),
        results: machines.iter().map(|evidence| Question { paper, claim, evidence }.result()).collect(),
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
        evidence: None,
        statement: statement.to_string(),
        of: None,
        place: place.to_string(),
        published: None,
        published_on: paper.gpu.clone(),
        note: None,
        reading: None,
        headline: false,
        tests: Vec::new(),
        run: None,
        results: Vec::new(),
    }
}

/// A claim and the machine on which it is judged.
struct Question<'a> {
    paper: &'a PublishedPaper,
    claim: &'a Claim,
    evidence: &'a Evidence<'a>,
}

/// Runs of one build on one device that each meet all needs of a claim, with its comparisons from all of them.
struct Group {
    build: (String, String),
    runs: Vec<String>,
    points: Vec<Point>,
}

impl Group {
    fn verdict(&self, claim: &Claim) -> Option<Verdict> {
        let is_wrong = |point: &Point| {
            let figure = claim.tests[point.at.test].figure;
            figure == Figure::WrongResults && point.verdict == Verdict::Differs
        };
        // Right in some cells is not right.
        match self.points.iter().any(is_wrong) {
            true => Some(Verdict::Differs),
            false => decide(self.points.iter().map(|point| point.verdict)),
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
        let turn = |change: Change| {
            let verdict = self.answer(Some(change)).verdict;
            (verdict != answer.verdict).then_some(Turn { change, verdict })
        };
        match answer.verdict.is_decided() {
            true => ClaimResult { turns: changes.into_iter().filter_map(turn).collect(), ..answer },
            false => answer,
        }
    }

    /// The result after a change, without what would turn it.
    fn answer(&self, change: Option<Change>) -> ClaimResult {
        let claim = self.claim;
        let why = claim.untested.clone().map(Lack::Untested);
        if let Some(lack) = why.or_else(|| claim.incomparable.clone().map(Lack::Incomparable)) {
            return self.without_verdict(lack);
        }
        let groups = match self.groups(change) {
            Ok(groups) => groups,
            Err(lack) => return self.without_verdict(lack),
        };
        let gpu = claim.gpu.as_ref().unwrap_or(&self.paper.gpu);
        let is_of_other_gpu = claim.tests.iter().any(|test| test.own_gpu) && !self.evidence.has_gpu(gpu);
        let Some((first, others)) = groups.split_first() else {
            return self.without_verdict(Lack::NotRefuted);
        };
        let verdicts: Vec<Verdict> = groups.iter().filter_map(|group| group.verdict(claim)).collect();
        let agree = verdicts.windows(2).all(|two| two[0] == two[1]);
        let verdict = match verdicts.first() {
            Some(first) if agree => *first,
            // What one exceeds and another has as claimed holds by both.
            Some(_) if verdicts.iter().all(|one| one.holds()) => Verdict::Reproduced,
            Some(_) => Verdict::Ambiguous,
            None => Verdict::NotComparable,
        };
        let shown = first.points.first().map(|point| point.measured);
        if is_of_other_gpu {
            let lack = Lack::OtherGpu { tested_by: claim.tested_by.clone() };
            return ClaimResult { shown, runs: first.runs.clone(), ..self.without_verdict(lack) };
        }
        if claim.refutable_only && verdict.holds() {
            return ClaimResult { shown, runs: first.runs.clone(), ..self.without_verdict(Lack::NotRefuted) };
        }
        let needs_cause = matches!(verdict, Verdict::Differs | Verdict::InPart | Verdict::Exceeds);
        ClaimResult {
            verdict,
            share: share(first.points.iter().map(|point| point.verdict)),
            effect: Effect::of(&first.points),
            lack: None,
            cause: claim.cause.clone().filter(|_| needs_cause),
            points: first.points.clone(),
            runs: first.runs.clone(),
            others: others.iter().filter_map(|group| other(claim, group)).collect(),
            ..self.without_verdict(Lack::NotRefuted)
        }
    }

    fn without_verdict(&self, lack: Lack) -> ClaimResult {
        ClaimResult {
            machine: self.evidence.machine.clone(),
            verdict: lack.verdict(),
            share: Default::default(),
            effect: None,
            unit: unit(self.claim),
            shown: None,
            lack: Some(lack),
            cause: None,
            turns: Vec::new(),
            points: Vec::new(),
            runs: Vec::new(),
            others: Vec::new(),
        }
    }

    /// The runs that meet all needs, those of one build and device together, the latest first.
    fn groups(&self, change: Option<Change>) -> Result<Vec<Group>, Lack> {
        let mut groups: Vec<Group> = Vec::new();
        let mut best: Option<(usize, Vec<Gap>)> = None;
        for cells in self.evidence.answering(self.claim.evidence) {
            let answers = self.points(cells, change);
            let met = answers.iter().filter(|one| one.is_ok()).count();
            match answers.into_iter().collect::<Result<Vec<Point>, Gap>>() {
                Ok(points) => join(&mut groups, self.claim, cells.run, points),
                Err(_) if best.as_ref().is_some_and(|(most, _)| *most >= met) => (),
                Err(_) => best = Some((met, self.gaps(cells))),
            }
        }
        if !groups.is_empty() {
            for point in groups.iter_mut().flat_map(|group| &mut group.points) {
                let allowed = self.allowed(point.at.test, point.at.n, change);
                *point = Point::of(point.at.clone(), point.measured, allowed);
            }
            return Ok(groups);
        }
        let of = self.claim.tests.iter().map(Test::comparisons).sum();
        let (met, gaps) = best.filter(|(met, _)| *met > 0).unwrap_or_default();
        Err(Lack::Needs { met, of, gaps, run: self.claim.run.clone().unwrap_or_default() })
    }

    fn allowed(&self, test: usize, n: Option<usize>, change: Option<Change>) -> Allowed {
        let of = &self.claim.tests[test];
        allowed(self.claim, of, n, unit_of(of), change)
    }

    /// Every comparison of every test in one run, or what is missing.
    fn points(&self, cells: &Cells, change: Option<Change>) -> Vec<Result<Point, Gap>> {
        let uncertainty = if let Some(Change::Noise(factor)) = change { factor } else { 1.0 };
        let of_test = |(at, test)| {
            let figures = Figures::new(cells, self.paper, test, uncertainty);
            let point = |(place, measured): (Place, Estimate)| {
                // After a division by next to nothing there is no number, and so no comparison.
                if ![measured.value, measured.low, measured.high].iter().all(|end| end.is_finite()) {
                    return Err(Gap { of: place.of, n: place.n, why: Missing::NotMeasured });
                }
                let allowed = self.allowed(at, place.n, change);
                Ok(Point::of(Place { test: at, ..place }, measured, allowed))
            };
            compare(&figures).into_iter().map(|one| one.and_then(point)).collect::<Vec<_>>()
        };
        self.claim.tests.iter().enumerate().flat_map(of_test).collect()
    }

    /// The first comparisons that a run lacks.
    fn gaps(&self, cells: &Cells) -> Vec<Gap> {
        const SHOWN: usize = 3;
        self.points(cells, None).into_iter().filter_map(Result::err).take(SHOWN).collect()
    }
}

/// Adds the points of a run to those of its build and device: a comparison of several runs has the mean of their values, and an interval
/// that contains all of theirs. Wrong results are no measure with noise: the most of any run count.
fn join(groups: &mut Vec<Group>, claim: &Claim, run: &StoredRun, points: Vec<Point>) {
    let device = run.device().map_or(String::new(), |device| device.info.uuid.clone());
    let build = (run.manifest.build.commit.clone(), device);
    let Some(group) = groups.iter_mut().find(|group| group.build == build) else {
        groups.push(Group { build, runs: vec![run.marked_name()], points });
        return;
    };
    let before = group.runs.len() as f64;
    for (joined, one) in group.points.iter_mut().zip(points) {
        let is_wrong_results = claim.tests[joined.at.test].figure == Figure::WrongResults;
        let (all, one) = (&mut joined.measured, one.measured);
        if is_wrong_results {
            *all = Estimate::exact(all.value.max(one.value));
            continue;
        }
        *all = Estimate {
            value: (all.value * before + one.value) / (before + 1.0),
            low: all.low.min(one.low),
            high: all.high.max(one.high),
        };
    }
    group.runs.push(run.marked_name());
}

fn other(claim: &Claim, group: &Group) -> Option<Other> {
    let (least, most) = extent(group.points.iter().map(|point| point.measured.value))?;
    Some(Other {
        runs: group.runs.clone(),
        verdict: group.verdict(claim)?,
        share: share(group.points.iter().map(|point| point.verdict)),
        least,
        most,
    })
}
