//! How each claim is compared: a rule a claim, by its kind where its numbers suffice, by its id where they do not.

mod blocks;
mod clocks;
mod context;
mod graphs;
mod kappa;
mod limits;
mod phases;
mod ratio;
mod residency;
mod rounds;
mod stages;
mod steps;
mod structure;
mod table;

pub use ratio::speedup;
pub use structure::structural;
pub use table::column;

use super::evidence::Evidence;
use super::outcome::Outcome;
use super::said::{Contender, Sizes};
use super::settings::Settings;
use crate::published::{Claim, ClaimKind, PublishedPaper};

/// What a rule looks at.
pub struct Question<'a> {
    pub paper: &'a PublishedPaper,
    pub claim: &'a Claim,
    pub evidence: &'a Evidence<'a>,
    pub settings: &'a Settings,
}

/// Compares a claim with what was measured.
pub type Rule = fn(&Question) -> Outcome;

/// The rule for a claim of the paper with this id. None for a claim that nobody has thought about: a defect, which a test
/// guards against.
pub fn rule_of(paper: &str, claim: &Claim) -> Option<Rule> {
    let rule = match paper {
        "lund-smith-2010" => of_lund_smith(&claim.id),
        "likhoded-sipeyko-2019" => of_likhoded_sipeyko(&claim.id),
        "gaioso-2013" => of_gaioso(&claim.id),
        "pogorilyy-cuda" => of_pogorilyy(&claim.id),
        _ => None,
    };
    rule.or_else(|| by_kind(claim.kind))
}

fn of_lund_smith(id: &str) -> Option<Rule> {
    Some(match id {
        "memcpy" => context::copy,
        "hn-rate-limit" => limits::below_copy,
        "hn-limited-by-memory" => limits::limited_by_memory,
        "kk-limited-by-calculation" | "staged-limited-by-calculation" => limits::limited_by_calculation,
        "blocked-ideal-rate" => limits::far_below_copy,
        "hn-flops" | "kk-flops" | "staged-flops" => context::lane_cycles,
        "constant" => context::flat_seconds_a_task,
        "smem-cut" => structure::memory_cut,
        "tiles-a-round" => rounds::tiles,
        "tiles-independent" => rounds::right_result,
        "negative-weights" => rounds::right_with_negative,
        "registers-hold-tile" => rounds::no_local_memory,
        "rows-of-16" => rounds::rows_of_16,
        "ten-operations" => context::ten_operations,
        "doubly-decides" => limits::kernel_decides,
        "register-alone" => ratio::register_move_alone,
        "register-alone-one-block" => residency::register_move_alone,
        "staged-over-opt-as-resident" => residency::staged_as_resident,
        "blocks-hide-latency" => residency::blocks_hide_latency,
        "bank-conflicts-cost" => ratio::is_significantly_faster,
        "tiling-pays" | "fewer-threads" | "fewer-threads-unstaged" => ratio::is_faster,
        "data-independent" => graphs::is_flat,
        "headroom" => ratio::headroom,
        _ => return None,
    })
}

fn of_likhoded_sipeyko(id: &str) -> Option<Rule> {
    Some(match id {
        "kappa-one-is-classic" => kappa::one_is_classic,
        "kappa-q-degenerate" => kappa::q_has_no_rest,
        "tiles-a-round" => rounds::tiles,
        "tiles-independent" => rounds::right_result,
        "kappa-traffic" => kappa::traffic_falls,
        "intermediate-differ" => context::stopped_in_round,
        "kappa-writes" => kappa::writes_fall,
        "same-result" => kappa::same_result,
        "threads-a-block" => structure::threads_a_block,
        "kappa-beats-classic" => kappa::beats_classic,
        "fewer-writes-faster" => kappa::fewer_writes_are_faster,
        "lead-block-minor" => kappa::spread_gains_little,
        "stages-help" => stages::help,
        "blocks-in-3d" => ratio::is_significantly_faster,
        "cpu-cache" => context::generalized_on_cpu,
        _ => return None,
    })
}

fn of_gaioso(id: &str) -> Option<Rule> {
    Some(match id {
        "c2075-8192" => context::lane_cycles,
        "over-hn" => ratio::mean_over_sizes,
        "over-kk" => phases::mean_over_katz_kider,
        "two-launches" => rounds::two_launches,
        "one-launch-a-k" => rounds::one_launch_a_k,
        "tiles-independent" => rounds::right_result,
        "tiles-a-round" => rounds::tiles,
        "any-gpu" => context::any_gpu,
        "scales" => context::flat_seconds_a_task,
        "launches-cost" => clocks::launches_cost,
        "rivals-the-best" | "hn-over-cpu" => ratio::is_faster,
        "fewer-launches-faster" => phases::gain_of_phases,
        "density-flat" => graphs::is_flat,
        "loses-from-2048" => phases::baselines_lose,
        "occupancy" => phases::occupancy,
        "hn-best-block" => blocks::best_square,
        "kk-best-block" | "two-phase-best-block" => blocks::best_tile,
        _ => return None,
    })
}

fn of_pogorilyy(id: &str) -> Option<Rule> {
    Some(match id {
        "unsynced-is-wrong" => clocks::unsynchronized_is_wrong,
        "unsynced-flat" => clocks::reading_is_flat,
        "unsynced-configuration" => clocks::depends_on_configuration,
        "unsynced-load" => clocks::depends_on_load,
        "timers-agree" => clocks::timers_agree,
        "os-timer-high" => clocks::system_reads_more,
        "gpu-over-cpu-everything" => clocks::with_every_overhead,
        "shared-as-buffer" => ratio::never_faster,
        "synchronization-costs" => clocks::waits_cost,
        "shared-memory-wins" => ratio::is_faster,
        "accesses-at-once" => context::accesses_at_once,
        "step-128" => steps::steps,
        "not-linear" => clocks::not_linear,
        "transfer" => clocks::copies_grow,
        _ => return None,
    })
}

/// A statement that is a number, and names what it is a number of, needs no rule of its own.
fn by_kind(kind: ClaimKind) -> Option<Rule> {
    match kind {
        ClaimKind::Ratio => Some(ratio::at_sizes),
        ClaimKind::Absolute | ClaimKind::Bandwidth => Some(context::of_other_gpu),
        ClaimKind::Derived | ClaimKind::Structural | ClaimKind::Trend | ClaimKind::Judgement => None,
    }
}

impl Question<'_> {
    /// The sizes, of those that were measured, that the claim is about.
    pub fn applies_at(&self, n: usize) -> bool {
        self.claim.n.is_none_or(|at| at == n) && self.claim.from_n.is_none_or(|from| n >= from)
    }

    /// Where it would have to be measured.
    pub fn sizes(&self) -> Sizes {
        match (self.claim.n, self.claim.from_n) {
            (Some(n), _) => Sizes::At(n),
            (_, Some(from)) => Sizes::From(from),
            _ => Sizes::Any,
        }
    }

    /// What is missing where these implementations are to be compared.
    fn lacking(&self, names: &[&str], sizes: Sizes) -> Outcome {
        let contenders: Vec<Contender> = names.iter().map(|name| Contender::of(name)).collect();
        Outcome::lacking(self.evidence.lacking(&contenders, sizes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::published::published_papers;

    #[test]
    fn every_claim_of_every_paper_has_a_rule() {
        let mut claims = 0;
        for paper in published_papers().unwrap() {
            for claim in &paper.claims {
                assert!(
                    rule_of(&paper.id, claim).is_some(),
                    "{} {} ({:?}) has no rule: add one to rule_of",
                    paper.id,
                    claim.id,
                    claim.kind
                );
                claims += 1;
            }
        }
        assert!(claims > 40, "{claims}");
    }

    #[test]
    fn a_trend_that_nobody_thought_about_has_none() {
        let papers = published_papers().unwrap();
        let trend = papers
            .iter()
            .flat_map(|paper| &paper.claims)
            .find(|claim| claim.kind == ClaimKind::Trend)
            .unwrap();
        assert!(rule_of("a-new-paper", trend).is_none());
    }
}
