//! How far two runs of the same work may be apart.

use super::between::Between;
use super::machine::KindNoise;
use crate::results::CellKind;
use crate::timing::{Estimate, Pairing, median, t_quantile};
use serde::Serialize;

/// No threshold is below this: what moves by less is nobody's regression.
pub const LEAST_THRESHOLD: f64 = 0.01;
/// What is taken to be between two runs of a GPU of which no two runs of the same work are known, of each cell's own: what was
/// seen between starts of one model is a third of it. Cells that differ more among themselves ask for more.
const UNKNOWN_ON_GPU: f64 = 0.05;
/// And of what all cells of a run share: beyond three standard deviations of a day that makes a run 2% faster or slower.
const UNKNOWN_SHARED_ON_GPU: f64 = 0.1;
/// The same of a CPU, whose other tenants are not known either: 59% were seen between starts of one virtual machine.
pub const UNKNOWN_ON_CPU: f64 = 1.0;
/// The same of two processes beside each other on a CPU, for solves of some milliseconds; shorter ones, which live or die by where
/// their memory lies, were seen to differ by 75%.
const UNKNOWN_BESIDE_ON_CPU: f64 = 0.25;
/// The chance that what runs share is more than is allowed for it, to either side.
const SHARED_ERROR: f64 = 0.004;
/// The same in standard deviations of the normal distribution.
const NORMAL: f64 = 2.652;
/// That all cells are the same says nothing where a shift of more than this would be called the same, unless it was asked for.
const TELLING_SHIFT: f64 = 0.025;
/// That a cell is the same says nothing where it may as well take a fifth longer.
const TELLING: f64 = 0.2;
/// From so many cells on their median has an interval of 95%.
pub const LEAST_CELLS: usize = 6;
/// How many times the 95th percentile a threshold is that the cells of the comparison itself tell, of which there are few.
const SPREAD_FACTOR: f64 = 3.0;
/// The 95th percentile of the sizes of normally distributed numbers over their median.
pub(super) const PERCENTILE_95_OVER_MEDIAN: f64 = 2.906;
/// How many times the 95th percentile of the A/A noise a threshold is. Were noise normal, that percentile would be 1.96
/// standard deviations, and one cell in 11,000 would be beyond this by chance.
pub(super) const NOISE_FACTOR: f64 = 2.0;

/// How far apart two runs of the same work may be, for one kind of cell.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bounds {
    /// Of each cell alone, relative.
    pub own: f64,
    /// Of all cells together, relative: a slow day.
    pub shared: f64,
    /// Whether samples were taken in pairs, which share their day, so that nothing is added for it to what is each cell's own.
    pub paired: bool,
    /// Whether runs or pairs of one build tell, and nothing had to be taken for what is not known.
    pub known: bool,
}

/// The bounds of a kind of cell, never below `least`. `ratios` are those of its cells, new over base.
///
/// Of each cell alone: twice the 95th percentile of the difference between two halves of a run's samples, and twice that of the
/// difference between two runs of one build beyond what they share, which some cells exceed ([`Bounds::threshold_of`]); where no such runs are known, three times what the cells of this
/// very comparison differ by among themselves, and what machines were seen to do. Of samples that were taken in pairs, in place of
/// the latter, twice that between two processes of one build side by side: where their memory lies is another matter of chance.
///
/// Of all cells together: Student's t times the standard deviation of the difference of two runs, so that the few runs which a
/// machine has do not pass for its noise. It is the larger the fewer they are, 80 times with two and 4.9 with five, but where that is
/// more than would be taken without any, that is taken.
pub fn bounds(noise: &KindNoise, kind: CellKind, pairing: Pairing, least: f64, ratios: &[f64]) -> Bounds {
    let within = noise.within_runs.unwrap_or(0.0) * NOISE_FACTOR;
    let least = least.max(LEAST_THRESHOLD);
    match (pairing, &noise.between) {
        (Pairing::Together, _) => {
            let known = noise.in_pairs.map(|between| between * NOISE_FACTOR);
            let shared = known.unwrap_or(unknown_beside(kind)).max(least);
            let known = known.is_some() || by_events(kind) && !kind.small;
            Bounds { own: shared.max(within), shared, paired: true, known }
        }
        (Pairing::Apart, Some(between)) => {
            let deviation = between.shared * std::f64::consts::SQRT_2;
            let estimated = t_quantile(1.0 - SHARED_ERROR, between.degrees) * deviation;
            let shared = (NORMAL * deviation).max(estimated.min(unknown_shared(kind)));
            let own = (between.own * NOISE_FACTOR).max(within).max(least);
            Bounds { own, shared: shared.max(least), paired: false, known: true }
        }
        (Pairing::Apart, None) => {
            let own = unknown(kind).max(spread(ratios) * SPREAD_FACTOR).max(within).max(least);
            Bounds { own, shared: unknown_shared(kind).max(least), paired: false, known: false }
        }
    }
}

impl Bounds {
    /// By how much, relative, the median of a cell must move before it counts, where all cells of its kind moved by `shift`, new
    /// over base, if that is known: a slow day does not move one cell alone, and so no more is allowed for it than they show.
    pub fn threshold(&self, shift: Option<f64>) -> f64 {
        self.threshold_of(shift, 0.0)
    }

    /// The same of a cell of which runs of one build are known to be `own` apart.
    pub fn threshold_of(&self, shift: Option<f64>, own: f64) -> f64 {
        let own = self.own.max(own * NOISE_FACTOR);
        match shift {
            _ if self.paired => self.own,
            Some(shift) => own + self.shared.min(shift.max(1.0 / shift) - 1.0),
            None if self.known => own + self.shared,
            None => own.max(self.shared),
        }
    }

    /// Whether a shift of all cells within its threshold may be called none, where `least` was asked for.
    pub fn tells_shift(&self, least: f64) -> bool {
        self.known && self.shared <= least.max(TELLING_SHIFT)
    }
}

/// How many runs of one build would tell a shift of all cells, where `known` are known and `least` was asked for: so many that
/// [`Bounds::tells_shift`]. None where the runs differ so much among themselves that no number would do.
pub fn runs_needed(known: &Between, least: f64) -> Option<usize> {
    /// More runs than this change Student's t by nothing.
    const MOST: usize = 1000;
    let deviation = known.shared * std::f64::consts::SQRT_2;
    let allowed = least.max(TELLING_SHIFT);
    let tells = |degrees: &usize| t_quantile(1.0 - SHARED_ERROR, *degrees) * deviation <= allowed;
    if NORMAL * deviation > allowed {
        return None;
    }
    Some(known.runs + (known.degrees.max(1)..MOST).find(tells)?.saturating_sub(known.degrees))
}

/// Whether a cell within `threshold` may be called the same.
pub fn tells(threshold: f64) -> bool {
    threshold < TELLING
}

/// The median of the ratios of cells, with the sign test's interval over cells: what is each cell's own, from samples or runs, is in
/// their spread, and what all share is not. None of fewer than six cells.
pub fn shift(ratios: &[f64]) -> Option<Estimate> {
    Estimate::of_median(ratios).filter(|_| ratios.len() >= LEAST_CELLS)
}

/// The 95th percentile of how far ratios are from their median, were they normally distributed. Nought of few.
fn spread(ratios: &[f64]) -> f64 {
    let middle = median(ratios).filter(|_| ratios.len() >= LEAST_CELLS).unwrap_or(1.0);
    let apart: Vec<f64> = ratios.iter().map(|ratio| (ratio / middle).max(middle / ratio) - 1.0).collect();
    median(&apart).filter(|_| ratios.len() >= LEAST_CELLS).unwrap_or(0.0) * PERCENTILE_95_OVER_MEDIAN
}

/// Whether a GPU's events time it. The host's clock around a program that takes a GPU has the noise of the host in it.
fn by_events(kind: CellKind) -> bool {
    kind.on_gpu && kind.program.is_none()
}

/// What is taken to be between two runs, of each cell's own, where nothing is known of it.
fn unknown(kind: CellKind) -> f64 {
    if by_events(kind) { UNKNOWN_ON_GPU } else { UNKNOWN_ON_CPU }
}

/// The same of what all cells share.
fn unknown_shared(kind: CellKind) -> f64 {
    if by_events(kind) { UNKNOWN_SHARED_ON_GPU } else { UNKNOWN_ON_CPU }
}

/// The same of two processes side by side.
fn unknown_beside(kind: CellKind) -> f64 {
    match (by_events(kind), kind.small) {
        (true, false) => LEAST_THRESHOLD,
        // Under a millisecond the launches show: 5% were seen at n = 512.
        (true, true) => UNKNOWN_ON_GPU,
        (false, false) => UNKNOWN_BESIDE_ON_CPU,
        (false, true) => UNKNOWN_ON_CPU,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timing::Scope;

    fn kind(implementation: &str) -> CellKind {
        CellKind::of(implementation != "cpu-naive", 4096)
    }

    /// Of runs whose shifts have this standard deviation.
    fn known(degrees: usize, shared: f64) -> KindNoise {
        let between =
            Between { runs: degrees + 1, cells: 20, shared, degrees, own: 0.01, stand_out: Vec::new() };
        KindNoise { between: Some(between), ..KindNoise::default() }
    }

    #[test]
    fn a_machine_of_unknown_noise_has_a_wide_threshold_and_pairs_a_narrow_one() {
        let (noise, gpu) = (KindNoise::default(), kind("staged-load"));
        let apart = bounds(&noise, gpu, Pairing::Apart, 0.0, &[]);
        assert_eq!((apart.known, apart.threshold(None)), (false, UNKNOWN_SHARED_ON_GPU));
        let on_cpu = bounds(&noise, kind("cpu-naive"), Pairing::Apart, 0.0, &[]);
        assert_eq!(on_cpu.threshold(None), UNKNOWN_ON_CPU);
        // The host's clock times a program, wherever it solves.
        let program = CellKind { program: Some(Scope::ProgramSolve), ..gpu };
        assert_eq!(bounds(&noise, program, Pairing::Apart, 0.0, &[]).threshold(None), UNKNOWN_ON_CPU);
        assert!(!bounds(&noise, program, Pairing::Together, 0.0, &[]).known);
        let beside = |least| bounds(&noise, gpu, Pairing::Together, least, &[]);
        assert!(beside(0.0).known && beside(0.0).threshold(Some(1.3)) == LEAST_THRESHOLD);
        assert_eq!(beside(0.03).threshold(None), 0.03);
        let small = bounds(&noise, CellKind { small: true, ..gpu }, Pairing::Together, 0.0, &[]);
        assert!(!small.known && small.threshold(None) == UNKNOWN_ON_GPU);
    }

    #[test]
    fn few_runs_do_not_pass_for_the_noise_of_a_machine() {
        let shared = |degrees, deviation| {
            let noise = known(degrees, deviation);
            bounds(&noise, kind("staged-load"), Pairing::Apart, 0.0, &[]).shared
        };
        assert!((shared(1, 0.0005) - t_quantile(0.996, 1) * 0.0005 * 2f64.sqrt()).abs() < 1e-4);
        assert!((shared(4, 0.01) - t_quantile(0.996, 4) * 0.01 * 2f64.sqrt()).abs() < 1e-4);
        assert_eq!(shared(9, 0.0), LEAST_THRESHOLD);
        assert_eq!(shared(1, 0.01), UNKNOWN_SHARED_ON_GPU);
        // What was seen is never less than what it was seen to be.
        assert!(shared(1, 0.1) > 0.36);
    }

    #[test]
    fn no_more_is_allowed_for_a_slow_day_than_all_cells_show() {
        let bounds = bounds(&known(2, 0.004), kind("staged-load"), Pairing::Apart, 0.0, &[]);
        assert!(
            (bounds.own - 0.02).abs() < 1e-12
                && (bounds.shared - t_quantile(0.996, 2) * 0.004 * 2f64.sqrt()).abs() < 1e-4
        );
        assert!((bounds.threshold(Some(1.001)) - 0.021).abs() < 1e-9);
        assert!((bounds.threshold(Some(1.0 / 1.001)) - 0.021).abs() < 1e-9);
        assert_eq!(bounds.threshold(Some(1.5)), bounds.threshold(None));
        assert!(!bounds.tells_shift(0.0) && bounds.tells_shift(0.07));
    }

    #[test]
    fn the_runs_that_are_needed_are_the_fewest_whose_bounds_tell_a_shift() {
        for (degrees, deviation) in [(1, 0.0006), (1, 0.002), (2, 0.004), (4, 0.006)] {
            let noise = known(degrees, deviation);
            let needed = runs_needed(noise.between.as_ref().unwrap(), 0.0).unwrap();
            let tells = |runs: usize| {
                let noise = known(runs - 1, deviation);
                bounds(&noise, kind("staged-load"), Pairing::Apart, 0.0, &[]).tells_shift(0.0)
            };
            assert!(
                needed > degrees + 1 && tells(needed) && !tells(needed - 1),
                "{degrees} {deviation}: {needed}"
            );
        }
        assert_eq!(runs_needed(known(4, 0.03).between.as_ref().unwrap(), 0.0), None);
    }

    #[test]
    fn a_cell_that_moves_by_more_than_others_of_its_kind_is_allowed_more() {
        let bounds = bounds(&known(2, 0.004), kind("staged-load"), Pairing::Apart, 0.0, &[]);
        assert_eq!(bounds.threshold_of(Some(1.0), 0.005), bounds.threshold(Some(1.0)));
        assert!((bounds.threshold_of(Some(1.0), 0.02) - 0.04).abs() < 1e-12);
    }

    #[test]
    fn without_a_history_cells_that_differ_among_themselves_ask_for_more() {
        let noise = KindNoise::default();
        let own = |ratios: &[f64]| bounds(&noise, kind("staged-load"), Pairing::Apart, 0.0, ratios).own;
        assert_eq!(own(&[1.0; 8]), UNKNOWN_ON_GPU);
        let apart = own(&[0.96, 0.97, 0.98, 1.0, 1.0, 1.02, 1.03, 1.04]);
        assert!((0.15..0.3).contains(&apart), "{apart}");
        // One cell that became slower is no noise of the others.
        assert_eq!(own(&[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 3.0]), UNKNOWN_ON_GPU);
    }

    #[test]
    fn many_cells_tell_what_no_single_one_does() {
        assert_eq!(shift(&[1.03; LEAST_CELLS - 1]), None);
        let ratios: Vec<f64> = (0..20).map(|at| 1.03 + f64::from(at % 5 - 2) * 0.01).collect();
        let Estimate { value, low, high } = shift(&ratios).unwrap();
        assert!((value - 1.03).abs() < 1e-9 && low > 1.01 && high < 1.05);
    }
}
