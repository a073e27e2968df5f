//! What takes minutes and is not divided: `scripts/test --all` runs it.

use crate::kills;

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text}")))
}

#[cfg(feature = "fault-injection")]
#[test]
#[ignore = "takes a quarter of an hour"]
fn a_thousand_kills_of_whoever_works_lose_nothing_that_could_be_seen() {
    kills::kill(number("REPRO_KILLS", 1000) as usize, number("REPRO_KILLS_SEED", 1));
}
