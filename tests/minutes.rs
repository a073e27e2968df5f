//! What takes minutes and is not divided: `scripts/test --all` runs it.

use crate::kills;
use crate::long::several_processes::{Launcher, kills as kills_of_one, solve_with};

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text}")))
}

#[test]
#[ignore = "takes five minutes: a thousand vertices on the emulated device"]
fn four_processes_solve_a_thousand_vertices_bit_for_bit() {
    solve_with(&[Launcher::Torchrun], "1000");
}

/// A kill is repeated by its seed, as far as a moment can be: `REPRO_KILLS=1 REPRO_KILLS_SEED=17`.
#[test]
#[ignore = "takes six minutes"]
fn fifty_kills_of_one_process_end_all_others_and_every_run_goes_on() {
    kills_of_one::kill(number("REPRO_KILLS", 50) as usize, number("REPRO_KILLS_SEED", 1));
}

#[cfg(feature = "fault-injection")]
#[test]
#[ignore = "takes a quarter of an hour"]
fn a_thousand_kills_of_whoever_works_lose_nothing_that_could_be_seen() {
    kills::kill(number("REPRO_KILLS", 1000) as usize, number("REPRO_KILLS_SEED", 1));
}
