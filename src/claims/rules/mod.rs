//! How each claim is compared: a rule a claim, by its kind where its numbers say everything, by its id where they do not.

mod blocks;
mod clocks;
mod kappa;
mod phases;
mod rate;
mod ratio;
mod structure;
mod table;

pub use ratio::speedup;
pub use structure::{structural, unit_of};
pub use table::column;

use super::evidence::Evidence;
use super::outcome::Outcome;
use crate::record::{Claim, ClaimKind, PublishedPaper};

/// What a rule looks at.
pub struct Question<'a> {
    pub paper: &'a PublishedPaper,
    pub claim: &'a Claim,
    pub evidence: &'a Evidence<'a>,
}

/// Compares a claim with what was measured.
pub type Rule = fn(&Question) -> Outcome;

/// The rule for a claim of the paper with this id. None for a claim that nobody has thought about: a defect, which a test
/// guards against.
pub fn rule_of(paper: &str, claim: &Claim) -> Option<Rule> {
    let rule: Rule = match (paper, claim.id.as_str()) {
        ("lund-smith-2010", "memcpy") => rate::copy,
        ("lund-smith-2010", "hn-rate-limit") => rate::limit_by_copy,
        ("lund-smith-2010", "blocked-ideal-rate") => rate::ceiling,
        ("lund-smith-2010", "hn-flops" | "kk-flops" | "staged-flops") => rate::peak_a_task,
        ("lund-smith-2010", "constant") => rate::follows,
        ("lund-smith-2010", "smem-cut") => structure::shared_memory_cut,
        ("lund-smith-2010", "register-alone") => ratio::register_move_alone,
        ("lund-smith-2010", "headroom") => ratio::headroom,
        ("likhoded-sipeyko-2019", "kappa-one-is-classic") => kappa::one_is_classic,
        ("likhoded-sipeyko-2019", "kappa-q-degenerate") => kappa::q_has_no_rest,
        ("likhoded-sipeyko-2019", "kappa-writes") => kappa::writes_fall,
        ("likhoded-sipeyko-2019", "threads-a-block") => structure::threads_a_block,
        ("likhoded-sipeyko-2019", "kappa-beats-classic") => kappa::beats_classic,
        ("likhoded-sipeyko-2019", "lead-block-minor") => kappa::spread_gains_little,
        ("gaioso-2013", "over-hn" | "over-kk") => ratio::mean_over_sizes,
        ("gaioso-2013", "density-flat") => phases::density_is_flat,
        ("gaioso-2013", "loses-from-2048") => phases::baselines_lose,
        ("gaioso-2013", "occupancy") => phases::occupancy,
        ("gaioso-2013", "hn-best-block") => blocks::best_square,
        ("gaioso-2013", "kk-best-block") => blocks::no_other_tile,
        ("pogorilyy-cuda", "unsynced-is-wrong") => clocks::unsynchronized_is_wrong,
        ("pogorilyy-cuda", "unsynced-flat") => clocks::reading_is_flat,
        ("pogorilyy-cuda", "unsynced-depends") => clocks::not_varied,
        ("pogorilyy-cuda", "timers-agree") => clocks::timers_agree,
        ("pogorilyy-cuda", "gpu-over-cpu-everything") => clocks::with_every_overhead,
        ("pogorilyy-cuda", "shared-as-buffer") => ratio::never_faster,
        ("pogorilyy-cuda", "step-128") => clocks::steps,
        ("pogorilyy-cuda", "not-linear") => clocks::not_linear,
        ("pogorilyy-cuda", "transfer") => clocks::copies_share,
        _ => return by_kind(claim.kind),
    };
    Some(rule)
}

/// A statement that is a number and says of what needs no rule of its own.
fn by_kind(kind: ClaimKind) -> Option<Rule> {
    match kind {
        ClaimKind::Ratio => Some(ratio::at_sizes),
        ClaimKind::Absolute | ClaimKind::Bandwidth => Some(rate::share_of_copy),
        ClaimKind::Derived | ClaimKind::Structural | ClaimKind::Trend | ClaimKind::Judgement => None,
    }
}

impl Question<'_> {
    /// The sizes, of those that were measured, that the claim speaks of.
    pub fn applies_at(&self, n: usize) -> bool {
        self.claim.n.is_none_or(|at| at == n) && self.claim.from_n.is_none_or(|from| n >= from)
    }

    /// Where it would have to be measured, in words.
    pub fn sizes_in_words(&self) -> String {
        match (self.claim.n, self.claim.from_n) {
            (Some(n), _) => format!(" at n = {n}"),
            (_, Some(from)) => format!(" from n = {from} on"),
            _ => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::published_papers;

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
