//! Times and rates of another GPU: compared as the share of that GPU's measured copy bandwidth that they imply.

use super::Question;
use crate::claims::evidence::Measurements;
use crate::claims::outcome::Outcome;
use crate::claims::verdict::Range;
use crate::claims::{Point, ranges};
use crate::experiment::digits;
use crate::implementation;
use crate::lists::extent;
use crate::record::{ClaimKind, Unit};
use crate::timing::Estimate;

/// The figure of a cell in the unit of the claim, and the bytes a second that it stands for.
struct Figure {
    n: usize,
    own: Estimate,
    gbs: Estimate,
}

/// Bytes a task of the claim's implementation; as the paper counts them where a bandwidth is claimed.
fn bytes_a_task(question: &Question) -> Option<f64> {
    let found = implementation::find(question.claim.implementation.as_deref()?)?;
    let counted = found.traffic.paper.filter(|_| question.claim.kind == ClaimKind::Bandwidth);
    Some(counted.map_or(found.traffic.bytes_per_task, |(bytes, _)| bytes))
}

/// What was measured of the claim's implementation, at every n that it speaks of.
fn figures<'a>(question: &'a Question) -> Option<(&'a Measurements<'a>, Vec<Figure>)> {
    let name = question.claim.implementation.as_deref()?;
    let bytes = bytes_a_task(question)?;
    question.evidence.fullest(&question.paper.id, |run| {
        let times = question.evidence.times(run, name, |n| question.applies_at(n)).into_iter();
        times
            .filter_map(|(n, seconds)| {
                let tasks = (n as f64).powi(3);
                let rate = Estimate::exact(tasks).over(seconds);
                let gbs = rate.times(bytes * 1e-9);
                let own = match question.claim.unit? {
                    Unit::Seconds => seconds,
                    Unit::SecondsATask => seconds.times(1.0 / tasks),
                    Unit::TasksASecond => rate,
                    Unit::GigabytesASecond => gbs,
                    _ => return None,
                };
                Some(Figure { n, own, gbs })
            })
            .collect()
    })
}

/// The bytes a second that the claim's number stands for.
fn published_gbs(question: &Question) -> Option<Range> {
    let bytes = bytes_a_task(question)?;
    let Range { low, high } = ranges::stated(question.claim);
    let cubed = question.claim.n.map(|n| (n as f64).powi(3));
    let gbs = |value: f64| match question.claim.unit? {
        Unit::Seconds => Some(cubed? / value * bytes * 1e-9),
        Unit::SecondsATask => Some(bytes / value * 1e-9),
        Unit::TasksASecond => Some(value * bytes * 1e-9),
        Unit::GigabytesASecond => Some(value),
        _ => None,
    };
    let (one, other) = (low.and_then(gbs), high.and_then(gbs));
    // More seconds are fewer bytes a second.
    let falls = matches!(question.claim.unit, Some(Unit::Seconds | Unit::SecondsATask));
    Some(if falls { Range { low: other, high: one } } else { Range { low: one, high: other } })
}

/// The copy bandwidth that the paper measured, GB/s.
fn papers_copy(question: &Question) -> Option<Range> {
    let copy = question.paper.claims.iter().find(|claim| claim.id == "memcpy")?;
    (copy.unit == Some(Unit::GigabytesASecond)).then(|| ranges::stated(copy))
}

/// Whether this machine has the paper's GPU, on which its times can be compared as times.
fn same_gpu(question: &Question) -> bool {
    let paper = question.paper.gpu.to_lowercase();
    question.evidence.gpu().is_some_and(|gpu| {
        let gpu = gpu.to_lowercase();
        gpu == paper || gpu.ends_with(&format!(" {paper}"))
    })
}

fn not_measured(question: &Question) -> Outcome {
    let name = question.claim.implementation.as_deref().unwrap_or("what it speaks of");
    Outcome::missing(format!("Not measured: {name}{}.", question.sizes_in_words()))
}

/// A time, a rate or bytes a second: as such on the paper's own GPU, elsewhere as the share of the measured copy bandwidth.
pub fn share_of_copy(question: &Question) -> Outcome {
    let Some((run, figures)) = figures(question) else { return not_measured(question) };
    let runs = vec![run.name()];
    if same_gpu(question) {
        let range = ranges::stated(question.claim);
        return Outcome {
            compared_as: "the published figure itself, on the paper's own GPU".to_string(),
            points: figures.iter().map(|figure| Point::at_n(figure.n, figure.own, range)).collect(),
            runs,
            ..Outcome::default()
        };
    }
    let unit = ranges::in_words(question.claim).split_once(' ').map_or(String::new(), |_| unit_of(question));
    let here: Vec<String> =
        figures.iter().map(|figure| format!("{}{unit}", shown(figure.own.value))).collect();
    let shown = here.first().cloned().unwrap_or_default();
    let copy = question.evidence.copy_gbs(run);
    let share = || -> Option<Range> {
        let (gbs, copy) = (published_gbs(question)?, papers_copy(question)?);
        Some(Range {
            low: gbs.low.zip(copy.high).map(|(gbs, copy)| gbs / copy * 100.0),
            high: gbs.high.zip(copy.low).map(|(gbs, copy)| gbs / copy * 100.0),
        })
    };
    let (Some(copy), Some(range)) = (copy, share()) else {
        let why =
            if copy.is_none() { "this run has no measured copy" } else { "the paper has no measured copy" };
        return Outcome {
            compared_as: "nothing: a time of another GPU".to_string(),
            missing: format!("A figure of a {}; {why} to set it against.", question.paper.gpu),
            shown,
            runs,
            ..Outcome::default()
        };
    };
    Outcome {
        compared_as: "share of the measured copy bandwidth that it implies".to_string(),
        unit: "% of a copy",
        points: figures
            .iter()
            .map(|figure| Point::at_n(figure.n, figure.gbs.over(copy).times(100.0), range))
            .collect(),
        runs,
        remarks: [
            Some(format!(
                "The published figure is {} of the copy that the paper measured. As such it is of another GPU; here it is {shown}.",
                share_in_words(range)
            )),
            bytes_a_task(question).map(|bytes| format!("Counted at {bytes} bytes a task.")),
            figures
                .iter()
                .any(|figure| figure.gbs.low > copy.high)
                .then(|| "More than a copy moves: these are bytes that threads ask for, and caches serve part of them.".to_string()),
        ]
        .into_iter()
        .flatten()
        .collect(),
        ..Outcome::default()
    }
}

/// A number that the paper calculated from another of its numbers, which has a row of its own.
pub fn follows(question: &Question) -> Outcome {
    let note = question.claim.scope_note.as_deref().unwrap_or_default();
    let Some((run, figures)) = figures(question) else { return not_measured(question) };
    let unit = unit_of(question);
    Outcome::not_comparable(
        run.name(),
        "nothing: the number that it follows from has a row",
        figures.first().map_or(String::new(), |figure| format!("{}{unit}", shown(figure.own.value))),
        format!("Of another GPU, and {note}, which is compared by itself."),
    )
}

/// A ceiling that follows from the paper's copy; nothing that a slow kernel stays below is confirmed by it.
pub fn ceiling(question: &Question) -> Outcome {
    let mut outcome = limit_by_copy(question);
    let shares = outcome.points.iter().map(|point| point.measured.value);
    let Some((least, most)) = extent(shares) else { return outcome };
    outcome.shown = outcome.remarks.drain(..).next().unwrap_or_default().trim_end_matches('.').to_string();
    outcome.points.clear();
    outcome.missing = format!(
        "A ceiling, and of another GPU: it follows from the copy. Here {} reaches {least:.0} to {most:.0}% of its own.",
        question.claim.implementation.as_deref().unwrap_or_default()
    );
    outcome.compared_as = "nothing: a ceiling that follows from a copy".to_string();
    outcome
}

/// The middle of a range of percents, or its one end.
fn share_in_words(range: Range) -> String {
    match (range.low, range.high) {
        (Some(low), Some(high)) => format!("{:.1}%", (low + high) / 2.0),
        (Some(low), None) => format!("at least {low:.1}%"),
        (None, Some(high)) => format!("at most {high:.1}%"),
        (None, None) => "an unknown share".to_string(),
    }
}

fn unit_of(question: &Question) -> String {
    let text = ranges::in_words(question.claim);
    let unit = text.rsplit_once(|c: char| c.is_ascii_digit() || "⁰¹²³⁴⁵⁶⁷⁸⁹".contains(c));
    unit.map_or(String::new(), |(_, unit)| unit.to_string())
}

fn shown(value: f64) -> String {
    if !(1e-4..1e6).contains(&value.abs()) {
        let text = format!("{value:.2e}");
        return text.parse().map_or(text, ranges::number);
    }
    digits(value)
}

/// "The copy leaves room for no more than this": what was reached, as a share of what the copy measured here allows.
pub fn limit_by_copy(question: &Question) -> Outcome {
    let name = question.claim.implementation.as_deref().unwrap_or_default();
    let bytes = bytes_a_task(question);
    let found = question.evidence.fullest(&question.paper.id, |run| {
        let (Some(copy), Some(bytes)) = (question.evidence.copy_gbs(run), bytes) else { return Vec::new() };
        let share = |(n, seconds): (usize, Estimate)| {
            let gbs = Estimate::exact((n as f64).powi(3) * bytes * 1e-9).over(seconds);
            (n, gbs.over(copy).times(100.0))
        };
        question.evidence.times(run, name, |_| true).into_iter().map(share).collect()
    });
    let (Some((run, shares)), Some(bytes)) = (found, bytes) else { return not_measured(question) };
    let limit = question.evidence.copy_gbs(run).map_or(0.0, |copy| copy.value * 1e9 / bytes);
    Outcome {
        remarks: vec![format!("The limit is {} tasks/s here.", shown(limit))],
        ..Outcome::of(
            run.name(),
            format!("tasks/s as a share of what the measured copy allows at {bytes} bytes a task"),
            "% of that limit",
            shares.into_iter().map(|(n, share)| Point::at_n(n, share, Range::at_most(100.0))).collect(),
        )
    }
}

/// Peak operations a second over tasks a second. The papers' peaks are advertised ones, which count multiply-adds.
pub fn peak_a_task(question: &Question) -> Outcome {
    let name = question.claim.implementation.as_deref().unwrap_or_default();
    let n = question.claim.n.unwrap_or_default();
    let found = question.evidence.fullest(&question.paper.id, |run| {
        let Some(ceilings) = run.ceilings() else { return Vec::new() };
        // A task is an addition and a minimum.
        let operations = |(n, seconds): (usize, Estimate)| {
            ceilings.add_min_tasks_per_s * 2.0 * seconds.value / (n as f64).powi(3)
        };
        question.evidence.times(run, name, |one| one == n).into_iter().map(operations).collect()
    });
    let Some((run, operations)) = found else { return not_measured(question) };
    Outcome::not_comparable(
        run.name(),
        "nothing: the peaks are of different kinds",
        format!(
            "{} operations a task, {:.0}% of the add + min peak",
            digits(operations[0]),
            200.0 / operations[0]
        ),
        "The paper divides a peak that its GPU is advertised with and that counts multiply-adds; here it is additions and minima as measured in registers.",
    )
}

/// The copy itself.
pub fn copy(question: &Question) -> Outcome {
    let runs = question.evidence.runs().iter().rev();
    let mut copies = runs.filter_map(|run| Some((run.name(), question.evidence.copy_gbs(run)?)));
    let Some((name, measured)) = copies.next() else {
        return Outcome::missing("No run measured a copy.");
    };
    if same_gpu(question) {
        let range = ranges::stated(question.claim);
        let points = vec![Point::of("the copy".to_string(), None, measured, range)];
        let compared_as = "the published figure itself, on the paper's own GPU".to_string();
        return Outcome { compared_as, unit: "GB/s", points, runs: vec![name], ..Outcome::default() };
    }
    Outcome::not_comparable(
        name,
        "nothing: the copy is what others are set against",
        format!("{} to {} GB/s", digits(measured.low), digits(measured.high)),
        format!("Of a {}; this machine's own is what its rates are set against.", question.paper.gpu),
    )
}
