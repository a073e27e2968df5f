//! What a round of the blocked algorithm consists of: launches, tiles and their results, as the emulated device counted them.

use super::Question;
use crate::claims::Point;
use crate::claims::outcome::Outcome;
use crate::claims::said::{Comparison, Contender, Counted, FigureUnit, Lack, Place, Subject};
use crate::claims::verdict::Range;
use crate::results::StoredRun;
use crate::store::CountRow;
use crate::timing::Estimate;
use repro_types::CellId;

/// Entries a side of a tile.
const TILE: usize = 32;

fn exactly(value: f64) -> Range {
    Range::new(value, value)
}

/// Counts of the claim's implementation, with no parameter set, at the largest of its n that are `wanted`.
fn counted<'a>(
    question: &Question<'a>,
    wanted: impl Fn(usize) -> bool,
) -> Option<(&'a StoredRun, Vec<&'a CountRow>)> {
    let name = question.claim.implementation.as_deref()?;
    let plain = |cell: &CellId| wanted(cell.n) && matches!(cell.params.as_str(), "" | "kappa=1");
    let (run, rows) = question.evidence.counted_with(name, plain)?;
    let largest = rows.iter().map(|row| row.cell.n).max()?;
    Some((run, rows.into_iter().filter(|row| row.cell.n == largest).collect()))
}

fn not_counted(question: &Question) -> Outcome {
    let name = question.claim.implementation.as_deref().unwrap_or_default();
    Outcome::lacking(Lack::NotCounted { contenders: vec![Contender::of(name)] })
}

fn of(row: &CountRow, what: Counted) -> Subject {
    Subject::Counted { kernel: row.kernel.clone(), what }
}

/// Three kernels a round, on 1, 2 (Q - 1) and (Q - 1)² tiles.
pub fn tiles(question: &Question) -> Outcome {
    let Some((run, rows)) = counted(question, |_| true) else { return not_counted(question) };
    let mut points = Vec::new();
    for row in rows {
        let tiles = row.cell.n.div_ceil(TILE);
        let others = tiles - 1;
        let a_round = match row.kernel.as_str() {
            "independent" | "lead_block" => 1,
            "singly_dependent" | "lead_row_and_column" => 2 * others,
            "doubly_dependent" | "rest_blocks" => others * others,
            _ => continue,
        };
        points.push(Point::exact(
            of(row, Counted::Launches),
            row.counts.launches as f64,
            exactly(tiles as f64),
        ));
        let blocks = exactly((tiles * a_round) as f64);
        points.push(Point::exact(of(row, Counted::Blocks), row.counts.blocks as f64, blocks));
    }
    Outcome::of(run.marked_name(), Comparison::Counts, FigureUnit::None, points)
}

/// One launch for each k.
pub fn one_launch_a_k(question: &Question) -> Outcome {
    let Some((run, rows)) = counted(question, |_| true) else { return not_counted(question) };
    let points = rows.into_iter().map(|row| {
        Point::exact(of(row, Counted::Launches), row.counts.launches as f64, exactly(row.cell.n as f64))
    });
    Outcome::of(run.marked_name(), Comparison::Counts, FigureUnit::Launches, points.collect())
}

/// Two launches a round in the place of three, where there is more than one tile: a single one has no others to update.
pub fn two_launches(question: &Question) -> Outcome {
    let Some((run, rows)) = counted(question, |n| n > TILE) else { return not_counted(question) };
    let points = rows.into_iter().map(|row| {
        let rounds = exactly(row.cell.n.div_ceil(TILE) as f64);
        Point::exact(of(row, Counted::Launches), row.counts.launches as f64, rounds)
    });
    let points: Vec<Point> = points.collect();
    let kernels = Point::exact(Subject::Kernels, points.len() as f64, exactly(2.0));
    let points = points.into_iter().chain([kernels]).collect();
    Outcome::of(run.marked_name(), Comparison::Counts, FigureUnit::None, points)
}

/// "Independent of each other": the reference's result on the emulated device, block by block.
pub fn right_result(question: &Question) -> Outcome {
    let name = question.claim.implementation.as_deref().unwrap_or_default();
    let Some((run, _)) = question.evidence.counted(name) else { return not_counted(question) };
    let judged: Vec<bool> =
        run.judged().filter(|(row, _)| row.implementation == name).map(|(_, is_right)| is_right).collect();
    if judged.is_empty() {
        return not_counted(question);
    }
    let wrong = judged.iter().filter(|is_right| !**is_right).count();
    let at = Place::of(Subject::Samples(judged.len()));
    let points = vec![Point::of(at, Estimate::exact(wrong as f64), exactly(0.0))];
    Outcome::of(run.marked_name(), Comparison::WrongResults, FigureUnit::Samples, points)
}

/// "Works with negative weights": samples of a run on a graph with some, of every implementation of the paper.
pub fn right_with_negative(question: &Question) -> Outcome {
    let found = question.evidence.fullest(&question.paper.id, |run| {
        let negative =
            |name: &str| run.run.graph_source(name).is_some_and(|source| source.weights().negative);
        let rows = run.run.judged().filter(|(row, _)| negative(&row.graph));
        let by_name =
            crate::lists::grouped(rows.map(|(row, is_right)| (row.implementation.clone(), is_right)));
        let point = |(name, judged): (String, Vec<bool>)| {
            let wrong = judged.iter().filter(|is_right| !**is_right).count();
            Point::exact(Subject::Contender(Contender::of(&name)), wrong as f64, exactly(0.0))
        };
        by_name.into_iter().map(point).collect()
    });
    let Some((run, points)) = found else {
        return Outcome::lacking(Lack::NoRunOf { experiment: "negative".to_string() });
    };
    Outcome::of(run.name(), Comparison::WrongResults, FigureUnit::Samples, points)
}

/// "Arrays with constant indices go into registers": local memory a thread of the kernel that keeps its tile there.
pub fn no_local_memory(question: &Question) -> Outcome {
    let name = question.claim.implementation.as_deref().unwrap_or_default();
    let found = question.evidence.fullest(&question.paper.id, |run| {
        run.kernels_of((name, &run.params_of(name).unwrap_or_default())).to_vec()
    });
    let Some((run, kernels)) = found else { return question.lacking(&[name], question.sizes()) };
    let points = kernels.iter().map(|kernel| {
        let subject =
            Subject::Kernel { implementation: name.to_string(), kernel: kernel.resources.kernel.clone() };
        Point::exact(subject, f64::from(kernel.resources.local_bytes), exactly(0.0))
    });
    Outcome::of(run.name(), Comparison::LocalBytes, FigureUnit::Bytes, points.collect())
}

/// A half-warp whose elements are a row of 16 in tiles of 4 x 4: how many of its words share a bank, from the layout alone.
pub fn rows_of_16(_: &Question) -> Outcome {
    const BANKS: usize = 16;
    const SIDE: usize = 4;
    let ways = (0..SIDE).map(|k| {
        // Word (k, j) of a stage: the tile of four columns that j is in, its row k, the column in it.
        let bank = |j: usize| (j / SIDE * SIDE * SIDE + k * SIDE + j % SIDE) % BANKS;
        let words = (0..BANKS).map(bank);
        words.fold([0usize; BANKS], |mut all, bank| {
            all[bank] += 1;
            all
        })
    });
    let worst = ways.flat_map(|all| all.into_iter()).max().unwrap_or_default();
    let points = vec![Point::exact(Subject::Tile(SIDE as u32), worst as f64, Range::at_least(2.0))];
    Outcome {
        comparison: Some(Comparison::BanksOfLayout),
        unit: FigureUnit::Ways,
        points,
        ..Outcome::default()
    }
}
