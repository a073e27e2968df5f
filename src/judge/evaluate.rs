//! Every statement of every paper, compared on every machine.

use super::Perturbation::{Noise, Ours, Rounding};
use super::column::columns_as_claims;
use super::comparison::{MeasuredComparison, TestEvaluation};
use super::evidence::{ENOUGH_CARDS, RunEvidence, stretched};
use super::metric::unit_of_claim;
use super::{
    AcceptanceRange, ClaimResult, ClaimRow, Comparison, ComparisonSubject, Effect, HoldCount,
    MissingComparison, MissingReason, NoVerdictReason, OtherBuildResult, Perturbation, Verdict, VerdictFlip,
    decide,
};
use crate::lists::{distinct, extent, grouped};
use crate::published::{Claim, ClaimKind, EvidenceKind, Figure, PublishedPaper, Remark, Test};
use crate::results::StoredRun;
use crate::timing::Estimate;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What claims by construction are judged on: the runs of all machines, and those with counts.
pub const ANY_MACHINE: &str = "any machine";

/// Stands for a machine where a claim is judged on its paper's own numbers, before any machine.
pub const OWN_NUMBERS: &str = "its own numbers";

/// The perturbation that leaves every interval as it is.
const UNCHANGED: Perturbation = Noise(1.0);

/// What is tried to see whether a verdict stays.
const CHANGES: [Perturbation; 6] =
    [Noise(0.5), Noise(2.0), Ours(0.5), Ours(1.5), Rounding(0.5), Rounding(1.5)];

/// The label and the runs of one machine, on which claims are judged.
pub type Evidence<'a> = (&'a str, &'a [&'a StoredRun]);

/// One row a claim, in the order of the papers and of their files: tables, claims, and where the paper contradicts itself.
/// `counted` are runs with counts, of any machine: counts are the same on every one.
pub fn evaluate(papers: &[PublishedPaper], machines: &[Evidence], counted: &[&StoredRun]) -> Vec<ClaimRow> {
    let each = machines.iter().map(|(label, runs)| (*label, latest_first(runs.iter().copied())));
    let each: Vec<(&str, Vec<RunEvidence>)> = each.collect();
    let all = machines.iter().flat_map(|(_, runs)| *runs).chain(counted);
    let any = [(ANY_MACHINE, latest_first(all.copied()))];
    let of_paper = |paper: &PublishedPaper| {
        let row = |claim: Claim| {
            let is_of_any = claim.evidence == Some(EvidenceKind::Construction) && !machines.is_empty();
            claim_row(paper, claim, if is_of_any { &any } else { &each })
        };
        let claims = columns_as_claims(paper).into_iter().chain(paper.claims.iter().cloned()).map(row);
        let remarks = paper.inconsistencies.iter().map(|one| claim_row(paper, contradiction(one), &[]));
        claims.chain(remarks).collect::<Vec<_>>()
    };
    papers.iter().flat_map(of_paper).collect()
}

/// The runs as claims read them, without repeats, the latest first, whatever the order of files.
fn latest_first<'a>(runs: impl Iterator<Item = &'a StoredRun>) -> Vec<RunEvidence<'a>> {
    let by_start = runs.map(|run| (Reverse((&run.manifest.started, &run.folder)), run));
    by_start.collect::<BTreeMap<_, _>>().into_values().map(RunEvidence::new).collect()
}

/// Where a paper contradicts itself, which no test decides.
fn contradiction(of: &Remark) -> Claim {
    let Remark { id, statement, place, .. } = of.clone();
    Claim { id, kind: ClaimKind::Inconsistency, statement, place, ..Claim::default() }
}

/// A claim with what its paper itself says of it, and a result a machine.
fn claim_row(paper: &PublishedPaper, claim: Claim, machines: &[(&str, Vec<RunEvidence>)]) -> ClaimRow {
    // A figure belongs to an implementation, which the statement alone does not always name.
    let of = match claim.kind {
        ClaimKind::Ratio => claim.faster.clone(),
        ClaimKind::Absolute => {
            claim.tests.iter().find_map(|test| Some(test.series.first()?.implementation.clone()))
        }
        _ => None,
    };
    let by = |runs| ClaimEvaluation { paper, claim: &claim, runs };
    let unit = unit_of_claim(&claim);
    let on = |machine: &str, result| ClaimResult { machine: machine.to_string(), unit, ..result };
    ClaimRow {
        paper: paper.id.clone(),
        of,
        published_on: claim.gpu.clone().unwrap_or_else(|| paper.gpu.clone()),
        own: by(&[]).by_own_numbers().map(|result| on(OWN_NUMBERS, result)),
        results: machines.iter().map(|(machine, runs)| on(machine, by(runs).result())).collect(),
        claim,
    }
}

/// A claim and the runs by which it is judged.
struct ClaimEvaluation<'a> {
    paper: &'a PublishedPaper,
    claim: &'a Claim,
    /// The runs that may have what the claim needs, the latest first.
    runs: &'a [RunEvidence<'a>],
}

/// What one run has of a claim's comparisons that belong to one experiment.
#[derive(Clone)]
struct RunMeasurement<'a> {
    evidence: RunEvidence<'a>,
    /// The UUID of its GPU, if it had one.
    card: Option<&'a String>,
    experiment: &'a str,
    measured: Vec<MeasuredComparison>,
    /// Comparisons that the run was not to measure come last.
    missing: Vec<MissingComparison>,
}

/// A comparison, and the GPU that it was measured on.
type OnCard<'a> = (Option<&'a String>, &'a MeasuredComparison);

impl<'a> ClaimEvaluation<'a> {
    /// Judges the claim by the paper's own numbers. None where the paper has none for its tests.
    fn by_own_numbers(&self) -> Option<ClaimResult> {
        // A test that divides by the paper's own numbers says nothing of them.
        let tests = self.claim.tests.iter().enumerate().filter(|(_, test)| !test.over_own);
        let of_test = |(place, test): (usize, &Test)| {
            let test = &test.of_implementations();
            TestEvaluation { paper: self.paper, place, test, evidence: None }.comparisons()
        };
        let measured = tests.flat_map(of_test).flatten().collect();
        let result = self.compared(measured, UNCHANGED);
        (!result.points.is_empty()).then_some(ClaimResult { effect: None, ..result })
    }

    fn result(&self) -> ClaimResult {
        let claim = self.claim;
        let untested = claim.untested.clone().map(NoVerdictReason::Untested);
        if let Some(reason) = untested.or(claim.incomparable.clone().map(NoVerdictReason::Incomparable)) {
            return reason.into();
        }
        let experiments = distinct(claim.tests.iter().map(|test| claim.run_of(test))).into_iter();
        let by_runs = |experiment| self.runs.iter().filter_map(|run| self.measure(run, experiment)).collect();
        let measured: Vec<(&str, Vec<RunMeasurement>)> = experiments.map(|one| (one, by_runs(one))).collect();
        let complete = measured.iter().flat_map(|(_, runs)| runs).filter(|one| one.missing.is_empty());
        let mut builds = grouped(complete.map(|one| (build(one.evidence.run), one.clone())));
        builds.retain(|(_, runs)| distinct(runs.iter().map(|one| one.experiment)).len() == measured.len());
        let builds: Vec<_> = builds.into_iter().map(|(_, runs)| self.without_assumed_noise(runs)).collect();
        if builds.is_empty() {
            return self.unmet(&measured).into();
        }
        let result = self.by_builds(&builds, UNCHANGED);
        if claim.tests.iter().any(|test| test.own_gpu) && !self.has_gpu() {
            let reason = NoVerdictReason::OtherGpu { tested_by: claim.tested_by.clone() };
            let shown = result.points.first().map(|point| point.measured);
            return ClaimResult { shown, runs: result.runs, ..reason.into() };
        }
        let flip = |change| VerdictFlip { change, verdict: self.by_builds(&builds, change).verdict };
        let flips = CHANGES.into_iter().map(flip).filter(|flip| flip.verdict != result.verdict);
        ClaimResult { sensitivity: flips.collect(), ..result }
    }

    /// The same without what is assumed of cards and processes, where the runs of a build are on enough cards to show it.
    fn without_assumed_noise(&self, runs: Vec<RunMeasurement<'a>>) -> Vec<RunMeasurement<'a>> {
        if cards(&runs) < ENOUGH_CARDS {
            return runs;
        }
        let again = |mut one: RunMeasurement<'a>| {
            one.evidence.assumes_noise = false;
            self.measure(&one.evidence, one.experiment)
        };
        runs.into_iter().filter_map(again).collect()
    }

    /// The result by several builds, each of which meets all needs; the build with the latest run comes first.
    fn by_builds(&self, builds: &[Vec<RunMeasurement>], change: Perturbation) -> ClaimResult {
        let mut results = builds.iter().map(|runs| self.pooled(runs, change));
        let latest = results.next().unwrap_or_default();
        let other = |of: ClaimResult| {
            let (least, most) = extent(of.points.iter().map(|one| one.measured.value)).unwrap_or_default();
            OtherBuildResult { runs: of.runs, verdict: of.verdict, share: of.share, least, most }
        };
        let others: Vec<OtherBuildResult> = results.map(other).collect();
        let all = [latest.verdict].into_iter().chain(others.iter().map(|other| other.verdict));
        let verdict = Verdict::common(all).map_or(Verdict::Ambiguous, |_| latest.verdict);
        let needs_cause = verdict.fails() || matches!(verdict, Verdict::InPart | Verdict::Exceeds);
        let cause = self.claim.cause.clone().filter(|_| needs_cause);
        ClaimResult { verdict, cause, others, ..latest }
    }

    /// Whether the machine has the GPU that the claim is of.
    fn has_gpu(&self) -> bool {
        let gpu = self.claim.gpu.as_ref().unwrap_or(&self.paper.gpu).to_lowercase();
        let gpus = self.runs.iter().filter_map(|one| one.run.environment()?.gpu());
        let mut names = gpus.map(|device| device.info.name.to_lowercase());
        names.any(|name| name == gpu || name.ends_with(&format!(" {gpu}")))
    }

    /// Every comparison that one run has of the tests that this experiment measures, and what is missing. None if the run was to measure
    /// none of them.
    fn measure(&self, evidence: &RunEvidence<'a>, experiment: &'a str) -> Option<RunMeasurement<'a>> {
        let tests = self.claim.tests.iter().enumerate();
        let tests = tests.filter(|(_, test)| self.claim.run_of(test) == experiment);
        let paper = self.paper;
        let of = |(place, test)| TestEvaluation { paper, place, test, evidence: Some(evidence) };
        let all = tests.flat_map(|test| of(test).comparisons());
        let (measured, missing): (Vec<_>, Vec<_>) = all.partition(Result::is_ok);
        let measured: Vec<MeasuredComparison> = measured.into_iter().flatten().collect();
        let mut missing: Vec<MissingComparison> = missing.into_iter().filter_map(Result::err).collect();
        let is_other = |one: &MissingComparison| one.why == MissingReason::NotPlanned;
        missing.sort_by_key(is_other);
        let has_some = !measured.is_empty() || !missing.iter().all(is_other);
        let card = evidence.run.environment().and_then(|of| Some(&of.gpu()?.info.uuid));
        has_some.then_some(RunMeasurement { evidence: evidence.clone(), card, experiment, measured, missing })
    }

    /// The result by all runs of one build.
    fn pooled(&self, all: &[RunMeasurement], change: Perturbation) -> ClaimResult {
        // Keyed by test, and by position among the comparisons of its experiment.
        let mut alike: BTreeMap<(usize, usize), Vec<OnCard>> = BTreeMap::new();
        for run in all {
            for (place, one) in run.measured.iter().enumerate() {
                alike.entry((one.0.test, place)).or_default().push((run.card, one));
            }
        }
        let (measured, apart): (_, Vec<_>) = alike.into_values().map(|alike| self.pool(alike)).unzip();
        let mut result = self.compared(measured, change);
        result.points.iter_mut().zip(apart).for_each(|(point, apart)| point.apart = apart);
        let runs = distinct(all.iter().map(|one| one.evidence.run.name()));
        ClaimResult { runs, cards: cards(all), ..result }
    }

    /// Joins the same comparison of several runs, each with its card, and says by how much the cards lie apart. For wrong results, which have
    /// no noise, it is the largest number of any run.
    fn pool(&self, alike: Vec<OnCard>) -> (MeasuredComparison, Option<f64>) {
        let at = alike[0].1.0.clone();
        let by_card = grouped(alike.into_iter().map(|(card, (_, one))| (card, *one)));
        let of_cards: Vec<Estimate> = by_card.iter().map(|(_, runs)| joined(runs)).collect();
        let pooled = joined(&of_cards);
        if self.claim.tests[at.test].figure == Figure::WrongResults {
            return ((at, Estimate::exact(pooled.high)), None);
        }
        let apart = of_cards.iter().any(|one| of_cards.iter().any(|other| one.high < other.low));
        let (least, most) = extent(of_cards.iter().map(|one| one.value)).unwrap_or_default();
        ((at, pooled), apart.then(|| (most - least) / pooled.value.abs()))
    }

    /// What was measured, judged by what the claim accepts.
    fn compared(&self, measured: Vec<MeasuredComparison>, change: Perturbation) -> ClaimResult {
        let tests = &self.claim.tests;
        let width = if let Noise(factor) = change { factor } else { 1.0 };
        let compare = |(at, measured): MeasuredComparison| {
            let accepted = AcceptanceRange::of_test(self.claim, &tests[at.test], at.n, change);
            Comparison::new(at, stretched(measured, width), accepted)
        };
        let points: Vec<Comparison> = measured.into_iter().map(compare).collect();
        let verdicts = points.iter().map(|point| point.verdict);
        let is_wrong = |point: &Comparison| {
            tests[point.at.test].figure == Figure::WrongResults && point.verdict == Verdict::Differs
        };
        // Right in some cells is not right.
        let verdict = if points.iter().any(is_wrong) { Verdict::Differs } else { decide(verdicts.clone()) };
        let (share, effect) = (HoldCount::of(verdicts), Effect::of(&points));
        ClaimResult { verdict, share, effect, points, ..ClaimResult::default() }
    }

    /// What no build meets: the first experiment that no run measures whole, and the first gaps of the run that has most of it.
    fn unmet(&self, measured: &[(&str, Vec<RunMeasurement>)]) -> NoVerdictReason {
        const SHOWN_GAPS: usize = 3;
        let most = |runs: &[RunMeasurement]| runs.iter().map(|one| one.measured.len()).max().unwrap_or(0);
        let lacking = measured.iter().find(|(_, runs)| runs.iter().all(|one| !one.missing.is_empty()));
        let (run, gaps) = match lacking {
            Some((run, runs)) => {
                let fullest = runs.iter().find(|one| one.measured.len() == most(runs));
                let gaps = fullest.into_iter().flat_map(|one| &one.missing).take(SHOWN_GAPS);
                (run, gaps.cloned().collect())
            }
            // Each experiment was measured, but by no one build.
            None => (&measured[0].0, vec![ComparisonSubject::default().missing(MissingReason::OneBuild)]),
        };
        NoVerdictReason::Needs {
            met: measured.iter().map(|(_, runs)| most(runs)).sum(),
            of: self.claim.tests.iter().map(Test::comparisons).sum(),
            gaps,
            run: run.to_string(),
        }
    }
}

/// What tells builds apart. Two builds with uncommitted changes may be of different code.
fn build(run: &StoredRun) -> impl PartialEq {
    let build = &run.manifest.build;
    (&build.commit, build.dirty.then_some(&run.folder))
}

/// On how many cards each of the experiments was measured.
fn cards(all: &[RunMeasurement]) -> usize {
    let by_experiment = grouped(all.iter().map(|one| (one.experiment, one.card)));
    by_experiment.into_iter().map(|(_, cards)| distinct(cards.into_iter().flatten()).len()).min().unwrap_or(0)
}

/// The mean of figures, and an interval that contains those of all.
fn joined(all: &[Estimate]) -> Estimate {
    let (low, high) = extent(all.iter().flat_map(|one| [one.low, one.high])).unwrap_or_default();
    Estimate { value: all.iter().map(|one| one.value).sum::<f64>() / all.len() as f64, low, high }
}

impl From<NoVerdictReason> for ClaimResult {
    fn from(of: NoVerdictReason) -> Self {
        let verdict = match of {
            NoVerdictReason::Needs { .. } | NoVerdictReason::Untested(_) => Verdict::NotMeasured,
            NoVerdictReason::Incomparable(_) | NoVerdictReason::OtherGpu { .. } => Verdict::NotComparable,
        };
        Self { verdict, lack: Some(of), ..Self::default() }
    }
}
