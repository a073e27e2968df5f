//! The generalized blocked algorithm of likhoded-sipeyko-2019: what κ changes.

use super::Question;
use crate::claims::Point;
use crate::claims::evidence::{Evidence, Measurements};
use crate::claims::outcome::Outcome;
use crate::claims::said::{Comparison, Contender, Counted, FigureUnit, Lack, Place, Remark, Subject};
use crate::claims::settings::Threshold;
use crate::claims::verdict::Range;
use crate::lists::{distinct, extent, grouped};
use crate::store::{CountRow, KernelTimeRow};
use crate::timing::{Estimate, Scope};
use repro_types::Parameters;

const NAME: &str = "generalized-blocked";
const CLASSIC: &str = "katz-kider";
const TILE: usize = 32;
const REST: &str = "rest_blocks";

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

fn not_counted(names: &[&str]) -> Outcome {
    Outcome::lacking(Lack::NotCounted { contenders: names.iter().map(|name| Contender::of(name)).collect() })
}

/// κ = 1 launches, runs and stores as the classic algorithm does, kernel by kernel.
pub fn one_is_classic(question: &Question) -> Outcome {
    let pairs = [
        ("lead_block", "independent"),
        ("lead_row_and_column", "singly_dependent"),
        (REST, "doubly_dependent"),
    ];
    let evidence = question.evidence;
    let rows = |name: &str| evidence.counted(name).map_or(Vec::new(), |(_, rows)| rows);
    let (ours, classic) = (rows(NAME), rows(CLASSIC));
    let is_one = |row: &&&CountRow| kappa_of(&row.cell.params) == Some((1, false));
    let one: Vec<&CountRow> = ours.iter().filter(is_one).copied().collect();
    let counted = |kernel: &str, what| Subject::Counted { kernel: kernel.to_string(), what };
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
            (Counted::Launches, row.counts.launches, other.counts.launches),
            (Counted::Blocks, row.counts.blocks, other.counts.blocks),
            (Counted::StoredBytes, row.counts.global_store.bytes, other.counts.global_store.bytes),
        ] {
            let ratio = ours as f64 / theirs.max(1) as f64;
            points.push(Point::exact(counted(kernel, what), ratio, Range::new(1.0, 1.0)));
        }
    }
    if points.is_empty() {
        return not_counted(&[NAME, CLASSIC]);
    }
    const REVERSE: &str = "lead_row_and_column_reverse";
    let launches: u64 = one.iter().filter(|row| row.kernel == REVERSE).map(|row| row.counts.launches).sum();
    points.push(Point::exact(counted(REVERSE, Counted::Launches), launches as f64, Range::new(0.0, 0.0)));
    let run = evidence.counted(NAME).map(|(run, _)| run.marked_name()).unwrap_or_default();
    Outcome::of(
        run,
        Comparison::CountsOver { implementation: CLASSIC.to_string() },
        FigureUnit::Times,
        points,
    )
}

/// Rows of times by kernel of a variant at n.
fn by_kernel<'r>(
    run: &'r Measurements,
    n: usize,
    params: &'r str,
) -> impl Iterator<Item = &'r KernelTimeRow> + Clone {
    let rows = run.kernel_times().iter();
    rows.filter(move |row| row.implementation == NAME && row.n == n && row.params == params)
}

/// κ = Q: no launch of CalcRestBlocks.
pub fn q_has_no_rest(question: &Question) -> Outcome {
    let found = question.evidence.fullest(&question.paper.id, |run| {
        let mut points = Vec::new();
        for n in sizes(run) {
            for (kappa, params) in timed(run, n, false) {
                let mut rows = by_kernel(run, n, &params);
                let is_known = rows.clone().next().is_some();
                if is_known && kappa == n.div_ceil(TILE) {
                    let rest = rows.find(|row| row.kernel == REST).map_or(0, |row| row.launches);
                    points.push(Point::at_n(n, Estimate::exact(rest as f64), Range::new(0.0, 0.0)));
                }
            }
        }
        points
    });
    let Some((run, points)) = found else {
        return Outcome::lacking(Lack::NoKernelTimes { implementation: NAME.to_string() });
    };
    Outcome::of(run.name(), Comparison::RestLaunches, FigureUnit::Launches, points)
}

/// Bytes that CalcRestBlocks stores a task: with κ = 1 over with κ, where κ divides Q. Counted at small n; at the sizes that were
/// timed from the launches and the tiles of each.
pub fn writes_fall(question: &Question) -> Outcome {
    let Some((run, rows)) = question.evidence.counted(NAME) else { return not_counted(&[NAME]) };
    let stored_a_task = |row: &CountRow| Some(row.counts.global_store.bytes as f64 / row.tasks? as f64);
    let rest: Vec<(usize, &CountRow)> = rows
        .into_iter()
        .filter(|row| row.kernel == REST)
        .filter_map(|row| Some((kappa_of(&row.cell.params).filter(|(_, spread)| !spread)?.0, row)))
        .collect();
    let mut points = Vec::new();
    for (kappa, row) in &rest {
        let one = rest.iter().find(|(other, one)| *other == 1 && one.cell.n == row.cell.n);
        let ratio = || Some(stored_a_task(one?.1)? / stored_a_task(row)?);
        if let (true, Some(ratio)) = (*kappa > 1 && row.cell.n.div_ceil(TILE).is_multiple_of(*kappa), ratio())
        {
            let range = Range::new(*kappa as f64, *kappa as f64);
            let at = Place::at(Subject::Kappa(*kappa), row.cell.n);
            points.push(Point::of(at, Estimate::exact(ratio), range));
        }
    }
    points.extend(modelled_writes(question));
    if points.is_empty() {
        return not_counted(&[NAME]);
    }
    Outcome::of(run.marked_name(), Comparison::StoredBytesATask, FigureUnit::Times, points)
}

/// The same at the sizes that were timed, by the model of the launches, for every κ that divides Q.
fn modelled_writes(question: &Question) -> Vec<Point> {
    let of_run = |run: &Measurements| {
        let mut points = Vec::new();
        for n in sizes(run) {
            let tiles = n.div_ceil(TILE);
            // CalcRestBlocks does Q (Q - κ)² of the round's tiles.
            let a_tile = |kappa: usize, params: &str| {
                let stored = by_kernel(run, n, params).find(|row| row.kernel == REST)?.stored_bytes?;
                Some(stored as f64 / (tiles * (tiles - kappa).pow(2)) as f64)
            };
            let all = timed(run, n, false);
            let one = all.iter().find(|(kappa, _)| *kappa == 1).and_then(|(_, params)| a_tile(1, params));
            let dividing =
                all.iter().filter(|(kappa, _)| *kappa > 1 && *kappa < tiles && tiles.is_multiple_of(*kappa));
            for (kappa, params) in dividing {
                if let Some((one, with)) = one.zip(a_tile(*kappa, params)) {
                    let range = Range::new(*kappa as f64, *kappa as f64).widened(1e-9);
                    let at = Place::at(Subject::Kappa(*kappa), n);
                    points.push(Point::of(at, Estimate::exact(one / with), range));
                }
            }
        }
        points
    };
    question.evidence.fullest(&question.paper.id, of_run).map(|(_, points)| points).unwrap_or_default()
}

/// "Fewer accesses of global memory": bytes that are loaded and stored with κ over with κ = 1, by the model of the launches.
pub fn traffic_falls(question: &Question) -> Outcome {
    let found = question.evidence.fullest(&question.paper.id, |run| {
        let moved = |n: usize, params: &str| -> Option<u64> {
            let rows = by_kernel(run, n, params);
            rows.clone().next()?;
            rows.map(|row| Some(row.loaded_bytes? + row.stored_bytes?)).sum()
        };
        let mut points = Vec::new();
        for n in sizes(run) {
            let all = timed(run, n, false);
            let one = all.iter().find(|(kappa, _)| *kappa == 1).and_then(|(_, params)| moved(n, params));
            for (kappa, params) in all.iter().filter(|(kappa, _)| *kappa > 1) {
                if let Some((one, with)) = one.zip(moved(n, params)) {
                    let at = Place::at(Subject::Kappa(*kappa), n);
                    points.push(Point::of(
                        at,
                        Estimate::exact(with as f64 / one as f64),
                        Range::at_most(1.0),
                    ));
                }
            }
        }
        points
    });
    let Some((run, points)) = found else {
        return Outcome::lacking(Lack::NoKernelTimes { implementation: NAME.to_string() });
    };
    Outcome::of(run.name(), Comparison::MovedBytes, FigureUnit::Times, points)
}

/// "The result is the same whatever κ": samples whose result was not the reference's, of the run with most κ. With a single κ only a
/// wrong one says anything.
pub fn same_result(question: &Question) -> Outcome {
    let judged = |run: &Measurements| -> Vec<(usize, String, bool)> {
        let rows = run.run.judged().filter(|(row, _)| row.implementation == NAME);
        rows.map(|(row, is_right)| (row.n, row.params.clone(), is_right)).collect()
    };
    let variants = |run: &Measurements| {
        let all = judged(run);
        let kappas = distinct(all.iter().filter_map(|(_, params, _)| any_kappa_of(params)));
        let says_something = kappas.len() > 1 || all.iter().any(|(.., is_right)| !is_right);
        let variants = distinct(all.into_iter().map(|(n, params, _)| (n, params)));
        if says_something { variants } else { Vec::new() }
    };
    let Some((run, _)) = question.evidence.fullest(&question.paper.id, variants) else {
        return Outcome::lacking(Lack::NoRunOf { experiment: "kappa-sweep".to_string() });
    };
    let by_size = grouped(judged(run).into_iter().map(|(n, _, is_right)| (n, is_right)));
    let points = by_size.into_iter().map(|(n, judged)| {
        let wrong = judged.iter().filter(|is_right| !**is_right).count();
        let at = Place::at(Subject::Samples(judged.len()), n);
        Point::of(at, Estimate::exact(wrong as f64), Range::new(0.0, 0.0))
    });
    Outcome::of(run.name(), Comparison::WrongResults, FigureUnit::Samples, points.collect())
}

/// κ of a set of parameters, whatever else it sets.
fn any_kappa_of(params: &str) -> Option<u32> {
    let parameters: Parameters = params.parse().ok()?;
    Some(parameters.iter().find(|(name, _)| *name == "kappa").map_or(1, |(_, kappa)| kappa))
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
    let Some((run, all)) = found else { return question.lacking(&[NAME], question.sizes()) };
    let (mut points, mut remarks) = (Vec::new(), Vec::new());
    for (n, ratios) in all {
        let mut sorted = ratios.clone();
        sorted.sort_by(|a, b| a.1.value.total_cmp(&b.1.value));
        points.push(Point::at_n(n, sorted[1].1, Range::at_most(1.0)));
        let faster: Vec<usize> =
            ratios.iter().filter(|(_, ratio)| ratio.high < 1.0).map(|(kappa, _)| *kappa).collect();
        if let (Some(first), Some(last)) = (faster.first(), faster.last()) {
            remarks.push(Remark::BestKappa {
                n,
                kappa: sorted[0].0,
                share: sorted[0].1.value,
                faster: faster.len(),
                tried: ratios.len(),
                first: *first,
                last: *last,
            });
        }
    }
    Outcome::of(run.name(), Comparison::SecondBestKappa, FigureUnit::OfTheTime, points).remarking(remarks)
}

/// "Fewer writes take less time": what CalcRestBlocks takes with κ over what it takes with κ = 1, for every κ that leaves at
/// least half of the rest blocks, so that it is the same work but for the writes, a task.
pub fn fewer_writes_are_faster(question: &Question) -> Outcome {
    let found = question.evidence.fullest(&question.paper.id, |run| {
        let mut points = Vec::new();
        for n in sizes(run) {
            let tiles = n.div_ceil(TILE);
            // Its share of all tasks: CalcRestBlocks does Q (Q - κ)² tiles of them.
            let a_task = |kappa: usize, params: &str| {
                let seconds = by_kernel(run, n, params).find(|row| row.kernel == REST)?.seconds;
                Some(seconds / (tiles - kappa).pow(2) as f64)
            };
            let all = timed(run, n, false);
            let one = all.iter().find(|(kappa, _)| *kappa == 1).and_then(|(_, params)| a_task(1, params));
            let several = all.iter().filter(|(kappa, _)| *kappa > 1 && *kappa * 4 <= tiles);
            for (kappa, params) in several {
                if let Some((one, with)) = one.zip(a_task(*kappa, params)) {
                    let noise = question.evidence.within(NAME, n);
                    let at = Place::at(Subject::Kappa(*kappa), n);
                    points.push(Point::of(
                        at,
                        Estimate::exact(with / one).widened(noise),
                        Range::at_most(1.0),
                    ));
                }
            }
        }
        points
    });
    let Some((run, points)) = found else {
        return Outcome::lacking(Lack::NoKernelTimes { implementation: NAME.to_string() });
    };
    Outcome::of(run.name(), Comparison::RestSeconds, FigureUnit::OfTheTime, points)
}

/// "Very little": what CalcLeadBlock on all multiprocessors gains, at every κ that beats κ = 1, which anyone would choose, of the
/// two runs that have it at most sizes.
pub fn spread_gains_little(question: &Question) -> Outcome {
    let evidence = question.evidence;
    let range = Range::at_most(1.0 + question.settings.get(Threshold::Hardly));
    let (mut points, mut elsewhere, mut runs) = (Vec::<Point>::new(), Vec::new(), Vec::new());
    // Sizes of one run are compared within it; another run adds its own sizes.
    for run in evidence
        .runs()
        .iter()
        .rev()
        .filter(|run| run.run.manifest.experiment.paper.as_deref() == Some(&question.paper.id))
    {
        let known = |n: usize, points: &[Point]| points.iter().any(|point| point.at.n == Some(n));
        let new: Vec<usize> = sizes(run).into_iter().filter(|n| !known(*n, &points)).collect();
        for n in new {
            let ratios = over_one(evidence, run, n);
            // A run without κ = 1 has κ that anyone would choose and no others.
            let is_better = |kappa: usize| {
                ratios.is_empty() || ratios.iter().any(|(one, ratio)| *one == kappa && ratio.value < 1.0)
            };
            for (kappa, spread) in timed(run, n, true) {
                let plain = timed(run, n, false).into_iter().find(|(other, _)| *other == kappa);
                let ratio = plain.and_then(|(_, plain)| {
                    evidence.ratio(run, ((NAME, &spread), (NAME, &plain)), n, Scope::Kernel)
                });
                let Some(ratio) = ratio else { continue };
                match is_better(kappa) {
                    true => points.push(Point::of(Place::at(Subject::Kappa(kappa), n), ratio, range)),
                    false => elsewhere.push(ratio.value),
                }
                if !runs.contains(&run.name()) {
                    runs.push(run.name());
                }
            }
        }
    }
    if points.is_empty() {
        return Outcome::lacking(Lack::NoRunOf { experiment: "kappa-sweep".to_string() });
    }
    points.sort_by_key(|point| point.at.n);
    let remark = extent(elsewhere).map(|(least, most)| Remark::SpreadElsewhere { least, most });
    Outcome { runs, ..Outcome::of(String::new(), Comparison::SpreadLead, FigureUnit::Times, points) }
        .remarking(remark)
}
