//! Figures of another GPU: shown beside ours, and compared where both can be counted in something that GPUs share.

use super::Question;
use crate::claims::evidence::Measurements;
use crate::claims::outcome::Outcome;
use crate::claims::said::{Comparison, FigureUnit, Lack, NotImplemented, Shown, Sizes, Subject};
use crate::claims::settings::Threshold;
use crate::claims::verdict::Range;
use crate::claims::{Point, ranges};
use crate::published::{ClaimKind, Unit};
use crate::timing::Estimate;

/// Bytes a task of the claim's implementation; as the paper counts them where a bandwidth is claimed.
pub(super) fn bytes_a_task(question: &Question) -> Option<f64> {
    let facts = question.evidence.facts(question.claim.implementation.as_deref()?)?;
    let counted = facts.bytes_a_task_paper.filter(|_| question.claim.kind == ClaimKind::Bandwidth);
    counted.or(facts.bytes_a_task)
}

/// Seconds of the claim's implementation at every n that it is about.
fn seconds<'a>(question: &Question<'a>) -> Option<(&'a Measurements<'a>, Vec<(usize, Estimate)>)> {
    let name = question.claim.implementation.as_deref()?;
    let evidence = question.evidence;
    evidence.fullest(&question.paper.id, |run| evidence.times(run, name, |n| question.applies_at(n)))
}

/// Seconds at n in the unit of the claim. None for a unit that seconds do not give.
fn in_unit(question: &Question, n: usize, seconds: Estimate) -> Option<Estimate> {
    let tasks = (n as f64).powi(3);
    let rate = Estimate::exact(tasks).over(seconds);
    Some(match question.claim.unit? {
        Unit::Seconds => seconds,
        Unit::SecondsATask => seconds.times(1.0 / tasks),
        Unit::TasksASecond => rate,
        Unit::GigabytesASecond => rate.times(bytes_a_task(question)? * 1e-9),
        _ => return None,
    })
}

fn shown(question: &Question, value: f64) -> Option<Shown> {
    Some(match question.claim.unit? {
        Unit::Seconds => Shown::Seconds(value),
        Unit::TasksASecond => Shown::TasksASecond(value),
        Unit::GigabytesASecond => Shown::GigabytesASecond { least: value, most: value },
        _ => return None,
    })
}

/// Whether this machine has the paper's GPU, on which its times can be compared as times.
pub(super) fn same_gpu(question: &Question) -> bool {
    let paper = question.paper.gpu.to_lowercase();
    question.evidence.gpu().is_some_and(|gpu| {
        let gpu = gpu.to_lowercase();
        gpu == paper || gpu.ends_with(&format!(" {paper}"))
    })
}

fn not_measured(question: &Question) -> Outcome {
    match question.claim.implementation.as_deref() {
        Some(name) => question.lacking(&[name], question.sizes()),
        None => Outcome::lacking(Lack::NoRule),
    }
}

fn of_another(question: &Question) -> Lack {
    Lack::OtherGpu { tested_by: question.claim.tested_by.clone() }
}

/// A time, a rate or bytes a second: compared on the paper's own GPU, shown on any other.
pub fn of_other_gpu(question: &Question) -> Outcome {
    let Some((run, all)) = seconds(question) else { return not_measured(question) };
    let figures: Vec<(usize, Estimate)> =
        all.into_iter().filter_map(|(n, seconds)| Some((n, in_unit(question, n, seconds)?))).collect();
    if same_gpu(question) {
        let range = ranges::stated(question.claim, question.settings);
        let points = figures.into_iter().map(|(n, figure)| Point::at_n(n, figure, range)).collect();
        return Outcome::of(run.name(), Comparison::PublishedFigure, FigureUnit::None, points);
    }
    let first = figures.first().and_then(|(_, figure)| shown(question, figure.value));
    Outcome { shown: first, runs: vec![run.name()], ..Outcome::lacking(of_another(question)) }
}

/// The copy itself.
pub fn copy(question: &Question) -> Outcome {
    let runs = question.evidence.runs().iter().rev();
    let mut copies = runs.filter_map(|run| Some((run.name(), question.evidence.copy_gbs(run)?)));
    let Some((name, measured)) = copies.next() else { return Outcome::lacking(Lack::NoCopy) };
    if same_gpu(question) {
        let range = ranges::stated(question.claim, question.settings);
        let points = vec![Point::of(crate::claims::Place::of(Subject::Copy), measured, range)];
        return Outcome::of(name, Comparison::PublishedFigure, FigureUnit::GigabytesASecond, points);
    }
    Outcome::shown(
        name,
        Shown::GigabytesASecond { least: measured.low, most: measured.high },
        of_another(question),
    )
}

/// Operations of a lane and cycle that a C1060 is advertised with: 933 GFLOP/s.
const ADVERTISED_A_CYCLE: f64 = 3.0;

/// Cycles that a lane of a multiprocessor has in the time of a task: the paper's figure in a form that holds for any GPU.
///
/// A C1060 is advertised with three operations a lane and cycle; a C2075 has 448 lanes at 1.15 GHz, which is of its
/// specification and not of the paper.
pub fn lane_cycles(question: &Question) -> Outcome {
    const C2075_LANES_GHZ: f64 = 448.0 * 1.15;
    let Some((run, all)) = seconds(question) else { return not_measured(question) };
    let here = run.run.device().and_then(|device| lanes_ghz(&device.info));
    let Some(lanes_ghz) = here else { return not_measured(question) };
    let cycles = |n: usize, seconds: Estimate| seconds.times(lanes_ghz * 1e9 / (n as f64).powi(3));
    let (range, published_ghz) = match (question.claim.unit, question.claim.n) {
        (Some(Unit::FlopsATask), _) => {
            let stated = question.claim.value.unwrap_or_default() / ADVERTISED_A_CYCLE;
            let near = 1.0 + question.settings.get(Threshold::SameSize);
            (Range::new(stated / near, stated * near), None)
        }
        (Some(Unit::Seconds), Some(n)) => {
            let most = question.claim.high.unwrap_or_default() * C2075_LANES_GHZ * 1e9 / (n as f64).powi(3);
            (Range::at_most(most), Some(C2075_LANES_GHZ))
        }
        _ => return Outcome::lacking(Lack::NoRule),
    };
    let points = all.into_iter().map(|(n, seconds)| Point::at_n(n, cycles(n, seconds), range)).collect();
    Outcome::of(run.name(), Comparison::LaneCycles { published_ghz }, FigureUnit::CyclesATask, points)
}

/// Lanes for f32 of all multiprocessors times their highest clock, GHz. None of a device without a clock.
fn lanes_ghz(info: &crate::device::DeviceInfo) -> Option<f64> {
    let lanes = match info.compute_capability {
        (7, _) | (8, 0) => 64,
        _ => 128,
    };
    (!info.emulated && info.clock_mhz > 0)
        .then(|| f64::from(info.multiprocessors * lanes) * f64::from(info.clock_mhz) * 1e-3)
}

/// A constant of Θ(n³): seconds a task at n over those at the largest n.
pub fn flat_seconds_a_task(question: &Question) -> Outcome {
    let evidence = question.evidence;
    let Some(name) = question.claim.implementation.as_deref() else { return Outcome::lacking(Lack::NoRule) };
    let from = question.settings.get(Threshold::LargeN);
    let found = evidence.fullest(&question.paper.id, |run| {
        evidence.times(run, name, |n| n as f64 >= from && question.applies_at(n))
    });
    let Some((run, all)) = found else { return question.lacking(&[name], Sizes::Any) };
    let a_task = |(n, seconds): &(usize, Estimate)| seconds.times(1.0 / (*n as f64).powi(3));
    let Some(last) = all.last().map(a_task) else { return question.lacking(&[name], Sizes::Any) };
    let near = 1.0 + question.settings.get(Threshold::SameSize);
    let range = Range::new(1.0 / near, near);
    let others = all.split_last().map_or(&[][..], |(_, others)| others);
    let points = others.iter().map(|one| Point::at_n(one.0, a_task(one).over(last), range)).collect();
    Outcome::of(run.name(), Comparison::SecondsATaskFlat, FigureUnit::Times, points)
}

pub fn generalized_on_cpu(_: &Question) -> Outcome {
    Outcome::lacking(Lack::NotImplemented { what: NotImplemented::GeneralizedOnCpu })
}

pub fn accesses_at_once(_: &Question) -> Outcome {
    Outcome::lacking(Lack::NotImplemented { what: NotImplemented::AccessesOfOneAddress })
}

pub fn stopped_in_round(_: &Question) -> Outcome {
    Outcome::lacking(Lack::NotImplemented { what: NotImplemented::StoppedInRound })
}

/// "Fewer than ten operations a task are within reach": cycles of a lane a task of the fastest implementation, at three operations a
/// cycle as the paper counts them.
pub fn ten_operations(question: &Question) -> Outcome {
    let evidence = question.evidence;
    let most = question.claim.high.unwrap_or_default() / ADVERTISED_A_CYCLE;
    let mut best: Option<(String, crate::claims::Place, Estimate)> = None;
    for run in evidence.runs() {
        let Some(lanes_ghz) = run.run.device().and_then(|device| lanes_ghz(&device.info)) else { continue };
        for name in evidence.on_devices() {
            for (n, seconds) in evidence.times(run, name, |_| true) {
                let cycles = seconds.times(lanes_ghz * 1e9 / (n as f64).powi(3));
                if best.as_ref().is_none_or(|(.., least)| cycles.value < least.value) {
                    best = Some((run.name(), crate::claims::Place::contender(name, n), cycles));
                }
            }
        }
    }
    let Some((run, at, cycles)) = best else { return not_measured(question) };
    let points = vec![Point::of(at, cycles, Range::at_most(most))];
    Outcome::of(run, Comparison::LaneCycles { published_ghz: None }, FigureUnit::CyclesATask, points)
}

pub fn any_gpu(_: &Question) -> Outcome {
    Outcome::lacking(Lack::NotImplemented { what: NotImplemented::OneArchitecture })
}
