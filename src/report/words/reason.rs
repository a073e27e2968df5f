//! Why a verdict is what it is.

use super::lack::lack;
use super::place::places;
use super::remark::remark;
use super::{figure, list, sentence};
use crate::claims::{Cause, ClaimResult, FigureUnit, Place, Point, Verdict};

/// Where the claim holds and where not, what else is to be known, and why it comes out otherwise.
pub fn reason(result: &ClaimResult) -> String {
    let first = match (&result.lack, &result.points[..]) {
        (Some(of), _) => Some(lack(of)),
        (None, []) => None,
        (None, points) => Some(of_points(points)),
    };
    let remarks = result.remarks.iter().map(remark);
    let cause = result.cause.as_ref().map(self::cause);
    first.into_iter().chain(remarks).chain(cause).collect::<Vec<_>>().join(" ")
}

fn cause(of: &Cause) -> String {
    match of.shown_by.is_empty() {
        true => format!("A guess at the cause, which nothing here shows: {}.", of.statement),
        false => format!("Cause, shown by {}: {}.", list(&of.shown_by), of.statement),
    }
}

fn of_points(points: &[Point]) -> String {
    let all: Vec<&Place> = points.iter().map(|point| &point.at).collect();
    let with = |verdict: Verdict| -> Vec<&Point> {
        points.iter().filter(|point| point.verdict == verdict).collect()
    };
    let at = |some: &[&Point]| places(&some.iter().map(|point| &point.at).collect::<Vec<_>>(), &all);
    let (holds, differs, doubtful) =
        (with(Verdict::Reproduced), with(Verdict::Differs), with(Verdict::Ambiguous));
    let mut said = Vec::new();
    if !holds.is_empty() {
        said.push(format!("holds {}", at(&holds)));
    }
    for (side, is_above) in [("above", true), ("below", false)] {
        let here: Vec<&Point> = differs.iter().copied().filter(|point| above(point) == is_above).collect();
        if here.len() == points.len() {
            // The figures stand beside it.
            said.push(format!("{side} what is claimed {}", at(&here)));
        } else if !here.is_empty() {
            let of: Vec<Point> = here.iter().map(|point| (*point).clone()).collect();
            let figures = figure::figures(&of, FigureUnit::None);
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
    use crate::claims::{Range, Share};
    use crate::timing::Estimate;

    fn result(values: &[(usize, f64)]) -> ClaimResult {
        let point = |&(n, value): &(usize, f64)| {
            Point::at_n(n, Estimate::exact(value).widened(0.01), Range::new(2.0, 3.0))
        };
        ClaimResult {
            machine: "GPU".to_string(),
            verdict: Verdict::InPart,
            share: Share::default(),
            effect: None,
            comparison: None,
            unit: FigureUnit::Times,
            readings: Vec::new(),
            shown: None,
            lack: None,
            remarks: Vec::new(),
            cause: None,
            turns: Vec::new(),
            points: values.iter().map(point).collect(),
            runs: Vec::new(),
        }
    }

    #[test]
    fn a_claim_that_holds_in_part_says_where_and_what_is_elsewhere() {
        let result = result(&[(1024, 1.5), (2048, 2.5), (3072, 2.6), (4096, 2.7), (8192, 3.0), (9216, 4.0)]);
        assert_eq!(figure::measured(&result), "1.500 to 4.000 times");
        assert_eq!(
            reason(&result),
            "Holds at 3 of 6 sizes: n = 2048 to 4096; 4.000 [3.960, 4.040], above what is claimed, at 1 of 6 sizes: n = 9216; \
             1.500 [1.485, 1.515], below what is claimed, at 1 of 6 sizes: n = 1024; within the noise at 1 of 6 sizes: n = 8192."
        );
    }

    #[test]
    fn one_comparison_has_its_interval() {
        let result = result(&[(1024, 2.5)]);
        assert_eq!(figure::measured(&result), "2.500 times [2.475, 2.525]");
        assert_eq!(reason(&result), "Holds at n = 1024.");
    }

    #[test]
    fn a_guess_is_called_one_and_what_was_measured_names_its_run() {
        let cause = |shown_by: &[&str]| Cause {
            statement: "caches".to_string(),
            shown_by: shown_by.iter().map(ToString::to_string).collect(),
        };
        let of = |cause| reason(&ClaimResult { cause: Some(cause), ..result(&[(1024, 2.5)]) });
        assert!(of(cause(&[])).ends_with("A guess at the cause, which nothing here shows: caches."));
        assert!(
            of(cause(&["limits", "residency"])).ends_with("Cause, shown by limits and residency: caches.")
        );
    }
}
