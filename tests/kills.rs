//! SIGKILL at random moments of every command that writes: nothing that could be seen before is gone after it, everything can
//! be read, and the next call goes on.
//!
//! A kill is repeated by its seed, as far as a moment can be: `REPRO_KILLS=1 REPRO_KILLS_SEED=17 cargo test --all-features
//! --test all -- --ignored --nocapture minutes::a_thousand_kills`.

#![cfg(all(target_os = "linux", feature = "fault-injection"))]

mod killing;
mod place;
mod rounds;

use killing::Victim;
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};
use rounds::{Round, Subject};
use std::collections::BTreeMap;
use std::time::Duration;

/// What became of the kills of one command and victim.
#[derive(Default)]
struct Tally {
    kills: usize,
    /// Kills that came too late, or before there was a worker.
    missed: usize,
    /// Rows that a reader saw before the kill.
    seen: usize,
}

/// Makes `count` kills, the first of them with `seed`, and prints what became of them.
fn kill(count: usize, seed: u64) {
    let lasts: Vec<Duration> = Subject::ALL.map(rounds::duration).to_vec();
    for (subject, lasts) in Subject::ALL.iter().zip(&lasts) {
        println!("{subject:?} takes {lasts:?} undisturbed");
    }
    let mut tallies: BTreeMap<(Subject, Victim), Tally> = BTreeMap::new();
    for seed in (seed..).take(count) {
        let place = seed as usize % Subject::ALL.len();
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        // A kill that hits nothing is none.
        loop {
            let share = random.next_u32() as f64 / u32::MAX as f64;
            let victims = Subject::ALL[place].victims();
            let round = Round {
                subject: Subject::ALL[place],
                victim: victims[random.next_u32() as usize % victims.len()],
                moment: lasts[place].mul_f64(share),
                random: random.next_u32() as usize,
            };
            println!("seed {seed}: {round:?}");
            let tally = tallies.entry((round.subject, round.victim)).or_default();
            match round.make() {
                Some(seen) => {
                    tally.kills += 1;
                    tally.seen += seen;
                    break;
                }
                None => tally.missed += 1,
            }
        }
    }
    for ((subject, victim), Tally { kills, missed, seen }) in &tallies {
        println!(
            "{subject:?}, {victim:?}: {kills} kills ({missed} more missed), {seen} rows seen before, 0 lost"
        );
    }
    assert_eq!(tallies.values().map(|tally| tally.kills).sum::<usize>(), count);
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
