//! SIGKILL at random moments of every command that writes: nothing that could be seen before is gone after it, everything can
//! be read, and the next call goes on.
//!
//! A kill is repeated by its seed, as far as a moment can be: `REPRO_KILLS=1 REPRO_KILLS_SEED=17 cargo test --all-features
//! --test all -- --ignored --nocapture minutes::a_thousand_kills`.

#![cfg(all(target_os = "linux", feature = "fault-injection"))]

mod killing;
mod rounds;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rounds::{Round, Subject};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::time::Duration;

/// Makes `count` kills, the first of them with `seed`, and prints what became of those of each kind. `make` has a seed, a number between 0
/// and 1 and one that chooses; it gives the kind and what was seen, or nothing where nobody was hit: such a kill is none.
pub fn make_kills<K: Debug + Ord>(
    count: usize,
    seed: u64,
    mut make: impl FnMut(u64, f64, usize) -> Option<(K, usize)>,
) {
    let mut kinds: BTreeMap<K, (usize, usize)> = BTreeMap::new();
    for seed in (seed..).take(count) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut kill = |attempt: usize| {
            assert!(attempt < 10 * count, "seed {seed}: nobody is hit");
            let share = f64::from(random.next_u32()) / f64::from(u32::MAX);
            println!("seed {seed}: after {share} of the whole time");
            make(seed, share, random.next_u32() as usize)
        };
        let (kind, seen) = (0..).find_map(&mut kill).unwrap();
        let (kills, all) = kinds.entry(kind).or_default();
        (*kills, *all) = (*kills + 1, *all + seen);
    }
    for (kind, (kills, seen)) in &kinds {
        println!("{kind:?}: {kills} kills, {seen} rows or cells seen before, 0 lost");
    }
    assert_eq!(kinds.values().map(|(kills, _)| kills).sum::<usize>(), count);
}

/// Kills of every command in turn.
fn kill(count: usize, seed: u64) {
    let lasts: Vec<Duration> = Subject::ALL.map(rounds::duration).to_vec();
    make_kills(count, seed, |seed, share, random| {
        let at = seed as usize % Subject::ALL.len();
        let (subject, victims) = (Subject::ALL[at], Subject::ALL[at].victims());
        let victim = victims[random % victims.len()];
        let round =
            Round { subject, victim, moment: lasts[at].mul_f64(share), random: random / victims.len() };
        println!("{round:?}");
        Some(((subject, victim), round.make()?))
    });
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long"]
    fn twenty_kills_of_whoever_works_lose_nothing_that_could_be_seen() {
        kill(20, 1);
    }
}

/// What no part has: `scripts/test --all` runs it.
mod minutes {
    use super::*;

    fn number(name: &str, usual: u64) -> u64 {
        std::env::var(name).map_or(usual, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text}")))
    }

    #[test]
    #[ignore = "takes a quarter of an hour"]
    fn a_thousand_kills_of_whoever_works_lose_nothing_that_could_be_seen() {
        kill(number("REPRO_KILLS", 1000) as usize, number("REPRO_KILLS_SEED", 1));
    }
}
