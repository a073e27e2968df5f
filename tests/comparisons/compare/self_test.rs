//! The guard held against itself: runs of the same work, drawn from real records, must never be called slower, and a planted
//! slow-down must be found.

use crate::common::stored::reference;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;
use repro::regression::{CellKind, Figures, LEAST_SAMPLES, MachineNoise, Options, Verdict, compare};
use repro::results::StoredRun;
use repro::store::SampleRow;
use repro::timing::{Pairing, Scope};
use repro_types::CellId;
use std::collections::BTreeMap;

const TRIALS: u64 = 200;
const OPTIONS: Options = Options { scope: Scope::Kernel, across: Vec::new(), least_threshold: 0.0 };

fn open(run: &str) -> StoredRun {
    StoredRun::open(&reference(run)).unwrap()
}

/// A run whose samples are drawn, with replacement, from those of `run`.
fn resampled(run: &StoredRun, seed: u64) -> StoredRun {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut by_cell: BTreeMap<CellId, Vec<&SampleRow>> = BTreeMap::new();
    for row in run.valid_rows(Scope::Kernel) {
        by_cell.entry(row.cell()).or_default().push(row);
    }
    let mut samples = Vec::new();
    for rows in by_cell.values() {
        for _ in rows {
            samples.push(rows[random.next_u32() as usize % rows.len()].clone());
        }
    }
    run.clone().with_samples(samples)
}

/// Two GPUs of one model, two hosts, eight hours apart in the life of the program, and the same work.
fn runs() -> [StoredRun; 2] {
    ["h200/table1", "h200/table1-again"].map(open)
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long"]
    fn the_same_work_is_never_called_slower() {
        let [first, second] = runs();
        // What two other runs tell, which are on two more GPUs of the model and are not under test.
        let known = ["h200/table1-guard", "h200/table1-guard-again"].map(open);
        let noise = MachineNoise::of(&[&known[0], &known[1]], Scope::Kernel);
        let wrong: Vec<String> = (0..TRIALS)
            .into_par_iter()
            .flat_map_iter(|trial| {
                // Half of the trials within one run, half between the two, in either direction.
                let (base, new) = match trial % 4 {
                    0 | 1 => (&first, &first),
                    2 => (&first, &second),
                    _ => (&second, &first),
                };
                let (base, new) = (resampled(base, 2 * trial), resampled(new, 2 * trial + 1));
                let comparison = compare(&[(&base, &new)], &noise, &OPTIONS).unwrap();
                let slower = comparison.regressions().map(|cell| format!("trial {trial}: {}", cell.cell));
                slower.collect::<Vec<_>>()
            })
            .collect();
        assert_eq!(wrong, Vec::<String>::new());
    }

    #[test]
    #[ignore = "long"]
    fn five_percent_more_are_found_where_the_noise_is_under_one() {
        // One GPU, of which the samples of one run tell the noise: two runs on other GPUs are too few to tell it of them.
        let [run, _] = runs();
        let known: Vec<StoredRun> = (0..5).map(|at| resampled(&run, 1_000_000 + at)).collect();
        let noise = MachineNoise::of(&known.iter().collect::<Vec<_>>(), Scope::Kernel);
        let floor = noise.floor(CellKind::of(true, 4096), Pairing::Apart, "");
        assert!(floor.is_known && floor.share < 0.01, "{floor:?}");
        (0..20u64).into_par_iter().for_each(|trial| {
            let (base, new) = (resampled(&run, 3 * trial), resampled(&run, 3 * trial + 1));
            let mut samples = new.samples.clone();
            for row in samples.iter_mut().filter(|row| row.implementation == "staged-load") {
                row.seconds = row.seconds.map(|seconds| seconds * 1.05);
            }
            let new = new.with_samples(samples);
            let comparison = compare(&[(&base, &new)], &noise, &OPTIONS).unwrap();
            for cell in &comparison.cells {
                let enough = |side: Option<Figures>| side.is_some_and(|side| side.samples >= LEAST_SAMPLES);
                let planted =
                    cell.cell.implementation == "staged-load" && enough(cell.base) && enough(cell.new);
                assert_eq!(cell.verdict == Verdict::Slower, planted, "trial {trial}: {cell:?}");
            }
        });
    }
}
