//! Why a verdict is what it is, or why there is none, and on what it depends.

use super::comparison::words;
use super::place::places;
use super::{figure, list, sentence};
use crate::judge::{
    ANY_MACHINE, ClaimResult, ClaimRow, Comparison, ComparisonSubject, ENOUGH_CARDS, MissingComparison,
    MissingReason, NoVerdictReason, OWN_NUMBERS, OtherBuildResult, Perturbation, Unit, Verdict, VerdictFlip,
};
use crate::lists::{count_of, distinct, extent, grouped};
use crate::plan::runs_on_device;
use crate::published::{Contender, Test};
use crate::report::text::{in_text, percent, span};
use crate::timing::{Estimate, assumed_by_clock};

/// Where the claim holds and where it does not, what other runs say of it, and why it differs.
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
    said.extend(cards_apart(row, &result.points));
    // What holds in part does so whatever the rest is.
    if result.verdict != Verdict::InPart {
        said.extend(to_decide(result, &row.tests));
    }
    match result.cards {
        _ if [ANY_MACHINE, OWN_NUMBERS].contains(&&result.machine[..]) => {}
        0 if !result.points.is_empty() && !needs_gpu(row) => said.push("No GPU takes part.".to_string()),
        0 => {}
        cards => said.push(format!("Each number is from at least {}.", count_of(cards, "card"))),
    }
    let others = grouped(result.others.iter().map(|of| (stance(of, result), of))).into_iter();
    said.extend(others.map(|(how, all)| format!("Another build {how}: {}.", elsewhere(row, &all))));
    said.extend(result.cause.as_ref().map(|cause| match cause.shown_by.is_empty() {
        true => format!("A guess at the cause, which nothing here shows: {}.", cause.statement),
        false => format!("Cause, shown by {}: {}.", list(&cause.shown_by), cause.statement),
    }));
    said.join(" ")
}

/// How far a comparison that the noise leaves open is from the nearer bound, and how far its interval reaches to that side, both relative.
/// None unless a bound and the measured interval are positive.
fn open(point: &Comparison) -> Option<(f64, f64)> {
    let Estimate { value, low, high } = point.measured;
    let bounds = [point.published.low, point.published.high].into_iter().flatten();
    let sides = bounds.filter(|bound| *bound > 0.0 && value > 0.0 && low > 0.0).map(|bound| {
        let reach = if bound < value { value / low } else { high / value };
        ((value / bound).max(bound / value) - 1.0, reach - 1.0)
    });
    sides.min_by(|a, b| a.0.total_cmp(&b.0))
}

/// Where cards differ by more than the interval of each, and by how much at most.
fn cards_apart(row: &ClaimRow, points: &[Comparison]) -> Option<String> {
    let all: Vec<&ComparisonSubject> = points.iter().map(|point| &point.at).collect();
    let apart = points.iter().filter_map(|point| Some((&point.at, point.apart?)));
    let (here, by): (Vec<&ComparisonSubject>, Vec<f64>) = apart.unzip();
    let (_, most) = extent(by)?;
    let (at, most) = (places(&here, &all, &row.tests), percent(most));
    Some(format!("Runs differ by more than their intervals {at}, by up to {most}."))
}

/// Whether the cards of a model show by how much times of a comparison differ.
fn is_of_cards(at: &ComparisonSubject, tests: &[Test]) -> bool {
    let (test, n) = (&tests[at.test], at.n.unwrap_or(usize::MAX));
    let is_shown = |of: &Contender, clock| assumed_by_clock(runs_on_device(&of.implementation), clock, n).1;
    let mut contenders = at.of.iter().chain(&at.over);
    contenders.all(|of| is_shown(of, test.clock) && is_shown(of, test.over_clock.unwrap_or(test.clock)))
}

/// How far comparisons that are within the noise are from their bounds, and what would decide them.
fn to_decide(result: &ClaimResult, tests: &[Test]) -> Option<String> {
    let doubtful = result.points.iter().filter(|point| point.verdict == Verdict::Ambiguous);
    let (away, reach): (Vec<f64>, Vec<f64>) = doubtful.clone().filter_map(open).unzip();
    let ((least, most), (_, reach)) = (extent(away)?, extent(reach)?);
    let (of_cards, of_hosts): (Vec<_>, Vec<_>) = doubtful.partition(|point| is_of_cards(&point.at, tests));
    let of_cards = match result.cards {
        _ if of_cards.is_empty() => None,
        1..ENOUGH_CARDS => Some("runs on three cards would show how far cards lie apart, which is assumed"),
        _ => Some("more samples may tell"),
    };
    let hosts = "how far hosts lie apart is assumed, whose CPUs, copies or launches these are";
    let of_hosts = (!of_hosts.is_empty()).then_some(hosts);
    let how = of_cards.into_iter().chain(of_hosts).collect::<Vec<_>>().join("; ");
    let (away, reach) = (span(least, most, percent), percent(reach));
    Some(format!("Undecided comparisons lie {away} from the bound; intervals reach up to {reach}: {how}."))
}

/// Whether another build agrees.
fn stance(of: &OtherBuildResult, result: &ClaimResult) -> &'static str {
    let own = crate::judge::decide(result.points.iter().map(|point| point.verdict));
    match Verdict::common([own, of.verdict]) {
        Some(_) => "agrees",
        None if of.verdict == Verdict::Ambiguous => "cannot tell",
        None => "contradicts",
    }
}

/// What other builds measured, grouped by verdict, with the least and the most value if all tests are of one sort.
fn elsewhere(row: &ClaimRow, all: &[&OtherBuildResult]) -> String {
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

/// Whether the verdict would be another with the noise halved or doubled, or with a bound of ours or what rounding allows moved by a
/// half; empty where there is no verdict.
pub fn sensitivity(result: &ClaimResult) -> String {
    // What a paper prints has no noise, and no change was tried on it.
    if !result.verdict.is_decided() || result.machine == OWN_NUMBERS {
        return String::new();
    }
    let same =
        "Stays the same with the noise halved or doubled, and with every bound of ours moved by a half.";
    match &result.sensitivity[..] {
        [] => same.to_string(),
        flips => format!("Would be {}.", flips.iter().map(flip).collect::<Vec<_>>().join("; ")),
    }
}

fn flip(of: &VerdictFlip) -> String {
    let with = match of.change {
        Perturbation::Noise(factor) if factor < 1.0 => "half the noise".to_string(),
        Perturbation::Noise(_) => "twice the noise".to_string(),
        Perturbation::Ours(factor) => format!("our bounds {factor} times as far from equality"),
        Perturbation::Rounding(factor) => format!("{factor} times what rounding allows"),
    };
    format!("{} with {with}", of.verdict)
}

/// Why a claim has no verdict.
pub fn lack(row: &ClaimRow, of: &NoVerdictReason) -> String {
    match of {
        NoVerdictReason::Needs { met: 0, of, gaps, run } if gaps.is_empty() => {
            let needed = count_of(*of, "comparison");
            format!("Needs {needed}, of which no run here has any: {}.", command(row, run))
        }
        NoVerdictReason::Needs { met, of, gaps, run } => {
            let of_counters = gaps.iter().any(|gap| gap.why == MissingReason::NoCounters);
            let further = Some(of.saturating_sub(met + gaps.len())).filter(|count| *count > 0);
            let further = further.map(|count| format!("and {count} more"));
            let gaps: Vec<String> = gaps.iter().map(gap).chain(further).collect();
            let met = if *met == 0 { "none".to_string() } else { met.to_string() };
            let once = ", once `scripts/nsight-limits` has read the GPU's counters for it";
            let counters = if of_counters { once } else { "" };
            format!(
                "Needs {}; stored runs have {met}. Missing: {}. {} measures these{counters}.",
                count_of(*of, "comparison"),
                gaps.join("; "),
                command(row, run)
            )
        }
        NoVerdictReason::Untested(why) | NoVerdictReason::Incomparable(why) => sentence(why),
        NoVerdictReason::OtherGpu { tested_by } => {
            let tests = format!(" What the paper concludes from it: {}.", list(tested_by));
            let tests = if tested_by.is_empty() { "" } else { &tests };
            format!("A figure of another GPU, shown beside ours.{tests}")
        }
    }
}

/// Whether a claim needs a GPU: something that it needs can be measured on no other device.
pub fn needs_gpu(row: &ClaimRow) -> bool {
    let is_on_gpu = |of: &Contender| runs_on_device(&of.implementation);
    let mut timed = row.tests.iter().filter(|test| !test.is_counted());
    timed.any(|test| test.figure.is_of_machine() || test.contenders().any(is_on_gpu))
}

/// The command that measures what a claim needs, and where.
fn command(row: &ClaimRow, run: &str) -> String {
    format!("`repro run {run}`{}", if needs_gpu(row) { " on a GPU" } else { "" })
}

/// A comparison that a run lacks: `two-phase at n = 8192 has 1 sample, of the 3 that it needs`.
fn gap(of: &MissingComparison) -> String {
    let what = of.of.as_ref().map_or("the copy".to_string(), words);
    let at = of.n.map_or(String::new(), |n| format!(" at n = {n}"));
    let why = match of.why {
        MissingReason::NotPlanned => "is not in it".to_string(),
        MissingReason::NotMeasured => "has no result".to_string(),
        MissingReason::FewSamples { has, needs } => {
            format!("has {}, of the {needs} that it needs", count_of(has, "sample"))
        }
        MissingReason::FewGraphs { has, needs } => format!("has {}, of {needs}", count_of(has, "graph")),
        MissingReason::FewOrders { has, needs } => {
            format!("was solved in {} of blocks and threads, of {needs}", count_of(has, "order"))
        }
        MissingReason::WrongResult => "has a wrong result, so that its times do not count".to_string(),
        MissingReason::Estimate => "is an estimate".to_string(),
        MissingReason::Resident { has: None, .. } => "has no record of its resident blocks".to_string(),
        MissingReason::Resident { has: Some(has), needs } => {
            format!("has {}, and not {needs}", count_of(has as usize, "resident block"))
        }
        MissingReason::NoKernelTimes => "has no times by kernel".to_string(),
        MissingReason::NoCounters => "has nothing of the GPU's counters".to_string(),
        MissingReason::NotCounted => "has no counts".to_string(),
        MissingReason::OneBuild => return "one build that has all of them".to_string(),
        MissingReason::NoMultiple => "is no multiple of multiprocessors x 32 on this GPU".to_string(),
    };
    format!("{what}{at} {why}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::{AcceptanceRange, evaluate};
    use crate::timing::{Estimate, Scope};

    /// A claim of one test, in part, with these comparisons.
    fn result(values: &[(usize, f64)]) -> (ClaimRow, ClaimResult) {
        let papers = crate::published::published_papers().unwrap();
        let rows = evaluate(papers, &[("GPU", &[])], &[]);
        let row = rows.into_iter().find(|row| row.id == "staged-over-kk").unwrap();
        let point = |&(n, value): &(usize, f64)| {
            let at = ComparisonSubject { n: Some(n), ..ComparisonSubject::default() };
            Comparison::new(
                at,
                Estimate { value, low: value / 1.01, high: value * 1.01 },
                AcceptanceRange::new(2.0, 3.0),
            )
        };
        let points = values.iter().map(point).collect();
        let result = ClaimResult { verdict: Verdict::InPart, lack: None, points, ..row.results[0].clone() };
        (row, result)
    }

    #[test]
    fn comparisons_that_are_missing_and_not_named_are_counted() {
        let (row, _) = result(&[]);
        let gaps = vec![MissingComparison { of: None, n: Some(1024), why: MissingReason::NotMeasured }];
        let of = |of| NoVerdictReason::Needs { met: 1, of, gaps: gaps.clone(), run: "table1".to_string() };
        assert!(lack(&row, &of(9)).contains("at n = 1024 has no result; and 7 more. "));
        assert!(!lack(&row, &of(2)).contains("more"));
        assert!(!lack(&row, &of(1)).contains("more"), "one of no build");
    }

    #[test]
    fn where_cards_differ_is_said_with_how_far_and_an_open_comparison_with_what_would_decide_it() {
        let (row, result) = result(&[(1024, 2.5), (2048, 2.01)]);
        assert!(!reason(&row, &result).contains("ards"), "they agree");
        let (more, three, hosts) =
            (": more samples may tell.", ": runs on three cards", ": how far hosts lie");
        let (cpu, copies) = (Contender::plain("cpu-naive"), Scope::CopyInPageable);
        for (cards, n, over, clock, advice) in [
            (0, 2048, None, Scope::Kernel, more),
            (2, 2048, None, Scope::Kernel, three),
            (3, 2048, None, Scope::Kernel, more),
            (2, 256, None, Scope::Kernel, hosts),
            (3, 2048, Some(cpu), Scope::Kernel, hosts),
            (3, 2048, None, copies, hosts),
        ] {
            let (mut row, mut result) = (row.clone(), ClaimResult { cards, ..result.clone() });
            result.points[0].apart = Some(0.031);
            let (test, of) = (0, Some(Contender::plain("staged-load")));
            result.points[1].at = ComparisonSubject { test, of, over, n: Some(n) };
            row.claim.tests[0].clock = clock;
            let apart = "Runs differ by more than their intervals at 1 of 2 sizes: n = 1024, by up to 3.1%. ";
            for verdict in [Verdict::Ambiguous, Verdict::HoldsWhereDecided, Verdict::FailsWhereDecided] {
                let text = reason(&row, &ClaimResult { verdict, ..result.clone() });
                assert!(text.contains(&format!("{apart}Undecided")) && text.contains(advice), "{text}");
            }
            result.verdict = Verdict::InPart;
            assert!(!reason(&row, &result).contains("Undecided"), "it stays in part");
        }
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
        assert!(text.ends_with("Another build contradicts: b 1.00 to 1.25, DIFFERS."), "{text}");
        assert!(of(Verdict::Reproduced).contains("build agrees: b"));
        assert!(of(Verdict::Ambiguous).contains("build cannot tell: b"));
        // What fails everywhere and what fails wherever that can be told do not contradict each other.
        for (values, verdict) in [
            (vec![(1024, 1.5)], Verdict::FailsWhereDecided),
            (vec![(1024, 1.5), (2048, 2.002)], Verdict::Differs),
        ] {
            let (row, result) = self::result(&values);
            let text = reason(&row, &ClaimResult { others: vec![other(verdict)], ..result });
            assert!(text.contains("build agrees: b"), "{text}");
        }
        let all = [Verdict::Reproduced, Verdict::Differs, Verdict::Reproduced].map(other).to_vec();
        let text = reason(&row, &ClaimResult { others: all, ..result.clone() });
        assert!(text.contains("build agrees: b 1.00 to 1.25, REPRODUCED. Another"), "{text}");
    }
}
