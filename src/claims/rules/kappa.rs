//! The generalized blocked algorithm of likhoded-sipeyko-2019: what κ changes.

use super::Question;
use super::ratio::HARDLY;
use crate::claims::Point;
use crate::claims::evidence::{Evidence, Measurements};
use crate::claims::outcome::Outcome;
use crate::claims::verdict::Range;
use crate::implementation::Parameters;
use crate::lists::extent;
use crate::record::CountRow;
use crate::timing::{Estimate, Scope};

const NAME: &str = "generalized-blocked";
const CLASSIC: &str = "katz-kider";
const TILE: usize = 32;

/// κ of a set of parameters, and whether CalcLeadBlock is spread. None where another parameter is set.
fn kappa_of(params: &str) -> Option<(usize, bool)> {
    let parameters: Parameters = params.parse().ok()?;
    let (mut kappa, mut spread) = (None, false);
    for (name, value) in parameters.iter() {
        match name {
            "kappa" => kappa = Some(value as usize),
            "spread-lead" => spread = value != 0,
            "tile" if value as usize == TILE => (),
            _ => return None,
        }
    }
    Some((kappa?, spread))
}

/// Every κ that was timed at `n`, with its parameters, ascending.
fn timed(run: &Measurements, n: usize, spread: bool) -> Vec<(usize, String)> {
    let variants = run.variants_of(NAME).into_iter();
    let mut all: Vec<(usize, String)> = variants
        .filter(|params| run.sizes_of((NAME, params), Scope::Kernel).contains(&n))
        .filter_map(|params| Some((kappa_of(&params)?, params)))
        .filter(|((_, is_spread), _)| *is_spread == spread)
        .map(|((kappa, _), params)| (kappa, params))
        .collect();
    all.sort();
    all
}

fn sizes(run: &Measurements) -> Vec<usize> {
    let all = run.variants_of(NAME);
    let sizes: std::collections::BTreeSet<usize> =
        all.iter().flat_map(|params| run.sizes_of((NAME, params), Scope::Kernel)).collect();
    sizes.into_iter().collect()
}

/// κ = 1 launches, runs and stores as the classic algorithm does, kernel by kernel.
pub fn one_is_classic(question: &Question) -> Outcome {
    let pairs = [
        ("lead_block", "independent"),
        ("lead_row_and_column", "singly_dependent"),
        ("rest_blocks", "doubly_dependent"),
    ];
    let evidence = question.evidence;
    let rows = |name: &str| evidence.counted(name).map_or(Vec::new(), |(_, rows)| rows);
    let (ours, classic) = (rows(NAME), rows(CLASSIC));
    let is_one = |row: &&&CountRow| kappa_of(&row.cell.params) == Some((1, false));
    let one: Vec<&CountRow> = ours.iter().filter(is_one).copied().collect();
    let mut points = Vec::new();
    for (kernel, counterpart) in pairs {
        let both = one.iter().filter(|row| row.kernel == kernel).filter_map(|row| {
            Some((
                *row,
                *classic.iter().find(|other| other.kernel == counterpart && other.cell.n == row.cell.n)?,
            ))
        });
        let Some((row, other)) = both.max_by_key(|(row, _)| row.cell.n) else { continue };
        for (what, ours, theirs) in [
            ("launches", row.counts.launches, other.counts.launches),
            ("blocks", row.counts.blocks, other.counts.blocks),
            ("stored bytes", row.counts.global_store.bytes, other.counts.global_store.bytes),
        ] {
            let ratio = Estimate::exact(ours as f64 / theirs.max(1) as f64);
            points.push(Point::of(format!("{kernel}: {what}"), None, ratio, Range::new(1.0, 1.0)));
        }
    }
    if points.is_empty() {
        return not_counted(&format!("{NAME} with κ = 1 and of {CLASSIC} at the same n"));
    }
    let reverse =
        one.iter().filter(|row| row.kernel == "lead_row_and_column_reverse").map(|row| row.counts.launches);
    let reverse: u64 = reverse.sum();
    let remark = match reverse {
        0 => "CalcLeadRowAndColumnReverse is not launched.".to_string(),
        launches => {
            let at = "CalcLeadRowAndColumnReverse: launches".to_string();
            points.push(Point::of(at, None, Estimate::exact(launches as f64), Range::new(0.0, 0.0)));
            "It should have no launch of CalcLeadRowAndColumnReverse.".to_string()
        }
    };
    Outcome {
        compared_as: format!(
            "launches, blocks and stored bytes of κ = 1 over those of {CLASSIC}, on the emulated device"
        ),
        points,
        unit: "times",
        remarks: vec![remark],
        runs: evidence.counted(NAME).map(|(run, _)| run.marked_name()).into_iter().collect(),
        counted: true,
        ..Outcome::default()
    }
}

fn not_counted(of: &str) -> Outcome {
    Outcome::missing(format!("Not counted: no run given has counts of {of}."))
}

/// κ = Q: no launch of CalcRestBlocks.
pub fn q_has_no_rest(question: &Question) -> Outcome {
    let found = question.evidence.fullest(&question.paper.id, |run| {
        let mut points = Vec::new();
        for n in sizes(run) {
            for (kappa, params) in timed(run, n, false) {
                let launches = |kernel: &str| -> Option<u64> {
                    let mut of = run
                        .kernel_times()
                        .iter()
                        .filter(|row| row.implementation == NAME && row.n == n && row.params == params);
                    let known = of.clone().next().is_some();
                    known.then(|| of.find(|row| row.kernel == kernel).map_or(0, |row| row.launches))
                };
                if let (true, Some(rest)) = (kappa == n.div_ceil(TILE), launches("rest_blocks")) {
                    points.push(Point::at_n(n, Estimate::exact(rest as f64), Range::new(0.0, 0.0)));
                }
            }
        }
        points
    });
    let Some((run, points)) = found else {
        return Outcome::missing("No run has times by kernel of κ = Q.");
    };
    Outcome {
        counted: true,
        ..Outcome::of(run.name(), "launches of CalcRestBlocks with κ = Q", "launches", points)
    }
}

/// Bytes that CalcRestBlocks stores a task: with κ = 1 over with κ, where κ divides Q.
pub fn writes_fall(question: &Question) -> Outcome {
    let Some((run, rows)) = question.evidence.counted(NAME) else { return not_counted(NAME) };
    let stored_a_task = |row: &CountRow| Some(row.counts.global_store.bytes as f64 / row.tasks()? as f64);
    let rest: Vec<(usize, &CountRow)> = rows
        .into_iter()
        .filter(|row| row.kernel == "rest_blocks")
        .filter_map(|row| Some((kappa_of(&row.cell.params).filter(|(_, spread)| !spread)?.0, row)))
        .collect();
    let mut points = Vec::new();
    for (kappa, row) in &rest {
        let one = rest.iter().find(|(other, one)| *other == 1 && one.cell.n == row.cell.n);
        let ratio = || Some(stored_a_task(one?.1)? / stored_a_task(row)?);
        if let (true, Some(ratio)) = (*kappa > 1 && row.cell.n.div_ceil(TILE).is_multiple_of(*kappa), ratio())
        {
            let kappa_times = *kappa as f64;
            let range = Range::new(kappa_times, kappa_times);
            points.push(Point::of(
                format!("κ = {kappa}, n = {}", row.cell.n),
                Some(row.cell.n),
                Estimate::exact(ratio),
                range,
            ));
        }
    }
    if points.is_empty() {
        return not_counted(&format!("{NAME} with a κ above 1 that divides Q"));
    }
    Outcome {
        counted: true,
        ..Outcome::of(
            run.marked_name(),
            "bytes that CalcRestBlocks stores a task, κ = 1 over κ, counted on the emulated device",
            "times",
            points,
        )
    }
}

/// Seconds with κ over those with κ = 1, ascending κ.
fn over_one(evidence: &Evidence, run: &Measurements, n: usize) -> Vec<(usize, Estimate)> {
    let all = timed(run, n, false);
    let Some((_, one)) = all.iter().find(|(kappa, _)| *kappa == 1) else { return Vec::new() };
    let of = |(kappa, params): &(usize, String)| {
        Some((*kappa, evidence.ratio(run, ((NAME, one), (NAME, params)), n, Scope::Kernel)?))
    };
    all.iter().filter(|(kappa, _)| *kappa > 1).filter_map(of).collect()
}

/// "Several κ above 1 are faster": at every n, the second fastest of them is, so that there are two.
pub fn beats_classic(question: &Question) -> Outcome {
    let evidence = question.evidence;
    let found = evidence.fullest(&question.paper.id, |run| {
        sizes(run)
            .into_iter()
            .map(|n| (n, over_one(evidence, run, n)))
            .filter(|(_, all)| all.len() > 1)
            .collect()
    });
    let Some((run, all)) = found else {
        return Outcome::missing("No run has several κ and κ = 1 at one n.");
    };
    let (mut points, mut remarks) = (Vec::new(), Vec::new());
    for (n, ratios) in all {
        let mut sorted = ratios.clone();
        sorted.sort_by(|a, b| a.1.value.total_cmp(&b.1.value));
        points.push(Point::at_n(n, sorted[1].1, Range::at_most(1.0)));
        let faster: Vec<usize> =
            ratios.iter().filter(|(_, ratio)| ratio.high < 1.0).map(|(kappa, _)| *kappa).collect();
        if let (Some(first), Some(last)) = (faster.first(), faster.last()) {
            remarks.push(format!(
                "n = {n}: best κ = {} ({:.3} of the time); faster are {} of {} tried, from {first} to {last}.",
                sorted[0].0,
                sorted[0].1.value,
                faster.len(),
                ratios.len()
            ));
        }
    }
    Outcome {
        remarks,
        ..Outcome::of(
            run.name(),
            "seconds with the second best κ over those with κ = 1: several are two or more",
            "of the time",
            points,
        )
    }
}

/// "Very little": what CalcLeadBlock on all multiprocessors gains, at every κ that beats κ = 1, which anyone would choose.
pub fn spread_gains_little(question: &Question) -> Outcome {
    let evidence = question.evidence;
    let found = evidence.fullest(&question.paper.id, |run| {
        let mut all = Vec::new();
        for n in sizes(run) {
            let better: Vec<usize> = over_one(evidence, run, n)
                .into_iter()
                .filter(|(_, ratio)| ratio.value < 1.0)
                .map(|(kappa, _)| kappa)
                .collect();
            for (kappa, spread) in timed(run, n, true) {
                let plain = timed(run, n, false).into_iter().find(|(other, _)| *other == kappa);
                let ratio = plain.and_then(|(_, plain)| {
                    evidence.ratio(run, ((NAME, &spread), (NAME, &plain)), n, Scope::Kernel)
                });
                all.extend(ratio.map(|ratio| (n, kappa, better.contains(&kappa), ratio)));
            }
        }
        all
    });
    let Some((run, all)) = found else {
        return Outcome::missing("No run has the same κ with and without spreading the lead block.");
    };
    let slow = all.iter().filter(|(_, _, is_better, _)| !is_better).map(|(.., ratio)| ratio.value);
    let remark = extent(slow).map(|(least, most)| {
        format!("At κ that are not faster than κ = 1 it gains {least:.2} to {most:.2} times.")
    });
    let point = |(n, kappa, _, ratio): &(usize, usize, bool, Estimate)| {
        Point::of(format!("n = {n}, κ = {kappa}"), Some(*n), *ratio, Range::at_most(1.0 + HARDLY))
    };
    Outcome {
        remarks: remark.into_iter().collect(),
        ..Outcome::of(
            run.name(),
            format!(
                "seconds without over those with the lead block on all multiprocessors, at every κ that is faster than κ = 1; very little is read as: at most {:.0}%",
                HARDLY * 100.0
            ),
            "times",
            all.iter().filter(|(_, _, is_better, _)| *is_better).map(point).collect(),
        )
    }
}
