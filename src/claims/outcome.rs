//! From comparisons to a verdict with its numbers and its reason in words.

use super::verdict::{Range, Verdict, decide, judge};
use super::{ClaimResult, Point};
use crate::experiment::digits;
use crate::lists::extremes;
use crate::timing::Estimate;

/// What a rule found, before it is a verdict.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// What was compared with what.
    pub compared_as: String,
    /// The unit of the measured figures; empty for plain numbers.
    pub unit: &'static str,
    pub points: Vec<Point>,
    /// The runs that the numbers come from.
    pub runs: Vec<String>,
    /// Why there is no verdict, where there are no points.
    pub missing: String,
    /// What to show as measured: where nothing may be compared, or where the points are figures of several kinds.
    pub shown: String,
    /// What else a reader should know, a sentence each.
    pub remarks: Vec<String>,
    /// Whether it follows from counts and limits alone, and so is the same on every machine.
    pub counted: bool,
}

impl Point {
    /// Compares `measured`, whose interval includes the noise, with `published`.
    pub fn of(at: String, n: Option<usize>, measured: Estimate, published: Range) -> Self {
        Self { at, n, published, measured, verdict: judge(measured, published) }
    }

    /// The same of one case at n vertices.
    pub fn of_case(case: &str, n: usize, measured: Estimate, published: Range) -> Self {
        Self::of(format!("{case}, n = {n}"), Some(n), measured, published)
    }

    /// The same at n vertices.
    pub fn at_n(n: usize, measured: Estimate, published: Range) -> Self {
        Self::of(format!("n = {n}"), Some(n), measured, published)
    }
}

impl Outcome {
    /// Figures of `run` in this unit, compared as said.
    pub fn of(run: String, compared_as: impl Into<String>, unit: &'static str, points: Vec<Point>) -> Self {
        Self { compared_as: compared_as.into(), unit, points, runs: vec![run], ..Self::default() }
    }

    /// What `run` shows beside the claim, and why the two are not compared.
    pub fn not_comparable(
        run: String,
        compared_as: impl Into<String>,
        shown: impl Into<String>,
        missing: impl Into<String>,
    ) -> Self {
        let (compared_as, shown, missing) = (compared_as.into(), shown.into(), missing.into());
        Self { compared_as, shown, missing, runs: vec![run], ..Self::default() }
    }

    /// Nothing to compare, and why.
    pub fn missing(reason: impl Into<String>) -> Self {
        Self { missing: reason.into(), ..Self::default() }
    }

    pub fn into_result(self, machine: &str) -> ClaimResult {
        let verdict = decide(self.points.iter().map(|point| point.verdict));
        let mut reason = match verdict {
            Verdict::NotComparable => self.missing.clone(),
            _ => reason(&self.points),
        };
        for remark in &self.remarks {
            if !reason.is_empty() {
                reason.push(' ');
            }
            reason += remark;
        }
        let measured = match self.shown.as_str() {
            "" => measured(&self.points, self.unit),
            shown => shown.to_string(),
        };
        ClaimResult {
            machine: machine.to_string(),
            verdict,
            counted: self.counted,
            compared_as: self.compared_as,
            measured,
            reason,
            points: self.points,
            runs: self.runs,
        }
    }
}

/// The figure, or the least and the most of several.
pub(super) fn measured(points: &[Point], unit: &str) -> String {
    let of = |point: &Point| rounded(point.measured.value, point.measured);
    let values: Vec<(&Point, f64)> = points.iter().map(|point| (point, point.measured.value)).collect();
    match extremes(&values) {
        Some(((low, _), (high, _))) if of(low) == of(high) => {
            let Estimate { low: from, high: to, .. } = low.measured;
            let interval = match points.len() {
                1 if from < to => {
                    format!(" [{}, {}]", rounded(from, low.measured), rounded(to, low.measured))
                }
                _ => String::new(),
            };
            format!("{}{interval}", with_unit(&of(low), unit))
        }
        Some(((low, _), (high, _))) => with_unit(&format!("{} to {}", of(low), of(high)), unit),
        None => String::new(),
    }
}

/// `1 way`, `4 ways`, `66%`, `2.16 times`.
pub fn with_unit(number: &str, unit: &str) -> String {
    match (number, unit) {
        (_, "") => number.to_string(),
        (_, unit) if unit.starts_with('%') => format!("{number}{unit}"),
        ("1", unit) if unit != "times" => format!("1 {}", unit.strip_suffix('s').unwrap_or(unit)),
        _ => format!("{number} {unit}"),
    }
}

/// `value` with as many decimals as the half-width of the interval of `measured` leaves meaning to, at most four
/// significant digits.
pub fn rounded(value: f64, measured: Estimate) -> String {
    let half = measured.half_width();
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let magnitude = value.abs().log10().floor() as i32;
    let most = (3 - magnitude).max(0);
    let decimals = if half > 0.0 && half.is_finite() {
        // One digit more than the first that is in doubt.
        (1 - half.log10().floor() as i32).clamp(0, most)
    } else if (value - value.round()).abs() < 1e-9 {
        0
    } else {
        most
    };
    if value.abs() >= 1e6 { digits(value) } else { format!("{value:.*}", decimals as usize) }
}

/// Where a claim holds and where not, with what was measured there.
fn reason(points: &[Point]) -> String {
    let with = |verdict: Verdict| -> Vec<&Point> {
        points.iter().filter(|point| point.verdict == verdict).collect()
    };
    let (holds, differs, doubtful) =
        (with(Verdict::Reproduced), with(Verdict::Differs), with(Verdict::Ambiguous));
    let mut said = Vec::new();
    if !holds.is_empty() {
        said.push(format!("Holds {}", places(&holds, points)));
    }
    for (side, is_above) in [("above", true), ("below", false)] {
        let here: Vec<&Point> = differs.iter().copied().filter(|point| above(point) == is_above).collect();
        if here.len() == points.len() {
            // The figures stand beside it.
            said.push(format!("{side} what is claimed {}", places(&here, points)));
        } else if !here.is_empty() {
            let figures = measured(&here.iter().map(|point| (*point).clone()).collect::<Vec<_>>(), "");
            said.push(format!("{figures}, {side} what is claimed, {}", places(&here, points)));
        }
    }
    if !doubtful.is_empty() {
        said.push(format!("within the noise {}", places(&doubtful, points)));
    }
    let mut text = said.join("; ");
    if let Some(first) = text.get(..1) {
        text = format!("{}{}", first.to_uppercase(), &text[1..]);
    }
    text + "."
}

fn above(point: &Point) -> bool {
    point.published.high.is_some_and(|high| point.measured.low > high)
}

/// Which of `all` these are: everywhere, or a list in which neighbours are drawn together.
fn places(some: &[&Point], all: &[Point]) -> String {
    let are_sizes = all.iter().all(|point| point.at.starts_with("n = ") && !point.at.contains(','));
    if let [only] = some
        && all.len() == 1
    {
        let before = if only.at.contains(" = ") { "at" } else { "for" };
        return format!("{before} {}", only.at);
    }
    let holds = |point: &Point| some.iter().any(|one| one.at == point.at);
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for at in (0..all.len()).filter(|at| holds(&all[*at])) {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == at => *last = at,
            _ => ranges.push((at, at)),
        }
    }
    let prefix = |text: &str| text.rfind("= ").map_or(String::new(), |at| text[..at + 2].to_string());
    let mut before = String::new();
    let texts: Vec<String> = ranges
        .iter()
        .map(|&(first, last)| {
            let (from, to) = (&all[first].at, &all[last].at);
            let strip = |text: &str, known: &str| match known {
                "" => text.to_string(),
                known => text.strip_prefix(known).unwrap_or(text).to_string(),
            };
            let head = strip(from, &before);
            let text = match last - first {
                0 => head,
                1 => format!("{head} and {}", strip(to, &prefix(from))),
                _ => format!("{head} to {}", strip(to, &prefix(from))),
            };
            before = prefix(from);
            text
        })
        .collect();
    let listed = match texts.len() {
        0..=4 => texts.join(", "),
        more => format!("{} and {} others", texts[..3].join(", "), more - 3),
    };
    let things = if are_sizes { "sizes" } else { "comparisons" };
    match some.len() == all.len() {
        true => format!("at all {} {things}: {listed}", all.len()),
        false => format!("at {} of {} {things}: {listed}", some.len(), all.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(values: &[(usize, f64)]) -> Vec<Point> {
        let range = Range::new(2.0, 3.0);
        values.iter().map(|&(n, value)| Point::at_n(n, Estimate::exact(value).widened(0.01), range)).collect()
    }

    fn result(values: &[(usize, f64)]) -> ClaimResult {
        Outcome { unit: "times", points: points(values), ..Outcome::default() }.into_result("GPU")
    }

    #[test]
    fn a_claim_that_holds_in_part_says_where_and_what_is_elsewhere() {
        let result = result(&[(1024, 1.5), (2048, 2.5), (3072, 2.6), (4096, 2.7), (8192, 3.0), (9216, 4.0)]);
        assert_eq!(result.verdict, Verdict::Differs);
        assert_eq!(result.measured, "1.500 to 4.000 times");
        assert_eq!(
            result.reason,
            "Holds at 3 of 6 sizes: n = 2048 to 4096; 4.000 [3.960, 4.040], above what is claimed, at 1 of 6 sizes: n = 9216; \
             1.500 [1.485, 1.515], below what is claimed, at 1 of 6 sizes: n = 1024; within the noise at 1 of 6 sizes: n = 8192."
        );
    }

    #[test]
    fn one_comparison_has_its_interval() {
        let result = result(&[(1024, 2.5)]);
        assert_eq!(
            (result.verdict, result.measured.as_str()),
            (Verdict::Reproduced, "2.500 times [2.475, 2.525]")
        );
        assert_eq!(result.reason, "Holds at n = 1024.");
    }

    #[test]
    fn nothing_to_compare_says_why() {
        let result = Outcome::missing("not measured").into_result("GPU");
        assert_eq!((result.verdict, result.reason.as_str()), (Verdict::NotComparable, "not measured"));
    }

    #[test]
    fn figures_are_rounded_to_what_is_known_of_them() {
        let rounded_of =
            |value: f64, half: f64| rounded(value, Estimate { value, low: value - half, high: value + half });
        assert_eq!(rounded_of(2.163456, 0.02), "2.163");
        assert_eq!(rounded_of(2.163456, 0.3), "2.16");
        assert_eq!(rounded_of(149.3, 20.0), "149");
        assert_eq!(rounded_of(12320.0, 0.0), "12320");
        assert_eq!(rounded_of(0.0123456, 1e-9), "0.01235");
        assert_eq!(rounded_of(3.2e11, 1e9), "320000000000");
    }
}
