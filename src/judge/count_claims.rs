//! What papers claim of one kernel, compared with what one solve of it counted.

use crate::device::emulated::Counts;
use crate::device::gpus::MultiprocessorLimits;
use crate::published::{Claim, Contender, Figure, Test, published_papers};
use crate::results::{counted_figure, gpu_of};
use serde::Serialize;

/// A claim about one kernel and what was counted of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StructuralResult {
    pub paper: String,
    pub id: String,
    pub statement: String,
    pub place: String,
    /// What is allowed; open where an end is None.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// None when the kernel was not launched or the implementation it is compared with could not be run.
    pub counted: Option<f64>,
}

impl StructuralResult {
    /// Whether what was counted is within what is claimed. None when nothing was counted.
    pub fn holds(&self) -> Option<bool> {
        let low = self.low.unwrap_or(f64::NEG_INFINITY);
        let high = self.high.unwrap_or(f64::INFINITY);
        self.counted.map(|counted| (low..=high).contains(&counted))
    }
}

/// Every claim that one count of a kernel of `implementation` decides, with its default parameters. `counts` gives what a kernel of an
/// implementation did; None where that is not known.
pub fn structural_results(
    implementation: &str,
    counts: impl Fn(&str, &str) -> Option<(Counts, Option<u64>)>,
) -> Vec<StructuralResult> {
    // Tests read the embedded papers; should one be unreadable after all, `repro inspect` goes on without claims.
    let papers = published_papers().unwrap_or_default();
    let of = |one: &Contender, figure: Figure, gpu: Option<&MultiprocessorLimits>| {
        let (counts, tasks) = counts(&one.implementation, one.kernel.as_ref()?)?;
        counted_figure(figure, counts, tasks, gpu)
    };
    let mut all = Vec::new();
    for paper in papers {
        let gpu = gpu_of(paper);
        let decided = paper.claims.iter().filter_map(|claim| decided_by_a_count(claim, implementation));
        for (claim, test, own, beside) in decided {
            let counted = of(own, test.figure, gpu.as_ref()).and_then(|own| match beside {
                None => Some(own),
                Some(beside) => Some(of(beside, test.figure, gpu.as_ref())? / own),
            });
            all.push(StructuralResult {
                paper: paper.id.clone(),
                id: claim.id.clone(),
                statement: claim.statement.clone(),
                place: claim.place.clone(),
                low: test.at_least.or(test.exactly).or(claim.value).or(claim.low),
                high: test.at_most.or(test.exactly).or(claim.value).or(claim.high),
                counted,
            });
        }
    }
    all
}

/// The only test of a claim, its only contender of this implementation, and the contender that it is compared with, if any. None unless
/// counts of kernels alone decide the claim, at default parameters and not as a polynomial of n or of tiles.
fn decided_by_a_count<'a>(
    claim: &'a Claim,
    implementation: &str,
) -> Option<(&'a Claim, &'a Test, &'a Contender, Option<&'a Contender>)> {
    let [test] = &claim.tests[..] else { return None };
    let is_plain = test.contenders().all(|one| one.parameters.is_empty() && one.kernel.is_some());
    let is_own = |one: &&Contender| one.implementation == implementation;
    let (own, beside) = match &test.pairs[..] {
        [(own, beside)] => (Some(own).filter(is_own)?, Some(beside)),
        [] if test.series.iter().filter(is_own).count() == 1 => (test.series.iter().find(is_own)?, None),
        _ => return None,
    };
    (test.is_counted() && is_plain && test.polynomial.is_none()).then_some((claim, test, own, beside))
}
