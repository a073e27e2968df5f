//! Why a verdict is what it is.

use super::lack::lack;
use super::place::places;
use super::{figure, list, sentence};
use crate::judge::{ClaimResult, ClaimRow, Other, Point, PointSubject, Unit, Verdict};
use crate::lists::{distinct, extent, grouped};
use crate::published::{PublishedCause, Test};
use crate::show::words::span;
use crate::show::{in_text, percent};
use crate::timing::Estimate;

/// Where the claim holds and where not, what other runs say of it, and why it comes out otherwise.
pub fn reason(row: &ClaimRow, result: &ClaimResult) -> String {
    let first = match (&result.lack, &result.points[..]) {
        (Some(of), _) => Some(lack(row, of)),
        (None, []) => None,
        (None, points) => Some(of_points(points, &row.tests)),
    };
    let doubtful = result.points.iter().filter(|point| point.verdict == Verdict::Ambiguous);
    let open = doubtful.filter(|_| result.verdict == Verdict::Ambiguous).filter_map(open).collect::<Vec<_>>();
    let others = grouped(result.others.iter().map(|of| (stance(of, result), of))).into_iter();
    let others = others.map(|(how, all)| format!("Another build or device {how}: {}.", told(row, &all)));
    let cause = result.cause.as_ref().map(self::cause);
    let contradicted = &row.contradicted_by;
    let is_contradicted = !contradicted.is_empty() && row.own.as_ref() == Some(result);
    let contradiction =
        is_contradicted.then(|| format!("The paper contradicts itself: {}.", list(contradicted)));
    first
        .into_iter()
        .chain(contradiction)
        .chain(to_decide(&open))
        .chain(others)
        .chain(cause)
        .collect::<Vec<_>>()
        .join(" ")
}

/// How far a comparison that is within the noise is from the nearer bound, and how far its interval reaches to that side, both relative.
/// None where there is no bound to be far from.
fn open(point: &Point) -> Option<(f64, f64)> {
    let Estimate { value, low, high } = point.measured;
    let bounds = [point.published.low, point.published.high].into_iter().flatten();
    let sides = bounds.filter(|bound| *bound > 0.0 && value > 0.0 && low > 0.0).map(|bound| {
        let reach = if bound < value { value / low } else { high / value };
        ((value / bound).max(bound / value) - 1.0, reach - 1.0)
    });
    sides.min_by(|a, b| a.0.total_cmp(&b.0))
}

/// What would decide the comparisons that are within the noise.
fn to_decide(open: &[(f64, f64)]) -> Option<String> {
    let (least, most) = extent(open.iter().map(|(away, _)| *away))?;
    let (_, reach) = extent(open.iter().map(|(_, reach)| *reach))?;
    let away = span(least, most, percent);
    let [gpu, ..] = crate::judge::NOISE;
    let how = match least < gpu {
        true => format!(
            "no number of samples would tell, since medians of one cell differ by {} and more",
            percent(gpu)
        ),
        false => "more samples on a quiet machine may tell".to_string(),
    };
    Some(format!(
        "What is within the noise lies {away} from the bound, with intervals that reach up to {}: {how}.",
        percent(reach)
    ))
}

/// Whether another build or another device of the same model agrees.
fn stance(of: &Other, result: &ClaimResult) -> &'static str {
    match crate::judge::decide(result.points.iter().map(|point| point.verdict)) {
        own if own == Some(of.verdict) => "agrees",
        Some(own) if own.fails() && of.verdict.fails() => "agrees",
        _ if of.verdict == Verdict::Ambiguous => "cannot tell",
        _ => "contradicts",
    }
}

/// What other builds or devices measured: those with one verdict together, with the least and the most of all where that is of one sort.
fn told(row: &ClaimRow, all: &[&Other]) -> String {
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

fn cause(of: &PublishedCause) -> String {
    match of.shown_by.is_empty() {
        true => format!("A guess at the cause, which nothing here shows: {}.", of.statement),
        false => format!("Cause, shown by {}: {}.", list(&of.shown_by), of.statement),
    }
}

fn of_points(points: &[Point], tests: &[Test]) -> String {
    let all: Vec<&PointSubject> = points.iter().map(|point| &point.at).collect();
    let with = |verdict: Verdict| -> Vec<&Point> {
        points.iter().filter(|point| point.verdict == verdict).collect()
    };
    let at = |some: &[&Point]| places(&some.iter().map(|point| &point.at).collect::<Vec<_>>(), &all, tests);
    let (holds, differs, doubtful) =
        (with(Verdict::Reproduced), with(Verdict::Differs), with(Verdict::Ambiguous));
    let exceeds = with(Verdict::Exceeds);
    let mut said = Vec::new();
    if !holds.is_empty() {
        said.push(format!("holds {}", at(&holds)));
    }
    if !exceeds.is_empty() {
        said.push(format!("more than what is claimed {}", at(&exceeds)));
    }
    for (side, is_above) in [("above", true), ("below", false)] {
        let here: Vec<&Point> = differs.iter().copied().filter(|point| above(point) == is_above).collect();
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
    if !doubtful.is_empty() {
        said.push(format!("within the noise {}", at(&doubtful)));
    }
    sentence(&said.join("; "))
}

fn above(point: &Point) -> bool {
    point.published.high.is_some_and(|high| point.measured.low > high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::{Range, evaluate};
    use crate::timing::Estimate;

    /// A claim of one test, in part, with these comparisons.
    fn result(values: &[(usize, f64)]) -> (ClaimRow, ClaimResult) {
        let papers = crate::published::published_papers().unwrap();
        let rows = evaluate(&papers, &[&crate::judge::Evidence::new("GPU", &[], &[])]);
        let row = rows.into_iter().find(|row| row.id == "staged-over-kk").unwrap();
        let point = |&(n, value): &(usize, f64)| {
            let at = PointSubject { n: Some(n), ..PointSubject::default() };
            Point::of(at, Estimate::exact(value).widened(0.01), Range::new(2.0, 3.0))
        };
        let points = values.iter().map(point).collect();
        let result = ClaimResult { verdict: Verdict::InPart, lack: None, points, ..row.results[0].clone() };
        (row, result)
    }

    #[test]
    fn an_ambiguous_claim_says_what_would_decide_it() {
        let of = |values: &[(usize, f64)]| {
            let (row, result) = result(values);
            reason(&row, &ClaimResult { verdict: Verdict::Ambiguous, ..result })
        };
        assert_eq!(
            of(&[(1024, 2.5), (2048, 2.002)]),
            "Holds at 1 of 2 sizes: n = 1024; within the noise at 1 of 2 sizes: n = 2048. What is within the noise lies 0.1% from the \
             bound, with intervals that reach up to 1%: no number of samples would tell, since medians of one cell differ by \
             0.7% and more."
        );
        let wide = of(&[(2048, 1.985), (4096, 3.025)]);
        assert!(wide.ends_with("more samples on a quiet machine may tell."), "{wide}");
    }

    #[test]
    fn what_is_published_is_set_against_figures_of_its_own_sort_alone() {
        let (mut row, mut result) = result(&[(1024, 2.5), (2048, 1.5)]);
        let own = Test { at_least: Some(1.0), ..row.tests[0].clone() };
        row.claim.tests.push(own);
        result.points[1].at.test = row.tests.len() - 1;
        let of_seconds = "seconds by kernel of katz-kider over that of staged-load, against";
        let published = format!(
            "published 5 to 5.2 times, here 2.50 times [2.48, 2.52] ({of_seconds} what is published)"
        );
        let own = format!("beside it 1.50 times [1.49, 1.52] ({of_seconds} a number that is not published)");
        assert_eq!(super::super::figures(&row, &result), format!("{published}; {own}"));
    }

    #[test]
    fn another_build_agrees_or_contradicts_with_its_numbers() {
        let (row, result) = result(&[(1024, 2.5)]);
        let other = |verdict| Other {
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
