//! Why a verdict is what it is.

use super::lack::lack;
use super::place::places;
use super::{figure, list, sentence};
use crate::judge::{ClaimResult, ClaimRow, Comparison, ComparisonSubject, OtherBuildResult, Unit, Verdict};
use crate::lists::{distinct, extent, grouped};
use crate::published::Test;
use crate::report::text::words::span;
use crate::report::text::{in_text, percent};
use crate::timing::Estimate;

/// Where the claim holds and where not, what other runs say of it, and why it comes out otherwise.
pub fn reason(row: &ClaimRow, result: &ClaimResult) -> String {
    let mut said = Vec::new();
    match &result.lack {
        Some(of) => said.push(lack(row, of)),
        None if result.points.is_empty() => {}
        None => said.push(of_points(&result.points, &row.tests)),
    }
    if !row.contradicted_by.is_empty() && row.own.as_ref() == Some(result) {
        said.push(format!("The paper contradicts itself: {}.", list(&row.contradicted_by)));
    }
    if result.verdict == Verdict::Ambiguous {
        said.extend(to_decide(&result.points));
    }
    let others = grouped(result.others.iter().map(|of| (stance(of, result), of))).into_iter();
    said.extend(others.map(|(how, all)| format!("Another build or device {how}: {}.", told(row, &all))));
    said.extend(result.cause.as_ref().map(|cause| match cause.shown_by.is_empty() {
        true => format!("A guess at the cause, which nothing here shows: {}.", cause.statement),
        false => format!("Cause, shown by {}: {}.", list(&cause.shown_by), cause.statement),
    }));
    said.join(" ")
}

/// How far a comparison that is within the noise is from the nearer bound, and how far its interval reaches to that side, both relative.
/// None where there is no bound to be far from.
fn open(point: &Comparison) -> Option<(f64, f64)> {
    let Estimate { value, low, high } = point.measured;
    let bounds = [point.published.low, point.published.high].into_iter().flatten();
    let sides = bounds.filter(|bound| *bound > 0.0 && value > 0.0 && low > 0.0).map(|bound| {
        let reach = if bound < value { value / low } else { high / value };
        ((value / bound).max(bound / value) - 1.0, reach - 1.0)
    });
    sides.min_by(|a, b| a.0.total_cmp(&b.0))
}

/// What would decide the comparisons that are within the noise.
fn to_decide(points: &[Comparison]) -> Option<String> {
    let doubtful = points.iter().filter(|point| point.verdict == Verdict::Ambiguous);
    let (away, reach): (Vec<f64>, Vec<f64>) = doubtful.filter_map(open).unzip();
    let ((least, most), (_, reach)) = (extent(away)?, extent(reach)?);
    let [gpu, ..] = crate::judge::NOISE;
    let how = match least < gpu {
        true => format!(
            "no number of samples would tell, since medians of one cell differ by {} and more",
            percent(gpu)
        ),
        false => "more samples on a quiet machine may tell".to_string(),
    };
    Some(format!(
        "What is within the noise lies {} from the bound, with intervals that reach up to {}: {how}.",
        span(least, most, percent),
        percent(reach)
    ))
}

/// Whether another build or another device of the same model agrees.
fn stance(of: &OtherBuildResult, result: &ClaimResult) -> &'static str {
    match crate::judge::decide(result.points.iter().map(|point| point.verdict)) {
        own if own == of.verdict || own.fails() && of.verdict.fails() => "agrees",
        _ if of.verdict == Verdict::Ambiguous => "cannot tell",
        _ => "contradicts",
    }
}

/// What other builds or devices measured: those with one verdict together, with the least and the most of all where that is of one sort.
fn told(row: &ClaimRow, all: &[&OtherBuildResult]) -> String {
    let is_one_sort = distinct(row.tests.iter().map(figure::sort)).len() < 2;
    let alike = grouped(all.iter().map(|of| (super::with_share(of.verdict, of.share), *of))).into_iter();
    let alike = alike.map(|(verdict, all)| {
        let runs = distinct(all.iter().flat_map(|of| of.runs.clone()));
        let ends = extent(all.iter().flat_map(|of| [of.least, of.most])).filter(|_| is_one_sort);
        let figures = ends.map_or(String::new(), |(least, most)| format!(" {}", span(least, most, in_text)));
        format!("{}{figures}, {verdict}", list(&runs))
    });
    alike.collect::<Vec<_>>().join("; ")
}

fn of_points(points: &[Comparison], tests: &[Test]) -> String {
    let all: Vec<&ComparisonSubject> = points.iter().map(|point| &point.at).collect();
    let at = |some: &[&Comparison]| places(&some.iter().map(|one| &one.at).collect::<Vec<_>>(), &all, tests);
    let with = |verdict: Verdict| points.iter().filter(move |point| point.verdict == verdict);
    let told = |words: &str, verdict: Verdict| {
        let some: Vec<&Comparison> = with(verdict).collect();
        (!some.is_empty()).then(|| format!("{words} {}", at(&some)))
    };
    let mut said = Vec::new();
    said.extend(told("holds", Verdict::Reproduced));
    said.extend(told("more than what is claimed", Verdict::Exceeds));
    for (side, is_above) in [("above", true), ("below", false)] {
        let here: Vec<_> = with(Verdict::Differs).filter(|point| above(point) == is_above).collect();
        if here.len() == points.len() {
            // The figures stand beside it.
            said.push(format!("{side} what is claimed {}", at(&here)));
            continue;
        }
        for (_, here) in grouped(here.into_iter().map(|point| (figure::sort(&tests[point.at.test]), point))) {
            let figures = figure::figures(&here, Unit::None);
            said.push(format!("{figures}, {side} what is claimed, {}", at(&here)));
        }
    }
    said.extend(told("within the noise", Verdict::Ambiguous));
    sentence(&said.join("; "))
}

fn above(point: &Comparison) -> bool {
    point.published.high.is_some_and(|high| point.measured.low > high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::{AcceptanceRange, evaluate};
    use crate::timing::Estimate;

    /// A claim of one test, in part, with these comparisons.
    fn result(values: &[(usize, f64)]) -> (ClaimRow, ClaimResult) {
        let papers = crate::published::published_papers().unwrap();
        let rows = evaluate(&papers, &[("GPU", &[])], &[]);
        let row = rows.into_iter().find(|row| row.id == "staged-over-kk").unwrap();
        let point = |&(n, value): &(usize, f64)| {
            let at = ComparisonSubject { n: Some(n), ..ComparisonSubject::default() };
            Comparison::new(at, Estimate::exact(value).widened(0.01), AcceptanceRange::new(2.0, 3.0))
        };
        let points = values.iter().map(point).collect();
        let result = ClaimResult { verdict: Verdict::InPart, lack: None, points, ..row.results[0].clone() };
        (row, result)
    }

    #[test]
    fn another_build_agrees_or_contradicts_with_its_numbers() {
        let (row, result) = result(&[(1024, 2.5)]);
        let other = |verdict| OtherBuildResult {
            runs: vec!["b".to_string()],
            verdict,
            share: Default::default(),
            least: 1.0,
            most: 1.25,
        };
        let of = |verdict| reason(&row, &ClaimResult { others: vec![other(verdict)], ..result.clone() });
        let text = of(Verdict::Differs);
        assert!(text.ends_with("Another build or device contradicts: b 1.00 to 1.25, DIFFERS."), "{text}");
        assert!(of(Verdict::Reproduced).contains("device agrees: b"));
        assert!(of(Verdict::Ambiguous).contains("device cannot tell: b"));
        // What fails everywhere and what fails wherever that can be told do not contradict each other.
        for (values, verdict) in [
            (vec![(1024, 1.5)], Verdict::FailsWhereDecided),
            (vec![(1024, 1.5), (2048, 2.002)], Verdict::Differs),
        ] {
            let (row, result) = self::result(&values);
            let text = reason(&row, &ClaimResult { others: vec![other(verdict)], ..result });
            assert!(text.contains("device agrees: b"), "{text}");
        }
        let all = [Verdict::Reproduced, Verdict::Differs, Verdict::Reproduced].map(other).to_vec();
        let text = reason(&row, &ClaimResult { others: all, ..result.clone() });
        assert!(text.contains("device agrees: b 1.00 to 1.25, REPRODUCED. Another"), "{text}");
    }
}
